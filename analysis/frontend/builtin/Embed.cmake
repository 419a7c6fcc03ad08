# Turns every header below this directory into a string of a C++ table:
#   cmake -DDIR=<builtin> -DOUT=<file.inc> -P Embed.cmake
# Builtin.cpp includes the table and serves it as a virtual directory.
file(GLOB_RECURSE headers RELATIVE ${DIR} ${DIR}/*.h ${DIR}/*.hpp)
list(REMOVE_ITEM headers Builtin.h) # that one is ours
list(SORT headers)
set(table "// Made by Embed.cmake from analysis/frontend/builtin. Do not edit.\n")
foreach(header IN LISTS headers)
  file(READ ${DIR}/${header} text)
  string(APPEND table "{\"${header}\", R\"~catt~(${text})~catt~\"},\n")
endforeach()
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT "${old}" STREQUAL "${table}")
  file(WRITE ${OUT} "${table}")
endif()

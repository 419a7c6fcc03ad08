# Turns every header and CUDA source below a directory into a string of a C++
# table:
#   cmake -DDIR=<folder> -DOUT=<file.inc> -P Embed.cmake
# Builtin.cpp includes that of this directory and serves it as a virtual one;
# tool/tune/Calibration.cpp includes that of tool/calibrate.
file(GLOB_RECURSE headers RELATIVE ${DIR} ${DIR}/*.h ${DIR}/*.hpp ${DIR}/*.cu
     ${DIR}/*.cuh)
list(REMOVE_ITEM headers Builtin.h) # that one is ours
list(SORT headers)
cmake_path(GET DIR FILENAME folder)
set(table "// Made by Embed.cmake from ${folder}/. Do not edit.\n")
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

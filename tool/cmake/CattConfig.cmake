# find_package(Catt): the programs Catt::catt-rewrite and Catt::catt-launch, and
# the functions of CattTargets.cmake. With COMPONENTS optimize also the library
# Catt::optimize, which needs LLVM's and Clang's CMake packages. Everything of
# ours is found from this file's own place, so an installed tree can be moved.
get_filename_component(_catt_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
foreach(_catt_program catt-rewrite catt-launch)
  if(NOT EXISTS "${_catt_prefix}/bin/${_catt_program}")
    set(Catt_FOUND FALSE)
    set(Catt_NOT_FOUND_MESSAGE "there is no ${_catt_prefix}/bin/${_catt_program}")
    return()
  endif()
  if(NOT TARGET Catt::${_catt_program})
    add_executable(Catt::${_catt_program} IMPORTED)
    set_target_properties(
      Catt::${_catt_program}
      PROPERTIES IMPORTED_LOCATION "${_catt_prefix}/bin/${_catt_program}")
  endif()
endforeach()
include("${CMAKE_CURRENT_LIST_DIR}/CattTargets.cmake")

set(_catt_library "${CMAKE_CURRENT_LIST_DIR}/CattLibraries.cmake")
foreach(_catt_component ${Catt_FIND_COMPONENTS})
  if(NOT _catt_component STREQUAL optimize)
    set(Catt_FOUND FALSE)
    set(Catt_NOT_FOUND_MESSAGE "there is no component ${_catt_component}")
    return()
  elseif(NOT EXISTS "${_catt_library}")
    set(Catt_FOUND FALSE)
    set(Catt_NOT_FOUND_MESSAGE "the library is not installed, only programs")
    return()
  endif()
endforeach()
if(Catt_FIND_COMPONENTS AND NOT TARGET Catt::optimize)
  include(CMakeFindDependencyMacro)
  find_dependency(LLVM 22.1 CONFIG HINTS /usr/lib/llvm-22/lib/cmake/llvm)
  find_dependency(Clang CONFIG HINTS ${LLVM_INSTALL_PREFIX}/lib/cmake/clang)
  include("${_catt_library}")
  separate_arguments(_catt_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(Catt::optimize INTERFACE ${_catt_definitions})
  target_include_directories(Catt::optimize SYSTEM INTERFACE
                             ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS})
  target_compile_options(Catt::optimize INTERFACE -fno-rtti)
endif()

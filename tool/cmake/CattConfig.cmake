# find_package(Catt): the programs Catt::catt-rewrite and Catt::catt-launch, and
# the functions of CattTargets.cmake. Everything is found from this file's own
# place, so an installed tree can be moved.
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

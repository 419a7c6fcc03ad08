# Rewriting as a part of a build. Both functions are called in the directory that
# made the target, after its sources and properties are set.
#
#   catt_rewrite_target(<target> [TRANSFORMS <name>...] [GPU <gpu>]
#                       [OPTIONS <option>...] [REPORT <file>])
#     compiles rewritten copies of the target's CUDA sources instead of the
#     sources: <build>/catt/<target>/<source>, one custom command each, run again
#     when the source, a file that it includes or a flag changes. Messages and
#     debug information name the originals, and includes are found where the
#     originals find them.
#
#   catt_analyze_target(<target> [TRANSFORMS <name>...] [GPU <gpu>]
#                       [OPTIONS <option>...] [REPORT <file>])
#     adds a target <target>-catt that reports on the sources and changes
#     nothing; OPTIONS --error-on-findings makes it fail.
#
# A report's kind follows its name: .sarif, .json, .yaml (LLVM's remarks), and
# text for every other.
#
# Limits: sources named by generator expressions stay as they are; compile
# options with the prefix SHELL: are not passed on to the analysis.
cmake_policy(PUSH)
cmake_policy(VERSION 3.20...3.25)

# The arguments that both functions share, as options of catt-rewrite.
macro(_catt_parse)
  cmake_parse_arguments(arg "" "GPU;REPORT" "TRANSFORMS;OPTIONS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${CMAKE_CURRENT_FUNCTION}: unknown arguments: "
                        "${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${CMAKE_CURRENT_FUNCTION}: no target ${target}")
  endif()
  if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "${CMAKE_CURRENT_FUNCTION}: the project does not enable "
                        "the language CUDA")
  endif()
  set(options ${arg_OPTIONS})
  if(arg_GPU)
    list(APPEND options --gpu=${arg_GPU})
  endif()
  if(arg_TRANSFORMS)
    list(JOIN arg_TRANSFORMS "," names)
    list(APPEND options --transforms=${names})
  endif()
  if(arg_REPORT)
    get_filename_component(arg_REPORT "${arg_REPORT}" ABSOLUTE BASE_DIR
                           "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
endmacro()

# The target's own CUDA sources, as absolute paths, whether rewritten or not.
function(_catt_sources target out)
  get_target_property(sources ${target} CATT_SOURCES)
  if(NOT sources)
    set(sources)
    get_target_property(all ${target} SOURCES)
    get_target_property(directory ${target} SOURCE_DIR)
    foreach(source IN LISTS all)
      get_source_file_property(language "${source}" LANGUAGE)
      if(source MATCHES "^[^$]*\\.cu$" OR language STREQUAL "CUDA")
        get_filename_component(source "${source}" ABSOLUTE BASE_DIR
                               "${directory}")
        list(APPEND sources "${source}")
      endif()
    endforeach()
    set_target_properties(${target} PROPERTIES CATT_SOURCES "${sources}")
  endif()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# '<prefix>value', a line for each value of a list. In such a file quotation marks
# survive between apostrophes; a backslash does not, and is of no account for what
# is analysed.
function(_catt_lines out prefix list)
  set(${out} "$<$<BOOL:${list}>:'${prefix}$<JOIN:${list},'\n'${prefix}>'\n>"
      PARENT_SCOPE)
endfunction()

# A file with the target's compile flags, one for each configuration. They are
# written for every language, so that $<COMPILE_LANGUAGE:...> has a meaning.
function(_catt_flags target out)
  get_target_property(known ${target} CATT_FLAGS)
  if(known)
    set(${out} "${known}" PARENT_SCOPE)
    return()
  endif()
  set(property "$<TARGET_PROPERTY:${target},")
  _catt_lines(includes -I "${property}INCLUDE_DIRECTORIES>")
  _catt_lines(definitions -D "${property}COMPILE_DEFINITIONS>")
  _catt_lines(flags ""
              "$<FILTER:${property}COMPILE_OPTIONS>,EXCLUDE,^SHELL:>")
  separate_arguments(global UNIX_COMMAND "${CMAKE_CUDA_FLAGS}")
  list(TRANSFORM global REPLACE "(.+)" "'\\1'\n")
  string(REPLACE ";" "" global "${global}")
  set(standard "${property}CUDA_STANDARD>")
  set(standard "$<$<BOOL:${standard}>:-std=c++${standard}\n>")
  set(name "${CMAKE_CURRENT_BINARY_DIR}/catt/${target}/flags-$<CONFIG>")
  file(GENERATE OUTPUT "${name}-$<COMPILE_LANGUAGE>.rsp"
       CONTENT "${global}${standard}${definitions}${includes}${flags}"
       TARGET ${target})
  set_target_properties(${target} PROPERTIES CATT_FLAGS "${name}-CUDA.rsp")
  set(${out} "${name}-CUDA.rsp" PARENT_SCOPE)
endfunction()

function(_catt_report_option out file)
  set(kind text)
  if(file MATCHES "\\.sarif$")
    set(kind sarif)
  elseif(file MATCHES "\\.json$")
    set(kind json)
  elseif(file MATCHES "\\.ya?ml$")
    set(kind opt-remarks)
  endif()
  set(${out} --report=${kind} PARENT_SCOPE)
endfunction()

# Where "..." includes of the copy are looked for first.
function(_catt_quote_directory copy source)
  get_filename_component(directory "${source}" DIRECTORY)
  if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA")
    set(flags "-Xcompiler=-iquote,${directory}")
  else()
    set(flags "-iquote" "${directory}")
  endif()
  get_source_file_property(own "${source}" COMPILE_OPTIONS)
  if(own)
    list(APPEND flags ${own})
  endif()
  set_source_files_properties("${copy}" PROPERTIES LANGUAGE CUDA COMPILE_OPTIONS
                                                   "${flags}")
  foreach(property COMPILE_DEFINITIONS COMPILE_FLAGS INCLUDE_DIRECTORIES)
    get_source_file_property(own "${source}" ${property})
    if(own)
      set_source_files_properties("${copy}" PROPERTIES ${property} "${own}")
    endif()
  endforeach()
endfunction()

function(catt_rewrite_target target)
  _catt_parse(${ARGN})
  _catt_sources(${target} sources)
  _catt_flags(${target} flags)
  get_target_property(all ${target} SOURCES)
  get_target_property(directory ${target} SOURCE_DIR)
  set(new)
  foreach(given IN LISTS all)
    get_filename_component(source "${given}" ABSOLUTE BASE_DIR "${directory}")
    if(NOT source IN_LIST sources)
      list(APPEND new "${given}")
      continue()
    endif()
    file(RELATIVE_PATH name "${directory}" "${source}")
    string(REPLACE ".." "_" name "${name}")
    set(copy "${CMAKE_CURRENT_BINARY_DIR}/catt/${target}/${name}")
    get_filename_component(folder "${copy}" DIRECTORY)
    file(MAKE_DIRECTORY "${folder}")
    add_custom_command(
      OUTPUT "${copy}"
      COMMAND Catt::catt-rewrite --quiet --line-directives ${options} -o "${copy}"
              --depfile "${copy}.d" "${source}" -- "${CMAKE_CUDA_COMPILER}"
              --options-file "${flags}"
      DEPENDS "${source}" "${flags}" Catt::catt-rewrite
      DEPFILE "${copy}.d"
      COMMENT "Rewriting ${name}"
      VERBATIM)
    _catt_quote_directory("${copy}" "${source}")
    list(APPEND new "${copy}")
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${new}")
  if(arg_REPORT)
    _catt_report_option(kind "${arg_REPORT}")
    add_custom_command(
      OUTPUT "${arg_REPORT}"
      COMMAND Catt::catt-rewrite --quiet ${options} ${kind} ${sources} --
              "${CMAKE_CUDA_COMPILER}" --options-file "${flags}" > "${arg_REPORT}"
      DEPENDS ${sources} "${flags}" Catt::catt-rewrite
      COMMENT "Reporting on ${target}"
      VERBATIM)
    add_custom_target(${target}-catt-report ALL DEPENDS "${arg_REPORT}")
  endif()
endfunction()

function(catt_analyze_target target)
  _catt_parse(${ARGN})
  _catt_sources(${target} sources)
  _catt_flags(${target} flags)
  _catt_report_option(kind "${arg_REPORT}")
  set(file)
  if(arg_REPORT)
    set(file > "${arg_REPORT}")
  endif()
  add_custom_target(
    ${target}-catt
    COMMAND Catt::catt-rewrite --quiet ${options} ${kind} ${sources} --
            "${CMAKE_CUDA_COMPILER}" --options-file "${flags}" ${file}
    COMMENT "Analysing ${target}"
    VERBATIM)
endfunction()

cmake_policy(POP)

# What a build needs and does not find is named together, with the command that installs it, whoever
# started CMake: make, pip, or a person.

set(TROPISM_MISSING "")

# need(PREFIX MODULE...): pkg_check_modules, noting what is missing.
macro(need prefix)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(${prefix} IMPORTED_TARGET ${ARGN})
  endif()
  note(${prefix}_FOUND ${ARGN})
endmacro()

# note(FOUND NAME...): the names are missing unless FOUND is true.
macro(note found)
  if(NOT ${found})
    list(APPEND TROPISM_MISSING ${ARGN})
  endif()
endmacro()

# Ends here when something is missing; KIND is a word of scripts/dependencies.sh.
function(stop_if_missing kind)
  if(NOT TROPISM_MISSING)
    return()
  endif()
  list(JOIN TROPISM_MISSING ", " missing)
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/dependencies.sh --check ${kind}
                  ERROR_VARIABLE how ERROR_STRIP_TRAILING_WHITESPACE OUTPUT_QUIET)
  message(FATAL_ERROR "tropism: not found: ${missing}. On Debian and Ubuntu this installs what is missing:\n"
                      "  scripts/dependencies.sh ${kind}\n${how}")
endfunction()

# Tests, run by CTest.
#
#   unit     every tests/LAYER/test_NAME.c is a program of its own, linked with the static
#            libraries, so that it can reach what the shared ones hide;
#   project  scripts that look at the project's files and at what was built;
#   variant  scripts that build the project another way and run its unit tests.

find_package(PkgConfig REQUIRED)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
pkg_check_modules(MPFR REQUIRED IMPORTED_TARGET mpfr gmp)
# Second opinions on linear and on smooth programs.
pkg_check_modules(CLP REQUIRED IMPORTED_TARGET clp)
pkg_check_modules(NLOPT REQUIRED IMPORTED_TARGET nlopt)

# More than two seconds each: here they are run, in variants only by 'make test-full'.
set(SLOW_TESTS test_attend test_certificate test_cli test_exact test_piecewise test_sliding test_refusal test_run
    test_run_memory test_session test_hull test_schedule test_schedule_endless test_statistics test_margin_cli test_margin_study
    test_margin_oracle test_train test_train_run test_train_state test_path test_path_bracket test_claims test_plot test_attend_tile test_shortlist
    test_tree_localmax test_tree_softmax test_tree_softmax_bits)

file(GLOB TEST_SOURCES CONFIGURE_DEPENDS tests/*/test_*.c)
foreach(source ${TEST_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  # Its own lines and those of the headers beside it and in tests/support that it includes say what it
  # needs.
  get_filename_component(folder ${source} DIRECTORY)
  file(STRINGS ${source} lines)
  file(STRINGS ${source} headers REGEX "^#include \"[a-z0-9_]+[.]h\"")
  foreach(header ${headers})
    string(REGEX REPLACE "^#include \"(.*)\"$" "\\1" header ${header})
    foreach(place ${folder} ${CMAKE_SOURCE_DIR}/tests/support)
      if(EXISTS ${place}/${header})
        file(STRINGS ${place}/${header} more)
        list(APPEND lines ${more})
      endif()
    endforeach()
  endforeach()
  # What tests numbers alone needs neither files nor the program, which the minimal build lacks.
  string(REGEX MATCH "#include \"(io|model|run|draw|claim)/|tropism_lab.h|jansson.h|hdf5.h|program.h|TROP_BUILD" needs_lab "${lines}")
  if(TROPISM_MINIMAL AND needs_lab)
    continue()
  endif()
  add_executable(${name} ${source})
  target_include_directories(${name} PRIVATE src tests/support)
  if(NOT needs_lab)
    target_link_libraries(${name} PRIVATE tropism_static)
  else()
    pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
    target_link_libraries(${name} PRIVATE tropism-lab_static PkgConfig::JANSSON)
    add_dependencies(${name} tropism-cli)
  endif()
  target_link_libraries(${name} PRIVATE PkgConfig::CMOCKA PkgConfig::MPFR)
  # Most take longer to compile than to run; what they test has the options of a release.
  if(NOT TROPISM_OPTIMIZE)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(lines MATCHES "Clp_C_Interface.h")
    target_link_libraries(${name} PRIVATE PkgConfig::CLP)
  endif()
  if(lines MATCHES "nlopt.h")
    target_link_libraries(${name} PRIVATE PkgConfig::NLOPT)
  endif()
  # The claims are many: each paper is a test of its own.
  set(entries ${name})
  if(name STREQUAL "test_claims")
    set(entries test_claims_fw test_claims_lm test_claims_afz test_claims_mm test_claims_tf test_claims_md test_claims_sp)
    file(GLOB SPOILS CONFIGURE_DEPENDS tests/claim/spoils_*.c)
    target_sources(${name} PRIVATE ${SPOILS})
  endif()
  foreach(entry ${entries})
    add_test(NAME ${entry} COMMAND ${name})
  endforeach()
  # What the thread sanitizer is to see names threads.
  file(STRINGS ${source} uses_threads REGEX "threads|trop_parallel" LIMIT_COUNT 1)
  set(labels unit)
  if(uses_threads)
    list(APPEND labels threads)
  endif()
  if(name IN_LIST SLOW_TESTS)
    list(APPEND labels slow)
  endif()
  foreach(entry ${entries})
    string(REPLACE test_claims_ "" paper ${entry})
    set_tests_properties(${entry} PROPERTIES LABELS "${labels}" ENVIRONMENT
      "TROP_BUILD=${CMAKE_BINARY_DIR};TROP_SOURCE=${CMAKE_SOURCE_DIR};TROP_CLAIM=${paper}-")
  endforeach()
endforeach()

# Libraries that are not libtropism-cuda, in folders of their own, for test_device_cli.
if(NOT TROPISM_MINIMAL)
  foreach(wrong version size entry)
    set(target device_${wrong})
    add_library(${target} MODULE tests/support/device_wrong.c)
    target_include_directories(${target} PRIVATE include src)
    target_compile_definitions(${target} PRIVATE WRONG_${wrong})
    set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME libtropism-cuda
                          LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/device/${wrong})
    add_dependencies(test_device_cli ${target})
  endforeach()
  # The kernels of cuda/ on the host, as tests/gpu.sh has them in place of a device: never installed.
  add_library(device_standin MODULE cuda/device_body.c)
  target_include_directories(device_standin PRIVATE include src tests/support)
  target_compile_definitions(device_standin PRIVATE DEVICE_GRID="grid_host.h")
  set_target_properties(device_standin PROPERTIES PREFIX "" OUTPUT_NAME libtropism-cuda
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/device/standin)
  if(NOT TROPISM_VARIANT)
    set_target_properties(bench_gpu PROPERTIES EXCLUDE_FROM_ALL OFF)
  endif()
endif()

# Files of claims, as a user compiles them, for test_outside and test_case_memory: the example, and others.
if(NOT TROPISM_MINIMAL)
  function(claims_file name source)
    set(target claims_${name})
    add_library(${target} MODULE ${source})
    target_include_directories(${target} PRIVATE include)
    target_compile_definitions(${target} PRIVATE ${ARGN})
    set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
                          LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/claims)
    add_dependencies(test_outside ${target})
    add_dependencies(test_case_memory ${target})
  endfunction()
  claims_file(diameter examples/claims/diameter.c)
  claims_file(verdicts tests/claim/outside_verdicts.c)
  claims_file(version tests/claim/outside_wrong.c WRONG=1)
  claims_file(size tests/claim/outside_wrong.c WRONG=2)
  claims_file(silent tests/claim/outside_wrong.c WRONG=3)
  claims_file(entryless tests/claim/outside_wrong.c WRONG=4)
endif()

if(TROPISM_VARIANT OR TROPISM_MINIMAL)
  return()
endif()

foreach(name layers format version site needs)
  add_test(NAME ${name} COMMAND ${CMAKE_SOURCE_DIR}/tests/${name}.sh)
  set_tests_properties(${name} PROPERTIES LABELS project)
endforeach()
foreach(name symbols generated words install readme manual gates gpu reference proof browser)
  add_test(NAME ${name} COMMAND ${CMAKE_SOURCE_DIR}/tests/${name}.sh ${CMAKE_BINARY_DIR})
  set_tests_properties(${name} PROPERTIES LABELS project)
endforeach()
# Long ones begin early, so that they do not run alone at the end.
set_tests_properties(manual site install reference browser PROPERTIES COST 500)
# The program with MPI, whatever this build has: study_ranks.c comes before the library, and so in place
# of its study_ranks_none.c.
set(RANKS_PROGRAM "")
pkg_search_module(RANKS IMPORTED_TARGET ompi-c mpich)
if(TROPISM_MPI)
  set(RANKS_PROGRAM $<TARGET_FILE:tropism-cli>)
elseif(RANKS_FOUND)
  add_executable(tropism-mpi $<TARGET_OBJECTS:cli_objects> src/run/study/study_ranks.c)
  target_include_directories(tropism-mpi PRIVATE src)
  target_link_libraries(tropism-mpi PRIVATE tropism-lab_static PkgConfig::RANKS)
  set(RANKS_PROGRAM $<TARGET_FILE:tropism-mpi>)
endif()
# Studies on many machines: what one of these lacks here is said, and the test skipped.
add_test(NAME mpi COMMAND ${CMAKE_SOURCE_DIR}/tests/mpi.sh ${CMAKE_BINARY_DIR} ${RANKS_PROGRAM})
add_test(NAME slurm COMMAND ${CMAKE_SOURCE_DIR}/tests/slurm.sh ${CMAKE_BINARY_DIR})
set_tests_properties(mpi slurm PROPERTIES LABELS project SKIP_RETURN_CODE 77)
# The numbers that test_transformer compares with are still those of the program that wrote them. It needs
# NumPy, which Debian's own Python has.
add_test(NAME forward COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/model/forward.py
         --check ${CMAKE_SOURCE_DIR}/tests/data/forward.npy)
set_tests_properties(forward PROPERTIES LABELS project)
# The explorer, whose two modules take a while to build: in the wide run, and by 'make test-web'.
if("$ENV{TROP_TEST_WIDE}$ENV{TROP_TEST_FULL}" MATCHES 1)
  add_test(NAME web COMMAND ${CMAKE_SOURCE_DIR}/tests/web.sh ${CMAKE_BINARY_DIR})
  set_tests_properties(web PROPERTIES LABELS project SKIP_RETURN_CODE 77 COST 500)
endif()
# The same bits by every kernel; on other machines, which are built or emulated, in the wide run.
add_test(NAME portable COMMAND ${CMAKE_SOURCE_DIR}/tests/portable.sh ${CMAKE_BINARY_DIR} kernels)
set_tests_properties(portable PROPERTIES LABELS project)
if("$ENV{TROP_TEST_WIDE}$ENV{TROP_TEST_FULL}" MATCHES 1)
  foreach(name aarch64 node chromium)
    add_test(NAME variant_${name}
             COMMAND ${CMAKE_SOURCE_DIR}/tests/portable.sh ${CMAKE_BINARY_DIR} ${name})
    set_tests_properties(variant_${name} PROPERTIES LABELS variant SKIP_RETURN_CODE 77 COST 700)
  endforeach()
  # They build in one folder.
  set_tests_properties(web variant_node variant_chromium PROPERTIES RESOURCE_LOCK wasm)
endif()
add_test(NAME demo COMMAND ${CMAKE_SOURCE_DIR}/scripts/demo.sh ${CMAKE_BINARY_DIR})
set_tests_properties(demo PROPERTIES LABELS project)
# Each takes one core and they run side by side, the longest first.
set(variants sanitize minimal clang fuzz)
if("$ENV{TROP_TEST_WIDE}$ENV{TROP_TEST_FULL}" MATCHES 1)
  list(PREPEND variants debug release thread)
endif()
foreach(name ${variants})
  add_test(NAME variant_${name}
           COMMAND ${CMAKE_SOURCE_DIR}/tests/variant.sh ${name} ${CMAKE_BINARY_DIR})
  set_tests_properties(variant_${name} PROPERTIES LABELS variant COST 1000)
endforeach()

# Benchmarks: every bench/bench_NAME.c is a program; 'make bench' runs them with their peers.
# bench/gate.c counts instructions and iterations for tests/gates.sh.

file(GLOB BENCH_SOURCES CONFIGURE_DEPENDS bench/bench_*.c)
list(FILTER BENCH_SOURCES EXCLUDE REGEX "/bench_gpu\\.c$") # cuda.cmake
add_custom_target(bench-programs)
foreach(source ${BENCH_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} EXCLUDE_FROM_ALL ${source})
  target_include_directories(${name} PRIVATE src)
  target_link_libraries(${name} PRIVATE tropism-lab_static)
  add_dependencies(bench-programs ${name})
endforeach()
add_executable(gate EXCLUDE_FROM_ALL bench/gate.c)
target_include_directories(gate PRIVATE src)
target_link_libraries(gate PRIVATE tropism_static)
if(TROPISM_TESTS AND NOT TROPISM_VARIANT)
  set_target_properties(gate PROPERTIES EXCLUDE_FROM_ALL OFF)
endif()

# Benchmarks: every bench/bench_NAME.c is a program; 'make bench' runs them with their peers.
# bench/gate.c counts instructions and iterations for tests/gates.sh.

file(GLOB BENCH_SOURCES CONFIGURE_DEPENDS bench/bench_*.c)
add_custom_target(bench-programs)
foreach(source ${BENCH_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} EXCLUDE_FROM_ALL ${source})
  target_include_directories(${name} PRIVATE src)
  target_link_libraries(${name} PRIVATE tropism-lab_static)
  add_dependencies(bench-programs ${name})
endforeach()

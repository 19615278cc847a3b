# Benchmarks: every bench/bench_NAME.c is a program; 'make bench' runs them all.

file(GLOB BENCH_SOURCES CONFIGURE_DEPENDS bench/bench_*.c)
set(commands "")
foreach(source ${BENCH_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} EXCLUDE_FROM_ALL ${source})
  target_include_directories(${name} PRIVATE src)
  target_link_libraries(${name} PRIVATE tropism-lab_static)
  list(APPEND commands COMMAND ${name})
endforeach()
if(commands)
  add_custom_target(bench ${commands} USES_TERMINAL)
endif()

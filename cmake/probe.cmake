# The probe of bits (tests/portable), which needs libtropism and no other library, so that it is built
# wherever that is. Of the kernels that the machine has it can take one: see --wrap in probe.c.

file(GLOB PROBE_SOURCES CONFIGURE_DEPENDS tests/portable/*.c)
add_executable(probe ${PROBE_SOURCES})
if(NOT TROPISM_TESTS)
  set_target_properties(probe PROPERTIES EXCLUDE_FROM_ALL TRUE)
endif()
target_link_libraries(probe PRIVATE tropism_static)
set(kernels ${TROPISM_KERNEL_NAMES})
list(REMOVE_ITEM kernels baseline)
set(wrapped ${kernels})
list(TRANSFORM wrapped REPLACE "(.+)" "-Wl,--wrap=trop_kernel_available_\\1")
target_link_options(probe PRIVATE ${wrapped})
if(with_wasm) # 64 KiB without; first, so that an overflow ends it and overwrites nothing
  target_link_options(probe PRIVATE -Wl,-z,stack-size=1048576,--stack-first,--strip-all)
  set_target_properties(probe PROPERTIES SUFFIX .wasm)
endif()
list(TRANSFORM kernels REPLACE "(.+)" "WRAPPED(\\1)")
list(JOIN kernels " " kernels)
target_compile_options(probe PRIVATE "-DKERNELS=${kernels}")

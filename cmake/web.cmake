# web.cmake -- the module of the page: web/glue*.c over libtropism, as a WASI reactor. In a build for WebAssembly
# (cmake/wasm.cmake); scripts/web.sh makes two of them and puts them into one page.

file(GLOB WEB_SOURCES CONFIGURE_DEPENDS web/*.c)
add_executable(tropism-web EXCLUDE_FROM_ALL ${WEB_SOURCES})
target_include_directories(tropism-web PRIVATE include src)
target_link_libraries(tropism-web PRIVATE tropism_static)
# -O0 of the link: otherwise clang starts wasm-opt where it is, and Debian's does not know relaxed instructions.
target_link_options(tropism-web PRIVATE -O0 -mexec-model=reactor
                    -Wl,--export-dynamic,--gc-sections,--strip-all,-z,stack-size=1048576,--stack-first)
set_target_properties(tropism-web PROPERTIES SUFFIX .wasm)

# wasm.cmake -- libtropism for WebAssembly, by Debian's clang-19, lld-19, wasi-libc and
# libclang-rt-19-dev-wasm32 ('scripts/dependencies.sh portable' installs them):
#
#   cmake -S . -B build/wasm --toolchain cmake/wasm.cmake -DTROPISM_MINIMAL=ON -DTROPISM_TESTS=OFF
#   cmake --build build/wasm
#
# A program is linked as anywhere, and runs wherever WASI is (node has it):
#
#   clang-19 --target=wasm32-wasi -I include examples/flow.c build/wasm/libtropism.a -o flow.wasm
#
# A page wants a reactor: a module without main, whose functions JavaScript calls after _initialize.
# Here it exports the whole public interface and the two functions that make room for arguments;
# without --whole-archive, one --export=NAME for each function wanted, and what they do not need is
# left out.
#
#   clang-19 --target=wasm32-wasi -mexec-model=reactor -o tropism.wasm \
#       -Wl,--whole-archive build/wasm/libtropism.a -Wl,--no-whole-archive \
#       -Wl,--export-dynamic,--export=malloc,--export=free,--strip-all,-z,stack-size=1048576
#
# 1.8 MB, 0.6 compressed. It imports fd_write, fd_close, fd_seek and sched_yield of
# wasi_snapshot_preview1, which only a failed assertion reaches. No -O when linking: clang would start
# wasm-opt, and Debian's is older than some of the instructions.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_AR llvm-ar-19)
set(CMAKE_RANLIB llvm-ranlib-19)
# What only compiles is enough to ask the compiler about.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

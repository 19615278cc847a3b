# wasm.cmake -- libtropism for WebAssembly, by Debian's clang-19, lld-19, wasi-libc and
# libclang-rt-19-dev-wasm32 ('scripts/dependencies.sh portable' installs them):
#
#   cmake -S . -B build/wasm --toolchain cmake/wasm.cmake -DTROPISM_MINIMAL=ON -DTROPISM_TESTS=OFF
#   cmake --build build/wasm
#
# A program is linked as anywhere, and runs wherever WASI is (node has it); the stack, which is 64 KiB
# unless asked for, comes first, so that an overflow ends the program and overwrites nothing:
#
#   clang-19 --target=wasm32-wasi -I include examples/flow.c build/wasm/libtropism.a -o flow.wasm \
#       -Wl,-z,stack-size=1048576,--stack-first
#
# A page wants a reactor: a module without main, whose functions JavaScript calls after _initialize.
# Here it exports the whole public interface and the two functions that make room for arguments;
# without --whole-archive, one --export=NAME for each function wanted, and what they do not need is
# left out.
#
#   clang-19 --target=wasm32-wasi -mexec-model=reactor -o tropism.wasm \
#       -Wl,--whole-archive build/wasm/libtropism.a -Wl,--no-whole-archive \
#       -Wl,--export-dynamic,--export=malloc,--export=free,--strip-all \
#       -Wl,-z,stack-size=1048576,--stack-first
#
# 2.1 MB, 0.7 compressed. It imports fd_write, fd_close, fd_seek and sched_yield of
# wasi_snapshot_preview1, which only a failed assertion reaches. No -O when linking: clang would start
# wasm-opt, and Debian's is older than some of the instructions.
#
# With -DTROPISM_RELAXED=ON the module has relaxed SIMD (Chrome and Edge 114, Firefox 146; node 20 with
# --experimental-wasm-relaxed-simd), 2.5 MB, and is fifteen times as fast where the multiply-add of the
# processor rounds once. It asks the processor, and takes the exact kernel where that rounds twice: the
# bits are the same either way, and trop_kernel_in_use() says which it is (relaxed or baseline). A page
# tries this module first, and the other one where it does not compile.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_AR llvm-ar-19)
set(CMAKE_RANLIB llvm-ranlib-19)
# What only compiles is enough to ask the compiler about.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

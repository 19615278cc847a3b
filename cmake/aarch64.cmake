# aarch64.cmake -- libtropism for Linux on 64-bit ARM, by Debian's gcc-aarch64-linux-gnu, with qemu to
# run what is built ('scripts/dependencies.sh portable' installs both):
#
#   cmake -S . -B build/aarch64 --toolchain cmake/aarch64.cmake -DTROPISM_MINIMAL=ON -DTROPISM_TESTS=OFF
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L /usr/aarch64-linux-gnu)

# libtropism: every .c file of the layers base .. learn, less the variants that
# this build does not choose. A seam is one file with its absent twin.

file(GLOB_RECURSE TROPISM_SOURCES CONFIGURE_DEPENDS src/base/*.c src/kernel/*.c src/attend/*.c
     src/shape/*.c src/flow/*.c src/margin/*.c src/learn/*.c)
set(TROPISM_SEAMS "")
# What a program that links libtropism.a has to add, for tropism.pc.
set(TROPISM_PC_REQUIRES "")
set(TROPISM_PC_LIBS "")

# choose(NAME FOUND [LIST]): of the sources of libtropism, or in LIST, NAME.c when FOUND, NAME_none.c
# otherwise.
function(choose name found)
  set(list TROPISM_SOURCES ${ARGN})
  list(GET list -1 list)
  if(${found})
    list(FILTER ${list} EXCLUDE REGEX "/${name}_none\\.c$")
  else()
    list(FILTER ${list} EXCLUDE REGEX "/${name}\\.c$")
  endif()
  set(${list} ${${list}} PARENT_SCOPE)
endfunction()

# Threads: POSIX threads, with OpenMP's runtime to say how many; or none.
if(TROPISM_MINIMAL)
  set(with_threads FALSE)
else()
  find_package(OpenMP COMPONENTS C)
  note(OpenMP_C_FOUND OpenMP)
  set(with_threads TRUE)
  list(APPEND TROPISM_SEAMS OpenMP::OpenMP_C)
  list(TRANSFORM OpenMP_C_LIB_NAMES PREPEND -l OUTPUT_VARIABLE openmp_libs)
  list(APPEND TROPISM_PC_LIBS ${openmp_libs})
endif()
choose(parallel ${with_threads})

if(TROPISM_MINIMAL)
  set(with_lapack FALSE)
  set(with_sundials FALSE)
  set(with_qhull FALSE)
  set(with_clp FALSE)
else()
  find_package(PkgConfig)
  note(PKG_CONFIG_FOUND pkg-config)
  need(TROPISM_LAPACKE lapacke openblas)
  find_package(SUNDIALS 6 QUIET COMPONENTS cvode nvecserial sunnonlinsolfixedpoint)
  note(SUNDIALS_FOUND "SUNDIALS 6")
  set(with_lapack TRUE)
  set(with_sundials TRUE)
  need(TROPISM_QHULL qhull_r)
  set(with_qhull TRUE)
  need(TROPISM_CLP clp)
  set(with_clp TRUE)
  list(APPEND TROPISM_SEAMS PkgConfig::TROPISM_LAPACKE PkgConfig::TROPISM_QHULL PkgConfig::TROPISM_CLP
       SUNDIALS::cvode SUNDIALS::nvecserial SUNDIALS::sunnonlinsolfixedpoint)
  list(APPEND TROPISM_PC_REQUIRES lapacke openblas qhull_r clp)
  list(APPEND TROPISM_PC_LIBS -lsundials_cvode -lsundials_nvecserial
       -lsundials_sunnonlinsolfixedpoint)
endif()
# Large pages, where the system is to be asked for them.
include(CheckSymbolExists)
set(CMAKE_REQUIRED_DEFINITIONS -D_DEFAULT_SOURCE)
check_symbol_exists(MADV_HUGEPAGE sys/mman.h TROPISM_PAGES)
unset(CMAKE_REQUIRED_DEFINITIONS)
choose(pages "${TROPISM_PAGES}")
# libtropism-cuda, when it is asked for.
if(TROPISM_MINIMAL)
  set(with_devices FALSE)
  set(system_libs m)
else()
  set(with_devices TRUE)
  set(system_libs ${CMAKE_DL_LIBS} m)
  list(TRANSFORM CMAKE_DL_LIBS PREPEND -l OUTPUT_VARIABLE device_libs)
  list(APPEND TROPISM_PC_LIBS ${device_libs})
endif()
choose(device_load ${with_devices})
choose(lapack ${with_lapack})
choose(cvode ${with_sundials})
choose(qhull ${with_qhull})
choose(clp ${with_clp})
list(APPEND TROPISM_PC_LIBS -lm)

# WebAssembly has vectors and no fma: one of ours comes before every source.
set(with_wasm FALSE)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL wasm32)
  set(with_wasm TRUE)
  if(TROPISM_RELAXED)
    add_compile_options(-msimd128 -mrelaxed-simd -include ${CMAKE_SOURCE_DIR}/src/base/math/fma_relaxed.h)
  else()
    add_compile_options(-msimd128 -include ${CMAKE_SOURCE_DIR}/src/base/math/fma_wasm.h)
  endif()
  include_directories(src)
else()
  list(FILTER TROPISM_SOURCES EXCLUDE REGEX "/math/fma_wasm\\.c$")
endif()

# What sorts tokens into trees and walks through them is loops over points, too.
if(NOT TROPISM_OPTIMIZE)
  set_source_files_properties(
    src/attend/tree/tree.c src/attend/tree/tree_slab.c src/attend/tree/tree_top.c
    PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
endif()

# The kernels: src/kernel/kernel_*body.c, each compiled once per instruction set, same
# bits on all. At -O2 gcc leaves them scalar.
set(TROPISM_KERNELS ${TROPISM_SOURCES})
list(FILTER TROPISM_KERNELS INCLUDE REGEX "/kernel/kernel_[a-z_]*body\\.c$")
list(FILTER TROPISM_SOURCES EXCLUDE REGEX "/kernel/kernel_[a-z_]*body\\.c$")
function(kernel name lanes)
  add_library(kernel_${name} OBJECT ${TROPISM_KERNELS})
  target_include_directories(kernel_${name} PRIVATE include src)
  target_compile_definitions(kernel_${name} PRIVATE KERNEL_NAME=${name}
                             KERNEL_LANES="kernel/lanes_${lanes}.h")
  if(NOT TROPISM_OPTIMIZE)
    target_compile_options(kernel_${name} PRIVATE $<$<CONFIG:Release>:-O3>)
  endif()
  target_compile_options(kernel_${name} PRIVATE ${TROPISM_OPTIMIZE_KERNELS} ${ARGN})
  list(APPEND TROPISM_OBJECTS $<TARGET_OBJECTS:kernel_${name}>)
  set(TROPISM_OBJECTS ${TROPISM_OBJECTS} PARENT_SCOPE)
  set(TROPISM_KERNEL_NAMES ${TROPISM_KERNEL_NAMES} ${name} PARENT_SCOPE)
endfunction()
set(TROPISM_OBJECTS $<TARGET_OBJECTS:tropism_objects>)
set(kernels plain)
if(with_wasm)
  kernel(baseline wasm)
  if(TROPISM_RELAXED)
    set(kernels relaxed)
    kernel(relaxed relaxed)
  endif()
else()
  kernel(baseline plain)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  set(kernels x86)
  kernel(avx2 avx2 -mavx2 -mfma)
  kernel(avx512 avx512 -mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma -mprefer-vector-width=512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64")
  set(kernels neon)
  kernel(neon neon)
endif()
list(FILTER TROPISM_SOURCES EXCLUDE REGEX "/kernel/kernel_list_")
list(APPEND TROPISM_SOURCES src/kernel/kernel_list_${kernels}.c)

add_library(tropism_objects OBJECT ${TROPISM_SOURCES})
target_include_directories(tropism_objects PUBLIC include PRIVATE src)
# Where an installed program looks for libtropism-cuda, from its own folder.
include(GNUInstallDirs)
set_source_files_properties(src/kernel/device_load.c PROPERTIES COMPILE_DEFINITIONS
                            TROP_DEVICE_LIBRARIES="${CMAKE_INSTALL_LIBDIR}")
target_link_libraries(tropism_objects PUBLIC ${TROPISM_SEAMS} ${system_libs})

add_library(tropism_static STATIC ${TROPISM_OBJECTS})
set(libraries tropism_static)
# Where there are none, as in WebAssembly, CMake would make both libraries the same file.
get_property(TROPISM_SHARED GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS)
if(TROPISM_SHARED)
  add_library(tropism SHARED ${TROPISM_OBJECTS})
  list(APPEND libraries tropism)
  # What the shared library links stays its own business: an installed copy does not
  # ask its users for it.
  target_link_libraries(tropism PRIVATE "$<BUILD_INTERFACE:${TROPISM_SEAMS}>" ${system_libs})
  # Until 1.0 the soname is the full version: a new option changes a public struct.
  set_target_properties(tropism PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION})
endif()
target_link_libraries(tropism_static PUBLIC ${TROPISM_SEAMS} ${system_libs})
foreach(library ${libraries})
  target_include_directories(${library} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             $<INSTALL_INTERFACE:include>)
  set_target_properties(${library} PROPERTIES OUTPUT_NAME tropism)
endforeach()
# Its threads sleep in it, so it stays when a program that loaded it lets it go.
if(with_threads AND NOT APPLE)
  target_link_options(tropism PRIVATE -Wl,-z,nodelete)
endif()

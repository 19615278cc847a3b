# libtropism-cuda: the rows of attention on a GPU, in a library of its own that libtropism loads when
# it is asked for. Made where nvcc is found, and needed by nothing else. CUDA's run-time is linked
# statically, so that only a driver is needed to use it.
#
# Machine code for the GPUs of 2020 and 2022, and PTX, from which a driver makes that of later ones.

set(TROPISM_CUDA_MADE FALSE)
# The benchmark, which a build without files and figures has too (scripts/gpu.sh).
add_executable(bench_gpu EXCLUDE_FROM_ALL bench/bench_gpu.c)
target_include_directories(bench_gpu PRIVATE src)
target_link_libraries(bench_gpu PRIVATE tropism_static)
# A wheel carries it, and a variant has it, only when it is asked for: TROPISM_CUDA=ON.
if(TROPISM_CUDA STREQUAL AUTO AND NOT TROPISM_MINIMAL AND NOT TROPISM_VARIANT AND NOT TROPISM_SANITIZE AND NOT
   TROPISM_PYTHON)
  find_program(TROPISM_NVCC nvcc HINTS /usr/local/cuda/bin)
elseif(TROPISM_CUDA AND NOT TROPISM_CUDA STREQUAL AUTO)
  find_program(TROPISM_NVCC nvcc HINTS /usr/local/cuda/bin REQUIRED)
endif()
if(NOT TROPISM_NVCC OR NOT TROPISM_CUDA)
  return()
endif()
set(cuda_code "")
foreach(year 80 90)
  list(APPEND cuda_code -gencode arch=compute_${year},code=sm_${year})
endforeach()
list(APPEND cuda_code -gencode arch=compute_90,code=compute_90)
# One that is found may be too old for these, or for the compiler: then the rest is built without it.
if(TROPISM_CUDA STREQUAL AUTO AND NOT DEFINED TROPISM_NVCC_WORKS)
  file(WRITE ${PROJECT_BINARY_DIR}/nvcc.cu "__global__ void probe(const __grid_constant__ int i) {}\n")
  execute_process(COMMAND ${TROPISM_NVCC} -std=c++17 ${cuda_code} -c ${PROJECT_BINARY_DIR}/nvcc.cu
                          -o ${PROJECT_BINARY_DIR}/nvcc.o
                  RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    message(NOTICE "tropism: ${TROPISM_NVCC} compiles nothing for compute_80 and compute_90: no libtropism-cuda")
    set(TROPISM_NVCC_WORKS FALSE CACHE INTERNAL "")
  else()
    set(TROPISM_NVCC_WORKS TRUE CACHE INTERNAL "")
  endif()
endif()
if(TROPISM_CUDA STREQUAL AUTO AND NOT TROPISM_NVCC_WORKS)
  return()
endif()
set(TROPISM_CUDA_MADE TRUE)
set(cuda ${PROJECT_BINARY_DIR}/libtropism-cuda.so)
file(GLOB cuda_headers CONFIGURE_DEPENDS cuda/*.h)
set(cuda_warnings "")
if(TROPISM_WERROR)
  set(cuda_warnings -Werror all-warnings)
endif()
add_custom_command(
  OUTPUT ${cuda}
  COMMAND ${TROPISM_NVCC} -std=c++17 -O3 -fmad=false ${cuda_code}
          -cudart static -shared ${cuda_warnings}
          -Xcompiler=-fPIC,-fvisibility=hidden,-ffp-contract=off -Xlinker=--as-needed
          -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/cuda
          "-DTROP_VERSION=\"${PROJECT_VERSION}\"" "-DDEVICE_GRID=\"grid_cuda.h\""
          -x cu ${PROJECT_SOURCE_DIR}/cuda/device_body.c -o ${cuda}
  DEPENDS cuda/device_body.c ${cuda_headers} include/tropism.h src/kernel/device.h src/kernel/kernel.h
          src/attend/attend_shift.h src/attend/decide_sieve.h src/base/math/exp.h VERSION
  COMMENT "Building libtropism-cuda.so"
  VERBATIM)
add_custom_target(tropism-cuda ALL DEPENDS ${cuda})

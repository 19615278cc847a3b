# Fuzz targets: clang, libFuzzer, each compiled from the reader's own sources.
#   cmake -B build-fuzz -DCMAKE_C_COMPILER=clang -DTROPISM_FUZZ=ON
#   build-fuzz/fuzz_npy -max_total_time=60 build-fuzz/found-npy fuzz/corpus/npy

if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "TROPISM_FUZZ needs clang: -DCMAKE_C_COMPILER=clang")
endif()
find_package(PkgConfig REQUIRED)
pkg_check_modules(FUZZ_YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(FUZZ_JANSSON REQUIRED IMPORTED_TARGET jansson)

# fuzz(NAME LIBRARY...): fuzz/fuzz_NAME.c with src/io/NAME.c, where there is one.
function(fuzz name)
  file(GLOB own src/io/${name}.c src/io/*/${name}.c)
  add_executable(fuzz_${name} fuzz/fuzz_${name}.c ${own} src/io/file.c src/base/status.c src/base/alloc.c)
  target_include_directories(fuzz_${name} PRIVATE include src)
  target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer,address,undefined
                         -fno-sanitize-recover=all)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer,address,undefined)
  target_link_libraries(fuzz_${name} PRIVATE ${ARGN})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/found-${name})
endfunction()
fuzz(npy m)
target_sources(fuzz_npy PRIVATE src/io/number.c)
fuzz(csv)
fuzz(yaml PkgConfig::FUZZ_YAML)
fuzz(json_read PkgConfig::FUZZ_JANSSON m)
# Its other half, and what suggests names.
file(GLOB FUZZ_OPTION src/base/option*.c src/base/schedule*.c)
set(FUZZ_KNOWN src/io/known.c ${FUZZ_OPTION} src/base/math/exp.c src/base/math/log.c src/base/math/pow.c
    src/base/math/sin.c src/base/math/cos.c src/base/math/angle.c)
target_sources(fuzz_json_read PRIVATE src/io/json/json_read_array.c ${FUZZ_KNOWN})
fuzz(safetensors PkgConfig::FUZZ_JANSSON m)
target_sources(fuzz_safetensors PRIVATE src/io/safetensors_set.c src/io/mapping.c src/io/number.c src/base/sort.c)

# Everything between a file and its texts.
pkg_check_modules(FUZZ_ARCHIVE REQUIRED IMPORTED_TARGET libarchive libutf8proc)
add_library(fuzz_texts INTERFACE)
target_link_libraries(fuzz_texts INTERFACE PkgConfig::FUZZ_ARCHIVE)
target_sources(fuzz_texts INTERFACE src/io/utf8.c src/io/table.c src/io/idx.c src/io/npy.c src/io/number.c src/model/text/vocabulary.c
               src/model/text/tokenizer.c src/model/text/tokenizer_words.c src/model/text/tokenizer_wordpiece.c src/model/text/merge.c
               src/base/sort.c)
fuzz(archive fuzz_texts)

# The tokenizers of models.
file(GLOB FUZZ_TOKENIZER src/model/text/tokenizer*.c src/model/text/merge*.c)
fuzz(tokenizer PkgConfig::FUZZ_ARCHIVE PkgConfig::FUZZ_JANSSON m)
target_sources(fuzz_tokenizer PRIVATE src/io/utf8.c src/io/archive.c src/io/folder.c src/io/json/json_read.c
               src/io/json/json_value.c src/model/text/vocabulary.c src/base/sort.c ${FUZZ_TOKENIZER} ${FUZZ_KNOWN})

# Whole results, changed and read by everything that reads results: only where all of it is sanitized.
#   cmake -B build-sanitize -DCMAKE_C_COMPILER=clang -DTROPISM_FUZZ=ON -DTROPISM_SANITIZE=address,undefined
#   build-sanitize/fuzz_result -runs=100000
if(TROPISM_SANITIZE MATCHES address)
  add_executable(fuzz_result fuzz/fuzz_result.c)
  target_include_directories(fuzz_result PRIVATE src)
  target_link_libraries(fuzz_result PRIVATE tropism-lab_static)
endif()

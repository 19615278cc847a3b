# embed.cmake -- the files in data/ as C, for names that need no path: run by the build when one of
# them has changed.
#   cmake -DOUT=corpus_shipped.c -P embed.cmake -- NAME FILE [NAME FILE]...

cmake_minimum_required(VERSION 3.25)
set(words "")
foreach(k RANGE ${CMAKE_ARGC})
  list(APPEND words "${CMAKE_ARGV${k}}")
endforeach()
list(FIND words -- at)
math(EXPR at "${at} + 1")
list(SUBLIST words ${at} -1 words)

set(arrays "")
set(rows "")
while(words)
  list(POP_FRONT words name path)
  if(NOT path)
    break()
  endif()
  get_filename_component(file ${path} NAME)
  file(READ ${path} hex HEX)
  # Sixteen bytes a line.
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  string(APPEND arrays "static const unsigned char ${name}[] = {\n${bytes}\n};\n\n")
  string(APPEND rows "    { \"${name}\", \"${file}\", ${name}, (int64_t)sizeof ${name} },\n")
endwhile()
file(WRITE ${OUT} "/* Made by cmake/embed.cmake of the files in data/, whose NOTICE holds for it. */
#include \"run/corpus/corpus.h\"

${arrays}const struct trop_corpus_shipped trop_corpus_shipped[] = {
${rows}    { 0 },
};
")

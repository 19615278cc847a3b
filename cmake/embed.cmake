# embed.cmake -- files as C, so that they are there wherever the library is: run by the build when one
# of them has changed.
#   cmake -DOUT=page.c -DHEADER=what/declares.h [-DTABLE=type] -P embed.cmake -- NAME FILE [NAME FILE]...
# With a table, an array `type` of `struct type` has a row for each file; without one, each is a text
# of its own, with 0 behind it.

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
  if(TABLE)
    string(APPEND arrays "static const unsigned char ${name}[] = {\n${bytes}\n};\n\n")
    string(APPEND rows "    { \"${name}\", \"${file}\", ${name}, (int64_t)sizeof ${name} },\n")
  else()
    string(APPEND arrays "\nconst unsigned char ${name}[] = {\n${bytes}0\n};\n")
  endif()
endwhile()
if(TABLE)
  string(APPEND arrays "const struct ${TABLE} ${TABLE}[] = {\n${rows}    { 0 },\n};\n")
endif()
file(WRITE ${OUT} "/* Made by cmake/embed.cmake; the licence of each file is that of the file. */
#include \"${HEADER}\"

${arrays}")

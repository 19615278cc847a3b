# libtropism-lab: files, recorded runs, figures and claims; and the program.

need(TROPISM_HDF5 hdf5-serial)
need(TROPISM_YAML yaml-0.1)
need(TROPISM_JANSSON jansson)
need(TROPISM_CAIRO cairo)
need(TROPISM_ARCHIVE libarchive)
need(TROPISM_UTF8PROC libutf8proc)
find_package(GIF 5 QUIET)
note(GIF_FOUND giflib)
set(LAB_SEAMS PkgConfig::TROPISM_HDF5 PkgConfig::TROPISM_YAML PkgConfig::TROPISM_JANSSON
    PkgConfig::TROPISM_CAIRO PkgConfig::TROPISM_ARCHIVE PkgConfig::TROPISM_UTF8PROC GIF::GIF)
set(LAB_PC_REQUIRES hdf5-serial yaml-0.1 jansson cairo libarchive libutf8proc)
# Without it studies run, and have no catalogue.
pkg_check_modules(TROPISM_SQLITE IMPORTED_TARGET sqlite3>=3.29)
if(TROPISM_SQLITE_FOUND)
  list(APPEND LAB_SEAMS PkgConfig::TROPISM_SQLITE)
  list(APPEND LAB_PC_REQUIRES sqlite3)
endif()

file(GLOB_RECURSE LAB_SOURCES CONFIGURE_DEPENDS src/io/*.c src/draw/*.c src/model/*.c src/run/*.c src/claim/*.c)
choose(study_ranks ${TROPISM_MPI} LAB_SOURCES)
choose(sqlite TROPISM_SQLITE_FOUND LAB_SOURCES)

# What is shipped in data/ becomes part of the library, and so do the styles and scripts of pages
# and the script of a job.
set(SHIPPED mr ${PROJECT_SOURCE_DIR}/data/sentence_polarity.zip opinion ${PROJECT_SOURCE_DIR}/data/opinion_lexicon.zip
    digits ${PROJECT_SOURCE_DIR}/data/digits.csv.gz)
set(PAGES trop_inspect_style ${PROJECT_SOURCE_DIR}/src/run/inspect/inspect_html.css
    trop_inspect_script ${PROJECT_SOURCE_DIR}/src/run/inspect/inspect_html.js)
function(embed out options)
  set(files ${ARGN})
  list(FILTER files INCLUDE REGEX /)
  add_custom_command(OUTPUT ${out} COMMAND ${CMAKE_COMMAND} -DOUT=${out} ${options}
                             -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake -- ${ARGN}
                     DEPENDS ${files} cmake/embed.cmake VERBATIM)
  list(APPEND LAB_SOURCES ${out})
  set(LAB_SOURCES ${LAB_SOURCES} PARENT_SCOPE)
endfunction()
embed(${PROJECT_BINARY_DIR}/corpus_shipped.c "-DHEADER=run/corpus/corpus.h;-DTABLE=trop_corpus_shipped" ${SHIPPED})
embed(${PROJECT_BINARY_DIR}/inspect_page.c -DHEADER=run/inspect/inspect_html.h ${PAGES})
embed(${PROJECT_BINARY_DIR}/study_slurm_body.c -DHEADER=run/study/study_slurm.h
      trop_study_slurm_body ${PROJECT_SOURCE_DIR}/src/run/study/study_slurm.sh)

add_library(lab_objects OBJECT ${LAB_SOURCES})
target_include_directories(lab_objects PUBLIC include PRIVATE src)
target_link_libraries(lab_objects PUBLIC ${LAB_SEAMS})
# One file knows MPI.
if(TROPISM_MPI)
  pkg_search_module(TROPISM_RANKS REQUIRED IMPORTED_TARGET ompi-c mpich)
  set_source_files_properties(src/run/study/study_ranks.c PROPERTIES
                              INCLUDE_DIRECTORIES "${TROPISM_RANKS_INCLUDE_DIRS}")
  list(APPEND LAB_SEAMS PkgConfig::TROPISM_RANKS)
  list(APPEND LAB_PC_REQUIRES ${TROPISM_RANKS_MODULE_NAME})
endif()

# Claims are many, and what sanitizers look for in them shows without optimisation.
if(TROPISM_SANITIZE)
  file(GLOB_RECURSE CLAIM_SOURCES CONFIGURE_DEPENDS src/claim/*.c)
  set_source_files_properties(${CLAIM_SOURCES} PROPERTIES COMPILE_OPTIONS -O0)
endif()

add_library(tropism-lab SHARED $<TARGET_OBJECTS:lab_objects>)
add_library(tropism-lab_static STATIC $<TARGET_OBJECTS:lab_objects>)
set_target_properties(tropism-lab_static PROPERTIES OUTPUT_NAME tropism-lab)
set_target_properties(tropism-lab PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION}
                      INSTALL_RPATH "$ORIGIN")
if(NOT TROPISM_SANITIZE) # whose functions are the program's
  target_link_options(tropism-lab PRIVATE LINKER:--no-undefined)
endif()
target_link_libraries(tropism-lab PUBLIC tropism PRIVATE m ${CMAKE_DL_LIBS} "$<BUILD_INTERFACE:${LAB_SEAMS}>")
target_link_libraries(tropism-lab_static PUBLIC tropism_static ${LAB_SEAMS} ${CMAKE_DL_LIBS})

file(GLOB CLI_SOURCES CONFIGURE_DEPENDS cli/*.c)
add_library(cli_objects OBJECT ${CLI_SOURCES})
target_include_directories(cli_objects PRIVATE include)
add_executable(tropism-cli $<TARGET_OBJECTS:cli_objects>)
set_target_properties(tropism-cli PROPERTIES OUTPUT_NAME tropism)
target_link_libraries(tropism-cli PRIVATE tropism-lab_static)

# What the program says of itself, for the manual and the shells.
set(GENERATED "")
function(generate kind path)
  set(file ${PROJECT_BINARY_DIR}/${path})
  get_filename_component(folder ${file} DIRECTORY)
  add_custom_command(OUTPUT ${file} COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
                     COMMAND tropism-cli help --generate ${kind} > ${file} DEPENDS tropism-cli VERBATIM)
  list(APPEND GENERATED ${file})
  set(GENERATED ${GENERATED} PARENT_SCOPE)
endfunction()
generate(man share/man/man1/tropism.1)
generate(bash share/bash-completion/completions/tropism)
generate(zsh share/zsh/site-functions/_tropism)
generate(fish share/fish/vendor_completions.d/tropism.fish)
add_custom_target(generated ALL DEPENDS ${GENERATED})

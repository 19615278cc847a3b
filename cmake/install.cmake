# Installation: headers, libraries, program, and what pkg-config, CMake, man and
# the shells look for. The files hold no absolute path, so a copy can be moved.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(TROPISM_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tropism)
set(shared tropism)
set(static tropism_static)
set(headers include/tropism.h)
set(pc_files tropism)
if(NOT TROPISM_MINIMAL)
  list(APPEND shared tropism-lab)
  list(APPEND static tropism-lab_static)
  list(APPEND headers include/tropism_lab.h)
  list(APPEND pc_files tropism-lab)
  install(TARGETS tropism-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY ${CMAKE_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR})
  install(FILES data/NOTICE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tropism)
endif()
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS ${shared} EXPORT tropism-shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ${static} EXPORT tropism-static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(kind shared static)
  install(EXPORT tropism-${kind} NAMESPACE tropism:: DESTINATION ${TROPISM_CMAKE_DIR})
endforeach()

list(JOIN TROPISM_SEAMS " " tropism_needs)
list(JOIN LAB_SEAMS " " lab_needs)
set(static_needs "${tropism_needs} ${lab_needs}")
configure_package_config_file(cmake/tropismConfig.cmake.in tropismConfig.cmake
                              INSTALL_DESTINATION ${TROPISM_CMAKE_DIR}
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(tropismConfigVersion.cmake COMPATIBILITY ExactVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tropismConfig.cmake
        ${CMAKE_CURRENT_BINARY_DIR}/tropismConfigVersion.cmake DESTINATION ${TROPISM_CMAKE_DIR})

file(RELATIVE_PATH pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
list(JOIN TROPISM_PC_REQUIRES " " tropism_requires)
list(JOIN TROPISM_PC_LIBS " " tropism_libs)
list(JOIN LAB_PC_REQUIRES " " lab_requires)
foreach(name ${pc_files})
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

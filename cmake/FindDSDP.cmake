# DSDP has no pkg-config file: the imported target DSDP::dsdp from its header and library.
find_path(DSDP_INCLUDE_DIR dsdp/dsdp5.h)
find_library(DSDP_LIBRARY dsdp)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(DSDP REQUIRED_VARS DSDP_LIBRARY DSDP_INCLUDE_DIR)
mark_as_advanced(DSDP_INCLUDE_DIR DSDP_LIBRARY)
if(DSDP_FOUND AND NOT TARGET DSDP::dsdp)
  add_library(DSDP::dsdp UNKNOWN IMPORTED)
  set_target_properties(DSDP::dsdp PROPERTIES IMPORTED_LOCATION ${DSDP_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${DSDP_INCLUDE_DIR})
endif()

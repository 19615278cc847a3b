# The library of the Python package: libtropism and libtropism-lab in one file without a version,
# since a wheel carries neither links nor a search path. What it exports is what the two export.

add_library(tropism_python SHARED ${TROPISM_OBJECTS} $<TARGET_OBJECTS:lab_objects>)
set_target_properties(tropism_python PROPERTIES OUTPUT_NAME _tropism PREFIX "")
target_link_options(tropism_python PRIVATE LINKER:--no-undefined)
if(TROPISM_CARRY)
  include(cmake/carry.cmake)
  carry(tropism_python)
else()
  target_link_libraries(tropism_python PRIVATE ${TROPISM_SEAMS} ${LAB_SEAMS} ${CMAKE_DL_LIBS} m)
endif()
install(TARGETS tropism_python LIBRARY DESTINATION tropism COMPONENT python)
if(TROPISM_CUDA_MADE)
  install(FILES ${PROJECT_BINARY_DIR}/libtropism-cuda.so DESTINATION tropism COMPONENT python)
endif()
# For claims of one's own from a shared object (docs/own-claims.md).
install(FILES include/tropism.h include/tropism_claim.h DESTINATION tropism/include COMPONENT python)
# Of the data in it.
install(FILES data/NOTICE DESTINATION tropism COMPONENT python)
install(FILES verify/tropism_verify.py DESTINATION tropism/verify COMPONENT python)

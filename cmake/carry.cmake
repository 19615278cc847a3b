# With TROPISM_CARRY the library of the Python package contains what it calls of the libraries below:
# of Debian's static ones the linker takes only the parts that are called. HDF5 comes without
# its reader of S3 then, and so without curl, OpenSSL, Kerberos and LDAP; libarchive without
# libxml2 and ICU; cairo without X11. docs/wheel.md says what each is for, and scripts/wheel-carry.py
# compares.

set(CARRIED lapacke openblas gfortran quadmath qhullstatic_r Clp CoinUtils stdc++ bz2
    sundials_cvode hdf5_serial sz aec z yaml
    jansson cairo freetype fontconfig expat png16 brotlidec brotlicommon archive lzma zstd nettle utf8proc gif sqlite3)
# pixman's static library keeps variables of threads in a way that only programs can, and libgomp
# belongs to the compiler: these two are files of their own in the wheel.
need(TROPISM_PIXMAN pixman-1)

set(archives "")
foreach(name ${CARRIED})
  # The compiler's own folders and the system's.
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=lib${name}.a OUTPUT_VARIABLE archive
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(IS_ABSOLUTE "${archive}")
    file(REAL_PATH ${archive} archive)
    list(APPEND archives ${archive})
  else()
    note(FALSE ${archive})
  endif()
endforeach()
stop_if_missing(wheel)

function(carry target)
  target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/python/carried.c)
  # What others export stays hidden, and so cannot meet the same functions of NumPy or h5py.
  target_link_options(${target} PRIVATE LINKER:--gc-sections LINKER:--exclude-libs,ALL
                      LINKER:--wrap=stdin LINKER:--wrap=stdout
                      LINKER:--wrap=stderr -static-libgcc
                      LINKER:-Map=${PROJECT_BINARY_DIR}/_tropism.map)
  target_link_libraries(${target} PRIVATE -Wl,--start-group ${archives} -Wl,--end-group
                        PkgConfig::TROPISM_PIXMAN OpenMP::OpenMP_C m)
endfunction()

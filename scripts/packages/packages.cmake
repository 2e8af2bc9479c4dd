# cpack writes Debian packages: jostle, libjostle-dev and, where the module is built, python3-jostle. See preset `package`.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The jostle maintainers")
set(CPACK_PACKAGE_CONTACT "The jostle maintainers <maintainers@jostle.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENTS_ALL runtime dev)
if(JOSTLE_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME jostle)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "simulator of neural networks that share an edge board
 jostle predicts the throughput and latency of every process, and the power of
 the board, when several neural networks share a Jetson, a Raspberry Pi or a
 cloud GPU, and shows where the time goes. This package is the command.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libjostle-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libboost-dev, libyaml-cpp-dev, libfmt-dev, nlohmann-json3-dev, libprotobuf-dev, libonnx-dev, libceres-dev, zlib1g-dev, libsqlite3-dev, libtbb-dev")
set(CPACK_COMPONENT_DEV_DESCRIPTION "libraries of the jostle simulator, for C++ programs
 The discrete-event engine, the models of boards, profiles, scenarios and
 analyses as static libraries with headers and a CMake package:
 find_package(jostle) and link jostle::scenarios.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-jostle)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.11~), python3 (<< 3.12), python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pandas, python3-matplotlib, python3-tqdm")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/postinst ${CMAKE_CURRENT_LIST_DIR}/prerm)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "simulator of neural networks that share an edge board (Python)
 import jostle: run scenarios, sweep studies into numpy arrays, plan, explain
 and calibrate, with the same answers as the command's.")

# What every Debian package has.
find_program(JOSTLE_GZIP gzip)
mark_as_advanced(JOSTLE_GZIP)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # of SOURCE_DATE_EPOCH, where it is set
file(WRITE ${PROJECT_BINARY_DIR}/changelog.Debian "jostle (${PROJECT_VERSION}-1) unstable; urgency=medium

  * Version ${PROJECT_VERSION}: changelog.gz says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
if(JOSTLE_GZIP)
  execute_process(COMMAND ${JOSTLE_GZIP} -9nc ${PROJECT_SOURCE_DIR}/CHANGELOG.md OUTPUT_FILE ${PROJECT_BINARY_DIR}/changelog.gz)
  execute_process(COMMAND ${JOSTLE_GZIP} -9nf ${PROJECT_BINARY_DIR}/changelog.Debian)
endif()
foreach(pair runtime=jostle dev=libjostle-dev python=python3-jostle)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 component)
  list(GET pair 1 package)
  if(component IN_LIST CPACK_COMPONENTS_ALL)
    install(FILES ${CMAKE_CURRENT_LIST_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
    if(JOSTLE_GZIP)
      install(FILES ${PROJECT_BINARY_DIR}/changelog.gz ${PROJECT_BINARY_DIR}/changelog.Debian.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
    endif()
  endif()
endforeach()
include(CPack)

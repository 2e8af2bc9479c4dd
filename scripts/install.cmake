# Installs the command, the libraries and their headers, so that another CMake project can
# find_package(jostle) and link jostle::sim, jostle::models, jostle::input, jostle::output, jostle::profiles,
# jostle::scenarios, jostle::analyses or jostle::calibration.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(jostle_rooms sim models input output profiles scenarios analyses calibration)
foreach(room IN LISTS jostle_rooms)
  target_compile_features(jostle_${room} PUBLIC cxx_std_20)
  set_target_properties(jostle_${room} PROPERTIES EXPORT_NAME ${room})
  install(TARGETS jostle_${room} EXPORT jostleTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
endforeach()
install(CODE "set(source \"${PROJECT_SOURCE_DIR}\")
set(target \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/jostle\")" COMPONENT dev)
install(SCRIPT ${PROJECT_SOURCE_DIR}/scripts/install_headers.cmake COMPONENT dev)
set_target_properties(jostle_on_demand PROPERTIES EXPORT_NAME on_demand)
install(TARGETS jostle_on_demand EXPORT jostleTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
install(TARGETS jostle RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(TARGETS jostle_laboratory_command RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/jostle COMPONENT runtime)
install(TARGETS jostle_loaded jostle_studies LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/jostle COMPONENT runtime)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/jostle)
install(EXPORT jostleTargets NAMESPACE jostle:: DESTINATION ${package_dir} COMPONENT dev)
file(WRITE ${PROJECT_BINARY_DIR}/jostleConfig.cmake.in [[
@PACKAGE_INIT@
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(yaml-cpp)
find_dependency(fmt)
find_dependency(nlohmann_json)
find_dependency(Protobuf)
find_dependency(ONNX)
find_dependency(Eigen3)
find_dependency(Ceres)
find_dependency(ZLIB)
find_dependency(SQLite3)
find_dependency(TBB)
include(${CMAKE_CURRENT_LIST_DIR}/jostleTargets.cmake)
check_required_components(jostle)
]])
configure_package_config_file(${PROJECT_BINARY_DIR}/jostleConfig.cmake.in ${PROJECT_BINARY_DIR}/jostleConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/jostleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/jostleConfig.cmake ${PROJECT_BINARY_DIR}/jostleConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT dev)

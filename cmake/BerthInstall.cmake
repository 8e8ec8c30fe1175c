# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
#
# Install rules: library, headers, program, find_package and pkg-config files, man page, completions. Components are packages
# of BerthPackage.cmake; who names none gets all of them.

include(CMakePackageConfigHelpers)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/berth" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development
        FILES_MATCHING PATTERN "*.h")
install(FILES "${PROJECT_SOURCE_DIR}/bindings/ompl/berth_ompl.hpp" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
install(TARGETS libberth EXPORT berthTargets
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library NAMELINK_COMPONENT development)
if(TARGET berth-mesh-reader)
    install(TARGETS berth-mesh-reader RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/berth" COMPONENT library)
endif()
if(TARGET berth-batch-mpi)
    install(TARGETS berth-batch-mpi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/berth" COMPONENT mpi)
endif()
if(TARGET berth)
    install(TARGETS berth RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
endif()

set(berth_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/berth")
install(EXPORT berthTargets NAMESPACE berth:: DESTINATION "${berth_cmake_dir}" COMPONENT development)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/berthConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/parts/berthConfig.cmake" INSTALL_DESTINATION "${berth_cmake_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/parts/berthConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/parts/berthConfig.cmake" "${PROJECT_BINARY_DIR}/parts/berthConfigVersion.cmake"
        DESTINATION "${berth_cmake_dir}" COMPONENT development)

# The .pc file finds its prefix from its own place, so an installed tree can be moved.
file(RELATIVE_PATH BERTH_PREFIX_FROM_PC "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${PROJECT_SOURCE_DIR}/cmake/berth.pc.in" "${PROJECT_BINARY_DIR}/parts/berth.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/parts/berth.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)

install(FILES "${PROJECT_SOURCE_DIR}/docs/berth.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT program)
install(FILES "${PROJECT_SOURCE_DIR}/tools/completion/berth.bash"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT program RENAME berth)
install(FILES "${PROJECT_SOURCE_DIR}/tools/completion/_berth" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions"
        COMPONENT program)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/THIRD_PARTY.md"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT program)

# Only for packages: bindings/python/make_wheel.py --without-library has put it there.
install(DIRECTORY "${PROJECT_BINARY_DIR}/package/python/" DESTINATION lib/python3/dist-packages COMPONENT python EXCLUDE_FROM_ALL)

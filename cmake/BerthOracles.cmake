# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
#
# Second opinions for tests and benchmarks, behind C interfaces: test/oracle/*.c (exact arithmetic, GMP and
# MPFR) and test/oracle/*.cpp (FCL, KDL, Bullet, OctoMap, MuJoCo). All of them or none: BERTH_HAVE_ORACLES is 1 or 0 in tests and bench.

add_library(berth_oracles_interface INTERFACE)
file(GLOB BERTH_ORACLE_SOURCES CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/test/oracle/*.c"
     "${PROJECT_SOURCE_DIR}/test/oracle/*.cpp")

pkg_check_modules(gmp QUIET IMPORTED_TARGET gmp)
pkg_check_modules(mpfr QUIET IMPORTED_TARGET mpfr)
pkg_check_modules(fcl QUIET fcl)
pkg_check_modules(orocos_kdl QUIET orocos-kdl)
pkg_check_modules(bullet QUIET bullet)
pkg_check_modules(octomap QUIET octomap)
pkg_check_modules(dynamicEDT3D QUIET dynamicEDT3D)
find_library(BERTH_MUJOCO mujoco)
# Its .pc file asks for packages that are not needed to link it, so the library is looked up by name.
find_library(BERTH_KDL_PARSER kdl_parser)
find_path(BERTH_KDL_PARSER_INCLUDE kdl_parser/kdl_parser.hpp)
mark_as_advanced(BERTH_MUJOCO BERTH_KDL_PARSER BERTH_KDL_PARSER_INCLUDE)

set(BERTH_HAVE_ORACLES 0)
if(gmp_FOUND AND mpfr_FOUND AND fcl_FOUND AND orocos_kdl_FOUND AND BERTH_KDL_PARSER AND BERTH_KDL_PARSER_INCLUDE
   AND bullet_FOUND AND octomap_FOUND AND dynamicEDT3D_FOUND AND BERTH_MUJOCO)
    set(BERTH_HAVE_ORACLES 1)
    # Debian builds FCL for the plain baseline: the alignment must be the same here or Eigen's layouts differ.
    add_library(berth_fcl_kdl INTERFACE)
    target_compile_definitions(berth_fcl_kdl INTERFACE EIGEN_MAX_ALIGN_BYTES=16)
    target_include_directories(berth_fcl_kdl SYSTEM INTERFACE ${fcl_INCLUDE_DIRS} ${orocos_kdl_INCLUDE_DIRS}
                                                              ${BERTH_KDL_PARSER_INCLUDE})
    target_link_libraries(berth_fcl_kdl INTERFACE ${fcl_LINK_LIBRARIES} ${orocos_kdl_LINK_LIBRARIES}
                                                  ${BERTH_KDL_PARSER} urdfdom_model tinyxml2 tinyxml)
    target_link_options(berth_fcl_kdl INTERFACE -Wl,--as-needed)
    # Bullet as people install it: single precision.
    add_library(berth_bullet INTERFACE)
    target_include_directories(berth_bullet SYSTEM INTERFACE ${bullet_INCLUDE_DIRS})
    target_link_libraries(berth_bullet INTERFACE ${bullet_LINK_LIBRARIES})
    add_library(berth_octomap INTERFACE)
    target_include_directories(berth_octomap SYSTEM INTERFACE ${octomap_INCLUDE_DIRS} ${dynamicEDT3D_INCLUDE_DIRS})
    target_link_libraries(berth_octomap INTERFACE ${dynamicEDT3D_LINK_LIBRARIES} ${octomap_LINK_LIBRARIES})
    add_library(berth_mujoco INTERFACE)
    target_link_libraries(berth_mujoco INTERFACE ${BERTH_MUJOCO})
    target_link_libraries(berth_oracles_interface INTERFACE PkgConfig::gmp PkgConfig::mpfr)
endif()
target_compile_definitions(berth_oracles_interface INTERFACE BERTH_HAVE_ORACLES=${BERTH_HAVE_ORACLES})

if(BERTH_HAVE_ORACLES AND BERTH_ORACLE_SOURCES)
    # Not sanitized: the C++ libraries behind it are not, and mixing the two gives false alarms. So every test tree can use
    # the same one, and compiling it is a quarter of a tree's time: BERTH_ORACLES_TREE names the tree that makes it.
    if(EXISTS "${BERTH_ORACLES_TREE}/build.ninja")
        set(archive "${BERTH_ORACLES_TREE}/libberth_oracles.a")
        add_custom_target(
            berth_oracles_there
            COMMAND ninja -C "${BERTH_ORACLES_TREE}" berth_oracles
            BYPRODUCTS "${archive}"
            COMMENT "Oracles of ${BERTH_ORACLES_TREE}" VERBATIM)
        add_library(berth_oracles STATIC IMPORTED)
        set_target_properties(berth_oracles PROPERTIES IMPORTED_LOCATION "${archive}"
                                                       IMPORTED_LINK_INTERFACE_LANGUAGES CXX)
        add_dependencies(berth_oracles berth_oracles_there)
        target_link_libraries(berth_oracles INTERFACE berth_fcl_kdl berth_bullet berth_octomap berth_mujoco PkgConfig::mpfr
                                                      PkgConfig::gmp)
    else()
        add_library(berth_oracles STATIC EXCLUDE_FROM_ALL ${BERTH_ORACLE_SOURCES})
        target_include_directories(berth_oracles PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src"
                                                         "${PROJECT_SOURCE_DIR}/test")
        target_compile_definitions(berth_oracles PRIVATE _GNU_SOURCE)
        target_compile_options(berth_oracles PRIVATE -w -ffp-contract=off)
        target_link_libraries(berth_oracles PUBLIC berth_fcl_kdl berth_bullet berth_octomap berth_mujoco PkgConfig::mpfr
                                                   PkgConfig::gmp)
    endif()
    target_link_libraries(berth_oracles_interface INTERFACE berth_oracles)
elseif(gmp_FOUND AND mpfr_FOUND)
    # Exact arithmetic needs no peers: tests that ask for it alone run where the peers are absent, as on other processors.
    add_library(berth_oracles STATIC EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/test/oracle/exact.c")
    target_include_directories(berth_oracles PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src"
                                                     "${PROJECT_SOURCE_DIR}/test")
    target_compile_options(berth_oracles PRIVATE -w -ffp-contract=off)
    target_link_libraries(berth_oracles PUBLIC PkgConfig::mpfr PkgConfig::gmp m)
    target_link_libraries(berth_oracles_interface INTERFACE berth_oracles)
endif()

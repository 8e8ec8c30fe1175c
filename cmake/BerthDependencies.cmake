# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
#
# What the library links. THIRD_PARTY.md lists the licences; keep the two in step.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(expat REQUIRED IMPORTED_TARGET expat)
pkg_check_modules(yaml REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(jansson REQUIRED IMPORTED_TARGET jansson>=2.10)
pkg_check_modules(qhull_r REQUIRED IMPORTED_TARGET qhull_r)
pkg_check_modules(png REQUIRED IMPORTED_TARGET libpng)
pkg_check_modules(lzf REQUIRED IMPORTED_TARGET liblzf)
pkg_check_modules(assimp IMPORTED_TARGET assimp)

if(assimp_FOUND)
    option(BERTH_WITH_ASSIMP "Read DAE, glTF, PLY and more through assimp" ON)
else()
    option(BERTH_WITH_ASSIMP "Read DAE, glTF, PLY and more through assimp" OFF)
endif()

add_library(berth_dependencies INTERFACE)
target_link_libraries(berth_dependencies INTERFACE PkgConfig::expat PkgConfig::yaml PkgConfig::jansson
                                                   PkgConfig::qhull_r PkgConfig::png PkgConfig::lzf Threads::Threads m)
if(BERTH_WITH_ASSIMP)
    if(NOT assimp_FOUND)
        message(FATAL_ERROR "berth: BERTH_WITH_ASSIMP is ON, but pkg-config does not find assimp")
    endif()
    # Linked by the program berth-mesh-reader alone.
    target_compile_definitions(berth_dependencies INTERFACE BI_WITH_ASSIMP=1)
endif()

# Only the guard speaks DDS (apps/guard): the library does not link it.
find_package(CycloneDDS QUIET)
if(CycloneDDS_FOUND)
    option(BERTH_WITH_DDS "The monitor receives ROS 2 joint states through Cyclone DDS" ON)
else()
    option(BERTH_WITH_DDS "The monitor receives ROS 2 joint states through Cyclone DDS" OFF)
endif()
if(BERTH_WITH_DDS AND NOT CycloneDDS_FOUND)
    message(FATAL_ERROR "berth: BERTH_WITH_DDS is ON, but CMake does not find CycloneDDS")
endif()

# Only the module that `berth batch` loads under mpirun speaks MPI (apps/mpi).
find_package(MPI QUIET COMPONENTS C)
if(MPI_C_FOUND)
    option(BERTH_WITH_MPI "berth batch works on many machines under mpirun" ON)
else()
    option(BERTH_WITH_MPI "berth batch works on many machines under mpirun" OFF)
endif()
if(BERTH_WITH_MPI AND NOT MPI_C_FOUND)
    message(FATAL_ERROR "berth: BERTH_WITH_MPI is ON, but CMake does not find MPI")
endif()

# Only the view serves a page (apps/view): the library does not link it.
find_library(CIVETWEB_LIBRARY civetweb)
find_path(CIVETWEB_INCLUDE_DIR civetweb.h)
if(CIVETWEB_LIBRARY AND CIVETWEB_INCLUDE_DIR)
    option(BERTH_WITH_CIVETWEB "berth view serves a page on this machine through civetweb" ON)
else()
    option(BERTH_WITH_CIVETWEB "berth view serves a page on this machine through civetweb" OFF)
endif()
if(BERTH_WITH_CIVETWEB AND NOT (CIVETWEB_LIBRARY AND CIVETWEB_INCLUDE_DIR))
    message(FATAL_ERROR "berth: BERTH_WITH_CIVETWEB is ON, but CMake does not find civetweb.h and its library")
endif()

# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
#
# Debian packages of what BerthInstall.cmake installs, one a component; `./dev package` makes them. The layout is that of
# `./dev install`, below /usr: the library lies in /usr/lib, where loader, pkg-config and CMake look.

get_target_property(soversion libberth SOVERSION)
set(library_package "libberth${soversion}")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME berth)
set(CPACK_PACKAGE_CONTACT "berth authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/package")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/debian/finish.cmake")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL program library development python)
if(TARGET berth-batch-mpi)
    list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# Programs that link the library may be packaged, too: until 1.0 each minor version may change the binary interface.
math(EXPR next_minor "${PROJECT_VERSION_MINOR} + 1")
set(this_minor_on "${library_package} (>= ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})")
set(before_next_minor "${library_package} (<< ${PROJECT_VERSION_MAJOR}.${next_minor}~)")
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/parts/debian/shlibs" CONTENT
     "libberth ${soversion} ${this_minor_on}, ${before_next_minor}\n")

# What a package is called, where it belongs, what it needs beside that which dpkg-shlibdeps finds, and what it is.
function(berth_package component name section depends title text)
    string(TOUPPER "${component}" upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME "${name}" PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION "${section}" PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_DESCRIPTION "${title}\n${text}" PARENT_SCOPE)
endfunction()

set(whole_version "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
set(needs_library "${library_package} (= ${whole_version})")
berth_package(program berth science "${needs_library}" "certified collision checking for robots"
"Tells whether poses and motions of robots are free, and proves it: free
holds for every configuration in between. It plans motions, guards arms
and shows all of it in a browser.")
berth_package(library ${library_package} libs "" "certified collision checking for robots: library"
"The shared library, and the program that reads foreign meshes for it in a
process of its own.")
berth_package(development libberth-dev libdevel "${needs_library}" "certified collision checking for robots: headers"
"What programs in C and C++ are built with: headers, files for CMake's
find_package(berth) and for pkg-config.")
berth_package(python python3-berth python "${needs_library}, python3 (>= 3.9), python3-cffi (>= 1.15), python3-numpy (>= 1:1.22)"
"certified collision checking for robots: Python"
"The library as a Python module, with numpy arrays and plain dataclasses.")
berth_package(mpi berth-mpi science "berth (= ${whole_version})" "certified collision checking for robots: machines"
"The module that lets 'berth batch' share its work among machines under
mpirun.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/parts/debian/shlibs")
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "python3-berth, berth-mpi")

# For finish.cmake, which knows no names of packages else.
set(CPACK_BERTH_SOURCE "${PROJECT_SOURCE_DIR}")
set(CPACK_BERTH_VERSION "${whole_version}")
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER "${component}" upper)
    set(CPACK_BERTH_PACKAGE_${component} "${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
endforeach()
include(CPack)

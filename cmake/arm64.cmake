# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
#
# Toolchain file for 64-bit ARM by Debian's cross compiler, with Debian's libraries for that processor (dpkg --add-architecture
# arm64). What the build runs (the model maker, tests) runs under qemu-user. Used by tools/test_arm64.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)

# Debian puts libraries of all processors into one root, in folders of their own.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_IGNORE_PREFIX_PATH /usr/local)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig)
set(ENV{PKG_CONFIG_PATH} "")

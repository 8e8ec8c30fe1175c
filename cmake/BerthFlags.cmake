# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
#
# Compiler flags. `berth_flags` changes what code means and is used by everything that is ours;
# `berth_warnings` is for the library and the program, `berth_test_warnings` for everything else.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64|i[3-6]86)$")
    set(BERTH_X86 1)
else()
    set(BERTH_X86 0)
endif()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(BERTH_ARM64 1)
else()
    set(BERTH_ARM64 0)
endif()

# Verdicts must not depend on the compiler: no contraction, no fast-math. Our code never reads errno
# after a math function, so sqrt may be one instruction.
add_library(berth_flags INTERFACE)
target_compile_options(berth_flags INTERFACE -ffp-contract=off -fno-math-errno)
# gcc 12.2 drops the rounding of (double)(float)x where it vectorises two such conversions of straight-line code at
# once, at -O2 and above. Boxes that are rounded outward would then be too small: test_math_numbers.c has the case.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_compile_options(berth_flags INTERFACE -fno-tree-slp-vectorize)
endif()
target_compile_definitions(berth_flags INTERFACE BI_X86=${BERTH_X86})
if(BERTH_ASSERTS)
    target_compile_definitions(berth_flags INTERFACE BI_ASSERTS=1)
endif()
if(BERTH_SANITIZE)
    target_compile_options(berth_flags INTERFACE -fsanitize=${BERTH_SANITIZE} -fno-sanitize-recover=all
                                                 -fno-omit-frame-pointer)
    target_link_options(berth_flags INTERFACE -fsanitize=${BERTH_SANITIZE})
endif()
if(BERTH_FUZZER)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "berth: BERTH_FUZZER needs clang")
    endif()
    target_compile_options(berth_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(BERTH_COVERAGE)
    target_compile_options(berth_flags INTERFACE --coverage)
    target_link_options(berth_flags INTERFACE --coverage)
endif()

add_library(berth_test_warnings INTERFACE)
target_compile_options(berth_test_warnings INTERFACE -Wall -Wextra -Wshadow)
if(BERTH_WERROR)
    target_compile_options(berth_test_warnings INTERFACE -Werror)
endif()

add_library(berth_warnings INTERFACE)
target_link_libraries(berth_warnings INTERFACE berth_test_warnings)
target_compile_options(berth_warnings INTERFACE -Wconversion -Wvla -Wstrict-prototypes)

# Per-file flags of library sources: the ISA by the file's name, system interfaces in io alone.
# Takes the name of the source list and drops from it what this processor family cannot run.
function(berth_set_source_flags list_name)
    set(kept "")
    foreach(source IN LISTS ${list_name})
        set(isa_flags "")
        if(source MATCHES "/simd/[^/]*_avx512\\.c$")
            set(isa_flags -mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma)
        elseif(source MATCHES "/simd/[^/]*_avx2\\.c$")
            set(isa_flags -mavx2 -mfma)
        elseif(source MATCHES "/simd/[^/]*_sse2\\.c$")
            set(isa_flags -msse2 -mfpmath=sse)
        elseif(source MATCHES "/simd/[^/]*_neon\\.c$" AND NOT BERTH_ARM64)
            continue()
        endif()
        if(isa_flags)
            if(NOT BERTH_X86)
                continue()
            endif()
            # Kernels of wide registers are inlined whole, and clang takes a minute for each with all that it can check of
            # pointers (5 s so). The same lines are checked in full in the plain build and in that for SSE2.
            if(BERTH_SANITIZE MATCHES "undefined" AND CMAKE_C_COMPILER_ID MATCHES "Clang" AND source MATCHES "_avx[0-9]+\\.c$")
                list(APPEND isa_flags -fno-sanitize=pointer-overflow,null,alignment,object-size -fno-inline-functions)
            endif()
            set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS "${isa_flags}")
        endif()
        if(source MATCHES "/src/io/.*\\.c$")
            set_source_files_properties("${source}" PROPERTIES COMPILE_DEFINITIONS _GNU_SOURCE)
        endif()
        list(APPEND kept "${source}")
    endforeach()
    set(${list_name} ${kept} PARENT_SCOPE)
endfunction()

# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
#
# The page of `berth view`: what vite made in apps/viewer/dist is put into the program as it is. Without it the program is
# built all the same, and serves a page that says how to make it.

set(BERTH_VIEWER_DIST "${PROJECT_SOURCE_DIR}/apps/viewer/dist")
file(GLOB viewer_files CONFIGURE_DEPENDS "${BERTH_VIEWER_DIST}/index.html" "${BERTH_VIEWER_DIST}/app.js" "${BERTH_VIEWER_DIST}/app.css")
list(LENGTH viewer_files viewer_file_count)
set(BERTH_VIEW_BUNDLE "")
set(BERTH_HAS_VIEW_BUNDLE 0)
if(viewer_file_count EQUAL 3)
    set(BERTH_HAS_VIEW_BUNDLE 1)
    set(BERTH_VIEW_BUNDLE "${PROJECT_BINARY_DIR}/view_bundle.c")
    set(text "// Written by cmake/BerthViewer.cmake: the files of the view's page, byte for byte.\n")
    foreach(name index.html app.js app.css)
        string(REPLACE "." "_" symbol "view_${name}")
        string(APPEND text "__asm__(\".section .rodata\\n.global ${symbol}\\n${symbol}:\\n.incbin \\\"${BERTH_VIEWER_DIST}/${name}\\\"\\n\"\n"
               "        \".global ${symbol}_end\\n${symbol}_end:\\n.byte 0\\n.text\\n\");\n")
    endforeach()
    file(CONFIGURE OUTPUT "${BERTH_VIEW_BUNDLE}" CONTENT "${text}extern int view_bundle_is_there;\nint view_bundle_is_there = 1;\n")
    set_source_files_properties("${BERTH_VIEW_BUNDLE}" PROPERTIES OBJECT_DEPENDS "${viewer_files}" GENERATED TRUE)
endif()

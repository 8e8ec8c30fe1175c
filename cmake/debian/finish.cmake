# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
#
# CPack runs this between installing components into folders of their own and packing them: what Debian wants otherwise than
# `cmake --install` does it. Nothing here may depend on when or where it runs: packages have the same bytes each time.

set(epoch "$ENV{SOURCE_DATE_EPOCH}")
if(NOT epoch)
    message(FATAL_ERROR "berth: packages need SOURCE_DATE_EPOCH; './dev package' sets it")
endif()

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # of SOURCE_DATE_EPOCH

function(compress file)
    execute_process(COMMAND gzip -9nf "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    set(root "${CPACK_TEMPORARY_DIRECTORY}/${component}")
    set(package "${CPACK_BERTH_PACKAGE_${component}}")

    # Installed below /usr nothing needs a path of its own to find the library.
    file(GLOB programs "${root}/usr/bin/*" "${root}/usr/libexec/berth/*")
    foreach(program IN LISTS programs)
        file(RPATH_REMOVE FILE "${program}")
    endforeach()

    file(GLOB pages "${root}/usr/share/man/man1/*.1")
    foreach(page IN LISTS pages)
        compress("${page}")
    endforeach()
    if(EXISTS "${root}/usr/share/zsh/site-functions")
        file(RENAME "${root}/usr/share/zsh/site-functions" "${root}/usr/share/zsh/vendor-completions")
    endif()

    # The licence under the name that Debian gives it, and the list of changes.
    set(docs "${root}/usr/share/doc/${package}")
    file(MAKE_DIRECTORY "${docs}")
    file(REMOVE "${docs}/LICENSE")
    file(READ "${CPACK_BERTH_SOURCE}/LICENSE" licence)
    file(WRITE "${docs}/copyright" "berth, of which no part was copied from elsewhere but the page of 'berth view', which has three.js\n(MIT, Copyright 2010-2022 three.js authors) in it.\n\n${licence}")
    configure_file("${CPACK_BERTH_SOURCE}/CHANGELOG.md" "${docs}/changelog" COPYONLY)
    compress("${docs}/changelog")
    file(WRITE "${docs}/changelog.Debian"
         "berth (${CPACK_BERTH_VERSION}) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- berth authors <>  ${date}\n")
    compress("${docs}/changelog.Debian")

    # Rights and times are those of the commit, not of this machine.
    execute_process(COMMAND chmod -R u=rwX,go=rX "${root}" COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND find "${root}" -exec touch -hd "@${epoch}" {} + COMMAND_ERROR_IS_FATAL ANY)
endforeach()

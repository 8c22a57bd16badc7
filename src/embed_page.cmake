# Run at build time by web_page.cmake: builds the page with npm in a folder of its own (the sources stay as they are),
# then writes a table of its files for the program. Without a page the table is empty.
cmake_minimum_required(VERSION 3.25)

function(build_page result)
  # Only the sources: what npm puts beside them elsewhere is not ours.
  file(MAKE_DIRECTORY ${WORK})
  file(GLOB entries LIST_DIRECTORIES true RELATIVE ${SOURCES} ${SOURCES}/* ${SOURCES}/.npmrc)
  list(REMOVE_ITEM entries node_modules dist)
  file(REMOVE_RECURSE ${WORK}/src)
  foreach(entry ${entries})
    file(COPY ${SOURCES}/${entry} DESTINATION ${WORK})
  endforeach()
  file(SHA256 ${WORK}/package-lock.json wanted)
  set(installed "")
  if(EXISTS ${WORK}/node_modules/.installed)
    file(READ ${WORK}/node_modules/.installed installed)
  endif()
  if(NOT installed STREQUAL wanted)
    execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund WORKING_DIRECTORY ${WORK}
                    RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(failed)
      set(${result} "`npm ci` failed (is there a network?):\n${said}" PARENT_SCOPE)
      return()
    endif()
    file(WRITE ${WORK}/node_modules/.installed ${wanted})
  endif()
  file(REMOVE_RECURSE ${OUT})
  execute_process(COMMAND ${CMAKE_COMMAND} -E env POLLUX_PAGE_OUT=${OUT} ${NPM} run build WORKING_DIRECTORY ${WORK}
                  RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  # With its tools there, that is an error of the sources (of TypeScript, mostly): nobody wants a program without them.
  if(failed)
    message(FATAL_ERROR "The web page cannot be built; without it: -DPOLLUX_WEB_PAGE=OFF. `npm run build` failed:\n${said}")
  endif()
  set(${result} "" PARENT_SCOPE)
endfunction()

set(folder "")
if(DIST)
  set(folder ${DIST})
elseif(NOT WHY)
  build_page(problem)
  if(NOT problem)
    set(folder ${OUT})
  elseif(WANTED STREQUAL "ON")
    message(FATAL_ERROR "The web page cannot be built: ${problem}")
  else()
    message(WARNING "Without the web page (the API is there): ${problem}")
  endif()
endif()

set(names)
if(folder)
  file(GLOB_RECURSE names RELATIVE ${folder} ${folder}/*)
  list(SORT names)
endif()
set(declarations "")
set(rows "")
set(bytes ".section .rodata\n")
set(number 0)
foreach(name ${names})
  file(SHA256 ${folder}/${name} hash)
  string(SUBSTRING ${hash} 0 16 hash)
  string(APPEND declarations "extern const char pollux_page_${number}[], pollux_page_${number}_end[];\n")
  string(APPEND rows "    {\"${name}\", \"${hash}\", pollux_page_${number}, pollux_page_${number}_end},\n")
  string(APPEND bytes ".global pollux_page_${number}\n.global pollux_page_${number}_end\npollux_page_${number}:\n"
         ".incbin \"${folder}/${name}\"  // ${hash}\npollux_page_${number}_end:\n.byte 0\n")
  math(EXPR number "${number} + 1")
endforeach()
string(APPEND bytes ".section .note.GNU-stack,\"\",%progbits\n")
file(WRITE ${TABLE}/files.S "${bytes}")
set(end "end(table)")
if(NOT names)
  string(APPEND rows "    {nullptr, nullptr, nullptr, nullptr},\n")
  set(end "begin(table)")
endif()
file(WRITE ${TABLE}/table.cpp "// Made by src/embed_page.cmake.
#include \"web/page_files.hpp\"

#include <iterator>

extern \"C\" {
${declarations}}

namespace pollux::web {

std::span<const PageFile> page_files() {
  static const PageFile table[] = {
${rows}  };
  return {std::begin(table), std::${end}};
}

}  // namespace pollux::web
")

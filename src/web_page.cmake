# The web page: built from src/web/page by npm into ${CMAKE_BINARY_DIR}/web_page, and linked into the program.
#   AUTO  where node, npm and the sources are there; if its tools cannot be had, without the page, and it says so
#   ON    it must be built     OFF  never
# Whoever has built it elsewhere (a package without a network) names its folder in POLLUX_WEB_PAGE_DIST.
set(POLLUX_WEB_PAGE AUTO CACHE STRING "Build the web page into the program: AUTO, ON or OFF")
set_property(CACHE POLLUX_WEB_PAGE PROPERTY STRINGS AUTO ON OFF)
set(POLLUX_WEB_PAGE_DIST "" CACHE PATH "A folder with the page as npm built it, to be taken instead")

enable_language(ASM)
set(page_sources ${CMAKE_SOURCE_DIR}/src/web/page)
set(page_files)
set(page_why "")
find_program(NODE node)
find_program(NPM npm)
if(POLLUX_WEB_PAGE_DIST)
  file(GLOB_RECURSE page_files CONFIGURE_DEPENDS ${POLLUX_WEB_PAGE_DIST}/*)
elseif(POLLUX_WEB_PAGE STREQUAL "OFF")
  set(page_why "POLLUX_WEB_PAGE is OFF")
elseif(NOT EXISTS ${page_sources}/package.json)
  set(page_why "its sources are not there")
elseif(NOT NODE OR NOT NPM)
  set(page_why "node and npm are not installed")
else()
  file(GLOB_RECURSE page_files CONFIGURE_DEPENDS ${page_sources}/src/* ${page_sources}/*.html ${page_sources}/*.mjs
       ${page_sources}/*.json ${page_sources}/.npmrc)
  list(FILTER page_files EXCLUDE REGEX "/src/web/page/(node_modules|dist)/")
endif()
if(page_why)
  if(POLLUX_WEB_PAGE STREQUAL "ON")
    message(FATAL_ERROR "The web page cannot be built: ${page_why}")
  endif()
  message(STATUS "Without the web page (the API is there): ${page_why}")
endif()

set(page_table ${CMAKE_BINARY_DIR}/web_page_table)
add_custom_command(
  OUTPUT ${page_table}/table.cpp ${page_table}/files.S
  COMMAND ${CMAKE_COMMAND} -DSOURCES=${page_sources} -DWORK=${CMAKE_BINARY_DIR}/web_page_build
          -DOUT=${CMAKE_BINARY_DIR}/web_page -DDIST=${POLLUX_WEB_PAGE_DIST} -DTABLE=${page_table} -DNPM=${NPM}
          -DWANTED=${POLLUX_WEB_PAGE} "-DWHY=${page_why}" -P ${CMAKE_SOURCE_DIR}/src/embed_page.cmake
  DEPENDS ${page_files} ${CMAKE_SOURCE_DIR}/src/embed_page.cmake
  COMMENT "The web page" VERBATIM)
add_custom_target(web_page DEPENDS ${page_table}/table.cpp)

add_library(pollux_page STATIC ${page_table}/table.cpp ${page_table}/files.S)
target_link_libraries(pollux_page PRIVATE pollux_flags)

# What makes the build faster and the program no different: ccache, a faster linker, precompiled headers.

find_program(CCACHE ccache)
if(CCACHE)
  # ccache takes a file with a precompiled header only if it need not mind dates and times in it.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

find_program(LLD ld.lld)
if(LLD)
  add_link_options(-fuse-ld=lld)
endif()

if(POLLUX_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fpch-preprocess)  # for ccache, too
endif()

# What most files include. Each header here costs every file a little, whether it needs it or not. Libraries that few
# files see are left out: those files are compiled together anyway.
set(pch_std <algorithm> <array> <charconv> <chrono> <cmath> <cstddef> <cstdint> <cstdio> <deque> <filesystem> <functional>
    <limits> <map> <memory> <optional> <span> <string> <string_view> <unordered_map> <utility> <variant> <vector>)
set(pch_common ${pch_std} <spdlog/spdlog.h>)
set(pch_test ${pch_std} <fstream> <thread> <gtest/gtest.h>)

# As target_precompile_headers. The headers as for one target, or REUSE_FROM another with the same flags.
function(pollux_precompile target)
  if(NOT POLLUX_PCH)
    return()
  endif()
  if("${ARGV1}" STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# The files of a target in few compilations of about the same size: what they share, templates above all, is compiled
# once for each of them. No two files may define the same name.
function(pollux_unity target)
  if(NOT POLLUX_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  set(most 24)
  math(EXPR size "(${count} - 1) / ((${count} - 1) / ${most} + 1) + 1")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
  # g++ takes a file for a header when another includes it.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

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

# What most files include. Each header here costs every file a little, whether it needs it or not: a library
# is worth it where many files want it (Asio 0.3 s a file instead of 2, GoogleTest 0.3 instead of 1.6).
set(pch_std <algorithm> <array> <charconv> <chrono> <cmath> <cstddef> <cstdint> <cstdio> <deque> <filesystem> <functional>
    <limits> <map> <memory> <optional> <span> <string> <string_view> <unordered_map> <utility> <variant> <vector>)
set(pch_common ${pch_std} <spdlog/spdlog.h>)
set(pch_asio ${pch_common} <boost/asio/io_context.hpp> <boost/asio/post.hpp> <boost/asio/steady_timer.hpp>)
set(pch_json ${pch_common} <boost/json.hpp>)
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

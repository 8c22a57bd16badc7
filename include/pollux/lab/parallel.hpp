// Independent runs on all cores, with a progress line for people.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace pollux::lab {

// Calls job(0) … job(count-1), each once, on `threads` threads (0: all cores), and waits for all.
// The first exception is passed on. When standard error is a terminal, a bar labelled `label` shows
// how many are done.
void run_parallel(std::size_t count, unsigned threads, const std::string& label,
                  const std::function<void(std::size_t)>& job);

}  // namespace pollux::lab

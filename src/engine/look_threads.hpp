// The threads that look into bodies whose bytes are new: some for what is done in a moment, and
// others for what runs a program (`pipe`, jq, a search by XPath that needs a process of its own),
// so that nobody waits for those. Of the slots for programs no host gets the last one.
//
// What breaks off (no memory, say) is the failure of that page, and of nothing else.
// Threading: the thread of `loop`; what is found comes there, too.
#pragma once

#include "engine/look.hpp"
#include "pollux/base/event_loop.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pollux::engine {

class LookThreads {
 public:
  struct Options {
    int threads = 2;
    int program_threads = 2;
    std::string database = {};  // whose versions are compared with; empty: none
    // Called on the thread for every look. Empty but in tests, which let it wait or throw.
    std::function<void(const LookTask&)> each_look = {};
  };
  using Looked = std::vector<std::pair<fetch::Token, Look>>;
  LookThreads(EventLoop& loop, Options options, std::function<void(Looked)> looked);
  ~LookThreads();  // what waits is dropped, programs are ended; a look that runs is waited for

  void add(fetch::Token token, LookTask task);
  std::vector<fetch::Token> drop();  // those that have not begun: they are not answered
  void end_programs();               // those that run, and from now on all of them

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace pollux::engine

// Somebody who steers the engine while it runs: pages are paused, resumed, set and polled by hand,
// between and during reloads, the way SteeringDesk brings it into force. Threading: one thread.
#pragma once

#include "engine/lists.hpp"
#include "engine/page_list_update.hpp"
#include "engine/poll_loop.hpp"
#include "pollux/base/rng.hpp"
#include "simulation/memory_store.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace pollux::simulation {

class LiveCommands {
 public:
  struct Parts {
    EventLoop& loop;
    const Clock& clock;
    engine::Lists& lists;
    engine::PollLoop& poll_loop;
    MemoryStore& store;
  };
  // `pages`: those that are steered. `settings`: their settings are one of its two.
  LiveCommands(const Parts& parts, std::uint64_t seed, std::vector<std::string> pages,
               config::Config settings)
      : parts_(parts), rng_(seed), pages_(std::move(pages)), settings_(std::move(settings)) {}

  void give();  // one more, chosen by chance
  // A poll of this page has ended.
  void polled(const std::string& url);
  // It has been paused for so long that no request can be left from before.
  bool must_be_silent(const std::string& url) const;

  std::uint64_t given = 0;                 // commands
  std::uint64_t asked = 0, came_soon = 0;  // polls by hand

 private:
  void change(const std::vector<std::string>& urls);
  void ask_for(const std::vector<std::string>& urls);
  void go_on(std::vector<std::string> paused);

  Parts parts_;
  Rng rng_;
  std::vector<std::string> pages_;
  config::Config settings_;
  std::unique_ptr<engine::PageListUpdate> update_;
  std::unordered_map<std::string, Instant> paused_since_, asked_at_;
};

}  // namespace pollux::simulation

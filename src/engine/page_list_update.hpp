// Brings a new list of pages into force a little at a time, so that polls, signals and timers wait
// for none of it. Hosts first, then the pages that are gone, that stay and that are new; a page
// that has not had its turn goes on as it was, with the settings it has.
// Exactly one list may be under way. Threading: the engine's thread.
#pragma once

#include "engine/access_points.hpp"
#include "engine/page_list.hpp"

#include <cstddef>
#include <vector>

namespace pollux::engine {

class PageListUpdate {
 public:
  // parts.config is the new one. `access_points` may be null.
  PageListUpdate(PageListChange change, const PageListParts& parts, PollLoop& loop,
                 AccessPoints* access_points);

  // Does up to `most` pages or hosts; false when all is done.
  bool step(const Moment& moment, std::size_t most);

 private:
  bool one(const Moment& moment);
  void list(HostSlot host);

  PageListChange change_;
  PageListParts parts_;
  PageList list_;
  AccessPoints* access_points_;
  SettingsOf settings_;
  PageInstaller installer_;
  std::size_t hosts_;  // those that were there before
  std::size_t host_ = 0, gone_ = 0, kept_ = 0, left_ = 0;
  std::vector<bool> listed_;  // hosts with a page
};

}  // namespace pollux::engine

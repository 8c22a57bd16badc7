// Brings a new list of pages into force a little at a time, so that polls, signals and timers wait
// for none of it. Hosts first, then the pages that are gone, that stay and that are new; a page
// that has not had its turn goes on as it was, with the settings it has.
// Exactly one list may be under way. Threading: the engine's thread.
#pragma once

#include "engine/access_points.hpp"
#include "engine/page_list.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace pollux::engine {

class PageListUpdate {
 public:
  // A whole list: parts.config is the new one. `access_points` may be null.
  PageListUpdate(PageListChange change, const PageListParts& parts, PollLoop& loop,
                 AccessPoints* access_points);
  // Some pages of a list that stays: settings are those of `some`, and hosts are as they are.
  PageListUpdate(PageListChange change, const config::Config& some, const PageListParts& parts,
                 PollLoop& loop);

  // Does up to `most` pages or hosts; false when all is done.
  bool step(const Moment& moment, std::size_t most);
  // "12 pages added, 65 removed, 3 changed": so far.
  std::string summary() const;
  // What the pages that came were given; of a very long list the first ones.
  std::vector<store::ShareRow> take_shares() { return std::move(shares_); }

 private:
  bool one(const Moment& moment);
  bool is_there(PageSlot slot) const {
    return index(slot) < parts_.pages.slots() && parts_.pages[slot].used();
  }
  void list(HostSlot host);

  PageListChange change_;
  PageListParts parts_;
  PageList list_;
  AccessPoints* access_points_;
  SettingsOf settings_;
  PageInstaller installer_;
  struct Position {
    std::size_t hosts;  // those that were there before; of some pages none
    std::size_t host = 0, gone = 0, kept = 0, left = 0;
  };
  Position at_;
  std::size_t added_ = 0, changed_ = 0;
  std::vector<store::ShareRow> shares_;
  std::vector<bool> listed_;  // hosts with a page
};

}  // namespace pollux::engine

// Rows of pages that are steered while the daemon runs: who is meant, and what became of them.
#pragma once

#include "pollux/store/rows.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pollux::store {

// A page that any of these names. URLs are normalised; globs match the whole URL.
struct PageChoice {
  std::vector<std::string> urls = {}, tags = {}, globs = {};
  std::vector<PageId> ids = {};
};

// A page that is not removed.
struct ChosenPage {
  PageId id{};
  PageSlot slot{};
  std::string url;
  bool live = false;  // no file lists it
  bool paused = false;
  std::optional<WallTime> paused_until = {};  // nullopt: until somebody says so
  OverrideRow settings = {};                  // made live; its URL is empty when there are none
};

// A page with something of its own in the database: no file lists it, or settings were made.
struct LiveRow {
  std::string url;
  bool live = false;
  OverrideRow settings = {};
};

// A page that is to be added, and the settings that were made of it.
struct LivePageSpec {
  PageSpec spec;  // as it comes out with its settings
  OverrideRow settings = {};
};

struct AddedLive {
  enum class What : std::uint8_t { added, listed, live_already, too_many };
  std::vector<What> what;     // for each
  std::vector<PageRow> rows;  // of those that were added, in their order
};

// A mask that people have judged, and where its page is; none: it is not polled.
struct DecidedMask {
  MaskRow row;
  std::optional<PageSlot> slot = {};
};

// Whether a transaction is kept: without it, nothing has happened.
enum class Keep { no, yes };

}  // namespace pollux::store

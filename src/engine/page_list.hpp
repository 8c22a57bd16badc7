// Brings the list of pages that is polled in line with configuration and database, at start and at
// every reload. A list may hold millions: rows are taken one by one where possible.
#pragma once

#include "engine/host_table.hpp"
#include "engine/page_table.hpp"
#include "engine/poll_loop.hpp"
#include "pollux/config/config.hpp"
#include "pollux/store/store.hpp"

#include <deque>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pollux::engine {

// What the configuration asks for: rows for the store, and each row's settings. Takes the strings
// out of `config.pages`, which is empty afterwards.
struct WantedPages {
  explicit WantedPages(config::Config& config);
  std::vector<store::PageSpec> specs;
  std::vector<std::uint32_t> settings;
  // What was set or added while a daemon ran (live_rows.hpp): in the place of a page of the files,
  // or behind them all.
  void lay_over(std::optional<std::uint32_t> position, store::PageSpec spec,
                std::uint32_t settings_of_it);
  // As the files have it, again.
  void drop_live();
  // Valid as long as this object is.
  std::unordered_map<std::string_view, std::uint32_t> settings_by_url() const;

 private:
  struct Replaced {
    std::uint32_t position;
    store::PageSpec spec;
    std::uint32_t settings;
  };
  std::size_t listed_ = 0;  // by files
  std::vector<Replaced> replaced_;
};

struct PageListParts {
  const config::Config& config;
  PageSettingsTable& settings;
  PageTable& pages;
  HostTable& hosts;
  learn::Policy& policy;
  schedule::Scheduler& scheduler;
  CookieJars* cookies = nullptr;
};

// Adds pages that are not in memory yet: each to table and policy at once, and all of them to the
// scheduler at the end, when shares are final, longest-ago-polled first. finish() does that; who
// adds them in this order may call schedule_next() one by one instead.
class PageInstaller {
 public:
  // same_policy: whether the stored memory of pages was written by the policy that runs now.
  PageInstaller(const PageListParts& parts, const Moment& moment, bool same_policy)
      : parts_(parts), moment_(moment), same_policy_(same_policy) {}
  void add(const store::PageRow& row, SettingsId settings);
  void finish();
  std::optional<PageSlot> schedule_next();  // whom; nullopt when there was none left
  void set_moment(const Moment& moment) { moment_ = moment; }

 private:
  struct Start {
    WallTime last_polled;
    std::optional<Instant> not_before;
    PageSlot slot;
  };
  void schedule(const Start& start);
  std::optional<Instant> not_before(const store::PageRow& row, const PageSettings& wanted) const;

  PageListParts parts_;
  Moment moment_;
  bool same_policy_;
  std::deque<Start> starts_;
};

// The list that is polled, page by page. Whoever changes it while polls go on does it here: a
// reload, and who steers the daemon while it runs.
class PageList {
 public:
  PageList(const PageListParts& parts, PollLoop& loop) : parts_(parts), loop_(loop) {}

  // New pages come in by a PageInstaller.
  void remove(PageSlot page);
  void set(PageSlot page, SettingsId settings, const Moment& moment);
  // A paused page keeps all that was learnt of it and is not polled.
  void pause(PageSlot page);
  void resume(PageSlot page, const Moment& moment);
  // Next in its host's turn, whatever its interval says.
  void poll_now(PageSlot page);

 private:
  void schedule_anew(PageSlot page, const Moment& moment);
  void ask_anew(PageSlot page, const Moment& moment);

  PageListParts parts_;
  PollLoop& loop_;
};

// What a reload changes. Gathered on the writer's thread, brought into force by a PageListUpdate.
struct PageListChange {
  std::vector<PageSlot> gone;
  // With their settings (an index into Config::settings), each longest-ago-polled first.
  std::vector<std::pair<PageSlot, std::uint32_t>> kept;
  std::deque<std::pair<store::PageRow, std::uint32_t>> fresh;
  std::unordered_map<PageId, KnownMasks> masks;  // of fresh ones that were listed before
};
// `load` hands over every listed row, as store::Store::load_pages does.
using LoadPages = std::function<Status(const std::function<void(store::PageRow&&)>&)>;
Result<PageListChange> read_change(const LoadPages& load, const WantedPages& wanted,
                                   const std::vector<PageId>& known);
Result<PageListChange> read_change(store::Store& store, const WantedPages& wanted,
                                   const std::vector<PageId>& known);
// The masks of its fresh pages, into it.
Status read_masks(store::Store& store, PageListChange& change);

// What the page has been given, by policy and scheduler.
store::ShareRow share_of(PageSlot page, const PageListParts& parts, const Moment& moment);

bool obeys_robots(const PageListParts& parts, HostSlot host);
// Politeness of a known host, as the configuration says.
void install_host(HostSlot host, const PageListParts& parts, const Moment& moment);
// Likewise of every known host, and what is remembered of it. After an unclean stop nobody knows
// what was under way: every host counts as asked at this moment.
enum class LastStop { clean, unclean };
// `before`: this moment by the wall clock as it was when the hosts were stored, if it was set since
// then; see saved_clocks.hpp.
void install_hosts(const std::vector<store::HostRow>& stored, const PageListParts& parts,
                   const Moment& moment, LastStop last_stop = LastStop::clean,
                   const std::optional<Moment>& before = std::nullopt);

}  // namespace pollux::engine

#include "engine/lists.hpp"

#include "engine/node_rows.hpp"
#include "engine/robots_book.hpp"
#include "engine/row_relay.hpp"
#include "engine/saved_clocks.hpp"
#include "pollux/base/units.hpp"

#include <algorithm>
#include <cmath>
#include <thread>
#include <unordered_map>
#include <utility>

#include <spdlog/spdlog.h>

namespace pollux::engine {
namespace {

constexpr std::size_t most_shares_told_at_start = 10'000;  // of pages that came back

// Reads the rows on a thread of its own, while this one installs them.
template <typename Install>
Result<store::Reconciled> reconcile_beside(store::Store& store,
                                           const std::vector<store::PageSpec>& pages, WallTime now,
                                           const Install& install) {
  RowRelay relay;
  Result<store::Reconciled> reconciled = store::Reconciled{};
  store.release_owner();
  std::thread reading([&] {
    reconciled = store.reconcile(pages, now,
                                 [&](std::unique_ptr<store::PageRow>& row, std::uint32_t position) {
                                   relay.put(row, position);
                                 });
    store.release_owner();
    relay.end();
  });
  relay.take_all(install);
  reading.join();
  return reconciled;
}

}  // namespace

Status Lists::make_learner(Instant now) {
  policy = learn::make_policy(config.learner);
  if (!policy)
    return Error{"learner.policy: no policy is called '" + config.learner.policy + "'",
                 ExitCode::configuration};
  policy->set_places(&places);
  settings = {};
  pages = {};
  hosts = {};
  told_sweep = 0;
  scheduler = std::make_unique<schedule::Scheduler>(config.schedule, *policy);
  budget = std::make_unique<schedule::Budget>(config.schedule.budget, now);
  if (!config.brain.empty()) {
    shared_budget = config.schedule.budget;
    budget->end_at(now);  // nothing is lent yet
  }
  access_points = std::make_unique<AccessPoints>(config, hosts);
  return success();
}

Status Lists::fill(store::Store& store, const WantedPages& wanted, const Moment& moment) {
  if (Status filled = fill_pages(store, wanted, moment); !filled.ok()) return filled;
  if (Status filled = fill_hosts(store, moment); !filled.ok()) return filled;
  if (Status filled = fill_masks(store, moment); !filled.ok()) return filled;
  if (config.fetch.access_points.empty()) return success();
  const Result<std::vector<store::PlacementRow>> rows = store.load_placements();
  if (!rows.ok()) return rows.error();
  access_points->restore(*rows);
  spdlog::info("{}", count_of(std::ssize(config.fetch.access_points), "access point"));
  return success();
}

Status Lists::fill_pages(store::Store& store, const WantedPages& wanted, const Moment& moment) {
  set_sweep(wanted.specs.size());
  const Result<std::string> last_policy = store.meta("policy");
  if (!last_policy.ok()) return last_policy.error();
  SettingsOf ids(config, settings);
  PageInstaller installer(parts(), moment, *last_policy == policy->name());
  std::vector<PageSlot> back;
  const auto install = [&](const store::PageRow& row, std::uint32_t position) {
    installer.add(row, ids.id(wanted.settings[position]));
    const bool is_back = row.progress.polls > 0 && row.progress.share == 0;
    if (is_back && back.size() < most_shares_told_at_start) back.push_back(row.slot);
  };
  const Result<store::Reconciled> reconciled =
      reconcile_beside(store, wanted.specs, moment.wall, install);
  if (!reconciled.ok()) return reconciled.error();
  spdlog::info("{} pages: {} new, {} back, {} with new options, {} removed", reconciled->active,
               reconciled->added, reconciled->revived, reconciled->updated, reconciled->removed);
  // A start goes on: whoever starts a daemon looks at what it says, and may have no other way.
  if (!store::Shrinking{.most = config.reload_max_removed}.allows(reconciled->removed,
                                                                  reconciled->before)) {
    lost_pages = fmt::format(
        "{} of {} pages have left the list since the last run, more than reload.max_removed would "
        "let a reload remove; if its file was cut short, mend it and reload: they keep what was "
        "learnt",
        reconciled->removed, reconciled->before);
    spdlog::warn("{}", lost_pages);
  }
  const Result<std::vector<store::NodeRow>> nodes = store.load_nodes(std::string(policy->name()));
  if (!nodes.ok()) return nodes.error();
  policy->restore_nodes(memories_of(*nodes));
  installer.finish();
  cookies.forget_stored();
  if (back.empty()) return success();
  store::Batch batch;
  for (const PageSlot page : back) batch.shares.push_back(share_of(page, parts(), moment));
  const Result<store::Written> written = store.write(batch, std::string(policy->name()));
  return written.ok() ? success() : Status(written.error());
}

Status Lists::fill_masks(store::Store& store, const Moment& moment) {
  std::unordered_map<PageId, PageSlot> slots;  // made when the first mask comes
  return store.load_masks([&](store::MaskRow&& row) {
    if (slots.empty()) {
      std::vector<PageId> ids;
      static_cast<void>(pages.append_ids(ids, pages.slots()));
      for (std::uint32_t slot = 0; slot < ids.size(); ++slot) {
        if (ids[slot] != PageId{}) slots.emplace(ids[slot], PageSlot{slot});
      }
    }
    const auto slot = slots.find(row.page);
    const std::optional<extract::Mask> mask = extract::mask_from_text(row.mask);
    if (slot == slots.end() || !mask) return;
    pages[slot->second].masks.restore(KnownMasks{{*mask, row.state}}, moment.wall);
  });
}

Status Lists::fill_hosts(store::Store& store, const Moment& moment) {
  const std::string& user_agent = config.settings.front().user_agent;
  Status robots = store.load_robots(
      [&](store::RobotsRow&& row) { restore_robots(row, user_agent, hosts, moment); });
  if (!robots.ok()) return robots;
  const Result<std::vector<store::HostRow>> stored = store.load_hosts();
  if (!stored.ok()) return stored.error();
  const Result<std::string> clean = store.meta("last_stop_was_clean");
  if (!clean.ok()) return clean.error();
  const Result<std::string> clocks = store.meta("clocks");
  if (!clocks.ok()) return clocks.error();
  install_hosts(*stored, parts(), moment, *clean == "0" ? LastStop::unclean : LastStop::clean,
                by_saved_clocks(*clocks, moment, boot_id()));
  return success();
}

// A policy weighs every page anew when the sweep differs, in one go. A little more or less does not
// matter to it, so a reload that adds a few pages need not stop the polling for that.
void Lists::set_sweep(std::size_t count) {
  const double polls_per_second = std::min(config.schedule.budget, 1e6);
  const double seconds = std::max(1.0, static_cast<double>(count)) / polls_per_second;
  if (std::abs(seconds - told_sweep) <= told_sweep * 0.02) return;
  told_sweep = seconds;
  policy->set_sweep(seconds);
}

void Lists::set_budget(double wanted, Instant now) {
  const double before = std::exchange(config.schedule.budget, wanted);
  budget->set_rate(wanted, now);
  if (wanted != before) scheduler->set_budget(wanted);
}

Lists::ReadSettings Lists::take_read_settings() {
  std::vector<config::PageSettings> defaults(1, config.settings.front());
  defaults.front().headers = 0;
  return {std::exchange(config.settings, std::move(defaults)),
          std::exchange(config.header_sets, {})};
}

std::string Lists::summary() const {
  const auto counted = [](std::size_t number, std::string_view thing) {
    return count_of(static_cast<std::int64_t>(number), thing);
  };
  return fmt::format("watching {} on {}, budget {}, policy {}", counted(pages.size(), "page"),
                     counted(hosts.size(), "host"), format_rate(config.schedule.budget),
                     policy->name());
}

}  // namespace pollux::engine

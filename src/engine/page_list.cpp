#include "engine/page_list.hpp"

#include "engine/adaptive_pause.hpp"
#include "engine/back_off.hpp"
#include "engine/live_rows.hpp"
#include "engine/manners.hpp"
#include "engine/saved_clocks.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace pollux::engine {
namespace {

// The longest back-off of a page that is gone, with its jitter.
constexpr Duration longest_rest = std::chrono::hours(24 * 9);

HostSlot add_host(const PageListParts& parts, const std::string& name) {
  const HostSlot added = parts.hosts.add(name);
  parts.scheduler.add_host(added, parts.config.politeness(name));
  if (const auto begun = parts.hosts.begun()) parts.scheduler.note_ended(added, *begun);
  return added;
}

HostSlot host_of(const store::PageSpec& page, const PageListParts& parts) {
  const auto known = parts.hosts.find(page.host);
  const HostSlot host = known ? *known : add_host(parts, page.host);
  parts.hosts.keep(host);
  parts.hosts[host].https = page.url.starts_with("https:");
  return host;
}

// Longest-ago-polled first, as the scheduler wants them. Rows are large: each is moved once.
void sort_by_last_poll(std::deque<std::pair<store::PageRow, std::uint32_t>>& rows) {
  const auto last = [&](std::uint32_t i) {
    return rows[i].first.progress.last_polled_at.value_or(WallTime{});
  };
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return last(a) < last(b); });
  std::deque<std::pair<store::PageRow, std::uint32_t>> sorted;
  for (const std::uint32_t i : order) sorted.push_back(std::move(rows[i]));
  rows = std::move(sorted);
}

}  // namespace

WantedPages::WantedPages(config::Config& config) {
  specs.reserve(config.pages.size());
  settings.reserve(config.pages.size());
  for (config::Page& page : config.pages) {
    const config::PageSettings& wanted = config.settings[page.settings];
    specs.push_back({.url = std::move(page.url),
                     .host = std::move(page.host),
                     .importance = wanted.importance,
                     .min_interval_ms = milliseconds(wanted.limits.min_interval),
                     .max_interval_ms = milliseconds(wanted.limits.max_interval)});
    if (page.label != 0) {
      specs.back().name = config.labels[page.label].name;
      specs.back().tags = json_list(config.labels[page.label].tags);
    }
    settings.push_back(page.settings);
  }
  std::vector<config::Page>().swap(config.pages);
  config.labels.resize(std::min<std::size_t>(config.labels.size(), 1));  // the rows have them now
  listed_ = specs.size();
}

void WantedPages::lay_over(std::optional<std::uint32_t> position, store::PageSpec spec,
                           std::uint32_t settings_of_it) {
  if (!position) {
    specs.push_back(std::move(spec));
    settings.push_back(settings_of_it);
    return;
  }
  replaced_.push_back({*position, std::exchange(specs[*position], std::move(spec)),
                       std::exchange(settings[*position], settings_of_it)});
}

void WantedPages::drop_live() {
  specs.resize(listed_);
  settings.resize(listed_);
  for (Replaced& page : replaced_) {
    specs[page.position] = std::move(page.spec);
    settings[page.position] = page.settings;
  }
  replaced_.clear();
}

std::unordered_map<std::string_view, std::uint32_t> WantedPages::settings_by_url() const {
  std::unordered_map<std::string_view, std::uint32_t> by_url;
  by_url.reserve(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) by_url.emplace(specs[i].url, settings[i]);
  return by_url;
}

// The back-off of an earlier run, or the end of what the server called fresh.
std::optional<Instant> PageInstaller::not_before(const store::PageRow& row,
                                                 const PageSettings& wanted) const {
  const store::PageProgress& progress = row.progress;
  const WallTime since = progress.last_polled_at.value_or(moment_.wall);
  std::optional<Instant> latest;
  const auto wait_for = [&](WallTime until, Duration longest) {
    if (until <= moment_.wall) return;
    latest =
        std::max(latest.value_or(Instant::min()), moment_.to_instant_future(until, since, longest));
  };
  if (progress.retry_at) {
    const bool rare = gone(progress.last_status) != Gone::no;
    wait_for(*progress.retry_at, rare ? longest_rest : Duration(std::chrono::hours(24)));
  }
  if (progress.fresh_until && wanted.respect_cache)
    wait_for(*progress.fresh_until, wanted.limits.max_interval);
  return latest;
}

void PageInstaller::add(const store::PageRow& row, SettingsId settings) {
  const PageSettings& wanted = parts_.settings[settings];
  PageRecord& page = parts_.pages.add(row, host_of(row.spec, parts_), settings, moment_);
  // Edited while nobody polled. Rows of earlier versions have no mark.
  const std::string& asked_with = row.progress.request_mark;
  const std::string& rules = row.progress.rules_mark;
  if ((!asked_with.empty() && asked_with != wanted.mark) ||
      (!rules.empty() && rules != wanted.rules_mark)) {
    page.forget_content();
  }
  if (parts_.cookies && wanted.cookies == config::Cookies::keep)
    parts_.cookies->restore(row.spec.url);
  page.denied = row.progress.last_error.starts_with("robots:");
  page.resting_fresh = row.progress.fresh_until.has_value();
  parts_.policy.add(
      row.slot,
      learn::importance_by_cost(wanted.importance, row.progress.download_ms.value_or(0) / 1000,
                                parts_.config.learner.cost),
      memory_of(row.progress, same_policy_));
  const bool freed = page.denied && !obeys_robots(parts_, page.host);
  starts_.push_back({row.progress.last_polled_at.value_or(WallTime{}),
                     freed ? std::nullopt : not_before(row, wanted), row.slot});
}

void PageInstaller::finish() {
  const auto earlier = [](const Start& a, const Start& b) { return a.last_polled < b.last_polled; };
  std::vector<Start> ordered(starts_.begin(), starts_.end());
  starts_.clear();
  if (!std::ranges::is_sorted(ordered, earlier)) std::ranges::sort(ordered, earlier);
  for (const Start& start : ordered) schedule(start);
}

std::optional<PageSlot> PageInstaller::schedule_next() {
  if (starts_.empty()) return std::nullopt;
  const PageSlot slot = starts_.front().slot;
  schedule(starts_.front());
  starts_.pop_front();
  return slot;
}

void PageInstaller::schedule(const Start& start) {
  const PageRecord& page = parts_.pages[start.slot];
  std::optional<Instant> last_start;
  if (start.last_polled != WallTime{}) last_start = moment_.to_instant_past(start.last_polled);
  parts_.scheduler.add(start.slot, page.host, parts_.settings[page.settings].limits, moment_.now,
                       last_start, start.not_before);
}

store::ShareRow share_of(PageSlot page, const PageListParts& parts, const Moment& moment) {
  return {.page = parts.pages[page].id,
          .share = parts.policy.share(page),
          .next_due_at = moment.to_wall(parts.scheduler.next_due(page, moment.now))};
}

void PageList::remove(PageSlot slot) {
  loop_.forget(slot);
  if (parts_.cookies) parts_.cookies->forget(parts_.pages[slot].url.view());
  if (!parts_.pages[slot].paused) parts_.scheduler.remove(slot);
  parts_.policy.remove(slot);
  parts_.pages.remove(slot);
}

void PageList::set(PageSlot slot, SettingsId settings, const Moment& moment) {
  const PageSettings& wanted = parts_.settings[settings];
  PageRecord& page = parts_.pages[slot];
  const PageSettings& before = parts_.settings[page.settings];
  const bool another_question =
      before.mark != wanted.mark || before.rules_mark != wanted.rules_mark;
  page.settings = settings;
  if (another_question) ask_anew(slot, moment);
  parts_.policy.set_importance(
      slot, learn::importance_by_cost(wanted.importance, static_cast<double>(page.download_seconds),
                                      parts_.config.learner.cost));
  if (!page.paused) parts_.scheduler.set_limits(slot, wanted.limits);
  const bool freed = page.denied && !obeys_robots(parts_, page.host);
  const bool stale = page.resting_fresh && !wanted.respect_cache;
  if (!freed && !stale) return;
  // Its rest was for a reason that the new settings do not know any more.
  page.denied = page.resting_fresh = false;
  parts_.pages.set_rest(slot, std::nullopt);
  if (!page.in_flight && !page.paused) schedule_anew(slot, moment);
}

// Headers, login, cookies or rules are others: what they bring is no change. An answer to the old
// question that is still on its way is dropped.
void PageList::ask_anew(PageSlot slot, const Moment& moment) {
  PageRecord& page = parts_.pages[slot];
  page.forget_content();
  if (parts_.cookies && parts_.settings[page.settings].cookies != config::Cookies::keep)
    parts_.cookies->forget(page.url.view());
  if (!page.in_flight) return;
  loop_.forget(slot);
  page.in_flight = false;
  schedule_anew(slot, moment);
}

void PageList::schedule_anew(PageSlot slot, const Moment& moment) {
  const PageRecord& page = parts_.pages[slot];
  const Instant last_start = parts_.scheduler.last_start(slot);
  if (!page.paused) parts_.scheduler.remove(slot);
  parts_.scheduler.add(slot, page.host, parts_.settings[page.settings].limits, moment.now,
                       last_start, parts_.pages.rest(slot));
}

void PageList::pause(PageSlot slot) {
  PageRecord& page = parts_.pages[slot];
  if (page.paused) return;
  loop_.forget(slot);
  page.in_flight = false;
  parts_.pages.set_rest(slot, parts_.scheduler.back_off_end(slot));
  parts_.scheduler.remove(slot);
  page.paused = true;
}

void PageList::resume(PageSlot slot, const Moment& moment) {
  if (!parts_.pages[slot].paused) return;
  schedule_anew(slot, moment);
  parts_.pages.set_rest(slot, std::nullopt);
  parts_.pages[slot].paused = false;
  loop_.turn();
}

void PageList::poll_now(PageSlot slot) {
  if (!parts_.pages[slot].paused) loop_.poll_now(slot);
}

Result<PageListChange> read_change(store::Store& store, const WantedPages& wanted,
                                   const std::vector<PageId>& known) {
  const LoadPages load = [&](const auto& take) { return store.load_pages(take); };
  Result<PageListChange> change = read_change(load, wanted, known);
  if (!change.ok()) return change;
  const Status loaded = read_masks(store, *change);
  return loaded.ok() ? std::move(change) : Result<PageListChange>(loaded.error());
}

Status read_masks(store::Store& store, PageListChange& change) {
  for (const auto& [row, settings] : change.fresh) {
    if (row.progress.polls > 0) change.masks.try_emplace(row.id);
  }
  if (change.masks.empty()) return success();
  return store.load_masks([&](store::MaskRow&& row) {
    const auto page = change.masks.find(row.page);
    const std::optional<extract::Mask> mask = extract::mask_from_text(row.mask);
    if (page != change.masks.end() && mask) page->second.push_back({*mask, row.state});
  });
}

Result<PageListChange> read_change(const LoadPages& load, const WantedPages& wanted,
                                   const std::vector<PageId>& known) {
  const auto settings = wanted.settings_by_url();
  PageListChange change;
  std::vector<bool> stays(known.size());
  std::vector<std::tuple<WallTime, PageSlot, std::uint32_t>> kept;
  const Status loaded = load([&](store::PageRow&& row) {
    const auto found = settings.find(row.spec.url);
    if (found == settings.end()) return;
    if (index(row.slot) < known.size() && known[index(row.slot)] == row.id) {
      kept.emplace_back(row.progress.last_polled_at.value_or(WallTime{}), row.slot, found->second);
      stays[index(row.slot)] = true;
    } else {
      change.fresh.emplace_back(std::move(row), found->second);
    }
  });
  if (!loaded.ok()) return loaded.error();
  for (std::uint32_t slot = 0; slot < known.size(); ++slot) {
    if (known[slot] != PageId{} && !stays[slot]) change.gone.push_back(PageSlot{slot});
  }
  std::ranges::sort(kept);
  for (const auto& [last, slot, wanted_settings] : kept) {
    change.kept.emplace_back(slot, wanted_settings);
  }
  sort_by_last_poll(change.fresh);
  return change;
}

bool obeys_robots(const PageListParts& parts, HostSlot host) {
  return parts.config.politeness(parts.hosts[host].name).obey_robots;
}

void install_host(HostSlot slot, const PageListParts& parts, const Moment& moment) {
  HostRecord& host = parts.hosts[slot];
  const config::HostSettings& wanted = parts.config.politeness(host.name);
  const schedule::Politeness politeness = polite_towards(wanted, host.robots);
  parts.scheduler.set_politeness(slot, politeness, moment.now);
  parts.scheduler.set_pause(slot, note_pause(host, wanted));
}

namespace {

void restore_block(const store::HostRow& row, HostSlot slot, const PageListParts& parts,
                   const Moment& moment) {
  if (!row.blocked_until) return;
  HostRecord& host = parts.hosts[slot];
  const bool over = *row.blocked_until <= moment.wall;
  const Instant until = over ? moment.to_instant_past(*row.blocked_until)
                             : moment.to_instant_future(*row.blocked_until,
                                                        row.last_request_at.value_or(moment.wall));
  // Otherwise redirects could block it once per restart.
  if (!row.blocked_by.empty()) host.redirects_may_block_at = until + between_waits_by_redirect;
  if (over) return;
  host.blocked_until = until;
  host.blocked_by = row.blocked_by;
  parts.scheduler.block_host(slot, until);
}

}  // namespace

void install_hosts(const std::vector<store::HostRow>& stored, const PageListParts& parts,
                   const Moment& moment, LastStop last_stop, const std::optional<Moment>& before) {
  for (const store::HostRow& row : stored) {
    const Moment& at = clock_of(row, moment, before);
    auto slot = parts.hosts.find(row.host);
    // A reload may bring a page of it, and the host still wants to be left alone.
    if (!slot && row.blocked_until > at.wall) slot = add_host(parts, row.host);
    if (!slot) continue;
    HostRecord& host = parts.hosts[*slot];
    host.requests = row.requests;
    host.errors = row.errors;
    if (row.response_ms) host.response_time = std::chrono::milliseconds(*row.response_ms);
    if (row.last_request_at) host.last_request = at.to_instant_past(*row.last_request_at);
    if (row.missing_asked_at) host.missing_asked = at.to_instant_past(*row.missing_asked_at);
    restore_block(row, *slot, parts, at);
  }
  parts.hosts.set_begun(moment.now);
  for (std::uint32_t i = 0; i < parts.hosts.size(); ++i) {
    const HostSlot slot{i};
    install_host(slot, parts, moment);
    // The pause since the last request counts, also of an earlier run.
    HostRecord& host = parts.hosts[slot];
    if (last_stop == LastStop::unclean) host.last_request = moment.now;
    if (host.last_request) parts.scheduler.note_ended(slot, *host.last_request);
  }
}

}  // namespace pollux::engine

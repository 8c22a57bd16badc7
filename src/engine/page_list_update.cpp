#include "engine/page_list_update.hpp"

#include <utility>

namespace pollux::engine {

PageListUpdate::PageListUpdate(PageListChange change, const PageListParts& parts, PollLoop& loop,
                               WaysOut* ways)
    : change_(std::move(change)),
      parts_(parts),
      loop_(loop),
      ways_(ways),
      installer_(parts, {}, true),
      hosts_(parts.hosts.size()) {
  parts_.pages.begin_generation();
}

bool PageListUpdate::step(const Moment& moment, std::size_t most) {
  installer_.set_moment(moment);
  for (; most > 0; --most) {
    if (!one(moment)) return false;
  }
  return true;
}

bool PageListUpdate::one(const Moment& moment) {
  if (host_ < hosts_) {
    install_host(HostSlot{static_cast<std::uint32_t>(host_++)}, parts_, moment);
  } else if (gone_ < change_.gone.size()) {
    remove(change_.gone[gone_++]);
  } else if (kept_ < change_.kept.size()) {
    const auto& [slot, settings] = change_.kept[kept_++];
    keep(slot, settings, moment);
  } else if (!change_.fresh.empty()) {
    const auto& [row, settings] = change_.fresh.front();
    installer_.add(row, settings);
    list(parts_.pages[row.slot].host);
    change_.fresh.pop_front();
  } else if (installer_.schedule_next()) {
  } else if (ways_ && left_ < hosts_) {
    const HostSlot host{static_cast<std::uint32_t>(left_++)};
    if (index(host) >= listed_.size() || !listed_[index(host)]) ways_->forget(host);
  } else {
    return false;
  }
  return true;
}

void PageListUpdate::remove(PageSlot slot) {
  loop_.forget(slot);
  parts_.scheduler.remove(slot);
  parts_.policy.remove(slot);
  parts_.pages.remove(slot);
}

void PageListUpdate::keep(PageSlot slot, std::uint32_t settings, const Moment& moment) {
  const config::PageSettings& wanted = parts_.config.settings[settings];
  PageRecord& page = parts_.pages[slot];
  parts_.pages.set_settings(page, settings);
  parts_.policy.set_importance(
      slot, learn::importance_by_cost(wanted.importance, static_cast<double>(page.download_seconds),
                                      parts_.config.learner.cost));
  parts_.scheduler.set_limits(slot, wanted.limits);
  const bool freed = page.denied && !obeys_robots(parts_, page.host);
  const bool stale = page.resting_fresh && !wanted.respect_cache;
  if (freed || stale) {
    // Its rest was for a reason that the new configuration does not know any more.
    page.denied = page.resting_fresh = false;
    if (!page.in_flight) {
      const Instant last_start = parts_.scheduler.last_start(slot);
      parts_.scheduler.remove(slot);
      parts_.scheduler.add(slot, page.host, wanted.limits, moment.now, last_start);
    }
  }
  list(page.host);
}

void PageListUpdate::list(HostSlot host) {
  if (index(host) >= listed_.size()) listed_.resize(parts_.hosts.size());
  listed_[index(host)] = true;
}

}  // namespace pollux::engine

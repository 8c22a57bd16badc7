#include "engine/page_list_update.hpp"

#include "pollux/base/units.hpp"

#include <utility>

#include <spdlog/fmt/fmt.h>

namespace pollux::engine {
namespace {

constexpr std::size_t most_shares_told = 10'000;  // the others' are told by their first poll

}  // namespace

PageListUpdate::PageListUpdate(PageListChange change, const PageListParts& parts, PollLoop& loop,
                               AccessPoints* access_points)
    : change_(std::move(change)),
      parts_(parts),
      list_(parts, loop),
      access_points_(access_points),
      settings_(parts.config, parts.settings),
      installer_(parts, {}, true),
      at_{parts.hosts.size()} {}

PageListUpdate::PageListUpdate(PageListChange change, const config::Config& some,
                               const PageListParts& parts, PollLoop& loop)
    : change_(std::move(change)),
      parts_(parts),
      list_(parts, loop),
      access_points_(nullptr),
      settings_(some, parts.settings),
      installer_(parts, {}, true),
      at_{0} {}

bool PageListUpdate::step(const Moment& moment, std::size_t most) {
  installer_.set_moment(moment);
  for (; most > 0; --most) {
    if (!one(moment)) return false;
  }
  return true;
}

bool PageListUpdate::one(const Moment& moment) {
  if (at_.host < at_.hosts) {
    install_host(HostSlot{static_cast<std::uint32_t>(at_.host++)}, parts_, moment);
  } else if (at_.gone < change_.gone.size()) {
    const PageSlot slot = change_.gone[at_.gone++];
    if (is_there(slot)) list_.remove(slot);
  } else if (at_.kept < change_.kept.size()) {
    const auto& [slot, settings] = change_.kept[at_.kept++];
    const SettingsId id = settings_.id(settings);
    if (!is_there(slot)) return true;
    if (parts_.pages[slot].settings != id) ++changed_;
    list_.set(slot, id, moment);
    list(parts_.pages[slot].host);
  } else if (!change_.fresh.empty()) {
    const auto& [row, settings] = change_.fresh.front();
    installer_.add(row, settings_.id(settings));
    if (const auto masks = change_.masks.find(row.id); masks != change_.masks.end())
      parts_.pages[row.slot].masks.restore(masks->second, moment.wall);
    list(parts_.pages[row.slot].host);
    change_.fresh.pop_front();
    ++added_;
  } else if (const auto slot = installer_.schedule_next()) {
    if (shares_.size() < most_shares_told) shares_.push_back(share_of(*slot, parts_, moment));
  } else if (access_points_ && at_.left < at_.hosts) {
    const HostSlot host{static_cast<std::uint32_t>(at_.left++)};
    if (index(host) >= listed_.size() || !listed_[index(host)]) access_points_->forget(host);
  } else {
    return false;
  }
  return true;
}

std::string PageListUpdate::summary() const {
  return fmt::format("{} added, {} removed, {} changed",
                     count_of(static_cast<std::int64_t>(added_), "page"), at_.gone, changed_);
}

void PageListUpdate::list(HostSlot host) {
  if (index(host) >= listed_.size()) listed_.resize(parts_.hosts.size());
  listed_[index(host)] = true;
}

}  // namespace pollux::engine

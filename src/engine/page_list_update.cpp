#include "engine/page_list_update.hpp"

#include <utility>

namespace pollux::engine {

PageListUpdate::PageListUpdate(PageListChange change, const PageListParts& parts, PollLoop& loop,
                               AccessPoints* access_points)
    : change_(std::move(change)),
      parts_(parts),
      list_(parts, loop),
      access_points_(access_points),
      settings_(parts.config, parts.settings),
      installer_(parts, {}, true),
      hosts_(parts.hosts.size()) {}

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
    list_.remove(change_.gone[gone_++]);
  } else if (kept_ < change_.kept.size()) {
    const auto& [slot, settings] = change_.kept[kept_++];
    list_.set(slot, settings_.id(settings), moment);
    list(parts_.pages[slot].host);
  } else if (!change_.fresh.empty()) {
    const auto& [row, settings] = change_.fresh.front();
    installer_.add(row, settings_.id(settings));
    list(parts_.pages[row.slot].host);
    change_.fresh.pop_front();
  } else if (installer_.schedule_next()) {
  } else if (access_points_ && left_ < hosts_) {
    const HostSlot host{static_cast<std::uint32_t>(left_++)};
    if (index(host) >= listed_.size() || !listed_[index(host)]) access_points_->forget(host);
  } else {
    return false;
  }
  return true;
}

void PageListUpdate::list(HostSlot host) {
  if (index(host) >= listed_.size()) listed_.resize(parts_.hosts.size());
  listed_[index(host)] = true;
}

}  // namespace pollux::engine

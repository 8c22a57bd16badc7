// Masks that pages of one host have in common: they are made from the same template, so a footer
// that two of them had to be looked at again for is known on all. Only tokens, with what stands
// around them; lines are a page's own. Bounded, and not kept over a restart: a page's own masks
// are. Threading: the engine's thread; a list is shared with those who apply it.
#pragma once

#include "engine/look.hpp"
#include "pollux/base/ids.hpp"

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

namespace pollux::engine {

class HostMasks {
 public:
  static constexpr std::size_t most_of_a_host = 16, most_hosts = 1024;

  // A page's own looks have found them.
  void learnt(HostSlot host, PageSlot page, const Masks& masks) {
    for (const extract::Mask& mask : masks) {
      if (mask.kind != extract::TokenKind::lines && mask.kind != extract::TokenKind::order)
        learn(host, page, mask);
    }
  }
  // Those that two pages have learnt; null: there are none.
  std::shared_ptr<const Masks> of(HostSlot host) const {
    const auto found = hosts_.find(host);
    return found == hosts_.end() ? nullptr : found->second.common;
  }

 private:
  struct Learnt {
    extract::Mask mask;
    PageSlot first{};
    bool common = false;
  };
  struct Host {
    std::vector<Learnt> learnt;  // the oldest first
    std::shared_ptr<const Masks> common;
  };

  void learn(HostSlot slot, PageSlot page, const extract::Mask& mask) {
    if (hosts_.size() >= most_hosts && !hosts_.contains(slot)) hosts_.erase(hosts_.begin());
    Host& host = hosts_[slot];
    for (Learnt& known : host.learnt) {
      if (known.mask != mask) continue;
      if (known.common || known.first == page) return;
      known.common = true;
      return list_common(host);
    }
    if (host.learnt.size() == most_of_a_host) {
      const bool was_common = host.learnt.front().common;
      host.learnt.erase(host.learnt.begin());
      if (was_common) list_common(host);
    }
    host.learnt.push_back({mask, page});
  }
  static void list_common(Host& host) {
    Masks masks;
    for (const Learnt& known : host.learnt) {
      if (known.common) masks.push_back(known.mask);
    }
    host.common = masks.empty() ? nullptr : std::make_shared<const Masks>(std::move(masks));
  }

  std::unordered_map<HostSlot, Host> hosts_;
};

}  // namespace pollux::engine

// Masks that pages of one host have in common: they are made from the same template, so a footer
// that two of them had to be looked at again for is known on all. What has stopped ticking on one
// of them is news there when it differs: that is no mask of its host any more. Only tokens, with
// what stands around them; lines are a page's own. Bounded, and not kept over a restart: a page's
// own masks are. Threading: the engine's thread; a list is shared with those who apply it.
#pragma once

#include "engine/look.hpp"
#include "pollux/base/ids.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>
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
  // A mask of one of its pages has ended, because what it hid stands still.
  void ended(HostSlot slot, const extract::Mask& mask) {
    Host& host = of_slot(slot);
    Learnt& known = entry(host, mask, {});
    known.ended = true;
    if (std::exchange(known.common, false)) list_common(host);
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
    bool ended = false;  // on one of them: it is never common again
  };
  struct Host {
    std::vector<Learnt> learnt;  // the oldest first
    std::shared_ptr<const Masks> common;
  };

  Host& of_slot(HostSlot slot) {
    if (hosts_.size() >= most_hosts && !hosts_.contains(slot)) hosts_.erase(hosts_.begin());
    return hosts_[slot];
  }
  // `page`: who has learnt it, if that is news.
  static Learnt& entry(Host& host, const extract::Mask& mask, PageSlot page) {
    const auto known = std::ranges::find(host.learnt, mask, &Learnt::mask);
    if (known != host.learnt.end()) return *known;
    if (host.learnt.size() == most_of_a_host) {
      const bool was_common = host.learnt.front().common;
      host.learnt.erase(host.learnt.begin());
      if (was_common) list_common(host);
    }
    return host.learnt.emplace_back(Learnt{.mask = mask, .first = page});
  }
  void learn(HostSlot slot, PageSlot page, const extract::Mask& mask) {
    Host& host = of_slot(slot);
    Learnt& known = entry(host, mask, page);
    if (known.common || known.ended || known.first == page) return;
    known.common = true;
    list_common(host);
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

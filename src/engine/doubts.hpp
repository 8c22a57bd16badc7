// What is not believed at once. A poll may look again (second_look), pages of a host that turn into
// the same are not believed (alike_pages), and a host may be asked for a page that it cannot have
// (missing_pages). Such requests are few: an allowance counts them; what they have found on pages
// of a host is tried on its others first (host_masks). Threading: the engine's thread.
#pragma once

#include "engine/alike_pages.hpp"
#include "engine/host_masks.hpp"
#include "engine/missing_pages.hpp"
#include "engine/robots_book.hpp"
#include "engine/second_look.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

namespace pollux::engine {

class Doubts {
 public:
  Doubts(const config::Config& config, HostTable& hosts, schedule::Scheduler& scheduler)
      : missing_(config, hosts, scheduler) {}

  void sent() { looks_.sent(); }

  // A page that has become another one altogether may have been rewritten, or it may be gone, or
  // its host in trouble. Other pages of the host tell, and so does one that it does not have; both
  // take a while, so it is believed when it is seen again. A page that has been rewritten before is
  // one that is. True: its host should be asked.
  bool is_doubtful(Flight& flight, const PageRecord& page, Look& look, Instant now);
  // Makes the flight one for its next look, if it wants one.
  bool wants_second_look(Flight& flight, PageTable& pages, HostTable& hosts, End& end,
                         const Moment& at) {
    return engine::wants_second_look(flight, pages, hosts, end, looks_, at);
  }

  // What looks moments apart have found, and which masks of the page end with this look.
  void note_masks(const Flight& flight, const PageRecord& page, const Look& look) {
    if (look.noise == Noise::masked) masks_.learnt(page.host, flight.page, look.new_masks);
    const std::shared_ptr<const Masks> masks = page.masks.list();
    for (std::size_t i = 0; masks && i < std::min(masks->size(), look.masks_ended.size()); ++i) {
      if (look.masks_ended[i]) masks_.ended(page.host, (*masks)[i]);
    }
  }
  const HostMasks& masks() const { return masks_; }

  // The URL that cannot exist at the page's host; nothing when that is known or may not be asked.
  std::optional<std::string> missing_url(const PageRecord& page, RobotsBook& robots, Rng& rng,
                                         Instant now);
  MissingPages& missing() { return missing_; }

 private:
  LookAllowance looks_;
  AlikePages alike_;
  MissingPages missing_;
  HostMasks masks_;
};

}  // namespace pollux::engine

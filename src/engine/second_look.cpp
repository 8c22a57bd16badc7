#include "engine/second_look.hpp"

#include "engine/validators.hpp"
#include "pollux/detect/verdict.hpp"

namespace pollux::engine {
namespace {

bool may_be_cut_short(const Flight& flight, const PageRecord& page, const detect::Hash& hash) {
  const detect::Answer seen{.status = flight.answer.status,
                            .complete = true,
                            .conditional = flight.conditional,
                            .hash = hash,
                            .empty = flight.answer.body_bytes == 0,
                            .uncertain_end = flight.answer.until_close};
  return detect::judge(seen, page.known_hash()) == detect::Verdict::noisy;
}

}  // namespace

bool wants_second_look(Flight& flight, PageTable& pages, HostTable& hosts,
                       const std::optional<detect::Hash>& hash) {
  if (!flight.is_page() || flight.page_gone || flight.second_look) return false;
  PageRecord& page = pages[flight.page];
  if (hash && may_be_cut_short(flight, page, *hash)) {
    flight.first_hash = hash;
  } else if (!caught_lying(page, hosts[page.host], flight)) {
    return false;
  }
  flight.second_look = true;
  flight.conditional = false;
  flight.attempt = Attempt::first;
  return true;
}

}  // namespace pollux::engine

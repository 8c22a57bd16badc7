#include "engine/validators.hpp"

#include <algorithm>

namespace pollux::engine {
namespace {

bool has_validators(const PageRecord& page) {
  return !page.etag.empty() || !page.last_modified.empty();
}

// An ETag counts before a date, which may be the same for two versions of one second.
bool same_validators(const PageRecord& page, const fetch::Response& answer) {
  if (!page.etag.empty() || !answer.etag.empty()) return page.etag.view() == answer.etag;
  return page.last_modified.view() == answer.last_modified;
}

}  // namespace

bool sends_validators(PageRecord& page, HostRecord& host, Instant now) {
  if (!page.has_hash || !has_validators(page)) return false;
  page.distrusted = host.distrusted = page.distrusted || host.distrusted;
  return !page.distrusted && page.not_modified < most_not_modified &&
         now - page.last_full < longest_without_content;
}

void note_validators(PageRecord& page, const Flight& flight, bool changed) {
  const fetch::Response& answer = flight.answer;
  if (answer.status == 304) {
    page.not_modified = static_cast<std::uint8_t>(std::min(page.not_modified + 1, 255));
    return;
  }
  // Validators belong to the page's own URL.
  const bool own_url = flight.trail.hops == 0;
  const bool perhaps_hidden = changed && own_url && page.not_modified > 0 && !flight.conditional &&
                              !flight.is_second_look() && has_validators(page) && !page.distrusted;
  page.last_full = flight.asked;
  page.not_modified = 0;
  page.trap = false;
  if (perhaps_hidden && !same_validators(page, answer)) {
    page.trap = true;
    return;
  }
  page.distrusted = page.distrusted || perhaps_hidden;
  page.etag = own_url ? answer.etag : std::string();
  page.last_modified = own_url ? answer.last_modified : std::string();
}

bool caught_lying(PageRecord& page, HostRecord& host, const Flight& flight) {
  const fetch::Response& answer = flight.answer;
  if (!page.trap || !flight.conditional || answer.status != 304 ||
      answer.failure != fetch::Failure::none) {
    return false;
  }
  page.trap = false;
  page.distrusted = host.distrusted = true;
  return true;
}

}  // namespace pollux::engine

#include "engine/missing_pages.hpp"

#include <utility>

namespace pollux::engine {

bool MissingPages::may_ask(HostSlot host, Instant now) const {
  const HostRecord& record = manners_.hosts[host];
  if (record.passing || !manners_.config.politeness(record.name).probe) return false;
  return !record.missing_asked || now - *record.missing_asked >= every;
}

std::string MissingPages::url(std::string_view page_url, Rng& rng) {
  static constexpr std::string_view digits = "0123456789abcdef";
  const std::size_t authority = page_url.find("://") + 3;
  std::string url(page_url.substr(0, page_url.find('/', authority)));
  url += "/no-such-page-";
  for (int i = 0; i < 12; ++i) url += digits[rng.below(digits.size())];
  return url;
}

void MissingPages::begin_flight(Flight& flight, HostSlot host, std::string url, PageSlot page,
                                Instant now) {
  flight.kind = FlightKind::missing_page;
  flight.host = flight.robots_of = host;
  flight.page = page;
  flight.url = std::move(url);
  // Asked is asked, whatever comes of it.
  manners_.hosts[host].missing_asked = now;
  manners_.hosts.mark(host);
}

bool MissingPages::finish(Flight& flight, Instant now) {
  fetch::Response& answer = flight.answer;
  if (answer.retry_after) manners_.asked_to_wait(flight, *answer.retry_after, flight.url, now);
  std::string text = std::move(flight.text) + answer.body;
  const bool says = answer.failure == fetch::Failure::none && answer.status == 200 && !text.empty();
  if (!says || text.size() > longest_answer) return false;
  bytes_ += text.size();
  kept_.push_back(
      {flight.robots_of, now,
       std::make_shared<const MissingAnswer>(MissingAnswer{std::move(text), answer.content_type})});
  while (bytes_ > most_bytes || kept_.size() > most) forget_first();
  return true;
}

std::shared_ptr<const MissingAnswer> MissingPages::answer(HostSlot host, Instant now) {
  while (!kept_.empty() && now - kept_.front().at >= every) forget_first();
  for (const Kept& one : kept_) {
    if (one.host == host) return one.answer;
  }
  return nullptr;
}

void MissingPages::forget_first() {
  bytes_ -= kept_.front().answer->body.size();
  kept_.pop_front();
}

}  // namespace pollux::engine

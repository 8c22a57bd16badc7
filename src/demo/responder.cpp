#include "demo/responder.hpp"

#include "demo/content.hpp"

#include <charconv>

namespace pollux::demo {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view page_prefix = "/page/";
constexpr std::string_view moved_prefix = "/moved/";  // where a page that moved has gone
constexpr std::uint64_t flaky_fails_every = 3;
constexpr int flaky_retry_after = 2;

std::optional<std::uint32_t> number_after(std::string_view prefix, std::string_view target) {
  if (!target.starts_with(prefix)) return std::nullopt;
  target.remove_prefix(prefix.size());
  target = target.substr(0, target.find('?'));
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(target.data(), target.data() + target.size(), value);
  if (error != std::errc{} || end != target.data() + target.size()) return std::nullopt;
  return value;
}

// Is `etag` one of the header's list? None of our tags contains a comma or a quote.
bool lists(std::string_view header, std::string_view etag) {
  return header == "*" || header.find(etag) != std::string_view::npos;
}

Answer plain(unsigned status, std::string body) {
  Answer answer;
  answer.status = status;
  answer.body = std::move(body);
  return answer;
}

}  // namespace

Responder::Responder(const WorldOptions& options, const Clock& clock)
    : clock_(clock),
      start_(clock.now()),
      wall_start_(clock.wall()),
      world_(options, start_),
      index_(index_html(options.pages)),
      asked_(options.pages),
      random_(options.seed) {}

Duration Responder::delay(std::string_view target) const {
  const auto page = number_after(page_prefix, target);
  return page && world_.has(*page) ? world_.page(PageNumber{*page}).delay : Duration{};
}

Answer Responder::answer(const Question& question) {
  const std::lock_guard lock(mutex_);
  ++requests_;
  const Instant now = clock_.now();
  world_.advance(now);
  if (question.target == "/") return plain(200, index_);
  if (question.target == "/robots.txt") return plain(200, "User-agent: *\nDisallow:\n");
  if (const auto moved = number_after(moved_prefix, question.target); moved && world_.has(*moved)) {
    return show(PageNumber{*moved}, question, now);
  }
  const auto page = number_after(page_prefix, question.target);
  if (!page || !world_.has(*page)) return plain(404, "There is no such page.\n");
  note_visit(*page);

  switch (world_.page(PageNumber{*page}).role) {
    case Role::moved: {
      Answer answer = plain(302, "This page has moved.\n");
      answer.location = std::string(moved_prefix) + std::to_string(*page);
      return answer;
    }
    case Role::flaky:
      if (++flaky_requests_ % flaky_fails_every == 0) {
        Answer answer = plain(503, "Too busy, come back in a moment.\n");
        answer.retry_after = flaky_retry_after;
        return answer;
      }
      break;
    case Role::broken:
      return plain(500, "Something broke at " + http_date(clock_.wall()) + ".\n");
    case Role::resetting: {
      Answer answer;
      answer.reset = true;
      return answer;
    }
    case Role::plain:
    case Role::slow:
      break;
  }
  return show(PageNumber{*page}, question, now);
}

// No answer is like another, so there is nothing that a later one could be compared with.
Answer Responder::show_with_noise(PageNumber page, WallTime changed_at) {
  const World::Page& state = world_.page(page);
  const NoiseMoment moment{.nth = requests_, .page = number(page), .now = clock_.wall()};
  return plain(
      200, page_html(page, state.changes, changed_at, draw_noise(state.noise, moment, random_)));
}

Answer Responder::show(PageNumber page, const Question& question, Instant now) {
  const World::Page& state = world_.page(page);
  const Duration age_at_start = std::chrono::hours(1);  // what has not changed yet is older
  const Duration since_start = state.changes == 0 ? -age_at_start : state.changed_at - start_;
  const WallTime changed_at = wall_start_ + std::chrono::floor<milliseconds>(since_start);

  if (state.noise != NoiseKind::none) return show_with_noise(page, changed_at);

  Answer answer;
  // The moment of the start tells this run's versions from those of another run.
  answer.etag = '"' + std::to_string(wall_start_.time_since_epoch().count()) + '-' +
                std::to_string(number(page)) + '-' + std::to_string(state.changes) + '"';
  // Two versions within one second would share the date: it is sent once it is the last of its
  // second, and so a 304 by date alone is never wrong.
  if (start_ + since_start + std::chrono::seconds(1) <= now) {
    answer.last_modified = http_date(changed_at);
  }
  const bool same =
      question.if_none_match.empty()
          ? !answer.last_modified.empty() && question.if_modified_since == answer.last_modified
          : lists(question.if_none_match, answer.etag);
  if (same) {
    answer.status = 304;
  } else {
    answer.body = page_html(page, state.changes, changed_at);
  }
  return answer;
}

void Responder::note_visit(std::uint32_t page) {
  std::uint8_t& times = asked_[page - 1];
  if (times == 2) return;
  ++(++times == 1 ? visits_.once : visits_.twice);
}

Visits Responder::visits() const {
  const std::lock_guard lock(mutex_);
  return visits_;
}

std::uint64_t Responder::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::vector<Change> Responder::history(std::size_t from) {
  const std::lock_guard lock(mutex_);
  world_.advance(clock_.now());
  const std::vector<Change>& all = world_.history();
  if (from >= all.size()) return {};
  return {all.begin() + static_cast<std::ptrdiff_t>(from), all.end()};
}

}  // namespace pollux::demo

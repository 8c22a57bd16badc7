#include "pollux/concurrency/controller.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace pollux::concurrency {
namespace {

// Memories in samples: long enough that chance moves an average less than `drift`, short enough
// that a change shows within a fraction of a second at the rates where it matters.
constexpr double fetches_remembered = 128;
constexpr double answers_remembered = 1024;  // of more than one round: the first back are the quick
constexpr double pages_remembered = 32;
constexpr double drift = 0.2;
constexpr Duration between_solutions = std::chrono::milliseconds(50);
// A fetch is out for long after eight of these; servers that are only slow answer before.
constexpr Duration part_lasts = std::chrono::milliseconds(125);

// A fetch that takes this long (seconds) probably waits for the server, not for us. If it takes so
// many times longer once more are out, it was us after all: that is tried again later and later.
constexpr double slow_answer = 0.03, quick_answer = 0.02, our_own_fault = 1.7;
// A fetch that takes this long waits for the server more than for our own processor, or so it
// seems. After so many answers with another number out it is known.
constexpr double waited_for = 0.004, enough_answers = 32, trial_answers = 256;
constexpr Duration first_pause = std::chrono::seconds(5), longest_pause = std::chrono::minutes(5);

// The model is solved in units of several pages and several fetches: the curve keeps its shape.
constexpr int queue_units = 12;
constexpr double fetch_units = 8;     // that keep the server just busy
constexpr double most_fetches = 3;    // times those; the policy never wants more
constexpr double least_needed = 0.1;  // one fetch alone floods the queue: how much does not matter
constexpr double precision = 1e-3;

}  // namespace

void Controller::Average::add(double sample, double weight, double memory) {
  samples = std::min(samples + weight, memory);
  value += (sample - value) * std::min(1.0, weight / samples);
}

Controller::Controller(const ControllerOptions& options)
    : options_(options), grown_(options.first) {
  trial_.to_skip = options.first;  // their connections are made first
  solve();
}

std::size_t Controller::limit() const {
  if (options_.fixed > 0) return options_.fixed;
  if (slow_answers_) return std::max(options_.most, options_.most_if_slow);
  return options_.first > 0 ? std::min(grown_, options_.most) : options_.most;
}

bool Controller::may_grow(Behind behind) const {
  const bool at_the_limit = out_ >= limit() && (allowed_ == limit() || wants_more());
  const bool servers_are_slow = !trial_.running() && answer_.samples >= enough_answers &&
                                answer_.value > waited_for && passed_ >= trial_.next;
  return at_the_limit && grown_ < options_.most && options_.first > 0 &&
         (behind == Behind::yes || servers_are_slow);
}

bool Controller::grow(Behind behind) {
  if (!may_grow(behind)) return may_start();
  const std::size_t more = std::min(2 * grown_, options_.most);
  if (behind == Behind::no) {
    begin_trial(more);
  } else {
    grown_ = more;
    solve();
  }
  return may_start();
}

// Answers that were on their way before say nothing.
void Controller::begin_trial(std::size_t number) {
  trial_.before = grown_;
  trial_.answer = answer_.value;
  trial_.to_skip = std::max(grown_, number);
  answer_ = {};
  grown_ = number;
  solve();
}

// Where twice as many make every answer take nearly twice as long, the fewer fetch as much and are
// cheaper. What a start takes longer, or a busy moment, is found out when the fewer are tried.
void Controller::judge_trial(Instant now) {
  if (!trial_.running()) {
    const bool quick = answer_.samples >= trial_answers && answer_.value < quick_answer;
    const std::size_t fewer = std::max(grown_ / 2, options_.first);
    if (quick && !options_.paced && grown_ > fewer && now >= trial_.next) begin_trial(fewer);
    return;
  }
  if (answer_.samples < trial_answers) return;
  const std::size_t before = std::exchange(trial_.before, 0);
  const double ratio = answer_.value / std::max(trial_.answer, 1e-9);
  const bool fewer_will_do = before < grown_ ? ratio > our_own_fault : ratio * our_own_fault < 1;
  const bool stays = fewer_will_do == (grown_ < before);
  trial_.pause = stays ? first_pause : std::clamp(2 * trial_.pause, first_pause, longest_pause);
  trial_.next = now + (stays && grown_ > before ? Duration::zero() : trial_.pause);
  if (stays) return;
  grown_ = before;
  answer_ = {};
  solve();
}

void Controller::pass(Instant now) {
  const bool detects =
      service_.samples > 0;  // else it is done where the bytes are, or nothing came
  if (detects && waiting_ == 0 && out_ - hanging_ >= allowed_)
    starved_ += std::max(0.0, to_seconds(now - passed_));
  passed_ = now;
  const std::int64_t part = now.time_since_epoch() / part_lasts;
  // What lies longer ago than all parts together is in none of them.
  for (part_ = std::max(part_, part - static_cast<std::int64_t>(parts)); part_ < part;) {
    hanging_ += std::exchange(started_[static_cast<std::size_t>(++part_) % parts], 0);
  }
}

// One that was out for so long is not any more.
void Controller::left(Duration away) {
  assert(out_ > 0);
  --out_;
  const std::int64_t part = (passed_ - away).time_since_epoch() / part_lasts;
  std::size_t& lately = started_[static_cast<std::size_t>(part) % parts];
  if (part > part_ - static_cast<std::int64_t>(parts) && lately > 0) {
    --lately;
  } else if (hanging_ > 0) {
    --hanging_;
  } else {
    // How long it was out is not known so exactly.
    const auto some = std::find_if(started_.begin(), started_.end(), [](auto n) { return n > 0; });
    assert(some != started_.end());
    --*some;
  }
}

void Controller::moved() {
  allowed_ = waiting_ < allowed_at_.size() ? allowed_at_[waiting_] : allowed_at_.back();
}

void Controller::started(Instant now) {
  pass(now);
  ++out_;
  ++started_[static_cast<std::size_t>(part_) % parts];
}

void Controller::arrived(Instant now, Duration away, std::uint64_t bytes) {
  pass(now);
  left(away);
  ++waiting_;
  came_back(away, 1);
  body_.add(static_cast<double>(bytes), 1, fetches_remembered);
  reconsider(now);
  moved();
}

void Controller::returned(Instant now, Duration away) {
  pass(now);
  left(away);
  came_back(away, 0);
}

void Controller::came_back(Duration away, double pages) {
  away_.add(to_seconds(away), 1, fetches_remembered);
  with_page_.add(pages, 1, fetches_remembered);
  if (trial_.to_skip > 0) {
    --trial_.to_skip;
    return;
  }
  answer_.add(to_seconds(away), 1, answers_remembered);
  if (options_.first > 0 && options_.fixed == 0) judge_trial(passed_);
}

void Controller::withdrawn(Instant now) {
  pass(now);
  left(Duration::max() / 2);  // that is not told; most are answers that hang
}

void Controller::detected(Instant now) {
  assert(waiting_ > 0);
  pass(now);
  --waiting_;
  reconsider(now);
  moved();
}

void Controller::served(std::size_t pages, double busy_seconds) {
  if (pages == 0) return;
  const auto count = static_cast<double>(pages);
  service_.add(busy_seconds / count, count, pages_remembered);
}

void Controller::set_limits(const ControllerOptions& options, Instant now) {
  pass(now);
  options_ = options;
  grown_ = std::max(grown_, options.first);
  solve();
}

double Controller::fetch_rate() const {
  return away_.value > 0 ? with_page_.value / away_.value : 0;
}

double Controller::detect_rate() const {
  return service_.value > 0 ? options_.servers / service_.value : 0;
}

void Controller::reconsider(Instant now) {
  if (options_.fixed > 0 || now < next_solution_) return;
  next_solution_ = now + between_solutions;
  judge_answers(now);
  const auto drifted = [](double is, double was) { return std::abs(is - was) > drift * was; };
  if (drifted(fetches_needed(), solved_for_) || limit() != solved_limit_ ||
      drifted(static_cast<double>(room()), static_cast<double>(allowed_at_.size() - 1))) {
    solve();
  }
}

void Controller::judge_answers(Instant now) {
  if (!slow_answers_) {
    const bool known = answer_.samples >= answers_remembered / 2;
    slow_answers_ =
        known && answer_.value > slow_answer && out_ + 1 >= options_.most && now >= next_try_;
    answer_before_ = answer_.value;
    tried_ = now;
    return;
  }
  if (answer_.value > our_own_fault * answer_before_) {
    slow_answers_ = false;
    const bool soon = now - tried_ < longest_pause;
    pause_ = soon ? std::clamp(2 * pause_, first_pause, longest_pause) : first_pause;
    next_try_ = now + pause_;
  } else if (answer_.value < quick_answer) {
    slow_answers_ = false;
  }
}

// So many out would keep the servers just busy.
double Controller::fetches_needed() const {
  // Nothing is known of detection yet, or of fetches that brought it work.
  if (fetch_rate() <= 0 || detect_rate() <= 0) return 0;
  return std::max(detect_rate() / fetch_rate(), least_needed);
}

// Pages that may wait.
std::size_t Controller::room() const {
  const double by_bytes = static_cast<double>(options_.queue_bytes) / std::max(body_.value, 1.0);
  return static_cast<std::size_t>(
      std::clamp(by_bytes, 2.0, std::max(2.0, static_cast<double>(options_.queue))));
}

void Controller::solve() {
  const std::size_t most = limit(), places = room();
  solved_for_ = fetches_needed();
  solved_limit_ = most;
  ++solutions_;
  allowed_at_.assign(places + 1, static_cast<std::uint32_t>(most));
  if (options_.fixed == 0) {
    allowed_at_.back() = 0;
    // Else nothing is known yet, or detection is so fast that everybody may go out always.
    if (solved_for_ > 0 && solved_for_ < 2 * static_cast<double>(most)) follow_curve(solved_for_);
  }
  moved();
}

void Controller::follow_curve(double needed) {
  const auto most = static_cast<double>(solved_limit_);
  const std::size_t places = allowed_at_.size() - 1;
  const double group = std::max(1.0, needed / fetch_units);  // fetches in one of the model's
  const double busy = needed / group;                        // model fetches for a busy server
  const double fetches =
      std::clamp(std::ceil(most / group), 1.0, std::ceil(busy * most_fetches) + 2);
  const int units = static_cast<int>(std::min<std::size_t>(places, queue_units));
  const Result<SwitchedOptimum> best =
      best_switched({.arrival_rate = 1 / busy,
                     .service_rate = 1,
                     .capacity = units,
                     .starvation_weight = options_.starvation_weight},
                    static_cast<int>(fetches), precision);
  if (!best) return;
  const std::vector<int>& curve = best->policy.fetches_at;
  for (std::size_t waiting = 0; waiting < places; ++waiting) {
    const double at = static_cast<double>(waiting) * units / static_cast<double>(places);
    const auto below = static_cast<std::size_t>(at);
    const double part = at - static_cast<double>(below);
    const double wanted = group * (curve[below] * (1 - part) + curve[below + 1] * part);
    // Never none while there is room: what waits could be stuck.
    allowed_at_[waiting] = static_cast<std::uint32_t>(std::clamp(std::round(wanted), 1.0, most));
  }
}

Controller::Counts Controller::take_counts(Instant now) {
  pass(now);
  return {std::exchange(starved_, 0.0), std::exchange(overflows_, 0), std::exchange(solutions_, 0)};
}

}  // namespace pollux::concurrency

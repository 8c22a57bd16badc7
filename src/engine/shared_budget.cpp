#include "engine/shared_budget.hpp"

#include "pollux/base/text.hpp"

#include <cmath>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <spdlog/spdlog.h>

namespace pollux::engine {
namespace {

constexpr Duration between_looks = std::chrono::seconds(5);
// The scheduler looks at every host when the budget differs: small steps are not worth it.
constexpr double small_step = 0.05;

brains::Options options_of(const Lists& lists) {
  brains::Options options;
  options.name = lists.config.brain;
  options.budget = *lists.shared_budget;
  return options;
}

// What `pollux status --all` shows.
std::string rows_of(const brains::Member& member, const std::string& self, const Clock& clock) {
  const Instant now = clock.now();
  boost::json::array all;
  for (const auto& [name, known] : member.brains()) {
    all.push_back(boost::json::object{{"name", name},
                                      {"pages", known.figures.pages},
                                      {"hosts", known.figures.hosts},
                                      {"budget", known.rate},
                                      {"poll_rate", known.figures.poll_rate},
                                      {"requests", known.figures.requests},
                                      {"changes", known.figures.changes},
                                      {"errors", known.figures.errors},
                                      {"seconds_ago", to_seconds(now - known.heard)}});
  }
  return boost::json::serialize(
      boost::json::object{{"self", self},
                          {"written_at", clock.wall().time_since_epoch().count()},
                          {"allocator", member.allocator()},
                          {"trouble", member.trouble()},
                          {"brains", std::move(all)}});
}

}  // namespace

SharedBudget::SharedBudget(const Parts& parts, std::uint64_t seed)
    : parts_(parts), timer_(parts.loop.make_timer()) {
  member_ = std::make_unique<brains::Member>(
      parts_.bus, parts_.loop, parts_.clock, options_of(parts_.lists), seed,
      brains::Member::Callbacks{[this] { return figures(); },
                                [this](double rate, Instant ends) { obey(rate, ends); },
                                [this] { return parts_.agents.in_use(); }});
  timer_->arm(parts_.clock.now() + between_looks, [this] { look(); });
}

void SharedBudget::changed() {
  member_->set_budget(*parts_.lists.shared_budget);
}

void SharedBudget::finish() {
  timer_->cancel();
  parts_.lists.budget->end_at(parts_.clock.now());  // before it says what is in use still
  member_.reset();
}

brains::Figures SharedBudget::figures() const {
  brains::Figures figures;
  figures.pages = parts_.lists.pages.size();
  figures.hosts = parts_.lists.hosts.size();
  const PollTotals& totals = parts_.poll_loop.totals();
  figures.requests = totals.requests;
  figures.changes = polled(totals).changes;
  for (const auto& [name, count] : totals.errors) figures.errors += count;
  if (const auto latest = parts_.board.latest()) {
    figures.poll_rate = latest->metrics.poll_rate;
    if (latest->learner) figures.marginal_value = latest->learner->marginal_changes_per_poll;
  }
  return figures;
}

void SharedBudget::obey(double rate, Instant ends) {
  Lists& lists = parts_.lists;
  const Instant now = parts_.clock.now();
  if (!(rate > 0)) {
    lists.budget->end_at(now);
    return;
  }
  const double before = lists.config.schedule.budget;
  if (std::abs(rate - before) > small_step * before) {
    lists.set_budget(rate, now);
    lists.set_sweep(lists.pages.size());
  } else {
    lists.budget->set_rate(rate, now);
  }
  lists.budget->end_at(ends);
  parts_.poll_loop.turn();
}

void SharedBudget::look() {
  const Instant now = parts_.clock.now();
  timer_->arm(now + between_looks, [this] { look(); });
  const std::string trouble = member_->trouble();
  if (trouble != trouble_) {
    trouble_ = trouble;
    if (trouble.empty())
      spdlog::info("brains: a part of the budget is granted");
    else
      spdlog::warn("brains: {}", trouble);
  }
  store::Batch shown;
  shown.meta = {{"brains", rows_of(*member_, parts_.lists.config.brain, parts_.clock)}};
  parts_.writer.submit(std::move(shown));
}

}  // namespace pollux::engine

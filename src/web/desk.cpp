#include "web/desk.hpp"

#include "pollux/base/text.hpp"
#include "pollux/report/daemon_figures.hpp"
#include "web/answers.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include <spdlog/spdlog.h>

namespace pollux::web {
namespace {

// Of more, what is planned leaves their pauses out: reading them all would hold up answers.
constexpr std::size_t most_paused_hosts = 20'000;

}  // namespace

Result<std::unique_ptr<Desk>> Desk::open(const DeskOptions& options, const Clock& clock) {
  Result<std::unique_ptr<store::Reader>> reader = store::Reader::open(options.database);
  if (!reader) return reader.error();
  return std::unique_ptr<Desk>(new Desk(options, clock, std::move(*reader)));
}

Desk::Desk(const DeskOptions& options, const Clock& clock, std::unique_ptr<store::Reader> reader)
    : options_(options), clock_(clock), reader_(options.database, std::move(reader)) {
  thread_ = std::thread([this] { run(); });
}

Desk::~Desk() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Desk::ask(Needs needs, http::Responder responder, Question question) {
  {
    const std::lock_guard lock(mutex_);
    if (ending_ || waiting_.size() >= options_.most_waiting)
      return responder.answer(refusal_of(503));
    waiting_.push_back({needs, std::move(responder), std::move(question)});
  }
  wake_.notify_all();
}

Result<store::Totals> Desk::totals(store::Reader& reader) {
  {
    const std::lock_guard lock(mutex_);
    // What costs little is always new.
    if (totals_ && totals_cost_ >= std::chrono::milliseconds(5)) {
      const double age = to_seconds(clock_.now() - totals_at_);
      totals_wanted_ = totals_wanted_ || age > to_seconds(totals_cost_) / options_.duty;
      if (totals_wanted_) wake_.notify_all();
      return *totals_;
    }
  }
  return count(reader);
}

Result<store::Totals> Desk::count(store::Reader& reader) {
  const Instant begin = clock_.now();
  Result<store::Totals> counted = reader.totals();
  if (!counted) return counted;
  const std::lock_guard lock(mutex_);
  totals_ = *counted;
  totals_at_ = clock_.now();
  totals_cost_ = totals_at_ - begin;
  return counted;
}

void Desk::run() {
  bool count_now = true;
  do {
    // What breaks off (no memory, a damaged database) costs its client an answer, not us our life.
    try {
      work(count_now);
    } catch (const std::exception& error) {
      give_up(problem(500, "the list of pages could not be read: " + printable(error.what(), 200),
                      "see the log"));
    }
  } while (wait(count_now));
}

bool Desk::wait(bool& count_now) {
  std::unique_lock lock(mutex_);
  const auto busy = [&] { return ending_ || totals_wanted_ || !waiting_.empty(); };
  if (!loading_ && waiting_.empty() && !totals_wanted_) {
    if (columns_ == nullptr) {
      wake_.wait(lock, busy);
    } else {
      wake_.wait_for(lock, std::chrono::milliseconds(200), busy);
    }
  }
  count_now = std::exchange(totals_wanted_, false);
  return !ending_;
}

void Desk::work(bool count_now) {
  if (count_now) (void)count(reader_.get());
  std::optional<Waiting> waiting = next();
  const bool asked = waiting.has_value();
  if (asked) answer(std::move(*waiting));
  if (loading_) {  // a slice after each answer: neither waits for the other
    load_slice(asked ? Duration{} : std::chrono::milliseconds(5));
  } else if (!asked && columns_ != nullptr) {
    const Duration idle = clock_.now() - last_asked_;
    if (idle > options_.kept) drop_columns();
  }
}

// The first question that can be answered now. A pass over the pages begins for one that cannot.
std::optional<Desk::Waiting> Desk::next() {
  const std::lock_guard lock(mutex_);
  const bool any =
      std::ranges::any_of(waiting_, [](const Waiting& one) { return one.needs == Needs::columns; });
  if (any) {
    last_asked_ = clock_.now();
    const double rest = to_seconds(pass_cost_) / options_.duty;
    const bool old = to_seconds(last_asked_ - pass_ended_) >= rest;
    if (!loading_ && (!loaded_ || old)) begin_pass();
  }
  // Small lists are as new as the question; large ones are refreshed behind the answers.
  const bool wait_for_pass = loading_ && pass_cost_ < std::chrono::milliseconds(20);
  for (auto one = waiting_.begin(); one != waiting_.end(); ++one) {
    if (one->needs == Needs::columns && (!loaded_ || wait_for_pass)) continue;
    Waiting found = std::move(*one);
    waiting_.erase(one);
    return found;
  }
  return std::nullopt;
}

void Desk::answer(Waiting waiting) {
  const At at{reader_.get(), reader_.path(), loaded_ ? columns_.get() : nullptr, plan_factor_,
              clock_.wall()};
  // What breaks off (no memory, a damaged version) costs its client an answer, not us our life.
  try {
    if (std::optional<http::Response> response = waiting.question(at))
      waiting.responder.answer(std::move(*response));
  } catch (const std::exception& error) {
    spdlog::error("a question of the web server could not be answered: {}",
                  printable(error.what(), 200));
    waiting.responder.answer(problem(500, "this could not be answered", "see the log"));
  }
}

void Desk::begin_pass() {
  if (columns_ == nullptr) columns_ = std::make_unique<PageColumns>();
  columns_->begin(clock_.wall());
  last_id_ = 0;
  loading_ = true;
  pass_began_ = clock_.now();
}

void Desk::load_slice(Duration patience) {
  if (order_.valid()) {  // questions that need no columns are answered meanwhile
    if (order_.wait_for(patience) == std::future_status::ready) {
      columns_->end(order_.get());
      end_pass();
    }
    return;
  }
  bool fits = true;
  const Result<std::size_t> count =
      reader_.get().page_figures(last_id_, options_.slice, [&](const store::PageFigures& page) {
        last_id_ = page.id;
        fits = fits && columns_->take(page);
      });
  if (!count) return give_up(problem(count.error()));
  if (!fits) return drop_columns();  // a database that was put back, or ids that are used again
  if (static_cast<std::int64_t>(*count) == options_.slice) return;
  if (!columns_->whole()) return drop_columns();  // the last ones are gone
  if (columns_->in_order()) {
    columns_->end();
    end_pass();
  } else {
    order_ = std::async(std::launch::async, [&all = *columns_] { return all.url_order(); });
  }
}

// Who waits for the columns hears why there are none.
void Desk::give_up(const http::Response& why) {
  drop_columns();
  const std::lock_guard lock(mutex_);
  for (const Waiting& one : waiting_) {
    if (one.needs == Needs::columns) one.responder.answer(why);
  }
  std::erase_if(waiting_, [](const Waiting& one) { return one.needs == Needs::columns; });
}

void Desk::end_pass() {
  if (const Result<store::PlanFactor> factor = reader_.get().plan_factor()) plan_factor_ = *factor;
  columns_->plan(limits());
  loading_ = false;
  loaded_ = true;
  pass_ended_ = clock_.now();
  pass_cost_ = pass_ended_ - pass_began_;
}

PlanLimits Desk::limits() {
  PlanLimits limits;
  const auto meta = reader_.get().meta();
  if (!meta) return limits;
  const report::DaemonFigures figures = report::figures_of(*meta);
  const double budget = figures.budget.value_or(0);
  if (!std::isfinite(budget)) return limits;
  const double virtual_rate = figures.virtual_rate.value_or(0);
  limits.budget = budget;
  limits.shares_of = virtual_rate > 0 ? virtual_rate : budget;
  limits.stretch = std::max(1.0, figures.max_interval_stretch.value_or(1));
  limits.factor = plan_factor_;
  const Names& hosts = columns_->hosts();
  if (hosts.size() > most_paused_hosts) return limits;
  std::vector<std::string> names;
  for (std::uint32_t host = 0; host < hosts.size(); ++host) names.push_back(hosts.text(host));
  const auto rows = reader_.get().hosts(names);
  if (!rows) return limits;
  limits.pauses.resize(hosts.size());
  for (const store::HostView& host : *rows) {
    const std::optional<std::uint32_t> number = hosts.find(host.row.host);
    if (number && host.row.delay_ms.value_or(0) > 0) {
      const std::int64_t pause = *host.row.delay_ms + host.row.response_ms.value_or(0);
      limits.pauses[*number] = static_cast<double>(pause) / 1e3;
    }
  }
  return limits;
}

void Desk::drop_columns() {
  if (order_.valid()) order_.wait();  // it reads them
  order_ = {};
  columns_.reset();
  loaded_ = loading_ = false;
  pass_cost_ = {};
}

}  // namespace pollux::web

#include "engine/reload.hpp"

#include "engine/fixed_settings.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include <spdlog/spdlog.h>

namespace pollux::engine {
namespace {

constexpr Duration again_after = std::chrono::minutes(1);  // when its own write failed
constexpr Duration slice = std::chrono::milliseconds(4);
constexpr std::size_t pages_per_step = 32;
constexpr std::size_t ids_per_step = 1024;

// And cannot be served: what agents have is not known before they say so.
bool wants_browser(const config::Config& config) {
  const bool agents = std::ranges::any_of(config.fetch.access_points,
                                          [](const auto& point) { return !point.agent.empty(); });
  return !agents && std::ranges::any_of(config.contents, [](const extract::SharedRules& rules) {
    return extract::rules_of(*rules).render;
  });
}

}  // namespace

void Reload::begin(Heard heard) {
  if (state_.stopped) {
    if (heard) heard(Error{"the daemon stops", ExitCode::temporary});
    return;
  }
  if (!callbacks_.read) {
    const Error none{"this daemon has no configuration file", ExitCode::configuration};
    if (heard) heard(none);
    return spdlog::warn("reload refused: {}", none.message);
  }
  if (state_.running) {
    state_.again = true;
    if (heard) next_listeners_.push_back(std::move(heard));
    return;
  }
  state_.running = true;
  if (heard) listeners_.push_back(std::move(heard));
  callbacks_.begun();
  spdlog::info("reloading the configuration");
  lists_.turn.ask([this] { note_known({}); });
}

void Reload::answer(const Result<std::string>& what) {
  for (const Heard& heard : std::exchange(listeners_, {})) heard(what);
}

// Which pages are there. Nothing adds or removes one before this reload does.
void Reload::note_known(std::vector<PageId> ids) {
  if (state_.stopped) return;
  const Instant enough = clock_.now() + slice;
  bool more = true;
  while (more && clock_.now() < enough) more = lists_.pages.append_ids(ids, ids_per_step);
  if (!more) return read(std::move(ids));
  loop_.post([this, so_far = std::make_shared<std::vector<PageId>>(std::move(ids))] {
    note_known(std::move(*so_far));
  });
}

void Reload::read(std::vector<PageId> known) {
  work_.aside([this, ids = std::make_shared<std::vector<PageId>>(std::move(known))] {
    Result<config::Loaded> loaded = callbacks_.read();
    if (!loaded.ok()) {
      loop_.post([this, refusal = loaded.error().message] { end(refusal); });
      return;
    }
    for (const config::Warning& warning : loaded->warnings) spdlog::warn("{}", warning.message);
    auto read = std::make_shared<ReadConfig>(std::move(loaded->config), std::move(*ids));
    loop_.post([this, read = std::move(read)] { reconcile(read); });
  });
}

void Reload::reconcile(const std::shared_ptr<ReadConfig>& read) {
  if (state_.stopped) return;
  if (!lists_.config.render.chromium && wants_browser(read->config))
    return end(
        "a page has content: { render: true }, and a browser comes with a start of the "
        "daemon only; restart it");
  in_hand_ = read;
  if (!state_.writable) return put_off();
  work_.reconcile(read, [this, mine = std::weak_ptr(read)](Result<PageListChange> found) {
    const std::shared_ptr<ReadConfig> still = mine.lock();
    if (still && still == in_hand_ && !state_.stopped) reconciled(still, std::move(found));
  });
}

void Reload::reconciled(const std::shared_ptr<ReadConfig>& read, Result<PageListChange> found) {
  if (!found.ok() && found.error().exit_code == ExitCode::io) {
    // Nothing else need have failed, so nobody will say when there is room.
    spdlog::warn("{}", found.error().message);
    retry_timer_->arm(clock_.now() + again_after, [this] {
      if (state_.writable && std::exchange(state_.when_writable, false)) begin();
    });
    return put_off();
  }
  in_hand_.reset();
  if (!found.ok()) return end(found.error().message);
  bring_into_force(std::move(read->config), std::move(found).value());
}

// What was read is let go: it may be large, and old by then.
void Reload::put_off() {
  discard(std::exchange(in_hand_, nullptr));
  state_.running = state_.again = false;
  state_.when_writable = true;
  spdlog::warn(
      "the reload waits, going on with the old configuration: the database cannot be written; the "
      "files are read again as soon as it can");
  callbacks_.put_off();
  listeners_.insert(listeners_.end(), std::make_move_iterator(next_listeners_.begin()),
                    std::make_move_iterator(next_listeners_.end()));
  next_listeners_.clear();
  answer(
      Error{"the reload waits: the database cannot be written; the files are read again as soon "
            "as it can",
            ExitCode::io});
  lists_.turn.give_back();
}

void Reload::set_writable(bool writable) {
  state_.writable = writable;
  if (!writable && in_hand_) put_off();
  if (writable && std::exchange(state_.when_writable, false)) begin();
}

void Reload::bring_into_force(config::Config fresh, PageListChange change) {
  state_.for_next_start.clear();
  for (const std::string& key : keep_fixed(fresh, lists_.config)) {
    spdlog::warn("{} takes effect at the next start only", key);
    state_.for_next_start += "; " + key + " takes effect at the next start only";
  }
  // A budget that was set live stays until the file says another than before.
  const double budget = lists_.config.schedule.budget;
  const bool keeps_budget = lists_.file_budget == fresh.schedule.budget;
  // One that is lent is not the file's to say, but what all brains share is.
  if (lists_.shared_budget) lists_.shared_budget = fresh.schedule.budget;
  const double wanted = keeps_budget || lists_.shared_budget ? budget : fresh.schedule.budget;
  if (!keeps_budget) lists_.file_budget.reset();
  fresh.schedule.budget = budget;
  discard(std::exchange(lists_.config, std::move(fresh)));
  const config::Config& config = lists_.config;
  lists_.set_budget(wanted, clock_.now());
  lists_.scheduler->set_explore(config.schedule.explore);
  lists_.scheduler->set_follow(config.schedule.follow);
  lists_.set_sweep(change.kept.size() + change.fresh.size());
  poll_loop_.robots().reloaded();
  callbacks_.in_force();
  update_ = std::make_unique<PageListUpdate>(std::move(change), lists_.parts(), poll_loop_,
                                             lists_.access_points.get());
  continue_update();
}

// A slice now, the next one after whatever else waits for this thread.
void Reload::continue_update() {
  if (state_.stopped) return;
  const Instant enough = clock_.now() + slice;
  bool more = true;
  while (more && clock_.now() < enough)
    more = update_->step({clock_.now(), clock_.wall()}, pages_per_step);
  if (more) return loop_.post([this] { continue_update(); });
  work_.tell(update_->take_shares());
  const std::string did = update_->summary() + state_.for_next_start;
  discard(std::move(update_));
  discard(lists_.take_read_settings());
  end("", did);
  poll_loop_.turn();
}

// Freeing what a million pages took is long work, too.
template <typename Garbage>
void Reload::discard(Garbage garbage) {
  work_.aside(
      [dropped = std::make_shared<Garbage>(std::move(garbage))]() mutable { dropped.reset(); });
}

void Reload::end(const std::string& refusal, const std::string& what_it_did) {
  state_.running = false;
  if (state_.stopped) return;
  if (refusal.empty()) {
    spdlog::info("reloaded: {}; {}", what_it_did, lists_.summary());
  } else {
    spdlog::error("reload refused, going on with the old configuration: {}", refusal);
  }
  callbacks_.ended(refusal);
  answer(refusal.empty() ? Result<std::string>(what_it_did)
                         : Error{refusal, ExitCode::configuration});
  listeners_ = std::exchange(next_listeners_, {});
  lists_.turn.give_back();
  if (std::exchange(state_.again, false)) begin();
}

void Reload::stop() {
  state_.stopped = true;
  retry_timer_->cancel();
  listeners_.insert(listeners_.end(), std::make_move_iterator(next_listeners_.begin()),
                    std::make_move_iterator(next_listeners_.end()));
  next_listeners_.clear();
  answer(Error{"the daemon stops", ExitCode::temporary});
}

}  // namespace pollux::engine

#include "pollux/engine/daemon.hpp"

#include "engine/asio_loop.hpp"
#include "engine/daemon_parts.hpp"
#include "engine/fetch_limits.hpp"
#include "engine/service.hpp"
#include "engine/signals.hpp"
#include "engine/start.hpp"
#include "pollux/base/text.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <spdlog/spdlog.h>

namespace pollux::engine {

struct Daemon::State {
  State(config::Config wanted, DaemonOptions chosen, const Clock& used)
      : options(std::move(chosen)),
        clock(used),
        rng(wanted.schedule.seed),
        lists(std::move(wanted)),
        signals(io, options.handle_signals) {}

  DaemonOptions options;
  const Clock& clock;
  Rng rng;
  boost::asio::io_context io{1};
  AsioLoop loop{io};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{io.get_executor()};
  Lists lists;
  Signals signals;
  DaemonParts parts;
  bool stopping = false;
  std::string problem;   // why the database cannot be written; empty: it can
  std::string repaired;  // from a backup, at the start
  Status outcome = success();

  Surroundings around() { return {io, loop, clock, rng, lists}; }
  Status open();
  Status make_engine(std::unique_ptr<store::Store> store);
  store::Writer::Callbacks writer_callbacks();
  Reload::Callbacks reload_callbacks();
  DatabaseWatch::Callbacks watch_callbacks();
  void on_trouble(const store::Trouble& trouble);
  void found_damaged(const std::string& damage);
  void fail(const std::string& why);
  void in_force();
  std::string standing() const { return problem.empty() ? lists.summary() : status_of(problem); }
  void begin_polling();
  void begin();
  void stop();
  void finish_stop();
};

Status Daemon::State::open() {
  tune_allocator();
  signals.hold();
  load_secrets(lists);
  Result<std::unique_ptr<store::Store>> store =
      open_and_fill(lists, clock, [this] { return signals.told_to_stop(); });
  if (!store.ok()) return store.error();
  parts.database_files = (*store)->files();
  repaired = (*store)->repaired();
  give_back_memory();  // the list as it was read is gone
  return make_engine(std::move(store).value());
}

Status Daemon::State::make_engine(std::unique_ptr<store::Store> store) {
  parts.writer = std::make_unique<store::Writer>(
      std::move(store), std::string(lists.policy->name()), store::WriterOptions{},
      writer_callbacks(),
      std::make_unique<store::VersionKeeper>(lists.config.database, lists.config.storage.content));
  make_notifier(parts, lists, clock);
  if (Status made = make_polling(parts, around(), options); !made.ok()) return made;
  make_keepers(parts, around(), reload_callbacks());
  return success();
}

store::Writer::Callbacks Daemon::State::writer_callbacks() {
  store::Writer::Callbacks callbacks;
  callbacks.trouble = [this](const store::Trouble& trouble) {
    log_trouble(trouble);
    loop.post([this, trouble] { on_trouble(trouble); });
  };
  // A change is reported only once it is on disk.
  callbacks.committed = [this](const std::vector<store::ChangeRow>& changes) {
    for (const store::ChangeRow& change : changes) {
      log_change(change);
      if (options.on_change) options.on_change(change);
    }
    parts.poll_events->changed(changes);
  };
  callbacks.noticed = [this] { parts.notifier->wake(); };
  return callbacks;
}

void Daemon::State::on_trouble(const store::Trouble& trouble) {
  problem = trouble.problem;
  parts.news->database(problem);
  parts.snapshots->set_problem(problem);
  if (!stopping) service::status(standing());
  if (trouble.damaged) return fail(problem);
  parts.reload->set_writable(problem.empty());  // first: a reload that waits goes before commands
  parts.steering->set_problem(problem);
}

// The database is no good, or no longer ours: the next start may help, this process cannot.
void Daemon::State::fail(const std::string& why) {
  problem = why;
  if (outcome.ok()) outcome = Error{why, ExitCode::io};
  if (!stopping) service::status(standing());
  stop();
}

DatabaseWatch::Callbacks Daemon::State::watch_callbacks() {
  return {.damaged = [this](const std::string& damage) { found_damaged(damage); },
          .missing = [this](const std::string& why) { on_trouble({.problem = why}); },
          .lost =
              [this](const std::string& why) {
                fail(why);
                parts.poll_loop->give_up();  // whoever has it now may be polling already
              }};
}

void Daemon::State::found_damaged(const std::string& damage) {
  const store::Trouble trouble{.problem = damage, .damaged = true};
  log_trouble(trouble);
  on_trouble(trouble);
}

Reload::Callbacks Daemon::State::reload_callbacks() {
  Reload::Callbacks callbacks;
  callbacks.read = options.reload;
  callbacks.begun = [] { service::reloading(); };
  callbacks.in_force = [this] { in_force(); };
  callbacks.ended = [this](const std::string& refusal) {
    service::ready(refusal.empty() ? standing() : "reload refused: " + refusal);
    refusal.empty() ? parts.news->budget() : parts.news->reload_refused(refusal);
    parts.writer->submit(rows_of_reload(refusal, clock));
  };
  callbacks.put_off = [this] {
    service::ready(standing() + "; a reload waits until the database can be written");
  };
  return callbacks;
}

// A new configuration, for those who are not asked through `lists`.
void Daemon::State::in_force() {
  const config::Config& config = lists.config;
  set_up_logging(config.log);
  parts.housekeeping->set_options(config.storage);
  parts.notifier->set_rules(config.notify);
  parts.poll_loop->set_fetches(fetches_for(config));
  if (parts.shared_budget) parts.shared_budget->changed();
  bring_access_points_into_force(parts, lists);
}

// An agent may still be at work for the daemon that was here before.
void Daemon::State::begin_polling() {
  if (!parts.agents) return parts.poll_loop->begin(*parts.fetcher);
  parts.agents->when_settled([this] {
    if (!stopping) parts.poll_loop->begin(*parts.fetcher);
  });
}

void Daemon::State::begin() {
  parts.news->started(repaired);
  signals.begin({.stop = [this] { stop(); }, .reload = [this] { parts.reload->begin(); }});
  begin_polling();
  parts.housekeeping = std::make_unique<Housekeeping>(
      loop, clock, *parts.writer, lists.config.database, lists.config.storage,
      [this](const std::string& damage) { found_damaged(damage); });
  parts.database_watch = std::make_unique<DatabaseWatch>(
      loop, clock, *parts.writer, lists.config.database, parts.database_files, watch_callbacks());
  parts.writer->submit(rows_of_start(lists, clock, options));
  begin_keepers(parts);
  service::ready(lists.summary());
  spdlog::info("{}", lists.summary());
}

void Daemon::State::stop() {
  if (stopping) return;
  stopping = true;
  service::stopping();
  stop_keepers(parts);
  parts.poll_loop->stop([this] { finish_stop(); });
  parts.grace_timer->arm(clock.now() + options.grace, [this] {
    spdlog::info("giving up {} polls that are still in flight", parts.poll_loop->in_flight());
    parts.poll_loop->give_up();
  });
}

void Daemon::State::finish_stop() {
  parts.grace_timer->cancel();
  if (parts.shared_budget) parts.shared_budget->finish();
  parts.watchdog->stop();
  signals.end();
  parts.snapshots->stop();
  parts.saver->finish();
  parts.private_keeper->finish();
  parts.database_watch->finish();
  parts.notifier->finish();
  const Status saved = parts.writer->stop(std::chrono::seconds(4));  // of the ten that there are
  if (outcome.ok()) outcome = saved;
  parts.steering->close();
  work.reset();
  io.stop();
}

Daemon::Daemon(std::unique_ptr<State> state) : state_(std::move(state)) {}

// The thread that reads for a reload uses the rest.
Daemon::~Daemon() {
  if (state_->parts.steering) state_->parts.steering->close();
  state_->parts.reload_thread.reset();
}

Result<std::unique_ptr<Daemon>> Daemon::create(config::Config config, DaemonOptions options,
                                               const Clock& clock) {
  auto state = std::make_unique<State>(std::move(config), std::move(options), clock);
  if (const Status opened = state->open(); !opened.ok()) return opened.error();
  return std::unique_ptr<Daemon>(new Daemon(std::move(state)));
}

Status Daemon::run() {
  state_->begin();
  state_->io.run();
  return state_->outcome;
}

void Daemon::request_stop() {
  state_->loop.post([this] { state_->stop(); });
}

const SnapshotBoard& Daemon::snapshots() const {
  return state_->parts.board;
}

Steering& Daemon::steering() {
  return *state_->parts.steering;
}

void Daemon::request_reload() {
  state_->loop.post([this] { state_->parts.reload->begin(); });
}

}  // namespace pollux::engine

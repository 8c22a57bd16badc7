#include "pollux/engine/daemon.hpp"

#include "engine/descriptors.hpp"
#include "engine/fixed_settings.hpp"
#include "engine/housekeeping.hpp"
#include "engine/page_list_update.hpp"
#include "engine/poll_loop.hpp"
#include "engine/service.hpp"
#include "engine/stall_probe.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/fetch/curl_fetcher.hpp"
#include "pollux/schedule/budget.hpp"
#include "pollux/store/store.hpp"
#include "pollux/store/writer.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <malloc.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

namespace pollux::engine {
namespace {

namespace asio = boost::asio;

constexpr Duration save_every = std::chrono::seconds(5);  // learner nodes, hosts, counts, heartbeat
constexpr std::size_t nodes_per_save = 100'000;
constexpr std::size_t placements_per_save = 10'000;               // hosts
constexpr Duration reload_again_after = std::chrono::minutes(1);  // when its own write failed
constexpr Duration update_slice = std::chrono::milliseconds(4);
constexpr Duration writing_may_take =
    std::chrono::seconds(4);  // of the ten seconds that stopping has

int detect_threads() {
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency() / 2, 1u, 4u));
}

// Enough that servers which only time out (20 s) cannot use up the budget's places, yet fewer than
// the descriptors a process has by default. Without a budget, more would only add waiting, unless
// servers are slow.
concurrency::ControllerOptions fetches_for(const config::Config& config) {
  concurrency::ControllerOptions options;
  options.fixed = config.concurrency;
  options.servers = detect_threads();
  if (const double budget = config.schedule.budget; std::isfinite(budget)) {
    options.most = static_cast<std::size_t>(std::clamp(std::ceil(budget * 20), 128.0, 512.0));
    options.most_if_slow = options.most;
  } else {
    options.most = 128;  // as many as fit the processor's caches; a server that needs more is slow
  }
  if (options.fixed > 0 && !allow_descriptors(options.fixed)) {
    spdlog::warn(
        "fetch.concurrency: {} connections need more file descriptors than this system "
        "allows; raise its limit (ulimit -Hn, LimitNOFILE) or lower the number",
        options.fixed);
  }
  return options;
}

double sweep_seconds(std::size_t pages, double budget) {
  return std::max(1.0, static_cast<double>(pages)) / std::min(budget, 1e6);
}

// A configuration that was read, on its way into the database.
struct Reload {
  Reload(config::Config read, std::vector<PageId> ids)
      : fresh(std::move(read)), wanted(fresh), known(std::move(ids)) {}
  config::Config fresh;
  WantedPages wanted;
  std::vector<PageId> known;  // by slot, when reading began
};

}  // namespace

struct Daemon::State {
  State(config::Config wanted, DaemonOptions chosen, const Clock& used)
      : config(std::move(wanted)),
        options(std::move(chosen)),
        clock(used),
        rng(config.schedule.seed) {}

  config::Config config;
  config::Config config_before;  // while a new list of pages is being brought into force
  DaemonOptions options;
  const Clock& clock;
  Rng rng;
  asio::io_context io{1};
  std::unique_ptr<learn::Policy> policy;
  std::unique_ptr<schedule::Scheduler> scheduler;
  std::unique_ptr<schedule::Budget> budget;
  PageTable pages;
  HostTable hosts;
  std::unique_ptr<WaysOut> ways;
  std::unique_ptr<store::Writer> writer;
  std::unique_ptr<Housekeeping> housekeeping;  // uses the writer: goes first
  std::unique_ptr<PollLoop> loop;
  std::unique_ptr<PageListUpdate> update;  // likewise
  std::unique_ptr<fetch::Fetcher> fetcher;

  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  asio::signal_set signals{io};
  asio::steady_timer save_timer{io}, watchdog_timer{io}, grace_timer{io};
  StallProbe stall_probe{io};
  std::thread reload_thread;
  Instant counted_until{};  // polls up to here are in the database's minutes
  bool stopping = false, reloading = false, reload_again = false, reload_when_writable = false;
  std::optional<Instant> reload_retry_at;
  std::shared_ptr<Reload> reload_in_hand;  // waits for the writer
  std::string problem;                     // why the database cannot be written; empty: it can
  std::uint64_t watched_turns = 0, watched_writer = 0, saved_turns = ~std::uint64_t{0};
  double starved_seconds = 0;   // of change detection, since the start
  std::uint64_t overflows = 0;  // of its queue
  double told_sweep = 0;        // seconds, to the policy
  Status outcome = success();

  Moment moment() const { return {clock.now(), clock.wall()}; }
  PageListParts list_parts() { return {config, pages, hosts, *policy, *scheduler}; }

  Status open();
  Result<std::unique_ptr<store::Store>> open_store() const;
  void on_trouble(const store::Trouble& trouble);
  void hold_signals(bool hold);
  Status fill(store::Store& store);
  Status find_ways(store::Store& store);
  void set_sweep(std::size_t count);
  std::string summary() const;
  std::string standing() const { return problem.empty() ? summary() : status_of(problem); }
  void begin();
  void await_signal();
  void save();
  void report_fetches(store::Batch& batch);
  void save_later();
  void watch();
  void stop();
  void finish_stop();
  void reload();
  void reconcile(const std::shared_ptr<Reload>& read);
  void put_off_reload();
  void reloaded(config::Config fresh, PageListChange change);
  void change_ways();
  void continue_update();
  template <typename Garbage>
  void discard(Garbage garbage);
  void end_reload(const std::string& refusal);
};

// Signals that come while the list is being read wait until there is somebody to hear them.
void Daemon::State::hold_signals(bool hold) {
  if (!options.handle_signals) return;
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, number);
  pthread_sigmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, nullptr);
}

// Checking or migrating a large database takes its time; a signal that waits ends it.
Result<std::unique_ptr<store::Store>> Daemon::State::open_store() const {
  const auto told_to_stop = [this] {
    sigset_t waiting;
    return options.handle_signals && sigpending(&waiting) == 0 &&
           (sigismember(&waiting, SIGTERM) == 1 || sigismember(&waiting, SIGINT) == 1);
  };
  store::OpenOptions how;
  how.backup_directory = config.storage.backup.directory;
  how.cancelled = told_to_stop;
  Result<std::unique_ptr<store::Store>> opened = store::Store::open(config.database, how);
  if (!opened.ok() && told_to_stop()) return Error{"stopped while starting", ExitCode::ok};
  return opened;
}

void Daemon::State::on_trouble(const store::Trouble& trouble) {
  problem = trouble.problem;
  if (!stopping) service::status(standing());
  if (trouble.damaged) return stop();
  if (!problem.empty() && reload_in_hand) put_off_reload();
  if (problem.empty() && std::exchange(reload_when_writable, false)) reload();
}

Status Daemon::State::open() {
  hold_signals(true);
  Result<std::unique_ptr<store::Store>> opened = open_store();
  if (!opened.ok()) return opened.error();
  std::unique_ptr<store::Store> store = std::move(opened).value();

  policy = learn::make_policy(config.learner);
  if (!policy)
    return Error{"learner.policy: no policy is called '" + config.learner.policy + "'",
                 ExitCode::configuration};
  scheduler = std::make_unique<schedule::Scheduler>(config.schedule, *policy);
  budget = std::make_unique<schedule::Budget>(config.schedule.budget, clock.now());
  if (Status filled = fill(*store); !filled.ok()) {
    if (!store->damaged()) return filled;
    // Not "bad data", at which a service manager gives up: the next start puts a backup in place.
    return Error{filled.error().message + "; start again to have it checked and restored",
                 ExitCode::io};
  }
  malloc_trim(0);  // the list as it was read is gone; give its memory back

  store::Writer::Callbacks callbacks;
  callbacks.trouble = [this](const store::Trouble& trouble) {
    log_trouble(trouble);
    asio::post(io, [this, trouble] { on_trouble(trouble); });
  };
  // A change is reported only once it is on disk.
  callbacks.committed = [this](const std::vector<store::ChangeRow>& changes) {
    for (const store::ChangeRow& change : changes) {
      spdlog::info("changed: {}", printable_url(change.url));
      if (options.on_change) options.on_change(change);
    }
  };
  writer = std::make_unique<store::Writer>(std::move(store), std::string(policy->name()),
                                           store::WriterOptions{}, callbacks);

  const PollLoop::Parts parts{io,      clock,      rng,     config,  pages,      hosts,
                              *policy, *scheduler, *budget, *writer, ways.get(), &config_before};
  loop = std::make_unique<PollLoop>(
      parts, PollLoopOptions{.fetches = fetches_for(config), .on_detection = options.on_detection},
      detect_threads());
  Result<std::unique_ptr<fetch::Fetcher>> made = fetch::make_curl_fetcher(io, config.fetch, *loop);
  if (!made.ok()) return made.error();
  fetcher = std::move(made).value();
  return success();
}

// Database and configuration become the lists in memory.
Status Daemon::State::fill(store::Store& store) {
  const WantedPages wanted(config);
  const Result<store::Reconciled> reconciled = store.reconcile(wanted.specs, clock.wall());
  if (!reconciled.ok()) return reconciled.error();
  spdlog::info("{} pages: {} new, {} back, {} with new options, {} removed", reconciled->active,
               reconciled->added, reconciled->revived, reconciled->updated, reconciled->removed);

  set_sweep(wanted.specs.size());
  const auto settings = wanted.settings_by_url();
  const Result<std::string> last_policy = store.meta("policy");
  if (!last_policy.ok()) return last_policy.error();
  PageInstaller installer(list_parts(), moment(), *last_policy == policy->name());
  Status loaded = store.load_pages([&](store::PageRow&& row) {
    if (const auto found = settings.find(row.spec.url); found != settings.end())
      installer.add(row, found->second);
  });
  if (!loaded.ok()) return loaded;
  const Result<std::vector<store::NodeRow>> nodes = store.load_nodes(std::string(policy->name()));
  if (!nodes.ok()) return nodes.error();
  std::vector<learn::NodeMemory> memories;
  memories.reserve(nodes->size());
  for (const store::NodeRow& node : *nodes)
    memories.push_back({node.level, node.position, node.value});
  policy->restore_nodes(memories);
  installer.finish();

  const std::string& user_agent = config.settings.front().user_agent;
  Status robots = store.load_robots(
      [&](store::RobotsRow&& row) { restore_robots(row, user_agent, hosts, moment()); });
  if (!robots.ok()) return robots;
  const Result<std::vector<store::HostRow>> stored = store.load_hosts();
  if (!stored.ok()) return stored.error();
  install_hosts(*stored, list_parts(), moment());
  return find_ways(store);
}

Status Daemon::State::find_ways(store::Store& store) {
  ways = std::make_unique<WaysOut>(config, hosts);
  if (config.fetch.access_points.empty()) return success();
  const Result<std::vector<store::PlacementRow>> rows = store.load_placements();
  if (!rows.ok()) return rows.error();
  ways->restore(*rows);
  spdlog::info("{} access points", config.fetch.access_points.size());
  return success();
}

// A policy weighs every page anew when the sweep differs, in one go. A little more or less does not
// matter to it, so a reload that adds a few pages need not stop the polling for that.
void Daemon::State::set_sweep(std::size_t count) {
  const double seconds = sweep_seconds(count, config.schedule.budget);
  if (std::abs(seconds - told_sweep) <= told_sweep * 0.02) return;
  told_sweep = seconds;
  policy->set_sweep(seconds);
}

std::string Daemon::State::summary() const {
  return fmt::format("watching {} pages on {} hosts, budget {}, policy {}", pages.size(),
                     hosts.size(), format_rate(config.schedule.budget), policy->name());
}

void Daemon::State::begin() {
  if (const double stretch = scheduler->max_interval_stretch(); stretch > 1) {
    spdlog::warn("the budget cannot pay for every max_interval; they are stretched {:.1f} times",
                 stretch);
  }
  if (options.handle_signals) {
    signals.add(SIGTERM);
    signals.add(SIGINT);
    signals.add(SIGHUP);
    await_signal();
    hold_signals(false);
  }
  loop->begin(*fetcher);
  housekeeping =
      std::make_unique<Housekeeping>(io, clock, *writer, config.database, config.storage);
  counted_until = clock.now();
  const std::string started_at = std::to_string(clock.wall().time_since_epoch().count());
  store::Batch batch;
  batch.meta = {{"started_at", started_at},
                {"pid", std::to_string(getpid())},
                {"version", POLLUX_VERSION},
                {"config_file", config.file}};
  batch.meta.insert(batch.meta.end(), options.meta.begin(), options.meta.end());
  batch.access_points = ways->rows();
  writer->submit(std::move(batch));
  stall_probe.start();
  save();
  watch();
  service::ready(summary());
  spdlog::info("{}", summary());
}

void Daemon::State::await_signal() {
  signals.async_wait([this](const boost::system::error_code& error, int number) {
    if (error) return;
    if (number == SIGHUP) {
      reload();
    } else {
      spdlog::info("signal {}: stopping", number);
      stop();
    }
    await_signal();
  });
}

// What changes slowly is saved every few seconds; polls go to the writer as they end.
void Daemon::State::save() {
  const Moment at = moment();
  store::Batch batch;
  for (const learn::NodeMemory& node : policy->take_changed_nodes(nodes_per_save)) {
    batch.nodes.push_back({node.level, node.position, node.value});
  }
  batch.hosts = hosts.take_changed(at);
  batch.placements = ways->take_changed(placements_per_save);
  store::MinuteRow counts = loop->take_counts();
  counts.minute = std::chrono::floor<std::chrono::minutes>(at.wall);
  counts.budget = config.schedule.budget;
  counts.seconds = to_seconds(at.now - std::exchange(counted_until, at.now));
  batch.minutes.push_back(counts);
  // A heart that beats only while polls go on: `pollux status --check` listens to it.
  if (std::exchange(saved_turns, loop->turns()) != loop->turns()) {
    batch.meta.emplace_back("heartbeat_at", std::to_string(at.wall.time_since_epoch().count()));
  }
  batch.meta.insert(
      batch.meta.end(),
      {{"budget", fmt::format("{}", config.schedule.budget)},
       {"policy", std::string(policy->name())},
       {"objective", std::string(name_of(config.learner.objective))},
       {"cost_by", config.learner.cost.by_time ? "time" : "none"},
       {"cost_bias_removal", fmt::format("{}", config.learner.cost.bias_removal)},
       {"loop_stall_p999_ms", fmt::format("{}", stall_probe.stalls().quantile(0.999).count())},
       {"loop_stall_longest_ms", fmt::format("{}", stall_probe.stalls().longest().count())},
       {"explore", fmt::format("{}", config.schedule.explore)},
       {"max_interval_stretch", fmt::format("{:.3f}", scheduler->max_interval_stretch())}});
  report_fetches(batch);
  writer->submit(std::move(batch));
  if (reload_retry_at && at.now >= *reload_retry_at && problem.empty()) {
    reload_retry_at.reset();
    if (std::exchange(reload_when_writable, false)) reload();
  }
  save_later();
}

// How the controller of fetches does, since the start; `pollux status` shows it.
void Daemon::State::report_fetches(store::Batch& batch) {
  concurrency::Controller& controller = loop->controller();
  const concurrency::Controller::Counts counts = controller.take_counts(clock.now());
  starved_seconds += counts.starved_seconds;
  overflows += counts.overflows;
  batch.meta.insert(batch.meta.end(),
                    {{"fetches_out", std::to_string(controller.out())},
                     {"fetches_allowed", std::to_string(controller.allowed())},
                     {"detect_waiting", std::to_string(controller.waiting())},
                     {"fetch_rate", fmt::format("{:.6g}", controller.fetch_rate())},
                     {"detect_rate", fmt::format("{:.6g}", controller.detect_rate())},
                     {"detect_starved_seconds", fmt::format("{:.3f}", starved_seconds)},
                     {"detect_overflows", std::to_string(overflows)}});
}

void Daemon::State::save_later() {
  if (stopping) return;
  save_timer.expires_after(save_every);
  save_timer.async_wait([this](const boost::system::error_code& error) {
    if (!error && !stopping) save();
  });
}

// The manager hears from us only while polls are being decided and the writer is not stuck.
void Daemon::State::watch() {
  const auto interval = service::watchdog_interval();
  if (!interval) return;
  const std::uint64_t turns = loop->turns(), written = writer->progress();
  if (turns != watched_turns && written != watched_writer) service::alive();
  watched_turns = turns;
  watched_writer = written;
  watchdog_timer.expires_after(*interval);
  watchdog_timer.async_wait([this](const boost::system::error_code& error) {
    if (!error) watch();
  });
}

void Daemon::State::stop() {
  if (stopping) return;
  stopping = true;
  service::stopping();
  save_timer.cancel();
  housekeeping->stop();
  loop->stop([this] { finish_stop(); });
  grace_timer.expires_after(options.grace);
  grace_timer.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    spdlog::info("giving up {} polls that are still in flight", loop->in_flight());
    fetcher->cancel_all();
  });
}

void Daemon::State::finish_stop() {
  grace_timer.cancel();
  watchdog_timer.cancel();
  stall_probe.stop();
  signals.cancel();
  save();
  outcome = writer->stop(writing_may_take);
  work.reset();
  io.stop();
}

// Reading the files and the database takes its time for a large list: polling goes on meanwhile.
void Daemon::State::reload() {
  if (stopping) return;
  if (!options.reload) return spdlog::warn("reload refused: this daemon has no configuration file");
  if (reloading) {
    reload_again = true;
    return;
  }
  reloading = true;
  service::reloading();
  spdlog::info("reloading the configuration");
  if (reload_thread.joinable()) reload_thread.join();
  reload_thread = std::thread([this, known = pages.ids()]() mutable {
    Result<config::Loaded> loaded = options.reload();
    if (!loaded.ok()) {
      asio::post(io, [this, refusal = loaded.error().message] { end_reload(refusal); });
      return;
    }
    for (const config::Warning& warning : loaded->warnings) spdlog::warn("{}", warning.message);
    auto read = std::make_shared<Reload>(std::move(loaded->config), std::move(known));
    asio::post(io, [this, read = std::move(read)] { reconcile(read); });
  });
}

// Brings the list into the database, which gives pages their ids and slots.
void Daemon::State::reconcile(const std::shared_ptr<Reload>& read) {
  if (stopping) return;
  reload_in_hand = read;
  if (!problem.empty()) return put_off_reload();
  writer->run([this, waiting = std::weak_ptr(read)](store::Store& store) {
    const std::shared_ptr<Reload> mine = waiting.lock();
    if (!mine) return;  // put off meanwhile
    const auto reconciled = store.reconcile(mine->wanted.specs, clock.wall());
    auto change = reconciled.ok() ? read_change(store, mine->wanted, mine->known)
                                  : Result<PageListChange>(reconciled.error());
    mine->wanted.specs = {};  // freed here rather than on the I/O thread
    asio::post(io,
               [this, mine, found = std::make_shared<Result<PageListChange>>(std::move(change))] {
                 if (mine != reload_in_hand || stopping) return;
                 // Nothing else need have failed, so nobody will say when there is room.
                 if (!found->ok() && found->error().exit_code == ExitCode::io) {
                   reload_retry_at = clock.now() + reload_again_after;
                   spdlog::warn("{}", found->error().message);
                   return put_off_reload();
                 }
                 reload_in_hand.reset();
                 if (!found->ok()) return end_reload(found->error().message);
                 reloaded(std::move(mine->fresh), std::move(found->value()));
               });
  });
}

// The database cannot be written. What was read is let go: it may be large, and old by then.
void Daemon::State::put_off_reload() {
  discard(std::exchange(reload_in_hand, nullptr));
  reloading = false;
  reload_when_writable = true;
  reload_again = false;
  spdlog::warn(
      "the reload waits, going on with the old configuration: the database cannot be written; the "
      "files are read again as soon as it can");
  service::ready(standing() + "; a reload waits until the database can be written");
}

void Daemon::State::reloaded(config::Config fresh, PageListChange change) {
  for (const std::string& key : keep_fixed(fresh, config)) {
    spdlog::warn("{} takes effect at the next start only", key);
  }
  const bool new_budget = fresh.schedule.budget != config.schedule.budget;
  config_before = std::exchange(config, std::move(fresh));
  set_up_logging(config.log);
  housekeeping->set_options(config.storage);
  budget->set_rate(config.schedule.budget, clock.now());
  if (new_budget) scheduler->set_budget(config.schedule.budget);
  scheduler->set_explore(config.schedule.explore);
  loop->set_fetches(fetches_for(config));
  set_sweep(change.kept.size() + change.fresh.size());
  loop->robots().reloaded();
  change_ways();
  update = std::make_unique<PageListUpdate>(std::move(change), list_parts(), *loop, ways.get());
  continue_update();
}

// A slice now, the next one after whatever else waits for this thread.
void Daemon::State::continue_update() {
  if (stopping) return;
  const auto end = std::chrono::steady_clock::now() + update_slice;
  bool more = true;
  while (more && std::chrono::steady_clock::now() < end) more = update->step(moment(), 32);
  if (more) return asio::post(io, [this] { continue_update(); });
  update.reset();
  discard(std::exchange(config_before, {}));
  end_reload("");
  loop->turn();
}

void Daemon::State::change_ways() {
  std::optional<std::vector<store::PlacementRow>> placements = ways->change(config);
  if (!placements) return;
  fetcher->set_access_points(ways->points());
  store::Batch batch;
  batch.access_points = ways->rows();
  batch.placements = std::move(*placements);
  writer->submit(std::move(batch));
  spdlog::info("{} access points now", config.fetch.access_points.size());
}

// Freeing what a million pages took is long work, too.
template <typename Garbage>
void Daemon::State::discard(Garbage garbage) {
  if (reload_thread.joinable()) reload_thread.join();
  reload_thread = std::thread([dropped = std::move(garbage)] {});
}

void Daemon::State::end_reload(const std::string& refusal) {
  reloading = false;
  if (stopping) return;
  if (refusal.empty()) {
    spdlog::info("reloaded: {}", summary());
  } else {
    spdlog::error("reload refused, going on with the old configuration: {}", refusal);
  }
  service::ready(refusal.empty() ? standing() : "reload refused: " + refusal);
  if (std::exchange(reload_again, false)) reload();
}

Daemon::Daemon(std::unique_ptr<State> state) : state_(std::move(state)) {}

Daemon::~Daemon() {
  if (state_->reload_thread.joinable()) state_->reload_thread.join();
  state_->fetcher.reset();
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
  asio::post(state_->io, [this] { state_->stop(); });
}

void Daemon::request_reload() {
  asio::post(state_->io, [this] { state_->reload(); });
}

}  // namespace pollux::engine

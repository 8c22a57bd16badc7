#include "simulation/simulation.hpp"

#include "engine/lists.hpp"
#include "engine/poll_loop.hpp"
#include "engine/reload.hpp"
#include "engine/saver.hpp"
#include "pollux/base/virtual_loop.hpp"
#include "simulation/inline_hasher.hpp"
#include "simulation/live_commands.hpp"
#include "simulation/memory_store.hpp"
#include "simulation/server_side.hpp"
#include "simulation/simulated_agents.hpp"
#include "simulation/simulated_web.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pollux::simulation {
namespace {

using namespace std::chrono_literals;
using engine::Lists;
using engine::PollLoop;

constexpr WallTime first_day{1'790'000'000s};

// A share is what a page is due of all requests for pages, redirects included, because who is
// redirected pays for it; what it got is counted beside it, ten minutes at a time.
struct Due {
  double due = 0;
  std::int64_t polled = 0;
};

class Simulation {
 public:
  explicit Simulation(const SimulationOptions& options)
      : options_(options),
        servers_(clock_, options.budget, options.delay, options.agents + 1),
        web_(loop_, clock_, {.seed = options.seed, .hosts = options.hosts}, servers_),
        rng_(options.seed + 1),
        store_(loop_),
        lists_(configuration(everything())) {}

  SimulationResult run();

 private:
  using PageNames = std::vector<std::pair<std::size_t, std::size_t>>;  // host and page
  PageNames everything() const;
  config::Config configuration(const PageNames& pages);
  config::Config next_configuration();
  void fill();
  void make_engine();
  void steer();
  void begin_with_agents();
  void every(Duration pause, std::function<void()> job);
  void note_poll(const std::string& url, const store::PollRecord& record);
  void note_due();
  double share_error() const;

  SimulationOptions options_;
  ManualClock clock_{first_day};
  VirtualLoop loop_{clock_};
  ServerSide servers_;
  SimulatedWeb web_;
  Rng rng_;
  MemoryStore store_;
  Lists lists_;
  std::unique_ptr<PollLoop> poll_loop_;
  std::unique_ptr<engine::Saver> saver_;
  std::unique_ptr<engine::Reload> reload_;
  std::unique_ptr<LiveCommands> commands_;
  std::unique_ptr<SimulatedAgents> agents_;
  std::vector<std::unique_ptr<Timer>> timers_;
  std::unordered_map<std::string, Due> due_;  // pages of healthy hosts that never leave the list
  std::uint64_t requests_seen_ = 0;
  std::uint64_t looks_ = 0;  // since the last note_due()
  SimulationResult result_;
};

Simulation::PageNames Simulation::everything() const {
  PageNames pages;
  for (std::size_t host = 0; host < options_.hosts; ++host) {
    for (std::size_t page = 0; page < 3; ++page) pages.emplace_back(host, page);
    if (!SimulatedWeb::forbidden_path(host).empty()) pages.emplace_back(host, 3);
  }
  return pages;
}

config::Config Simulation::configuration(const PageNames& pages) {
  config::Config config;
  config.settings.resize(2);
  config.settings[0].limits = {30s, 24h * 3};
  config.settings[1] = config.settings[0];
  config.settings[1].importance = 3;
  config.schedule.seed = config.learner.seed = options_.seed;
  config.schedule.budget = options_.budget;
  config.host_default.delay = options_.delay;
  config.host_default.adaptive_delay = 2;
  for (std::size_t i = 0; i < options_.agents; ++i) {
    fetch::AccessPoint point;
    point.name = point.agent = SimulatedAgents::name(i);
    config.fetch.access_points.push_back(std::move(point));
    config.placement.capacities.push_back(0);
  }
  for (const auto& [host, page] : pages) {
    config.pages.push_back({web_.url(host, page), web_.host_name(host), page == 0 ? 1u : 0u});
  }
  return config;
}

// Some pages leave the list, those that had left come back; the first seven tenths always stay.
config::Config Simulation::next_configuration() {
  PageNames pages = everything();
  const std::size_t steady = options_.hosts * 7 / 10;
  std::erase_if(pages, [&](const auto& page) { return page.first >= steady && rng_.chance(0.3); });
  return configuration(pages);
}

void Simulation::fill() {
  const engine::Moment moment{clock_.now(), clock_.wall()};
  const engine::WantedPages wanted(lists_.config);
  store_.list(wanted.specs);
  lists_.set_sweep(wanted.specs.size());
  const auto settings = wanted.settings_by_url();
  engine::SettingsOf ids(lists_.config, lists_.settings);
  engine::PageInstaller installer(lists_.parts(), moment, true);
  store_.for_each_listed(
      [&](const store::PageRow& row) { installer.add(row, ids.id(settings.at(row.spec.url))); });
  installer.finish();
  engine::install_hosts({}, lists_.parts(), moment);
  static_cast<void>(lists_.take_read_settings());
  for (std::size_t host = 0; host < options_.hosts * 7 / 10; ++host) {
    if (host % 10 >= 6) continue;  // see SimulatedWeb: those are not healthy
    for (std::size_t page = 0; page < 3; ++page) due_[web_.url(host, page)];
  }
}

void Simulation::make_engine() {
  engine::PollLoopOptions how;
  poll_loop_ = std::make_unique<PollLoop>(
      PollLoop::Parts{loop_, clock_, rng_, lists_.config, lists_.settings, lists_.pages,
                      lists_.hosts, *lists_.policy, *lists_.scheduler, *lists_.budget, store_,
                      lists_.access_points.get()},
      how, [&](engine::Hasher::Callbacks callbacks) {
        return std::make_unique<InlineHasher>(loop_, std::move(callbacks));
      });
  saver_ = std::make_unique<engine::Saver>(loop_, clock_, lists_, *poll_loop_, store_);
  engine::Reload::Callbacks callbacks;
  callbacks.read = [this]() -> Result<config::Loaded> {
    return config::Loaded{next_configuration(), {}, {}, {}};
  };
  callbacks.ended = [this](const std::string& refusal) {
    if (!refusal.empty()) servers_.violated("a reload was refused: " + refusal);
    ++result_.reloads;
  };
  reload_ = std::make_unique<engine::Reload>(loop_, clock_, lists_, *poll_loop_, store_,
                                             std::move(callbacks));
  web_.set_handler(*poll_loop_);
  if (options_.command_every > Duration::zero()) steer();
  servers_.is_listed = [this](const std::string& url) { return store_.is_listed(url); };
  store_.on_poll = [this](const std::string& url, const store::PollRecord& record) {
    note_poll(url, record);
  };
}

void Simulation::begin_with_agents() {
  servers_.askers_may_be_lost = true;
  agents_ = std::make_unique<SimulatedAgents>(loop_, clock_, options_.agents, options_.seed + 3);
  fetch::Fetcher& fetcher =
      agents_->make_fetcher(web_, *poll_loop_, lists_.config.fetch.access_points,
                            [this] { return lists_.budget->rate(); });
  lists_.access_points->ask_of_agents(
      [this](const std::string& agent, bool secrets) {
        return agents_->remote().takes(agent, secrets);
      },
      {}, [this](const std::string& agent) { return agents_->remote().has_room(agent); });
  poll_loop_->use(agents_->remote().contents());
  agents_->remote().when_settled([this, &fetcher] {
    poll_loop_->begin(fetcher);
    every(options_.loss_every, [this] { agents_->lose_something(); });
  });
}

// Pages of healthy hosts whose shares nobody compares: they come and go.
void Simulation::steer() {
  std::vector<std::string> pages;
  for (std::size_t host = options_.hosts * 7 / 10; host < options_.hosts; ++host) {
    if (host % 10 >= 6) continue;
    for (std::size_t page = 0; page < 3; ++page) pages.push_back(web_.url(host, page));
  }
  commands_ = std::make_unique<LiveCommands>(
      LiveCommands::Parts{loop_, clock_, lists_, *poll_loop_, store_}, options_.seed + 2,
      std::move(pages), configuration({}));
  servers_.is_silent = [this](const std::string& url) { return commands_->must_be_silent(url); };
  every(options_.command_every, [this] { commands_->give(); });
}

void Simulation::every(Duration pause, std::function<void()> job) {
  timers_.push_back(loop_.make_timer());
  Timer* timer = timers_.back().get();
  auto tick = std::make_shared<std::function<void()>>();
  *tick = [this, timer, pause, job = std::move(job), again = std::weak_ptr(tick)] {
    job();
    timer->arm(clock_.now() + pause, [tick = again.lock()] { (*tick)(); });
  };
  timer->arm(clock_.now() + pause, [tick] { (*tick)(); });
}

void Simulation::note_poll(const std::string& url, const store::PollRecord& record) {
  const bool failed = !record.progress.last_error.empty();
  ++result_.polls;
  if (record.change) ++result_.changes;
  if (failed) ++result_.errors;
  servers_.on_record(url, record.progress.content_hash, record.change.has_value(), failed);
  if (commands_) commands_->polled(url);
  if (!store_.is_listed(url)) servers_.violated("a page was recorded that is not listed: " + url);
  // Looks at siblings of a change are no page's share: they have a part of their own
  // (learner.follow).
  if (record.look) {
    ++looks_;
  } else if (const auto found = due_.find(url); found != due_.end()) {
    ++found->second.polled;
  }
}

void Simulation::note_due() {
  const auto requests = static_cast<double>(servers_.page_requests -
                                            std::exchange(requests_seen_, servers_.page_requests)) -
                        static_cast<double>(std::exchange(looks_, 0));
  for (std::uint32_t slot = 0; slot < lists_.pages.slots(); ++slot) {
    const engine::PageRecord& page = lists_.pages[PageSlot{slot}];
    if (!page.used()) continue;
    if (const auto found = due_.find(page.url.str()); found != due_.end())
      found->second.due += lists_.policy->share(PageSlot{slot}) * requests;
  }
}

// By tenths of what was due: single pages are a matter of chance. Exploring and max_intervals give
// quiet pages more than their share, so too much counts for the liveliest three tenths only.
double Simulation::share_error() const {
  std::vector<Due> pages;
  for (const auto& [url, due] : due_) pages.push_back(due);
  std::ranges::sort(pages, {}, &Due::due);
  double worst = 0;
  for (std::size_t tenth = 0; tenth < 10; ++tenth) {
    double due = 0, polled = 0;
    for (std::size_t i = pages.size() * tenth / 10; i < pages.size() * (tenth + 1) / 10; ++i) {
      due += pages[i].due;
      polled += static_cast<double>(pages[i].polled);
    }
    const double excess = polled / due - 1;
    worst = std::max({worst, -excess, tenth >= 7 ? excess : 0});
  }
  return worst;
}

SimulationResult Simulation::run() {
  if (!lists_.make_learner(clock_.now()).ok()) std::abort();
  fill();
  make_engine();
  options_.agents > 0 ? begin_with_agents() : poll_loop_->begin(web_);
  every(1min, [this] { saver_->save(); });
  every(10min, [this] { note_due(); });
  every(options_.reload_every, [this] { reload_->begin(); });
  loop_.run_until(Instant(options_.length));
  note_due();

  bool idle = false;
  reload_->stop();
  timers_.clear();
  poll_loop_->stop([&] { idle = true; });
  loop_.run_until(clock_.now() + 1min);
  if (!idle) servers_.violated("polls were still in flight a minute after the end");
  result_.requests = servers_.requests;
  result_.steps = loop_.steps();
  result_.requests_decided = poll_loop_->totals().requests;
  if (agents_) {
    for (std::size_t i = 0; i < options_.agents; ++i)
      result_.polls_of_agents.push_back(agents_->polls_of(i));
    for (const agent::AgentFigures& one : agents_->remote().figures()) {
      result_.polls_lost += one.lost;
      result_.polls_unused += one.unused;
    }
    const AgentLosses& losses = agents_->losses();
    result_.losses =
        losses.kills + losses.freezes + losses.cuts + losses.slow_lines + losses.sleeps;
    result_.forgotten_blocks = servers_.forgotten_blocks;
  }
  result_.budget_used =
      static_cast<double>(servers_.requests) / (options_.budget * to_seconds(options_.length));
  result_.fullest_second = static_cast<double>(servers_.fullest_second);
  result_.share_error = share_error();
  if (commands_) {
    result_.commands = commands_->given;
    result_.polls_by_hand = commands_->asked;
    result_.of_these_soon = commands_->came_soon;
  }
  result_.violations = servers_.violations;
  result_.violation_count = servers_.violation_count;
  return result_;
}

}  // namespace

SimulationResult simulate(const SimulationOptions& options) {
  return Simulation(options).run();
}

}  // namespace pollux::simulation

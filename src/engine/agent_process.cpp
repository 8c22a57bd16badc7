#include "engine/asio_loop.hpp"
#include "engine/own_browser.hpp"
#include "engine/service.hpp"
#include "engine/signals.hpp"
#include "pollux/agent/worker.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/bus/bus.hpp"
#include "pollux/engine/agent.hpp"
#include "pollux/fetch/curl_fetcher.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

namespace pollux::engine {
namespace {

constexpr std::size_t extraction_threads = 2;
constexpr Duration tell_every = std::chrono::seconds(5);

class AgentProcess {
 public:
  AgentProcess(const config::Config& config, Duration grace)
      : config_(config), grace_(grace), signals_(io_, true) {}
  // No thread of it may find the loop gone.
  ~AgentProcess() {
    extractions_.stop();
    extractions_.join();
  }

  Status open() {
    signals_.hold();
    bus::Options nats = config_.nats;
    nats.name = "pollux agent " + config_.agent.name;
    Result<std::unique_ptr<bus::Bus>> connected = bus::connect(loop_, std::move(nats));
    if (!connected.ok()) return connected.error();
    bus_ = std::move(connected).value();
    worker_ = std::make_unique<agent::Worker>(
        agent::Worker::Parts{loop_, clock_, boot_clock_, *bus_,
                             [this](agent::Extraction task, auto done) {
                               extract(std::move(task), std::move(done));
                             }},
        worker_options());
    auto fetcher = fetch::make_curl_fetcher(io_, config_.fetch, *worker_);
    if (!fetcher.ok()) return fetcher.error();
    fetcher_ = std::move(fetcher).value();
    if (config_.render.chromium) {
      auto both = with_browser(std::move(fetcher_), loop_, config_.render, config_.fetch, *worker_);
      if (!both.ok()) return both.error();
      fetcher_ = std::move(both).value();
    }
    timer_ = loop_.make_timer();
    alive_ = loop_.make_timer();
    return success();
  }

  void run() {
    signals_.begin({.stop = [this] { stop(); },
                    .reload = [] { spdlog::warn("an agent does not reload; restart it"); }});
    worker_->begin(*fetcher_);
    service::ready(standing());
    tell();
    be_alive();
    spdlog::info("agent {} runs", config_.agent.name);
    io_.run();
  }

 private:
  agent::WorkerOptions worker_options() const {
    agent::WorkerOptions options;
    options.name = config_.agent.name;
    options.instance = Rng(0).next() | 1;
    options.slots = config_.agent.slots;
    options.secrets = config_.agent.secrets;
    if (config_.render.chromium) options.renders = static_cast<std::uint32_t>(config_.render.pages);
    options.manners = [this](const std::string& host) {
      const config::HostSettings& politeness = config_.politeness(host);
      return agent::HostManners{politeness.delay, politeness.connections};
    };
    return options;
  }

  void extract(agent::Extraction task, std::function<void(agent::Extracted)> done) {
    boost::asio::post(extractions_, [this, task = std::move(task), done = std::move(done)] {
      loop_.post([found = agent::extract_for_brain(task), done] { done(found); });
    });
  }

  std::string standing() const {
    const agent::WorkerFigures figures = worker_->figures();
    if (!figures.connected) return "no connection to NATS";
    if (figures.refused) return "another agent has this name";
    if (!figures.has_brain) return "waits for its brain";
    return fmt::format("{} polls done, {} under way", figures.polls, figures.here);
  }
  void tell() {
    if (!stopping_) service::status(standing());
    timer_->arm(clock_.now() + tell_every, [this] { tell(); });
  }
  void be_alive() {
    const std::optional<Duration> interval = service::watchdog_interval();
    if (!interval) return;
    service::alive();
    alive_->arm(clock_.now() + *interval, [this] { be_alive(); });
  }

  void stop() {
    if (std::exchange(stopping_, true)) return;
    service::stopping();
    worker_->stop([this] { end(); });
    timer_->arm(clock_.now() + grace_, [this] { end(); });
  }
  void end() {
    signals_.end();
    work_.reset();
    io_.stop();
  }

  const config::Config& config_;
  const Duration grace_;
  SystemClock clock_;
  BootClock boot_clock_;
  boost::asio::io_context io_{1};
  AsioLoop loop_{io_};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  Signals signals_;
  boost::asio::thread_pool extractions_{extraction_threads};
  std::unique_ptr<bus::Bus> bus_;
  std::unique_ptr<agent::Worker> worker_;
  std::unique_ptr<fetch::Fetcher> fetcher_;
  std::unique_ptr<Timer> timer_, alive_;
  bool stopping_ = false;
};

}  // namespace

Status run_agent(const config::Config& config, Duration grace) {
  AgentProcess process(config, grace);
  if (Status opened = process.open(); !opened.ok()) return opened;
  process.run();
  spdlog::info("stopped");
  return success();
}

}  // namespace pollux::engine

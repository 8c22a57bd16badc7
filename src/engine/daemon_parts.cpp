#include "engine/daemon_parts.hpp"

#include "engine/detect_pool.hpp"
#include "engine/fetch_limits.hpp"
#include "engine/fetch_threads.hpp"
#include "engine/own_browser.hpp"
#include "pollux/fetch/curl_fetcher.hpp"
#include "pollux/fetch/router.hpp"

#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>
#include <unistd.h>

namespace pollux::engine {
namespace {

std::string milliseconds_now(const Clock& clock) {
  return std::to_string(clock.wall().time_since_epoch().count());
}

// A poll may last as long as the most patient page lets it.
Duration longest_timeout(const config::Config& config) {
  Duration longest{};
  for (const config::PageSettings& settings : config.settings)
    longest = std::max(longest, settings.timeout);
  return longest;
}

agent::ContentMode content_mode(config::ContentWay way) {
  switch (way) {
    case config::ContentWay::automatic:
      return agent::ContentMode::automatic;
    case config::ContentWay::at_once:
      return agent::ContentMode::at_once;
    case config::ContentWay::hash_first:
      return agent::ContentMode::hash_first;
    case config::ContentWay::always:
      return agent::ContentMode::always;
  }
  return agent::ContentMode::automatic;
}

// From now on requests whose access point is an agent leave by the bus.
Status add_agents(DaemonParts& parts, const Surroundings& around) {
  const config::Config& config = around.lists.config;
  bus::Options nats = config.nats;
  nats.name = config.brain.empty() ? "pollux" : config.brain;
  nats.replicas = static_cast<int>(std::min<std::size_t>(nats.servers.size(), 3));
  Result<std::unique_ptr<bus::Bus>> connected = bus::connect(around.loop, std::move(nats));
  if (!connected.ok()) return connected.error();
  parts.bus = std::move(connected).value();
  agent::RemoteOptions options;
  options.brain = Rng(0).next() | 1;
  options.settles = options.ttl + longest_timeout(config) + options.slack;
  options.budget = [budget = around.lists.budget.get()] {
    return leases::Ceiling(budget->rate(), budget->ends());
  };
  options.epoch = static_cast<std::uint64_t>(around.clock.wall().time_since_epoch().count());
  options.encrypted = std::ranges::all_of(
      config.nats.servers, [](const auto& server) { return server.starts_with("tls://"); });
  options.content = content_mode(config.content_way);
  auto router = std::make_unique<fetch::Router>(*parts.poll_loop);
  auto agents = std::make_unique<agent::RemoteFetcher>(around.loop, around.clock, *parts.bus,
                                                       options, router->second_handler());
  parts.agents = agents.get();
  parts.poll_loop->use(agents->contents());
  agents->set_access_points(config.fetch.access_points);
  auto local = agents->pace(std::move(parts.fetcher));
  // What is to be rendered and has no place fails there: by curl it would be another page.
  router->begin(
      std::move(local), std::move(agents),
      [known = parts.agents, browser = config.render.chromium](const fetch::Request& request) {
        return known->serves(request) || (request.render && !browser);
      });
  parts.fetcher = std::move(router);
  around.lists.access_points->ask_of_agents(
      [known = parts.agents](const std::string& agent, bool secrets) {
        return known->takes(agent, secrets);
      },
      [known = parts.agents](const std::string& agent, bool secrets) {
        return known->render_room(agent, secrets);
      },
      [known = parts.agents](const std::string& agent) { return known->has_room(agent); });
  return success();
}

}  // namespace

Status make_polling(DaemonParts& parts, const Surroundings& around, const DaemonOptions& options) {
  Lists& lists = around.lists;
  const std::size_t threads = fetch_threads(lists.config);
  PollLoopOptions how;
  how.fetches = fetches_for(lists.config);
  how.send_when_ready = true;
  // Fetch threads hash what they fetch: then the pool only has a thread that sleeps.
  const DetectPool::Options hashing{.threads = threads > 1 ? 1 : detect_threads(),
                                    .max_bodies = how.most_hashing,
                                    .looks = {.database = lists.config.database},
                                    .each_body = options.on_detection};
  parts.poll_loop = std::make_unique<PollLoop>(
      PollLoop::Parts{around.loop, around.clock, around.rng, lists.config, lists.settings,
                      lists.pages, lists.hosts, *lists.policy, *lists.scheduler, *lists.budget,
                      *parts.writer, lists.access_points.get(), &lists.cookies,
                      parts.poll_events.get()},
      how, [&](Hasher::Callbacks callbacks) {
        return std::make_unique<DetectPool>(around.loop, hashing, std::move(callbacks));
      });
  if (threads > 1) {
    auto made = FetchThreads::create(around.loop, lists.config.fetch, threads, *parts.poll_loop);
    if (!made.ok()) return made.error();
    parts.fetcher = std::move(made).value();
  } else {
    auto made = fetch::make_curl_fetcher(around.io, lists.config.fetch, *parts.poll_loop);
    if (!made.ok()) return made.error();
    parts.fetcher = std::move(made).value();
  }
  if (lists.config.render.chromium) {
    auto made = with_browser(std::move(parts.fetcher), around.loop, lists.config.render,
                             lists.config.fetch, *parts.poll_loop);
    if (!made.ok()) return made.error();
    parts.fetcher = std::move(made).value();
  }
  return lists.config.nats.servers.empty() ? success() : add_agents(parts, around);
}

void make_notifier(DaemonParts& parts, const Lists& lists, const Clock& clock) {
  const config::Config& config = lists.config;
  notify::NotifierOptions how;
  how.database = config.database;
  how.channels.ca_file = config.fetch.ca_file;
  how.channels.user_agent = config.settings.front().user_agent;
  how.channels.proxy = config.fetch.proxy;
  how.channels.proxy_login = config.fetch.proxy_login;
  parts.outbox = std::make_unique<WriterOutbox>(*parts.writer);
  parts.notifier =
      std::make_unique<notify::Notifier>(config.notify, *parts.outbox, std::move(how), clock);
  parts.news = std::make_unique<DaemonNews>(lists, *parts.outbox, *parts.notifier, clock);
}

void make_keepers(DaemonParts& parts, const Surroundings& around, Reload::Callbacks reload) {
  const auto& [io, loop, clock, rng, lists] = around;
  parts.saver = std::make_unique<Saver>(loop, clock, lists, *parts.poll_loop, *parts.writer);
  if (parts.agents)
    parts.saver->tell_of_agents([agents = parts.agents] { return agents->figures(); });
  parts.snapshots = std::make_unique<Snapshots>(Snapshots::Parts{
      loop, clock, lists, *parts.poll_loop, *parts.saver, *parts.writer, parts.board});
  parts.private_keeper = std::make_unique<PrivateKeeper>(loop, clock, lists, *parts.writer);
  parts.watchdog = std::make_unique<Watchdog>(loop, clock, *parts.poll_loop, *parts.writer);
  parts.reload_thread = std::make_unique<ReloadThread>(loop, clock, *parts.writer);
  parts.reload = std::make_unique<Reload>(loop, clock, lists, *parts.poll_loop,
                                          *parts.reload_thread, std::move(reload));
  parts.steering = std::make_unique<SteeringDesk>(
      SteeringDesk::Parts{loop, clock, lists, *parts.poll_loop, *parts.reload_thread, *parts.writer,
                          *parts.reload, parts.events, *parts.notifier});
  parts.grace_timer = loop.make_timer();
  if (!lists.shared_budget) return;
  parts.shared_budget = std::make_unique<SharedBudget>(
      SharedBudget::Parts{loop, clock, lists, *parts.poll_loop, *parts.writer, parts.board,
                          *parts.bus, *parts.agents},
      Rng(0).next());
}

void begin_keepers(DaemonParts& parts) {
  parts.saver->begin();
  parts.snapshots->begin();
  parts.private_keeper->begin();
  parts.watchdog->begin();
  parts.steering->begin();
}

void stop_keepers(DaemonParts& parts) {
  parts.snapshots->stopping();
  parts.steering->stop();
  parts.reload->stop();
  parts.notifier->stop();
  parts.housekeeping->stop();
  parts.database_watch->stop();
}

void bring_access_points_into_force(DaemonParts& parts, Lists& lists) {
  std::optional<std::vector<store::PlacementRow>> placements =
      lists.access_points->change(lists.config);
  if (!placements) return;
  parts.fetcher->set_access_points(lists.access_points->points());
  store::Batch batch;
  batch.access_points = lists.access_points->rows();
  batch.placements = std::move(*placements);
  parts.writer->submit(std::move(batch));
  spdlog::info("{} access points now", lists.config.fetch.access_points.size());
}

store::Batch rows_of_start(const Lists& lists, const Clock& clock, const DaemonOptions& options) {
  store::Batch batch;
  batch.meta = {{"started_at", milliseconds_now(clock)},
                {"pid", std::to_string(getpid())},
                {"version", POLLUX_VERSION},
                {"config_file", lists.config.file},
                {"brains", ""},
                {"agents", ""},
                {"reload_refused", ""}};
  batch.meta.insert(batch.meta.end(), options.meta.begin(), options.meta.end());
  batch.access_points = lists.access_points->rows();
  return batch;
}

store::Batch rows_of_reload(const std::string& refusal, const Clock& clock) {
  store::Batch batch;
  batch.meta = {{"reload_refused", refusal}, {"reloaded_at", milliseconds_now(clock)}};
  return batch;
}

}  // namespace pollux::engine

#include "engine/daemon_parts.hpp"

#include "engine/detect_pool.hpp"
#include "engine/fetch_limits.hpp"
#include "engine/fetch_threads.hpp"
#include "engine/own_browser.hpp"
#include "pollux/fetch/curl_fetcher.hpp"
#include "pollux/fetch/router.hpp"

#include <algorithm>
#include <utility>

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
  auto router = std::make_unique<fetch::Router>(*parts.poll_loop);
  auto agents = std::make_unique<agent::RemoteFetcher>(around.loop, around.clock, *parts.bus,
                                                       options, router->second_handler());
  parts.agents = agents.get();
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

void make_notifier(DaemonParts& parts, const config::Config& config, const Clock& clock) {
  notify::NotifierOptions how;
  how.database = config.database;
  how.channels.ca_file = config.fetch.ca_file;
  how.channels.user_agent = config.settings.front().user_agent;
  how.channels.proxy = config.fetch.proxy;
  how.channels.proxy_login = config.fetch.proxy_login;
  parts.outbox = std::make_unique<WriterOutbox>(*parts.writer);
  parts.notifier =
      std::make_unique<notify::Notifier>(config.notify, *parts.outbox, std::move(how), clock);
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

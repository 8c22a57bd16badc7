#include "engine/fixed_settings.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace pollux::engine {
namespace {

// What is shown of these keys, and of those below them, is what holds.
void show_kept(const std::vector<std::string>& keys, config::Config& fresh,
               const config::Config& running) {
  if (keys.empty() || !fresh.in_force || !running.in_force) return;
  auto shown = std::make_shared<config::Settings>(*fresh.in_force);
  for (config::Setting& row : *shown) {
    const bool kept = std::ranges::any_of(keys, [&](const std::string& key) {
      return row.key == key || row.key.starts_with(key + '.');
    });
    const auto before = std::ranges::find(*running.in_force, row.key, &config::Setting::key);
    if (kept && before != running.in_force->end()) row = *before;
  }
  fresh.in_force = std::move(shown);
}

}  // namespace

namespace {

// There is no way to them before a new start.
bool drop_agents(config::Config& config) {
  std::vector<fetch::AccessPoint>& points = config.fetch.access_points;
  const std::size_t before = points.size();
  for (std::size_t i = before; i-- > 0;) {
    if (points[i].agent.empty()) continue;
    points.erase(points.begin() + static_cast<std::ptrdiff_t>(i));
    config.placement.capacities.erase(config.placement.capacities.begin() +
                                      static_cast<std::ptrdiff_t>(i));
  }
  return points.size() != before;
}

}  // namespace

std::vector<std::string> keep_fixed(config::Config& fresh, const config::Config& running) {
  std::vector<std::string> differ;
  const auto keep = [&](const char* key, auto& value, const auto& old) {
    if (value == old) return;
    differ.emplace_back(key);
    value = old;
  };
  keep("database", fresh.database, running.database);
  keep("learner.policy", fresh.learner.policy, running.learner.policy);
  keep("learner.objective", fresh.learner.objective, running.learner.objective);
  keep("learner.seed", fresh.learner.seed, running.learner.seed);
  fresh.schedule.seed = running.schedule.seed;
  keep("network.allow", fresh.fetch.allow, running.fetch.allow);
  keep("network.allow_ports", fresh.fetch.allow_ports, running.fetch.allow_ports);
  keep("network.ca_file", fresh.fetch.ca_file, running.fetch.ca_file);
  keep("network.proxy", fresh.fetch.proxy, running.fetch.proxy);
  keep("network.proxy_auth_file", fresh.fetch.proxy_login, running.fetch.proxy_login);
  keep("render", fresh.render, running.render);
  keep("storage.content", fresh.storage.content, running.storage.content);
  keep("fetch.threads", fresh.fetch_threads, running.fetch_threads);
  keep("brains", fresh.brain, running.brain);
  keep("web", fresh.web, running.web);
  keep("nats", fresh.nats, running.nats);
  if (running.nats.servers.empty() && drop_agents(fresh)) differ.emplace_back("access_points");
  show_kept(differ, fresh, running);
  return differ;
}

}  // namespace pollux::engine

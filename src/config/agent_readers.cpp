#include "config/agent_readers.hpp"

#include "config/keys.hpp"
#include "config/request_headers.hpp"
#include "pollux/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <spdlog/fmt/fmt.h>

namespace pollux::config {
namespace {

constexpr std::size_t longest_agent_name = 40;
constexpr std::size_t most_servers = 16;
constexpr std::uint64_t most_slots = 4096;
// Of an agent's file; everything else is its brain's to say.
constexpr std::string_view sections_of_agent[] = {"agent",  "nats",  "network",
                                                  "render", "hosts", "log"};

// In the order of ContentWay.
constexpr std::string_view content_ways[] = {"auto", "at_once", "hash_first", "always"};

// It stands in subjects, where a dot separates.
Status read_name(LoadContext& r, const Key& key, const Node& value, std::string& out) {
  if (Status status = read_line(r, key, value, out); !status) return status;
  const bool good =
      !out.empty() && out.size() <= longest_agent_name && std::ranges::all_of(out, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_';
      });
  if (good) return success();
  return r.error(value, fmt::format("{}: '{}' does not do; write 1 to {} letters, digits, '-' or "
                                    "'_'",
                                    name_of(key), printable(out, 60), longest_agent_name));
}

}  // namespace

Status read_nats_servers(LoadContext& r, const Key& key, const Node& value) {
  if (value.kind() != Kind::list)
    return r.error(value, fmt::format("'{}' is {}; write a list, for example "
                                      "[\"tls://nats-1.example:4222\"]",
                                      name_of(key), kind_name(value.kind())));
  for (const Node entry : value) {
    std::string server;
    if (!r.note(read_line(r, key, entry, server))) continue;
    const bool known = server.starts_with("tls://") || server.starts_with("nats://");
    if (!known || server.find('@') != std::string::npos) {
      r.note(r.error(entry, fmt::format("{}: '{}' is no server; write tls://HOST:PORT (or nats://, "
                                        "which is not encrypted), and a login in nats.auth_file",
                                        name_of(key), printable_url(server))));
      continue;
    }
    if (r.config.nats.servers.size() == most_servers)
      return r.error(entry, fmt::format("more than {} servers; drop some", most_servers));
    r.config.nats.servers.push_back(std::move(server));
  }
  return success();
}

Status read_nats_ca_file(LoadContext& r, const Key& key, const Node& value) {
  return read_path(r, key, value, r.config.nats.ca_file);
}
Status read_nats_certificate_file(LoadContext& r, const Key& key, const Node& value) {
  return read_path(r, key, value, r.config.nats.certificate_file);
}
Status read_nats_key_file(LoadContext& r, const Key& key, const Node& value) {
  return read_path(r, key, value, r.config.nats.key_file);
}
Status read_nats_auth_file(LoadContext& r, const Key& key, const Node& value) {
  std::string login;
  if (Status status = read_login_file(r, key, value, login); !status) return status;
  const std::size_t colon = login.find(':');
  r.config.nats.user = login.substr(0, colon);
  r.config.nats.password = login.substr(colon + 1);
  return success();
}

Status read_nats_content(LoadContext& r, const Key& key, const Node& value) {
  std::string way;
  if (Status status = read_choice(r, key, value, way, content_ways); !status) return status;
  const auto at = std::ranges::find(content_ways, way) - std::begin(content_ways);
  r.config.content_way = static_cast<ContentWay>(at);
  return success();
}

Status read_access_point_agent(LoadContext& r, const Key& key, const Node& value) {
  return read_name(r, key, value, r.access_point->agent);
}

Status read_agent_name(LoadContext& r, const Key& key, const Node& value) {
  return read_name(r, key, value, r.config.agent.name);
}
Status read_agent_slots(LoadContext& r, const Key& key, const Node& value) {
  std::uint64_t slots = 0;
  Status status = read_whole(r, key, value, slots, 1, most_slots);
  if (status) r.config.agent.slots = static_cast<std::uint32_t>(slots);
  return status;
}
Status read_agent_secrets(LoadContext& r, const Key& key, const Node& value) {
  return read_truth(r, key, value, r.config.agent.secrets);
}

Status read_brains_name(LoadContext& r, const Key& key, const Node& value) {
  return read_name(r, key, value, r.config.brain);
}

void check_agents(LoadContext& r, const Node& root) {
  const bool is_agent = r.options.purpose == Purpose::agent;
  const bool has_agents = std::ranges::any_of(
      r.config.fetch.access_points, [](const auto& point) { return !point.agent.empty(); });
  const auto wrong = [&](const Node& where, std::string_view message) {
    r.problems.add(r.error(where, message), Problems::Order::last);
  };
  if (is_agent && r.config.agent.name.empty())
    wrong(root, "the agent has no name; write 'agent: { name: fra-1 }'");
  if (!is_agent && !r.config.agent.name.empty())
    wrong(root, "this is the configuration of an agent; start it with pollux agent --config FILE");
  if ((is_agent || has_agents) && r.config.nats.servers.empty())
    wrong(root, is_agent
                    ? "the agent has no way to its brain; write 'nats: { servers: [\"tls://…\"] }'"
                    : "there are agents and no way to them; write 'nats: { servers: "
                      "[\"tls://…\"] }'");
  if (!r.config.brain.empty() && r.config.nats.servers.empty())
    wrong(root, "brains share their budget over NATS; write 'nats: { servers: [\"tls://…\"] }'");
  if (!r.config.brain.empty() && std::isinf(r.config.schedule.budget))
    wrong(root, "an unlimited budget cannot be shared; write a number, or leave 'brains' out");
  if (r.config.nats.certificate_file.empty() != r.config.nats.key_file.empty())
    wrong(root, "nats: of certificate_file and key_file only one is given; write both or none");
  const bool clear = std::ranges::any_of(
      r.config.nats.servers, [](const auto& server) { return server.starts_with("nats://"); });
  if (r.config.agent.secrets && clear)
    wrong(root, "agent.secrets: secrets travel over tls:// only; change nats.servers");
  if (is_agent && r.config.render.chromium && !r.config.fetch.proxy.empty())
    wrong(root,
          "render: a rendered page would pass by the proxy of network.proxy; drop the one or the "
          "other");
  if (!is_agent || root.kind() != Kind::mapping) return;
  for (auto at = root.begin(); at != root.end(); ++at) {
    const Node word = *at;
    ++at;
    if (std::ranges::find(sections_of_agent, word.text()) == std::end(sections_of_agent))
      wrong(word, fmt::format("'{}' means nothing to an agent; it is its brain's to say",
                              printable(word.text(), 60)));
  }
}

}  // namespace pollux::config

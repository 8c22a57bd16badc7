#include "cli/configuration.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/fetch/address_gate.hpp"
#include "pollux/learn/policy.hpp"

#include <cstdio>
#include <map>
#include <string_view>

#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

constexpr std::size_t hosts_named = 3;

// What network.allow would have to say for this host:port.
std::string allowance(std::string_view host) {
  host = host.substr(0, host.rfind(':'));
  if (host == "localhost" || host.ends_with(".localhost")) return "\"127.0.0.0/8\", \"::1\"";
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return fmt::format("\"{}\"", printable(host));
}

}  // namespace

RefusedPages refused_pages(const config::Config& config) {
  RefusedPages refused;
  const Result<fetch::AddressGate> gate = fetch::AddressGate::create(config.fetch.allow);
  if (!gate) return refused;
  std::map<std::string_view, bool> judged;
  for (const config::Page& page : config.pages) {
    const auto [host, fresh] = judged.try_emplace(page.host, true);
    if (fresh) {
      host->second = gate->permits_origin("http://" + page.host);
      if (!host->second && refused.hosts.size() < hosts_named) {
        refused.hosts.push_back(page.host);
      } else if (!host->second) {
        ++refused.other_hosts;
      }
    }
    if (!host->second) ++refused.pages;
  }
  return refused;
}

Result<config::Loaded> load_configuration(const std::string& file, std::vector<std::string>* errors,
                                          const std::string& also) {
  Result<config::Loaded> loaded =
      config::load(file, {.policies = learn::policies(), .errors = errors, .also = also});
  if (!loaded) return loaded;
  const RefusedPages refused = refused_pages(loaded->config);
  if (refused.pages == 0) return loaded;
  std::string allow;
  for (const std::string& host : refused.hosts) {
    allow += (allow.empty() ? "" : ", ") + allowance(host);
  }
  loaded->warnings.push_back({fmt::format(
      "{}: {} of {} will not be polled: private, loopback and link-local addresses are refused "
      "unless they are allowed (the first is {}); write network: {{ allow: [{}] }}{}",
      printable(loaded->config.file), refused.pages,
      count_of(std::ssize(loaded->config.pages), "page"), printable(refused.hosts.front()), allow,
      refused.other_hosts == 0
          ? ""
          : ", and with " + count_of(static_cast<std::int64_t>(refused.other_hosts), "other host") +
                " likewise, or with the network they are in")});
  return loaded;
}

int report_configuration(const std::string& command, const Error& error,
                         const std::vector<std::string>& errors) {
  for (const std::string& line : errors) {
    std::fprintf(stderr, "%s: %s\n", command.c_str(), line.c_str());
  }
  if (errors.empty()) std::fprintf(stderr, "%s: %s\n", command.c_str(), error.message.c_str());
  return static_cast<int>(error.exit_code);
}

}  // namespace pollux::cli

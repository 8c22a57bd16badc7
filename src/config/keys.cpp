#include "config/keys.hpp"

#include "config/access_points.hpp"
#include "config/agent_readers.hpp"
#include "config/content_readers.hpp"
#include "config/notify_rules.hpp"
#include "config/option_readers.hpp"
#include "config/render_readers.hpp"
#include "config/request_headers.hpp"
#include "config/section_readers.hpp"
#include "config/value_readers.hpp"
#include "config/web_readers.hpp"
#include "pollux/base/text.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

#include <spdlog/fmt/fmt.h>

namespace pollux::config {
namespace {

using namespace std::chrono_literals;

constexpr Duration century = std::chrono::hours(24) * 36525;
constexpr std::string_view levels[] = {"trace", "debug", "info", "warn", "error", "off"};
constexpr std::string_view formats[] = {"text", "json"};
constexpr std::string_view costs[] = {"none", "time"};

Status policy(LoadContext& r, const Key& key, const Node& value) {
  if (r.options.policies.empty()) return read_line(r, key, value, r.config.learner.policy);
  std::vector<std::string_view> usable;
  for (const learn::PolicyInfo& info : r.options.policies) {
    if (!info.oracle) {
      usable.push_back(info.name);
    } else if (value.kind() == Kind::scalar && value.text() == info.name) {
      return r.error(value, fmt::format("{}: '{}' must be told the true rates of change, so it "
                                        "works in the lab only; write {}",
                                        name_of(key), info.name, "htraa"));
    }
  }
  return read_choice(r, key, value, r.config.learner.policy, usable);
}
Status objective(LoadContext& r, const Key& key, const Node& value) {
  std::string word;
  if (Status status = read_choice(r, key, value, word, learn::objective_names); !status)
    return status;
  const auto position = std::ranges::find(learn::objective_names, word) - learn::objective_names;
  const auto objective = static_cast<learn::Objective>(position);
  r.config.learner.objective = objective;
  if (objective == learn::Objective::changes || r.config.learner.policy == "htraa")
    return success();
  return r.error(value, fmt::format("{}: '{}' has an objective of its own; leave this key out, or "
                                    "write policy: htraa",
                                    name_of(key), r.config.learner.policy));
}
Status cost_by(LoadContext& r, const Key& key, const Node& value) {
  std::string word;
  Status status = read_choice(r, key, value, word, costs);
  r.config.learner.cost.by_time = word == "time";
  return status;
}
Status bias_removal(LoadContext& r, const Key& key, const Node& value) {
  return read_number(r, key, value, r.config.learner.cost.bias_removal, 0, 1);
}
Status explore(LoadContext& r, const Key& key, const Node& value) {
  return read_number(r, key, value, r.config.schedule.explore, 0, 0.5);
}
Status follow(LoadContext& r, const Key& key, const Node& value) {
  return read_number(r, key, value, r.config.schedule.follow, 0, 1);
}
Status seed(LoadContext& r, const Key& key, const Node& value) {
  Status status = read_whole(r, key, value, r.config.learner.seed, 0,
                             std::numeric_limits<std::uint64_t>::max());
  r.config.schedule.seed = r.config.learner.seed;
  return status;
}

// "auto" is 0.
Status auto_or_number(LoadContext& r, const Key& key, const Node& value, std::size_t& out,
                      std::uint64_t most) {
  std::uint64_t number = 0;
  if (value.kind() != Kind::scalar || value.text() != "auto") {
    if (Status status = read_whole(r, key, value, number, 1, most); !status)
      return Error{status.error().message + ", nor auto", status.error().exit_code};
  }
  out = number;
  return success();
}
Status concurrency(LoadContext& r, const Key& key, const Node& value) {
  return auto_or_number(r, key, value, r.config.concurrency, 4096);
}
Status fetch_threads(LoadContext& r, const Key& key, const Node& value) {
  return auto_or_number(r, key, value, r.config.fetch_threads, 16);
}

Status fetch_queue(LoadContext& r, const Key& key, const Node& value) {
  std::uint64_t pages = 0;
  Status status = read_whole(r, key, value, pages, 2, 1024);
  if (status) r.config.fetch_queue = pages;
  return status;
}
Status starvation_weight(LoadContext& r, const Key& key, const Node& value) {
  return read_number(r, key, value, r.config.starvation_weight, 0.01, 100);
}

Status budget(LoadContext& r, const Key& key, const Node& value) {
  return read_rate(r, key, value, r.config.schedule.budget);
}
Status database(LoadContext& r, const Key& key, const Node& value) {
  return read_path(r, key, value, r.config.database);
}
Status contact(LoadContext& r, const Key& key, const Node& value) {
  Status status = read_line(r, key, value, r.config.contact);
  if (status && r.config.contact.find_first_of("()\\") != std::string::npos) {
    return r.error(value,
                   "contact: parentheses and backslashes cannot stand in a User-Agent; "
                   "write a URL or a mail address");
  }
  return status;
}
Status allow(LoadContext& r, const Key& key, const Node& value) {
  return read_networks(r, key, value, r.config.fetch.allow);
}
Status allow_ports(LoadContext& r, const Key& key, const Node& value) {
  return read_ports(r, key, value, r.config.fetch.allow_ports);
}
Status backup_every(LoadContext& r, const Key& key, const Node& value) {
  return read_duration(r, key, value, r.config.storage.backup.every, 0s, century);
}
Status backup_keep(LoadContext& r, const Key& key, const Node& value) {
  std::uint64_t number = 0;
  Status status = read_whole(r, key, value, number, 1, 1000);
  if (status) r.config.storage.backup.keep = static_cast<int>(number);
  return status;
}
Status backup_directory(LoadContext& r, const Key& key, const Node& value) {
  return read_path(r, key, value, r.config.storage.backup.directory);
}
Status keep_changes(LoadContext& r, const Key& key, const Node& value) {
  return read_duration(r, key, value, r.config.storage.keep.changes, 1h, century);
}
Status keep_minutes(LoadContext& r, const Key& key, const Node& value) {
  return read_duration(r, key, value, r.config.storage.keep.minutes, 1h, century);
}
Status keep_notifications(LoadContext& r, const Key& key, const Node& value) {
  return read_duration(r, key, value, r.config.storage.keep.notifications, 1h, century);
}
Status content_keep(LoadContext& r, const Key& key, const Node& value) {
  return read_duration(r, key, value, r.config.storage.content.keep, 1h, century);
}
Status content_per_page(LoadContext& r, const Key& key, const Node& value) {
  std::uint64_t number = 0;
  Status status = read_whole(r, key, value, number, 0, 1'000'000);
  if (status) r.config.storage.content.per_page = static_cast<int>(number);
  return status;
}
Status content_max_size(LoadContext& r, const Key& key, const Node& value) {
  std::uint64_t bytes = 0;
  Status status = read_bytes(r, key, value, bytes, 64u << 10, 1ull << 50);
  if (status) r.config.storage.content.max_size = static_cast<std::int64_t>(bytes);
  return status;
}
Status ca_file(LoadContext& r, const Key& key, const Node& value) {
  return read_path(r, key, value, r.config.fetch.ca_file);
}
Status proxy(LoadContext& r, const Key& key, const Node& value) {
  return read_proxy(r, key, value, r.config.fetch.proxy);
}
Status allow_downgrade(LoadContext& r, const Key& key, const Node& value) {
  return read_truth(r, key, value, r.config.allow_downgrade);
}
Status max_removed(LoadContext& r, const Key& key, const Node& value) {
  return read_part(r, key, value, r.config.reload_max_removed);
}
Status control_socket(LoadContext& r, const Key& key, const Node& value) {
  if (value.kind() == Kind::scalar && value.text() == no_control_socket) {
    r.config.control_socket = no_control_socket;
    return success();
  }
  return read_path(r, key, value, r.config.control_socket);
}
Status log_level(LoadContext& r, const Key& key, const Node& value) {
  return read_choice(r, key, value, r.config.log.level, levels);
}
Status log_format(LoadContext& r, const Key& key, const Node& value) {
  return read_choice(r, key, value, r.config.log.format, formats);
}

constexpr Key table[] = {
    {"budget", "rate", "",
     "requests per second over all pages: 20, 0.5, 300/min, 5000/h, 100/d, or unlimited", &budget},
    {"database", "path", "pollux.db",
     "the SQLite file that holds everything; relative to this file's folder", &database},
    {"contact", "text", "",
     "a URL or mail address where a server's owner can reach you; added to every user_agent",
     &contact},
    {"storage", "section", "", "how the database is kept", &read_section},
    {"storage.keep_changes", "duration", "365d",
     "changes older than this are deleted, and removed pages that have none left", &keep_changes},
    {"storage.keep_minutes", "duration", "30d",
     "how long the use of the budget is kept, minute by minute", &keep_minutes},
    {"storage.keep_notifications", "duration", "30d",
     "what was told is deleted after this; what could not be told goes with the changes",
     &keep_notifications},
    {"storage.backup_every", "duration", "1d",
     "how often a copy of the database is made; 0s for never", &backup_every},
    {"storage.backup_keep", "whole number", "3", "how many copies are kept", &backup_keep},
    {"storage.backup_directory", "path", "",
     "the folder the copies are put into; without it, beside the database", &backup_directory},
    {"storage.content", "section", "", "how versions of the pages' content are kept",
     &read_section},
    {"storage.content.keep", "duration", "30d", "versions older than this are deleted",
     &content_keep},
    {"storage.content.per_page", "whole number", "50",
     "versions kept of one page; 0: none are kept of any", &content_per_page},
    {"storage.content.max_size", "size", "1GiB",
     "of the file that holds them; beyond it the oldest go first, a page's newest at last",
     &content_max_size},
    {"reload", "section", "", "how a changed file is brought into force", &read_section},
    {"reload.max_removed", "part", "50%",
     "a reload that would remove a larger part of a list of 20 or more pages is refused",
     &max_removed},
    {"control", "section", "", "how the daemon is steered while it runs", &read_section},
    {"control.socket", "path", "",
     "where `pollux add` and the like reach it; none: nowhere; without it <database>-socket, or "
     "control.socket in the service's runtime directory",
     &control_socket},
    {"web", "section", "", "the page, the API and the metrics over HTTP; absent: there are none",
     &read_web},
    {"web.listen", "address and port", "127.0.0.1:8600",
     "any but a loopback address needs a password, and TLS or behind_proxy; port 0: a free one",
     &read_web_listen},
    {"web.password_file", "path", "", "a file with the password; absent: none is asked for",
     &read_web_password},
    {"web.base_path", "path", "/", "what every address begins with, as /pollux/",
     &read_web_base_path},
    {"web.tls", "section", "", "speak https", &read_section},
    {"web.tls.certificate", "path", "", "a PEM file with the certificate and those that vouch",
     &read_web_certificate},
    {"web.tls.key", "path", "", "a PEM file with its private key", &read_web_key},
    {"web.metrics", "true or false", "true", "whether /metrics is served, for Prometheus",
     &read_web_metrics},
    {"web.behind_proxy", "true or false", "false",
     "a proxy speaks TLS for us and says in X-Forwarded-For who asks", &read_web_behind_proxy},
    {"web.connections", "whole number", "256", "held at a time; more are closed at once",
     &read_web_connections},
    {"web.tokens", "list of tokens", "[]", "let programs in: Authorization: Bearer …",
     &read_web_tokens},
    {"web.tokens[].name", "text", "", "of the token, for people", &read_web_token_name},
    {"web.tokens[].file", "path", "", "a file with the token", &read_web_token_file},
    {"web.tokens[].scope", "word", "", "read (if absent), or steer: it may change something, too",
     &read_web_token_scope},
    {"web.hosts", "list of names", "[]",
     "names by which the server may be asked, besides addresses", &read_web_hosts},
    {"log", "section", "", "what is written to standard error", &read_section},
    {"log.level", "word", "info", "trace, debug, info, warn, error or off", &log_level},
    {"log.format", "word", "text", "text, or json: one object per line", &log_format},
    {"network", "section", "", "what the daemon may connect to", &read_section},
    {"network.allow", "list of networks", "[]",
     "private, loopback and link-local addresses are refused unless a CIDR here allows them",
     &allow},
    {"network.allow_downgrade", "true or false", "false",
     "follow redirects from https to http, which anybody in between can read and change",
     &allow_downgrade},
    {"network.allow_ports", "list of ports", "[]",
     "ports of other services (22, 25 and the like, as browsers have it) are refused unless listed",
     &allow_ports},
    {"network.ca_file", "path", "",
     "the certificates of the authorities that vouch for https servers; the system's if absent",
     &ca_file},
    {"network.proxy", "URL", "",
     "fetch through this proxy: http://, https:// or socks5h:// with host and port", &proxy},
    {"network.proxy_auth_file", "path", "", "a file with user:password for the proxy",
     &read_proxy_auth_file},
    {"nats", "section", "", "the NATS servers through which a brain and its agents speak",
     &read_section},
    {"nats.servers", "list of servers", "[]", "tls://HOST:PORT each; any of them will do",
     &read_nats_servers},
    {"nats.ca_file", "path", "",
     "certificates (PEM) of who vouches for them; the system's if absent", &read_nats_ca_file},
    {"nats.certificate_file", "path", "", "our certificate (PEM), by which the servers know us",
     &read_nats_certificate_file},
    {"nats.key_file", "path", "", "its key (PEM)", &read_nats_key_file},
    {"nats.auth_file", "path", "", "or: a file with user:password", &read_nats_auth_file},
    {"nats.content", "word", "auto",
     "how agents send content that is news: at_once, hash_first (when it is asked for), auto "
     "(whichever costs less), or always, news or not; for comparison",
     &read_nats_content},
    {"brains", "section", "", "several daemons that share one budget, each with its own hosts",
     &read_section},
    {"brains.name", "word", "",
     "of this daemon among them; the budget is then that of all of them together",
     &read_brains_name},
    {"agent", "section", "", "what an agent is; in its own file, see config/agent.yaml",
     &read_section},
    {"agent.name", "word", "", "by which its brain knows it: letters, digits, '-' and '_'",
     &read_agent_name},
    {"agent.slots", "whole number", "256", "polls that may be there at a time, 1 to 4096",
     &read_agent_slots},
    {"agent.secrets", "true or false", "false",
     "takes polls with headers, cookies or logins, over TLS only", &read_agent_secrets},
    {"access_points", "list of access points", "[]",
     "interfaces, local addresses or proxies; each host is polled through the fastest for it",
     &read_access_points},
    {"access_points[].name", "word", "", "for people: letters, digits, '-', '_' and '.'",
     &read_access_point_name},
    {"access_points[].interface", "word", "", "a network interface, as eth1",
     &read_access_point_interface},
    {"access_points[].address", "address", "", "a local address to send from",
     &read_access_point_address},
    {"access_points[].proxy", "URL", "", "as network.proxy, for this access point",
     &read_access_point_proxy},
    {"access_points[].proxy_auth_file", "path", "", "a file with user:password for this proxy",
     &read_access_point_login},
    {"access_points[].agent", "word", "", "the agent.name of a pollux agent on another machine",
     &read_access_point_agent},
    {"access_points[].capacity", "whole number", "",
     "hosts that it may serve; as many as there are if absent", &read_access_point_capacity},
    {"notify", "list of rules", "[]",
     "who is told what, when and how; `pollux notify --test` tries", &read_notify},
    {"notify[].name", "word", "", "of the rule: letters, digits, '-', '_' and '.'",
     &read_notify_name},
    {"notify[].when", "section", "", "conditions that must all hold", &read_section},
    {"notify[].when.tags", "list of words", "", "the page has one of these tags",
     &read_notify_tags},
    {"notify[].when.match", "pattern of URLs", "", "the page's whole URL, as in rules",
     &read_notify_match},
    {"notify[].when.events", "list of words", "",
     "change, failing, recovered, suspect, selector, moved, noisy, system; all of them if absent",
     &read_notify_events},
    {"notify[].when.min_importance", "number", "", "of the page; 0 if absent",
     &read_notify_importance},
    {"notify[].to", "section", "", "one target: webhook, mail, program, file or atom",
     &read_section},
    {"notify[].to.webhook", "URL", "", "or { file: PATH } of a file that holds it",
     &read_notify_webhook},
    {"notify[].to.headers", "mapping of headers", "",
     "sent along to the webhook; a value may be { file: PATH }", &read_notify_headers},
    {"notify[].to.body", "word or template", "",
     "json (if absent), slack, discord, matrix, ntfy, gotify, telegram, teams, or a template with "
     "${title} …",
     &read_notify_body},
    {"notify[].to.allow", "list of networks", "",
     "private addresses that this webhook or mail server may have", &read_notify_allow},
    {"notify[].to.mail", "section", "", "or: by mail", &read_notify_mail},
    {"notify[].to.mail.to", "list of addresses", "", "whom", &read_notify_mail_to},
    {"notify[].to.mail.from", "address", "", "from whom", &read_notify_mail_from},
    {"notify[].to.mail.server", "URL", "", "smtps://host:465, or smtp://host:587 with STARTTLS",
     &read_notify_mail_server},
    {"notify[].to.mail.login_file", "path", "", "a file with user:password",
     &read_notify_mail_login},
    {"notify[].to.program", "list of words", "",
     "or: a program and its arguments, without a shell; the message is its input",
     &read_notify_program},
    {"notify[].to.file", "path", "", "or: a line of JSON is added to this file", &read_notify_file},
    {"notify[].to.atom", "path", "", "or: this file is an Atom feed of the newest events",
     &read_notify_atom},
    {"notify[].digest", "duration", "",
     "what comes within this time goes together, newest first; absent: at once",
     &read_notify_digest},
    {"notify[].quiet", "section", "", "hours in which nothing is sent; it follows later, together",
     &read_notify_quiet},
    {"notify[].quiet.from", "time of day", "", "as \"22:00\"", &read_notify_quiet_from},
    {"notify[].quiet.to", "time of day", "", "as \"07:00\"", &read_notify_quiet_to},
    {"notify[].quiet.zone", "time zone", "", "as Europe/Berlin; UTC if absent",
     &read_notify_quiet_zone},
    {"notify[].limit", "messages per time", "",
     "as 20/h; the rest goes together. 60/h for what people read, else none", &read_notify_limit},
    {"notify[].failing_after", "duration", "",
     "an error is told once it has lasted so long (10m if absent), and then its end",
     &read_notify_failing_after},
    {"fetch", "section", "", "how pages are fetched", &read_section},
    {"fetch.concurrency", "auto or whole number", "auto",
     "fetches at a time; auto: as many as keep change detection neither idle nor behind",
     &concurrency},
    {"fetch.threads", "auto or whole number", "auto",
     "threads that fetch; auto: one on up to three cores, else two less than there are, at most "
     "four",
     &fetch_threads},
    {"fetch.queue", "whole number", "256",
     "fetched pages that may wait for change detection, 2 to 1024; concurrency auto only",
     &fetch_queue},
    {"fetch.starvation_weight", "number", "2.4",
     "what idle change detection costs against a page that finds no room; concurrency auto only",
     &starvation_weight},
    {"render", "section", "",
     "the browser for pages with content: { render: true }; likewise in an agent's file",
     &read_section},
    {"render.chromium", "true or false", "false",
     "there is one: chromium-headless-shell, in a network of its own behind our address gate",
     &read_render_chromium},
    {"render.program", "name or path", "chromium-headless-shell", "another one",
     &read_render_program},
    {"render.pages", "whole number", "2", "rendered at a time, 1 to 16", &read_render_pages},
    {"render.price", "whole number", "5",
     "what a rendered request costs in the budget and in its page's share, in ordinary ones",
     &read_render_price},
    {"render.wait", "duration", "10s",
     "a page that is not quiet after this (no request for 500 ms) is taken as it is",
     &read_render_wait},
    {"render.memory", "size", "1GiB", "of each of the browser's processes, at least 256MiB",
     &read_render_memory},
    {"render.max_traffic", "size", "64MiB", "of one page with all it asks for; more is an error",
     &read_render_max_traffic},
    {"render.max_requests", "whole number", "1000", "of one page; more is an error",
     &read_render_max_requests},
    {"render.refused_addresses", "word", "error",
     "what a page is whose scripts ask for an address that network.allow does not permit: error, "
     "or skip: only the request fails",
     &read_render_refused},
    {"learner", "section", "", "how the budget is divided", &read_section},
    {"learner.policy", "word", "htraa", "the policy; `pollux lab` knows and compares them",
     &policy},
    {"learner.objective", "word", "changes",
     "changes: find most of them; freshness: fewest copies out of date; age: least time out of "
     "date",
     &objective},
    {"learner.cost", "section", "", "what a poll costs", &read_section},
    {"learner.cost.by", "word", "none", "none, or time: benefit counts per second of download",
     &cost_by},
    {"learner.cost.bias_removal", "number", "0",
     "0: large and distant pages lose by their download times; 1: they lose nothing",
     &bias_removal},
    {"learner.explore", "number", "0.03",
     "part of the polls that goes to the page polled longest ago, 0 to 0.5", &explore},
    {"learner.follow", "number", "0.5",
     "part of the polls that may look at siblings of a page that changed unforeseen; 0: none",
     &follow},
    {"learner.seed", "whole number", "0", "of the random numbers; 0: from the system", &seed},
    {"hosts", "section", "", "politeness towards each host:port", &read_hosts},
    {"hosts.delay", "duration", "1s", "pause between the end of a request and the next start",
     &read_delay},
    {"hosts.connections", "whole number", "1", "requests in flight at a time", &read_connections},
    {"hosts.robots", "word", "obey",
     "obey or ignore robots.txt (RFC 9309), its Crawl-delay included", &read_robots},
    {"hosts.max_crawl_delay", "duration", "60s", "a longer Crawl-delay counts as this one",
     &read_max_crawl_delay},
    {"hosts.adaptive_delay", "number", "2",
     "the pause is at least this many times the server's response time, 0 to 100; not where delay "
     "is 0s",
     &read_adaptive_delay},
    {"hosts.max_adaptive_delay", "duration", "30s",
     "adaptive_delay makes no pause longer than this", &read_max_adaptive_delay},
    {"hosts.probe", "true or false", "true",
     "may a path that cannot exist be asked for, once a day at most, to know missing pages",
     &read_probe},
    {"hosts.overrides", "mapping by host", "{}",
     "other values for single hosts, by \"example.org\" (any port) or \"example.org:8080\"",
     &read_overrides},
    {"hosts.overrides.*.delay", "duration", "", "as hosts.delay, for this host", &read_delay},
    {"hosts.overrides.*.connections", "whole number", "", "as hosts.connections, for this host",
     &read_connections},
    {"hosts.overrides.*.robots", "word", "", "as hosts.robots, for this host", &read_robots},
    {"hosts.overrides.*.max_crawl_delay", "duration", "", "as hosts.max_crawl_delay, for this host",
     &read_max_crawl_delay},
    {"hosts.overrides.*.adaptive_delay", "number", "", "as hosts.adaptive_delay, for this host",
     &read_adaptive_delay},
    {"hosts.overrides.*.max_adaptive_delay", "duration", "",
     "as hosts.max_adaptive_delay, for this host", &read_max_adaptive_delay},
    {"hosts.overrides.*.probe", "true or false", "", "as hosts.probe, for this host", &read_probe},
    {"hosts.overrides.*.headers", "mapping of headers", "",
     "sent with every request for a page on this host", &read_headers},
    {"hosts.overrides.*.auth", "section", "", "how we log in at this host", &read_auth},
    {"hosts.overrides.*.auth.basic_file", "path", "", "a file with user:password",
     &read_basic_file},
    {"hosts.overrides.*.auth.bearer_file", "path", "", "a file with a token", &read_bearer_file},
};

}  // namespace

std::span<const Key> keys() {
  static const std::vector<Key> all = [] {
    std::vector<Key> joined(std::begin(table), std::end(table));
    const std::span<const Key> of_pages = page_keys();
    joined.insert(joined.end(), of_pages.begin(), of_pages.end());
    return joined;
  }();
  return all;
}

std::string_view name_of(const Key& key) {
  std::string_view name = key.path;
  for (const std::string_view mark : {std::string_view("[]."), std::string_view("*.")}) {
    const std::size_t end = name.rfind(mark);
    if (end != std::string_view::npos) name.remove_prefix(end + mark.size());
  }
  return name;
}

}  // namespace pollux::config

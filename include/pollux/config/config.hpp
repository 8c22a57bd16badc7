// The configuration: YAML in, each module's Options out. Every key stands in one table
// (src/config/keys.cpp), from which unknown keys are refused and the documentation is checked.
#pragma once

#include "pollux/base/log.hpp"
#include "pollux/base/result.hpp"
#include "pollux/base/url.hpp"
#include "pollux/bus/bus.hpp"
#include "pollux/extract/extract.hpp"
#include "pollux/fetch/fetcher.hpp"
#include "pollux/learn/policy.hpp"
#include "pollux/notify/options.hpp"
#include "pollux/placement/placement.hpp"
#include "pollux/render/options.hpp"
#include "pollux/schedule/scheduler.hpp"
#include "pollux/store/options.hpp"
#include "pollux/web/options.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace pollux::config {

using fetch::HeaderLines;

// In the place of a path: there is no control socket.
inline constexpr char no_control_socket[] = "none";

// What becomes of the cookies that a page's answers set.
enum class Cookies : std::uint8_t {
  none,     // nothing is kept or sent back
  session,  // within one poll, from one redirect to the next
  keep      // from poll to poll and over restarts, each page for itself
};

// What a page may override; equal settings are stored once.
struct PageSettings {
  double importance = 1;
  schedule::Limits limits;
  Duration timeout = std::chrono::seconds(20);
  std::uint64_t max_body = 10ull << 20;
  std::string user_agent = default_user_agent();
  bool respect_cache = false;  // not polled again while the server calls its answer fresh
  Cookies cookies = Cookies::none;
  std::uint32_t headers = 0;  // index into Config::header_sets, what the host adds included
  std::uint32_t content = 0;  // index into Config::contents
  bool operator==(const PageSettings&) const = default;
  static std::string default_user_agent();  // "pollux/VERSION"
};

// Politeness towards one host:port, and what of the server's own wishes is obeyed.
struct HostSettings : schedule::Politeness {
  bool obey_robots = true;
  // May a path that cannot exist be asked for, to know what the host says of missing pages?
  bool probe = true;
  Duration max_crawl_delay = std::chrono::seconds(60);  // a longer Crawl-delay is taken for this
  // The pause is at least so many times the server's recent response time, unless delay is zero.
  double adaptive_delay = 2;
  Duration max_adaptive_delay = std::chrono::seconds(30);
};

struct Page {
  std::string url;             // normalised
  std::string host;            // host:port
  std::uint32_t settings = 0;  // index into Config::settings
  std::uint32_t label = 0;     // index into Config::labels; 0: none
};

// What a user calls a page, and the groups it is in. Most pages have neither.
struct Label {
  std::string name;
  std::vector<std::string> tags;
  bool operator==(const Label&) const = default;
};

// Of an agent; where there is no name it is a daemon's configuration.
struct AgentSettings {
  std::string name;
  std::uint32_t slots = 256;  // polls that may be here at a time
  bool secrets = false;       // takes polls with headers, cookies or logins
};

struct PageBook;

// A setting as it is in force, for people. What may carry a secret is only counted: "2 entries".
struct Setting {
  enum class From { file, fallback, live };
  std::string key, value;
  From from = From::fallback;
};
using Settings = std::vector<Setting>;

// How content that an agent has found comes; see agent::ContentMode.
enum class ContentWay : std::uint8_t { automatic, at_once, hash_first, always };

struct Config {
  std::string file;                    // where it came from, for messages
  std::string database = "pollux.db";  // relative paths: relative to the configuration file
  std::vector<PageSettings> settings;  // [0] = the defaults
  std::vector<Page> pages;             // no URL twice
  // Sent to the page's own scheme, host and port only. May hold secrets. Empty, or [0] = none.
  std::vector<std::shared_ptr<const HeaderLines>> header_sets;
  std::vector<extract::SharedRules> contents;  // what counts as a change; [0] = of `defaults`
  std::vector<Label> labels;                   // [0] = none
  bool allow_downgrade = false;                // redirects from https to http are followed
  HostSettings host_default;
  std::map<std::string, HostSettings> host_overrides;  // by "host:port" or "host" (any port)
  schedule::Options schedule;                          // budget, explore, seed
  learn::Options learner;
  fetch::Options fetch;
  render::Options render;
  placement::Options placement;  // capacities, one for each of fetch.access_points
  bus::Options nats;             // the way to agents, or of an agent; without servers: none
  ContentWay content_way = ContentWay::automatic;
  AgentSettings agent;
  std::string brain;  // this daemon among those that share the budget; empty: it has its own
  std::size_t concurrency = 0;  // fetches at a time; 0: as many as serves the detection of changes
  std::size_t fetch_threads = 0;   // 0: as many as suit this machine
  std::size_t fetch_queue = 256;   // pages that may wait for detection
  double starvation_weight = 2.4;  // what idle detection costs against a page that finds no room
  store::StorageOptions storage;
  // A reload that would drop a larger part of the list is refused: a file cut short looks like it.
  double reload_max_removed = 0.5;
  notify::Rules notify;  // who is told what; may hold secrets
  LogOptions log;
  std::string control_socket;       // empty: the usual place; or no_control_socket
  std::optional<web::Options> web;  // absent: there is no web server; may hold secrets
  // What is said of pages, for those that come while the daemon runs (live.hpp).
  std::shared_ptr<const PageBook> book;
  std::shared_ptr<const Settings> in_force;  // as the file says, in the order of the keys
  std::string contact;  // where a server's owner can reach us; stands in every user_agent

  const HostSettings& politeness(const std::string& host_port) const;
};

// Everything that is not an error but that the user should know: duplicates dropped, limits that
// the budget cannot pay for, a host whose delay allows fewer polls than its pages need, a secret
// that stands in the file.
struct Warning {
  std::string message;
};
// A rule of `content:` that holds for a page, "select: ['h2']", and where it is written:
// "defaults, pollux.yaml:9".
struct ContentSource {
  std::string rule, where;
};
struct Loaded {
  Config config;
  std::vector<Warning> warnings;
  std::vector<ContentSource> content_sources;  // of LoadOptions::told
  std::vector<Warning> notes;  // worth knowing, nothing to mend: a budget that cannot be used up
};

struct WrittenPage;

// Whose configuration a file should be.
enum class Purpose : std::uint8_t { daemon, agent };

struct LoadOptions {
  Purpose purpose = Purpose::daemon;
  // learner.policy must be one of these and no oracle. Empty: any name is taken.
  std::span<const learn::PolicyInfo> policies = {};
  // Gets all that is wrong, one line each; the error itself names the first and counts the rest.
  std::vector<std::string>* errors = nullptr;
  // A normalised URL that is a page, too, as if it stood at the end of the list; empty: none.
  std::string also = {};
  // The normalised URL of a page whose rules are to be told with where they are written.
  std::string told = {};
  // Normalised URLs as keys: each that a file lists gets "FILE:LINE", where it is written.
  std::unordered_map<std::string, std::string>* places = nullptr;
  // By normalised URL: how pages that say something of their own are written (export.hpp).
  std::unordered_map<std::string, WrittenPage>* written = nullptr;
};

// Reads the file and the pages_file it names. Errors name file and line and say what to write
// instead; exit codes: missing_input (66), configuration (78), bad_data (65, the pages file).
Result<Loaded> load(const std::string& file, const LoadOptions& options = {});
// The same from text, for tests, the fuzzer and the demo; `file` is used in messages and as base.
Result<Loaded> load_text(const std::string& text, const std::string& file,
                         const LoadOptions& options = {});

// The database that this file names, whatever else is wrong with it: a file that is being edited
// must not hide the daemon that runs. missing_input when there is no such file; configuration when
// its `database` is no path.
Result<std::string> database_of(const std::string& file);
// Likewise what it says of control.socket: a path, "none", or "" for nothing.
Result<std::string> control_socket_of(const std::string& file);

}  // namespace pollux::config

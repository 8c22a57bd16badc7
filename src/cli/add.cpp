#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/steering.hpp"
#include "pollux/base/text.hpp"
#include "pollux/cli/command_line.hpp"

#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

#include <boost/json/array.hpp>

namespace pollux::cli {
namespace {

namespace json = boost::json;

// In one request: a few megabytes of JSON at most, whatever the list is.
constexpr std::size_t added_at_a_time = 10'000;

struct AddOptions {
  SteeringOptions common;
  std::string file, name, min_interval, max_interval, as;
  std::vector<std::string> select, remove, ignore;
  double importance = 0;  // 0: not said
};

// What is said of every page that is added.
json::object settings_of(const AddOptions& options) {
  json::object settings, content;
  if (!options.name.empty()) settings["name"] = options.name;
  if (!options.common.tags.empty()) settings["tags"] = list_of(options.common.tags);
  if (options.importance > 0) settings["importance"] = options.importance;
  if (!options.min_interval.empty()) settings["min_interval"] = options.min_interval;
  if (!options.max_interval.empty()) settings["max_interval"] = options.max_interval;
  if (!options.as.empty()) content["as"] = options.as;
  if (!options.select.empty()) content["select"] = list_of(options.select);
  if (!options.remove.empty()) content["remove"] = list_of(options.remove);
  if (!options.ignore.empty()) content["ignore"] = list_of(options.ignore);
  if (!content.empty()) settings["content"] = std::move(content);
  return settings;
}

// One URL a line; what follows a "#" at the start of a line or behind a space is a comment.
void read_urls(std::istream& in, std::vector<std::string>& urls) {
  for (std::string line; std::getline(in, line);) {
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string::npos || line[start] == '#') continue;
    const std::size_t end = line.find_first_of(" \t\r", start);
    urls.push_back(line.substr(start, end == std::string::npos ? end : end - start));
  }
}

Result<std::vector<std::string>> urls_of(const AddOptions& options) {
  std::vector<std::string> urls = options.common.urls;
  if (options.file == "-") {
    read_urls(std::cin, urls);
  } else if (!options.file.empty()) {
    std::ifstream in(options.file);
    if (!in) {
      return Error{"cannot read " + printable(options.file) + "; name a file with a URL a line",
                   ExitCode::missing_input};
    }
    read_urls(in, urls);
    if (in.bad()) return Error{"cannot read " + printable(options.file), ExitCode::io};
  }
  if (urls.empty()) return Error{"which pages? name URLs, or --file FILE", ExitCode::usage};
  if (urls.size() > 1 && !options.name.empty())
    return Error{"--name is for one page; add the others by themselves", ExitCode::usage};
  return urls;
}

// The sum of what several requests brought.
void join(json::object& all, json::object part) {
  for (const char* count : {"done", "unchanged", "refused"})
    all[count] = count_in(all, count) + count_in(part, count);
  all["dry_run"] = part["dry_run"];
  if (!all.contains("pages")) all["pages"] = json::array();
  for (json::value& page : part["pages"].as_array())
    all["pages"].as_array().push_back(std::move(page));
}

int add_pages(const AddOptions& options) {
  const Result<std::vector<std::string>> urls = urls_of(options);
  if (!urls) return report(urls.error());
  Result<DaemonClient> daemon = DaemonClient::connect(options.common.database);
  if (!daemon) return report(daemon.error());
  const json::object settings = settings_of(options);
  json::object all;
  for (std::size_t from = 0; from < urls->size(); from += added_at_a_time) {
    json::array pages;
    const std::size_t to = std::min(urls->size(), from + added_at_a_time);
    for (std::size_t i = from; i < to; ++i) {
      json::object page = settings;
      page["url"] = (*urls)[i];
      pages.push_back(std::move(page));
    }
    Result<json::object> result =
        daemon->post("/pages", {{"pages", std::move(pages)}, {"dry_run", options.common.dry_run}});
    if (!result) return report(result.error());
    join(all, std::move(*result));
  }
  return tell_steered(all, options.common, "added");
}

}  // namespace

std::function<int()> setup_add(CommandLine& line) {
  auto options = std::make_shared<AddOptions>();
  line.option("URL", options->common.urls, "Pages to watch from now on");
  line.option("--file", options->file, "And those in this file, a URL a line; - for standard input")
      .called("FILE");
  line.option("--tag", options->common.tags, "A group they are in; more than once for several")
      .called("TAG");
  line.option("--name", options->name, "What people call the page");
  line.option("--importance", options->importance,
              "What finding a change is worth, compared with other pages, 0.001 to 1000")
      .range(0.001, 1000.0);
  line.option("--min-interval", options->min_interval, "Not polled sooner than this: 5m, 2h, 1d")
      .called("TIME");
  line.option("--max-interval", options->max_interval, "Polled at least this often").called("TIME");
  line.option("--select", options->select, "Only this part counts: CSS or XPath; see pollux try")
      .called("SELECTOR");
  line.option("--remove", options->remove, "All but this part counts").called("SELECTOR");
  line.option("--ignore", options->ignore, "What this pattern (RE2) matches is dropped")
      .called("PATTERN");
  line.option("--as", options->as, "How it is read: auto, raw, text, html, json or feed")
      .one_of({"auto", "raw", "text", "html", "json", "feed"}, "MODE");
  add_result_options(line, options->common);
  line.footer(
      "They belong to the database: they survive reloads and restarts, and go with\n"
      "`pollux remove`. Exit code 65: some were refused, and the output says why.");
  return [options] { return add_pages(*options); };
}

}  // namespace pollux::cli

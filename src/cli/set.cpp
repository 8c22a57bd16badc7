#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/steering.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/cli/command_line.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

namespace json = boost::json;

struct SetOptions {
  SteeringOptions common;  // its `urls` are URLs and wishes, as they come
  bool reset = false;
};

constexpr std::string_view of_content[] = {"as",         "select",       "remove",    "ignore",
                                           "keep_lines", "ignore_lines", "min_change"};
constexpr std::string_view known_keys =
    "name, tags, importance, min_interval, max_interval, as, select, remove, ignore, keep_lines, "
    "ignore_lines, min_change, content";

// "importance=2" and not "https://example.org/?a=2".
bool is_wish(const std::string& word) {
  const std::size_t end = word.find('=');
  return end != std::string::npos && end > 0 &&
         word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == end;
}

json::array words_of_list(std::string_view text) {
  json::array words;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (comma != 0) words.push_back(json::value(std::string(text.substr(0, comma))));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return words;
}

Status take_content(json::object& settings, std::string_view key, const std::string& value) {
  if (!settings.contains("content")) settings["content"] = json::object();
  json::object& content = settings["content"].as_object();
  if (key == "as" || key == "min_change") {
    content[key] = value;
    return success();
  }
  if (!content.contains(key)) content[key] = json::array();
  if (!value.empty()) content[key].as_array().push_back(json::value(value));
  return success();
}

Status take_wish(json::object& settings, const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
  if (std::ranges::find(of_content, key) != std::end(of_content))
    return take_content(settings, key, value);
  if (key == "name" || key == "min_interval" || key == "max_interval") {
    settings[key] = value;
  } else if (key == "tags") {
    settings[key] = words_of_list(value);
  } else if (key == "importance") {
    double number = 0;
    const auto [end, wrong] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (wrong != std::errc{} || end != value.data() + value.size())
      return Error{"importance=" + printable(value, 60) + ": write a number", ExitCode::usage};
    settings[key] = number;
  } else if (key == "content") {
    boost::system::error_code problem;
    json::value content = json::parse(value, problem);
    if (problem || !content.is_object())
      return Error{"content=: write JSON, as '{\"select\": [\"main\"]}'", ExitCode::usage};
    settings[key] = std::move(content);
  } else {
    return Error{fmt::format("'{}' cannot be set; known: {}, and budget without a page",
                             printable(key, 60), known_keys),
                 ExitCode::usage};
  }
  return success();
}

int set_budget(const SteeringOptions& options, const std::string& budget) {
  Result<DaemonClient> daemon = DaemonClient::connect(options.database);
  if (!daemon) return report(daemon.error());
  const Result<json::object> result =
      daemon->post("/budget", {{"budget", budget}, {"dry_run", options.dry_run}});
  if (!result) return report(result.error());
  if (options.json) return show_json(*result), 0;
  const json::value& before = result->at("before");
  std::printf("%sThe budget is %s; it was %s.\n", options.dry_run ? "Would be: " : "",
              format_rate(*parse_rate(budget)).c_str(),
              before.is_number() ? format_rate(before.to_number<double>()).c_str() : "unlimited");
  return 0;
}

int set_pages(const SetOptions& options) {
  SteeringOptions common = options.common;
  const auto first_wish =
      std::stable_partition(common.urls.begin(), common.urls.end(),
                            [](const std::string& word) { return !is_wish(word); });
  const std::vector<std::string> wishes(first_wish, common.urls.end());
  common.urls.erase(first_wish, common.urls.end());
  const bool no_page = common.urls.empty() && common.tags.empty() && common.globs.empty();
  if (options.reset) {
    if (!wishes.empty())
      return report({"--reset drops everything that was set; name pages alone", ExitCode::usage});
    return steer_pages(common, "/pages/reset", "as files and defaults say");
  }
  if (wishes.empty()) {
    return report(
        {fmt::format("set what? write key=value; known: {}", known_keys), ExitCode::usage});
  }
  constexpr std::string_view budget = "budget=";
  if (no_page && wishes.size() == 1 && wishes.front().starts_with(budget)) {
    const std::string value = wishes.front().substr(budget.size());
    if (const Result<double> rate = parse_rate(value); !rate)
      return report({"budget: " + rate.error().message, ExitCode::usage});
    return set_budget(common, value);
  }
  json::object settings;
  for (const std::string& wish : wishes) {
    if (const Status taken = take_wish(settings, wish); !taken) return report(taken.error());
  }
  return steer_pages(common, "/pages/set", "set", {{"set", std::move(settings)}});
}

}  // namespace

std::function<int()> setup_set(CommandLine& line) {
  auto options = std::make_shared<SetOptions>();
  line.option("WORD", options->common.urls,
              "Pages (URL, name or part of it), and what to set: key=value")
      .called("URL|KEY=VALUE");
  line.option("--tag", options->common.tags, "And all pages with this tag").called("TAG");
  line.option("--match", options->common.globs, "And all pages whose whole URL this covers")
      .called("GLOB");
  line.flag("--reset", options->reset, "Drop all that was set, by add, too");
  add_result_options(line, options->common);
  line.footer(
      "Keys: name, tags=a,b, importance, min_interval, max_interval; as, select, … of\n"
      "content (again for several). Holds until --reset. Without a page: `pollux set\n"
      "budget=20`, until the next start or until the file says another.");
  return [options] { return set_pages(*options); };
}

}  // namespace pollux::cli

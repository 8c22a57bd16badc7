#include "cli/steering.hpp"

#include "cli/output.hpp"
#include "cli/page_choice.hpp"
#include "cli/wrapped.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/store/reader.hpp"

#include <boost/json/array.hpp>

namespace pollux::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t refusals_shown = 10;

// Where a database can be read, people may write less than a URL.
Result<std::string> url_of(const std::string& text, const std::string& database) {
  if (text.find("://") != std::string::npos) return text;
  Result<std::unique_ptr<store::Reader>> reader = store::Reader::open(database);
  if (!reader) return reader.error();
  Result<store::PageRow> page = choose_page(**reader, text);
  if (!page) return page.error();
  return page->spec.url;
}

void print_refusals(const json::object& result) {
  const std::int64_t refused = count_in(result, "refused");
  const json::value* pages = result.if_contains("pages");
  if (refused == 0 || pages == nullptr || !pages->is_array()) return;
  std::size_t shown = 0;
  for (const json::value& page : pages->get_array()) {
    if (shown == refusals_shown || !page.is_object()) break;
    if (words_in(page.get_object(), "what") != "refused") continue;
    const std::string line = "  " + printable_url(words_in(page.get_object(), "url")) + ": " +
                             printable(words_in(page.get_object(), "why"), 1000);
    std::puts(word_wrapped(line, terminal_width(stdout), 4).c_str());
    ++shown;
  }
  if (static_cast<std::int64_t>(shown) < refused)
    std::printf("  and %lld more\n",
                static_cast<long long>(refused) - static_cast<long long>(shown));
}

}  // namespace

json::array list_of(const std::vector<std::string>& texts) {
  json::array list;
  for (const std::string& text : texts) list.push_back(json::value(text));
  return list;
}

std::int64_t count_in(const json::object& object, const char* name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

std::string words_in(const json::object& object, const char* name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

std::string outcome_in(const json::object& poll) {
  const std::int64_t status = count_in(poll, "status");
  std::string outcome = printable(words_in(poll, "outcome"), 300);
  if (status <= 0 || outcome == "HTTP " + std::to_string(status)) return outcome;
  return std::to_string(status) + ", " + outcome;
}

void add_result_options(CommandLine& line, SteeringOptions& options) {
  line.flag("--dry-run", options.dry_run, "Say what would happen, and do nothing");
  line.flag("--json", options.json, "Print JSON");
  add_database_options(line, options.database);
}

void add_steering_options(CommandLine& line, SteeringOptions& options) {
  line.option("URL", options.urls, std::string("Pages, each by ") + page_words);
  line.option("--tag", options.tags, "And all pages with this tag").called("TAG");
  line.option("--match", options.globs,
              "And all pages whose whole URL this covers; * stands for any characters")
      .called("GLOB");
  add_result_options(line, options);
}

Result<json::object> selection_of(const SteeringOptions& options, const std::string& database) {
  if (options.urls.empty() && options.tags.empty() && options.globs.empty())
    return Error{"which pages? name URLs, or use --tag or --match", ExitCode::usage};
  std::vector<std::string> urls;
  for (const std::string& text : options.urls) {
    Result<std::string> url = url_of(text, database);
    if (!url) return url.error();
    urls.push_back(std::move(*url));
  }
  return json::object{{"urls", list_of(urls)},
                      {"tags", list_of(options.tags)},
                      {"match", list_of(options.globs)},
                      {"dry_run", options.dry_run}};
}

int tell_steered(const json::object& result, const SteeringOptions& options,
                 const std::string& done) {
  const std::int64_t refused = count_in(result, "refused");
  const std::int64_t unchanged = count_in(result, "unchanged");
  const bool nothing = count_in(result, "done") + unchanged + refused == 0;
  const auto code = static_cast<int>(refused > 0 ? ExitCode::bad_data
                                     : nothing   ? ExitCode::missing_input
                                                 : ExitCode::ok);
  if (options.json) return show_json(result), code;
  if (nothing) {
    return report(
        {"no page has such a tag or fits such a pattern, which covers the whole URL; "
         "`pollux pages` lists them",
         ExitCode::missing_input});
  }
  std::string line = options.dry_run ? "Would be: " : "";
  line += count_of(count_in(result, "done"), "page") + " " + done;
  if (unchanged > 0) line += "; " + std::to_string(unchanged) + " as before";
  if (refused > 0) line += "; " + std::to_string(refused) + " refused:";
  std::puts(word_wrapped(line, terminal_width(stdout), 2).c_str());
  print_refusals(result);
  return code;
}

int steer_pages(const SteeringOptions& options, const std::string& path, const std::string& done,
                json::object more) {
  Result<DaemonClient> daemon = DaemonClient::connect(options.database);
  if (!daemon) return report(daemon.error());
  Result<json::object> body = selection_of(options, daemon->database());
  if (!body) return report(body.error());
  for (auto& [name, value] : more) (*body)[name] = std::move(value);
  const Result<json::object> result = daemon->post(path, *body);
  if (!result) return report(result.error());
  return tell_steered(*result, options, done);
}

int steer_message(const SteeringOptions& options, const std::string& path) {
  Result<DaemonClient> daemon = DaemonClient::connect(options.database);
  if (!daemon) return report(daemon.error());
  const Result<json::object> result = daemon->post(path, {});
  if (!result) return report(result.error());
  if (options.json) return show_json(*result), 0;
  const std::string line = printable(words_in(*result, "message"), 2000);
  std::puts(word_wrapped(line, terminal_width(stdout), 2).c_str());
  return 0;
}

}  // namespace pollux::cli

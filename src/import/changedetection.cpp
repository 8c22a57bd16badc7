// changedetection.io: url-watches.json with everything in it, or the newer folder with settings, a
// watch.json for each watch and a tag.json for each tag.
#include "import/changedetection_rules.hpp"
#include "import/content_check.hpp"
#include "import/readers.hpp"
#include "import/words.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include <boost/json.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::import {
namespace {

namespace json = boost::json;

constexpr std::size_t largest_json = std::size_t{64} << 20U;
constexpr std::size_t deepest_json = 64;
constexpr std::size_t most_texts = 1000;  // of one list

Result<json::value> parsed_json(const TextFile& file) {
  const auto fail = [&](const std::string& what) {
    return Error{printable(file.name) + what, ExitCode::bad_data};
  };
  if (file.text.size() > largest_json) return fail(": JSON of more than 64 MiB");
  json::parse_options options;
  options.max_depth = deepest_json;
  json::parser parser({}, options);
  json::error_code problem;
  const std::size_t read = parser.write_some(file.text, problem);
  const std::size_t rest = file.text.find_first_not_of(" \t\r\n", read);
  if (problem || rest != std::string::npos) {
    const auto end =
        file.text.begin() + static_cast<std::ptrdiff_t>(std::min(read, file.text.size()));
    return fail(fmt::format(":{}: no JSON as changedetection.io writes it{}",
                            std::count(file.text.begin(), end, '\n') + 1,
                            problem ? ": " + problem.message() : std::string()));
  }
  return parser.release();
}

const json::object* object_in(const json::object& parent, std::string_view key) {
  const json::value* const found = parent.if_contains(key);
  return found == nullptr ? nullptr : found->if_object();
}

std::string text_in(const json::object& parent, std::string_view key) {
  const json::value* const found = parent.if_contains(key);
  const json::string* const text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::string() : std::string(text->data(), text->size());
}

bool truth_in(const json::object& parent, std::string_view key) {
  const json::value* const found = parent.if_contains(key);
  return found != nullptr && found->is_bool() && found->get_bool();
}

// A list of texts, or one text with a line each, as older versions have it.
std::vector<std::string> texts_in(const json::object& parent, std::string_view key) {
  std::vector<std::string> texts;
  const json::value* const found = parent.if_contains(key);
  if (found == nullptr) return texts;
  if (const json::string* const one = found->if_string()) {
    std::string_view rest(one->data(), one->size());
    while (!rest.empty() && texts.size() < most_texts) texts.emplace_back(take_line(rest));
  } else if (const json::array* const all = found->if_array()) {
    for (const json::value& entry : *all) {
      if (entry.is_string() && texts.size() < most_texts)
        texts.emplace_back(entry.get_string().data(), entry.get_string().size());
    }
  }
  return texts;
}

// Numbers come as numbers or as texts.
double amount_in(const json::object& parent, std::string_view key) {
  const json::value* const found = parent.if_contains(key);
  if (found == nullptr) return 0;
  if (found->is_int64()) return static_cast<double>(found->get_int64());
  if (found->is_double()) return found->get_double();
  double number = 0;
  const std::string text = text_in(parent, key);
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::optional<Duration> interval_in(const json::object* times) {
  if (times == nullptr) return std::nullopt;
  constexpr std::pair<std::string_view, double> units[] = {
      {"weeks", 604800}, {"days", 86400}, {"hours", 3600}, {"minutes", 60}, {"seconds", 1}};
  constexpr double longest = 3e9;  // seconds, a century
  double seconds = 0;
  for (const auto& [unit, length] : units) seconds += amount_in(*times, unit) * length;
  if (!(seconds > 0 && seconds < longest)) return std::nullopt;
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

// Whether a value says something: no null, false, zero, "" or empty list.
bool is_set(const json::value& value) {
  if (value.is_bool()) return value.get_bool();
  if (value.is_string()) return !value.get_string().empty();
  if (value.is_array()) return !value.get_array().empty();
  if (value.is_object()) return !value.get_object().empty();
  if (value.is_int64()) return value.get_int64() != 0;
  return !value.is_null();
}

struct Idle {
  std::string_view key, why;
};
constexpr Idle idle_fields[] = {
    {"browser_steps", "pages are fetched without a browser"},
    {"webdriver_js_execute_code", "pages are fetched without a browser"},
    {"webdriver_delay", "pages are fetched without a browser"},
    {"proxy", "network.proxy is for all pages"},
    {"conditions", "`alert:` and `number:` are the conditions here"},
    {"check_unique_lines", "going back to a known version is no change here"},
    {"ignore_status_codes", "an error is never a change here"},
    {"price_change_threshold_percent", "write number: { changes_by: 5% }"},
    {"notification_title", "messages have one form"},
    {"notification_body", "messages have one form"},
    {"llm_prompt", "it has no counterpart"},
};

// Lines of the watches: the texts "UUID" in the order in which they stand.
class LineFinder {
 public:
  explicit LineFinder(std::string_view text) : text_(text) {}

  std::uint32_t line_of(std::string_view key) {
    constexpr std::size_t most_misses = 16;  // each reads to the end of the file
    if (misses_ >= most_misses) return 0;
    const std::size_t found = text_.find("\"" + std::string(key) + "\"", at_);
    if (found == text_.npos) {
      ++misses_;
      return 0;
    }
    line_ += static_cast<std::uint32_t>(
        std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                   text_.begin() + static_cast<std::ptrdiff_t>(found), '\n'));
    at_ = found;
    return line_;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0, misses_ = 0;
  std::uint32_t line_ = 1;
};

// What tags and settings add to each watch.
struct Tag {
  std::string title;
  WatchRules rules;
  std::vector<std::string> notifications;
};

WatchRules rules_in(const json::object& watch) {
  WatchRules rules;
  rules.include_filters = texts_in(watch, "include_filters");
  if (rules.include_filters.empty()) rules.include_filters = texts_in(watch, "css_filter");
  rules.subtractive_selectors = texts_in(watch, "subtractive_selectors");
  rules.ignore_text = texts_in(watch, "ignore_text");
  rules.extract_text = texts_in(watch, "extract_text");
  rules.trigger_text = texts_in(watch, "trigger_text");
  rules.text_should_not_be_present = texts_in(watch, "text_should_not_be_present");
  rules.sort_text = truth_in(watch, "sort_text_alphabetically");
  rules.remove_duplicate_lines = truth_in(watch, "remove_duplicate_lines");
  return rules;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  for (const std::string& text : more) {
    if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(text);
  }
}

void append(WatchRules& to, const WatchRules& more) {
  append(to.include_filters, more.include_filters);
  append(to.subtractive_selectors, more.subtractive_selectors);
  append(to.ignore_text, more.ignore_text);
  append(to.extract_text, more.extract_text);
  append(to.trigger_text, more.trigger_text);
  append(to.text_should_not_be_present, more.text_should_not_be_present);
}

class Watches {
 public:
  Watches(Collector& out, Imported& imported) : out_(out), imported_(imported) {}

  void read_settings(const TextFile& file, const json::object& root) {
    const json::object* const settings = object_in(root, "settings");
    if (settings == nullptr) return;
    if (const json::object* const headers = object_in(*settings, "headers")) headers_ = *headers;
    if (const json::object* const requests = object_in(*settings, "requests")) {
      if (const auto every = interval_in(object_in(*requests, "time_between_check"))) {
        out_.left_out({file.name, 0},
                      fmt::format("settings: every {} where a watch says nothing; that is "
                                  "defaults.max_interval",
                                  format_duration(*every)));
      }
    }
    const json::object* const application = object_in(*settings, "application");
    if (application == nullptr) return;
    general_.ignore_text = texts_in(*application, "global_ignore_text");
    general_.subtractive_selectors = texts_in(*application, "global_subtractive_selectors");
    for (const std::string& url : texts_in(*application, "notification_urls")) notify(url, 0);
    browser_ = is_browser(text_in(*application, "fetch_backend"));
    if (const json::object* const tags = object_in(*application, "tags")) {
      for (const auto& [uuid, tag] : *tags) {
        if (const json::object* const fields = tag.if_object()) read_tag(uuid, *fields);
      }
    }
  }

  void read_tag(std::string_view uuid, const json::object& fields) {
    Tag tag;
    tag.title = text_in(fields, "title");
    tag.notifications = texts_in(fields, "notification_urls");
    if (truth_in(fields, "overrides_watch")) tag.rules = rules_in(fields);
    tags_.insert_or_assign(std::string(uuid), std::move(tag));
  }

  void read_watch(const TextFile& file, const json::object& watch, std::uint32_t line) {
    Place place{file.name, line};
    std::string url(trimmed(text_in(watch, "url")));
    const bool source = url.starts_with("source:");
    if (source) url.erase(0, 7);
    if (url.find("{{") != url.npos || url.find("{%") != url.npos) {
      return out_.left_out(place, "a URL with a template in it: " + printable_url(url));
    }
    std::optional<Page> page = out_.page(url, place);
    if (!page) return;
    place.url = printable_url(page->url);
    if (truth_in(watch, "paused")) {
      return out_.left_out(place, "it is paused there; add it when it shall be watched");
    }
    const std::string method = text_in(watch, "method");
    if (!method.empty() && lowered(method) != "get") {
      return out_.left_out(
          place, fmt::format("method {}: pages are asked for by GET alone", printable(method, 20)));
    }
    read_label(*page, watch);
    WatchRules rules = rules_in(watch);
    rules.source = source;
    read_tags(*page, watch, rules);
    append(rules, general_);
    page->content = rules_of_watch(rules, place, out_);
    read_headers(*page, headers_, place);
    if (const json::object* const own = object_in(watch, "headers"))
      read_headers(*page, *own, place);
    if (const auto every = interval_in(object_in(watch, "time_between_check")))
      out_.set_interval(*page, *every, place);
    for (const std::string& target : texts_in(watch, "notification_urls")) notify(target, 1);
    name_the_rest(watch, place);
    out_.add(std::move(*page), place);
  }

 private:
  static bool is_browser(std::string_view backend) {
    return backend == "html_webdriver" || backend.starts_with("extra_browser_") ||
           backend.find("playwright") != backend.npos || backend.find("puppeteer") != backend.npos;
  }
  static void read_label(Page& page, const json::object& watch) {
    const std::string title = text_in(watch, "title");
    Collector::set_name(page, title);
    Collector::add_tags(page, text_in(watch, "tag"));
  }
  void read_tags(Page& page, const json::object& watch, WatchRules& rules) {
    for (const std::string& uuid : texts_in(watch, "tags")) {
      const auto tag = tags_.find(uuid);
      if (tag == tags_.end()) continue;
      Collector::add_tag(page, tag->second.title);
      append(rules, tag->second.rules);
      for (const std::string& target : tag->second.notifications) notify(target, 1);
    }
  }
  void read_headers(Page& page, const json::object& headers, const Place& place) {
    for (const auto& [name, value] : headers) {
      if (const json::string* const text = value.if_string()) {
        add_header(page, {name.data(), name.size()}, {text->data(), text->size()}, place, out_);
      }
    }
  }
  void name_the_rest(const json::object& watch, const Place& place) {
    const std::string backend = text_in(watch, "fetch_backend");
    if (is_browser(backend) || (browser_ && (backend.empty() || backend == "system"))) {
      out_.changed(place, "fetch_backend: it is fetched without a browser");
    }
    const std::string processor = text_in(watch, "processor");
    if (!processor.empty() && processor != "text_json_diff") {
      out_.changed(place,
                   fmt::format("processor {}: its text is compared", printable(processor, 40)));
    }
    for (const Idle& idle : idle_fields) {
      const json::value* const value = watch.if_contains(idle.key);
      if (value != nullptr && is_set(*value))
        out_.left_out(place, fmt::format("{}: {}", idle.key, idle.why));
    }
    for (const std::string_view key :
         {"filter_text_added", "filter_text_removed", "filter_text_replaced"}) {
      const json::value* const value = watch.if_contains(key);
      if (value != nullptr && value->is_bool() && !value->get_bool())
        out_.left_out(place, fmt::format("{}: every change counts", key));
    }
    const json::object* const hours = object_in(watch, "time_schedule_limit");
    if (hours != nullptr && truth_in(*hours, "enabled"))
      out_.left_out(place, "time_schedule_limit: pages are polled at all hours");
  }
  void notify(const std::string& url, std::size_t pages) {
    constexpr std::size_t most_targets = 1000;
    if (!is_secret_line(trimmed(url))) return;
    std::vector<Notification>& all = imported_.notifications;
    const auto same = [&](const Notification& one) { return one.url == trimmed(url); };
    const auto found = std::find_if(all.begin(), all.end(), same);
    if (found != all.end()) {
      if (found->pages > 0) found->pages = pages == 0 ? 0 : found->pages + pages;
    } else if (all.size() < most_targets) {
      const std::size_t colon = url.find("://");
      const std::string service(trimmed(std::string_view(url).substr(0, colon)));
      const bool word = colon != url.npos && service.size() < 20;
      all.push_back({std::string(trimmed(url)), word ? printable(service) : "unknown", pages});
    }
  }

  Collector& out_;
  Imported& imported_;
  json::object headers_;
  WatchRules general_;
  bool browser_ = false;
  std::map<std::string, Tag> tags_;
};

// "a/b/UUID/watch.json" → "UUID"
std::string_view folder_of(std::string_view path) {
  const std::size_t end = path.rfind('/');
  if (end == path.npos) return {};
  const std::size_t start = path.rfind('/', end - (end > 0 ? 1 : 0));
  return path.substr(start == path.npos || start == end ? 0 : start + 1,
                     end - (start == path.npos || start == end ? 0 : start + 1));
}

bool is_called(std::string_view path, std::string_view name) {
  return path == name || (path.ends_with(name) && path[path.size() - name.size() - 1] == '/');
}

}  // namespace

Status read_changedetection(std::span<const TextFile> files, Collector& out, Imported& imported) {
  Watches watches(out, imported);
  std::vector<std::pair<const TextFile*, json::value>> roots;
  for (const TextFile& file : files) {
    Result<json::value> root = parsed_json(file);
    if (!root && files.size() == 1) return root.error();
    if (!root || !root->is_object()) {
      if (files.size() == 1) {
        return Error{printable(file.name) + ":1: no object, as changedetection.io writes it",
                     ExitCode::bad_data};
      }
      out.left_out({file.name, 0}, root ? "no object" : root.error().message);
      continue;
    }
    roots.emplace_back(&file, std::move(*root));
  }
  // What holds for all before the watches, whatever the order of the files.
  for (const auto& [file, root] : roots) watches.read_settings(*file, root.get_object());
  for (const auto& [file, root] : roots) {
    if (is_called(file->name, "tag.json"))
      watches.read_tag(folder_of(file->name), root.get_object());
  }
  bool found = false;
  for (const auto& [file, root] : roots) {
    const json::object& fields = root.get_object();
    if (is_called(file->name, "tag.json")) continue;
    if (const json::object* const all = object_in(fields, "watching")) {
      found = true;
      LineFinder lines(file->text);
      for (const auto& [uuid, watch] : *all) {
        const std::uint32_t line = lines.line_of(uuid);
        if (const json::object* const one = watch.if_object())
          watches.read_watch(*file, *one, line);
      }
    } else if (fields.contains("url")) {
      found = true;
      watches.read_watch(*file, fields, LineFinder(file->text).line_of("url"));
    }
  }
  if (found || files.size() > 1) return success();
  return Error{printable(files.front().name) +
                   ":1: no watches in it; give url-watches.json, or the folder that holds it",
               ExitCode::bad_data};
}

}  // namespace pollux::import

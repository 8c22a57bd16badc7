#include "pollux/config/live.hpp"

#include "config/content_layer.hpp"
#include "config/message.hpp"
#include "config/page_book.hpp"
#include "config/page_bounds.hpp"
#include "config/pages.hpp"
#include "config/section_readers.hpp"
#include "config/value_readers.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/config/document.hpp"
#include "pollux/extract/extract.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <spdlog/fmt/fmt.h>

namespace pollux::config {
namespace {

constexpr std::size_t longest_content = 64 << 10;
constexpr std::size_t most_tags = 100;
constexpr std::size_t most_patterns_of_page = 50'000;  // about half a megabyte
// Stands where messages about files have their file.
constexpr char in_content[] = "content";
// All others run programs, or may one day: they come from files alone.
constexpr std::string_view live_content_keys[] = {
    "as",      "select",       "+select",       "remove",      "+remove",     "ignore",
    "+ignore", "ignore_lines", "+ignore_lines", "keep_lines",  "+keep_lines", "min_change",
    "alert",   "number",       "sort_lines",    "unique_lines"};
constexpr std::string_view only_in_files[] = {"pipe", "render"};

Error wrong(std::string message) {
  return {std::move(message), ExitCode::configuration};
}

// "content:1: why" without the place, which is none.
std::string without_place(std::string_view message) {
  const Place place = place_in(message);
  if (place.line == 0 || place.file != in_content) return std::string(message);
  return std::string(message.substr(message.find(": ") + 2));
}

Status check_title(std::string_view key, std::string_view text) {
  if (is_title(text)) return success();
  return wrong(fmt::format("{}: '{}' does not do; {}", key, printable(text, 60), title_cure));
}

Status check_interval(std::string_view key, Duration interval, Duration least) {
  if (interval >= least && interval <= longest_interval) return success();
  return wrong(fmt::format("{}: {} does not do; write {} to {}", key, format_duration(interval),
                           format_duration(least), format_duration(longest_interval)));
}

Status check_plain(const LiveSettings& live) {
  if (live.name && !live.name->empty()) {
    if (Status fit = check_title("name", *live.name); !fit) return fit;
  }
  if (live.tags) {
    if (live.tags->size() > most_tags)
      return wrong(fmt::format("tags: {} of them; {} at most", live.tags->size(), most_tags));
    for (const std::string& tag : *live.tags) {
      if (Status fit = check_title("tags", tag); !fit) return fit;
    }
  }
  // Written so that what is no number is refused, too.
  if (live.importance &&
      !(*live.importance >= least_importance && *live.importance <= most_importance)) {
    return wrong(fmt::format("importance: {} does not do; write {} to {}", *live.importance,
                             least_importance, most_importance));
  }
  if (live.min_interval) {
    if (Status fit = check_interval("min_interval", *live.min_interval, Duration::zero()); !fit)
      return fit;
  }
  if (live.max_interval) {
    if (Status fit = check_interval("max_interval", *live.max_interval, shortest_max_interval);
        !fit)
      return fit;
  }
  return success();
}

Status check_content_keys(const Node& root) {
  if (root.kind() != Kind::mapping)
    return wrong(fmt::format("content is {}; write a mapping, as {{\"select\": \"main\"}}",
                             kind_name(root.kind())));
  for (auto at = root.begin(); at != root.end(); ++at) {
    const std::string_view word = (*at).text();
    ++at;
    if (std::ranges::find(live_content_keys, word) != std::end(live_content_keys)) continue;
    if (std::ranges::find(only_in_files, word) != std::end(only_in_files))
      return wrong(
          fmt::format("content.{}: may run a program, so it is taken from configuration "
                      "files only; write it there",
                      word));
    return wrong(
        fmt::format("content: '{}' is none of {}", printable(word, 60), joined(live_content_keys)));
  }
  return success();
}

std::vector<std::string> without_repeats(const std::vector<std::string>& tags) {
  std::vector<std::string> unique;
  for (const std::string& tag : tags) {
    if (std::ranges::find(unique, tag) == unique.end()) unique.push_back(tag);
  }
  return unique;
}

class LiveReader {
 public:
  LiveReader(Config& config, std::size_t most_patterns)
      : book_(*config.book),
        most_patterns_(most_patterns),
        reading_{.config = config,
                 .warnings = warnings_,
                 .problems = problems_,
                 .options = options_,
                 .pages = PageList(config, warnings_, problems_),
                 .file = in_content,
                 .code = ExitCode::configuration,
                 .page = nullptr,
                 .host = nullptr,
                 .page_url = {}} {
    reading_.pages.take_over(book_);
  }

  Status add(const LiveEntry& entry);
  // What the last entry that could not be added is wrong in.
  LiveProblem::Of wrong_in() const { return wrong_in_; }

 private:
  Result<const ContentLayer*> layer_of(const std::string& content);
  Result<ContentLayer> read_layer(const std::string& content);
  Result<std::uint32_t> content_of(const Url& url, const std::vector<std::string>& tags,
                                   const ContentLayer& layer);
  Error first_problem();

  const PageBook& book_;
  const std::size_t most_patterns_;
  std::size_t patterns_ = 0, contents_counted_ = 0;
  std::vector<Warning> warnings_;
  Problems problems_;
  LoadOptions options_;
  LoadContext reading_;
  std::map<std::string, ContentLayer, std::less<>> layers_;  // by their text
  LiveProblem::Of wrong_in_ = LiveProblem::Of::page;
};

Error LiveReader::first_problem() {
  Error first = wrong(without_place(problems_.lines().front()));
  problems_ = Problems();
  reading_.pages.contents().forget_told();
  return first;
}

Result<ContentLayer> LiveReader::read_layer(const std::string& content) {
  if (content.size() > longest_content)
    return wrong(fmt::format("content is longer than {}", format_bytes(longest_content)));
  const Result<Document> document =
      Document::parse(content, in_content, ExitCode::configuration, &problems_);
  if (!document) return wrong("content: " + without_place(document.error().message));
  if (problems_.any()) return first_problem();
  const Node root = document->root();
  if (Status fit = check_content_keys(root); !fit) return fit.error();
  ContentLayer layer;
  layer.file = in_content;
  layer.line = 1;
  reading_.content = &layer;
  layer.right = read_keys(reading_, "content", root);
  reading_.content = nullptr;
  if (problems_.any()) return first_problem();
  return layer;
}

Result<const ContentLayer*> LiveReader::layer_of(const std::string& content) {
  const auto known = layers_.find(content);
  if (known != layers_.end()) return &known->second;
  Result<ContentLayer> layer = read_layer(content);
  if (!layer) return layer.error();
  return &layers_.emplace(content, std::move(*layer)).first->second;
}

// The rules of a page whose own content was set live.
Result<std::uint32_t> LiveReader::content_of(const Url& url, const std::vector<std::string>& tags,
                                             const ContentLayer& layer) {
  if (patterns_ >= most_patterns_)
    return wrong("the patterns before it are as much as one command may bring; use another one");
  const std::uint32_t number = reading_.pages.contents().number_of(url.text, tags, layer);
  if (problems_.any()) return first_problem();
  const std::size_t size = extract::size_of_patterns(*reading_.config.contents[number]);
  if (number >= contents_counted_) {
    patterns_ += size;
    contents_counted_ = std::size_t{number} + 1;
  }
  if (size > most_patterns_of_page)
    return wrong("content: its patterns are too large together; shorten them, or count less often");
  return number;
}

Status LiveReader::add(const LiveEntry& entry) {
  static const ContentLayer nothing;
  const LiveSettings& live = entry.settings;
  wrong_in_ = LiveProblem::Of::page;
  Result<Url> url = parse_url(entry.url);
  if (!url) return url.error();
  if (Status fit = check_plain(live); !fit) return fit;
  Config& config = reading_.config;
  PageList& pages = reading_.pages;
  const PageBook::Own* const own = entry.listed ? book_.find(url->text) : nullptr;
  if (own == nullptr && live.empty() && !entry.without_rules) {
    wrong_in_ = LiveProblem::Of::rules;
    const std::uint32_t plain = pages.plain_settings(*url);
    if (problems_.any()) return first_problem();
    config.pages.push_back({url->text, url->host_port, plain, 0});
    return success();
  }
  PageSettings settings = book_.settings[own != nullptr ? own->settings : 0];
  Label label = own != nullptr && own->label != 0 ? book_.labels[own->label] : Label{};
  const ContentLayer* layer =
      own != nullptr && own->layer != 0 ? &book_.layers[own->layer - 1] : &nothing;
  if (live.name) label.name = *live.name;
  if (live.tags) label.tags = without_repeats(*live.tags);
  if (live.importance) settings.importance = *live.importance;
  if (live.min_interval) settings.limits.min_interval = *live.min_interval;
  if (live.max_interval) settings.limits.max_interval = *live.max_interval;
  if (settings.limits.min_interval > settings.limits.max_interval)
    return wrong(fmt::format(
        "min_interval ({}) is longer than max_interval ({}); lower the one or raise the other",
        format_duration(settings.limits.min_interval),
        format_duration(settings.limits.max_interval)));
  wrong_in_ = LiveProblem::Of::content;
  if (live.content) {
    const Result<const ContentLayer*> read = layer_of(*live.content);
    if (!read) return read.error();
    layer = *read;
  }
  wrong_in_ = LiveProblem::Of::rules;
  if (entry.without_rules) {
    settings.content = 0;
  } else if (live.content) {
    const Result<std::uint32_t> content = content_of(*url, label.tags, *layer);
    if (!content) return content.error();
    settings.content = *content;
  } else {
    settings.content = pages.contents().number_of(url->text, label.tags, *layer);
    if (problems_.any()) return first_problem();
  }
  // What a file lists has the headers of its host already.
  const bool has_headers = own != nullptr && own->settings != 0;
  const std::uint32_t number =
      has_headers ? pages.number_of(settings) : pages.on_host(settings, url->host_port, 0);
  config.pages.push_back(
      {url->text, url->host_port, number, pages.labels().number_of(std::move(label))});
  return success();
}

}  // namespace

Config fragment_of(const std::shared_ptr<const PageBook>& book) {
  Config fragment;
  fragment.settings.push_back(book->settings.front());
  fragment.header_sets = book->header_sets;
  fragment.contents.push_back(book->default_rules);
  fragment.labels.emplace_back();
  fragment.book = book;
  return fragment;
}

std::vector<LiveProblem> add_live(Config& config, std::span<const LiveEntry> entries,
                                  std::size_t most_patterns) {
  std::vector<LiveProblem> problems;
  if (entries.empty()) return problems;
  LiveReader reader(config, most_patterns);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (const Status added = reader.add(entries[i]); !added)
      problems.push_back({i, added.error().message, reader.wrong_in()});
  }
  return problems;
}

}  // namespace pollux::config

#include "config/pages.hpp"

#include "config/message.hpp"
#include "pollux/base/bad_ports.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/url.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include <spdlog/fmt/fmt.h>

namespace pollux::config {
namespace {

constexpr std::size_t most_duplicate_warnings = 10;
constexpr std::size_t most_port_warnings = 10;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// The line without surrounding blanks and without a comment. A '#' inside a word is a fragment.
std::string_view content(std::string_view line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  for (std::size_t hash = line.find('#'); hash != std::string_view::npos;
       hash = line.find('#', hash + 1)) {
    if (hash == 0 || is_blank(line[hash - 1])) {
      line = line.substr(0, hash);
      break;
    }
  }
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

// Takes the next line off the front.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

bool is_plain_list(std::string_view yaml) {
  while (!yaml.empty()) {
    const std::string_view line = take_line(yaml);
    const std::string_view entry = content(line);
    if (entry.empty()) continue;
    // A blank could start a comment, a value or a second word; a colon at the end makes a mapping.
    if (!line.starts_with("- http") || entry.ends_with(':') ||
        std::any_of(entry.begin() + 2, entry.end(), is_blank)) {
      return false;
    }
  }
  return true;
}

PageList::PageList(Config& config, std::vector<Warning>& warnings, Problems& problems)
    : config_(config),
      warnings_(warnings),
      known_(0, Hash{&config.pages}, Same{&config.pages}),
      header_sets_(config),
      contents_(config, problems),
      labels_(config) {}

void PageList::start_file(const std::string& file, ExitCode code, std::size_t expected_pages) {
  sources_.push_back({file, config_.pages.size()});
  code_ = code;
  const std::size_t total = config_.pages.size() + expected_pages;
  config_.pages.reserve(total);
  lines_.reserve(total);
  known_.reserve(total);
}

Status PageList::add(std::string_view url, std::uint32_t line) {
  Result<Url> parsed = parse_url(url);
  if (!parsed) return Error{at(sources_.back().file, line, parsed.error().message), code_};
  const std::uint32_t settings = plain_settings(*parsed);
  return add(std::move(*parsed), line, settings, 0);
}

std::uint32_t PageList::plain_settings(const Url& url) {
  const std::uint32_t content = contents_.number_of(url.text);
  const std::uint32_t headers = headers_of_host(url.host_port);
  if (content == 0 && headers == 0) return 0;
  const auto [at, fresh] = plain_settings_.try_emplace({content, headers}, 0);
  if (fresh) {
    PageSettings settings = config_.settings.front();
    settings.content = content;
    at->second = on_host(std::move(settings), url.host_port, 0);
  }
  return at->second;
}

void PageList::check_content(std::string_view url, const OwnOptions& own) {
  if (!own.content.given()) return;
  const Result<Url> parsed = parse_url(url);
  contents_.number_of(parsed ? std::string_view(parsed->text) : url, own.label.tags, own.content);
}

Status PageList::add(std::string_view url, std::uint32_t line, OwnOptions own) {
  Result<Url> parsed = parse_url(url);
  if (!parsed) return Error{at(sources_.back().file, line, parsed.error().message), code_};
  own.settings.content = contents_.number_of(parsed->text, own.label.tags, own.content);
  const std::uint32_t settings = on_host(std::move(own.settings), parsed->host_port, own.headers);
  const std::uint32_t label = labels_.number_of(std::move(own.label));
  const PageBook::Own remembered{PageBook::hash_of(parsed->text), settings, label,
                                 number_of_layer(std::move(own.content))};
  const std::size_t before = config_.pages.size();
  Status added = add(std::move(*parsed), line, settings, label);
  const bool says_something = settings != 0 || label != 0 || remembered.layer != 0;
  if (config_.pages.size() > before && says_something) own_.push_back(remembered);
  return added;
}

// 0: there is none.
std::uint32_t PageList::number_of_layer(ContentLayer layer) {
  if (!layer.given() || !layer.right) return 0;
  const auto [at, fresh] = known_layers_.try_emplace(
      contents_.mark_of(layer), static_cast<std::uint32_t>(layers_.size() + 1));
  if (fresh) layers_.push_back(std::move(layer));
  return at->second;
}

std::shared_ptr<const PageBook> PageList::book() {
  std::ranges::sort(own_, {}, &PageBook::Own::url);
  auto book = std::make_shared<PageBook>();
  book->settings = config_.settings;
  book->header_sets = config_.header_sets;
  if (!config_.contents.empty()) book->default_rules = config_.contents.front();
  book->defaults = contents_.defaults();
  book->rules = contents_.rules();
  book->host_headers = host_headers_;
  if (!own_.empty()) book->labels = config_.labels;
  book->layers = std::move(layers_);
  book->own = std::move(own_);
  return book;
}

void PageList::take_over(const PageBook& book) {
  contents_.defaults() = book.defaults;
  for (const ContentRule& rule : book.rules) contents_.add(rule);
  host_headers_ = book.host_headers;
}

Status PageList::add(Url parsed, std::uint32_t line, std::uint32_t settings, std::uint32_t label) {
  Page page{std::move(parsed.text), std::move(parsed.host_port), settings, label};
  // Its place is found once: with a million pages every look into the table costs a tenth of a
  // microsecond.
  config_.pages.push_back(std::move(page));
  const auto [first, fresh] = known_.insert(static_cast<std::uint32_t>(config_.pages.size() - 1));
  if (fresh) {
    lines_.push_back(line);
    if (places_ != nullptr) {
      const auto wanted = places_->find(config_.pages.back().url);
      if (wanted != places_->end())
        wanted->second = printable(sources_.back().file) + ':' + std::to_string(line);
    }
    return success();
  }
  page = std::move(config_.pages.back());
  config_.pages.pop_back();
  warn_of_duplicate(page, line, *first);
  return success();
}

std::uint32_t PageList::number_of(const PageSettings& settings) {
  if (settings == config_.settings.front()) return 0;
  const auto [at, fresh] =
      settings_.try_emplace(settings, static_cast<std::uint32_t>(config_.settings.size()));
  if (fresh) config_.settings.push_back(settings);
  return at->second;
}

void PageList::set_host_headers(const std::string& host, std::uint32_t headers) {
  if (headers != 0) host_headers_.emplace(host, headers);
}

std::uint32_t PageList::headers_of_host(const std::string& host_port) const {
  if (host_headers_.empty()) return 0;
  const auto exact = host_headers_.find(host_port);
  if (exact != host_headers_.end()) return exact->second;
  const auto any_port = host_headers_.find(host_port.substr(0, host_port.rfind(':')));
  return any_port == host_headers_.end() ? 0 : any_port->second;
}

std::uint32_t PageList::on_host(PageSettings settings, const std::string& host_port,
                                std::uint32_t own_headers) {
  const std::uint32_t defaults = config_.settings.front().headers;
  settings.headers =
      header_sets_.joined(header_sets_.joined(defaults, headers_of_host(host_port)), own_headers);
  return number_of(settings);
}

void PageList::add_lines(std::string_view text, Problems& problems, std::string_view prefix) {
  for (std::uint32_t line = 1; !text.empty(); ++line) {
    std::string_view url = content(take_line(text));
    if (url.empty()) continue;
    if (url.starts_with(prefix)) url.remove_prefix(prefix.size());
    if (Status status = add(url, line); !status) problems.add(status.error());
  }
}

void PageList::finish() {
  contents_.finish(warnings_);
  warn_of_bad_ports();
  if (duplicates_ > most_duplicate_warnings) {
    warnings_.push_back({fmt::format("{} more URLs stand twice in the list; the first is kept",
                                     duplicates_ - most_duplicate_warnings)});
  }
}

void PageList::warn_of_bad_ports() {
  const auto& allowed = config_.fetch.allow_ports;
  std::size_t refused = 0;
  auto source = sources_.begin();
  for (std::size_t i = 0; i < config_.pages.size(); ++i) {
    while (std::next(source) != sources_.end() && std::next(source)->first_page <= i) ++source;
    const Page& page = config_.pages[i];
    const unsigned port = written_port(page.host);
    if (!is_bad_port(port) || std::find(allowed.begin(), allowed.end(), port) != allowed.end())
      continue;
    if (++refused > most_port_warnings) continue;
    warnings_.push_back(
        {at(source->file, lines_[i],
            fmt::format("{} will not be polled: port {} belongs to another service than the web; "
                        "network.allow_ports: [{}] permits it",
                        printable_url(page.url), port, port))});
  }
  if (refused > most_port_warnings) {
    warnings_.push_back(
        {fmt::format("{} more pages have ports that network.allow_ports must permit",
                     refused - most_port_warnings)});
  }
}

void PageList::warn_of_duplicate(const Page& page, std::uint32_t line, std::uint32_t first) {
  if (++duplicates_ > most_duplicate_warnings) return;
  const auto source = std::find_if(sources_.rbegin(), sources_.rend(),
                                   [&](const Source& s) { return s.first_page <= first; });
  const char* const options =
      config_.pages[first].settings == page.settings && config_.pages[first].label == page.label
          ? ""
          : ", with its options";
  warnings_.push_back(
      {at(sources_.back().file, line,
          fmt::format("{} stands already in {}:{}; the first is kept{}", printable_url(page.url),
                      printable(source->file), lines_[first], options))});
}

std::size_t PageList::SettingsHash::operator()(const PageSettings& settings) const {
  std::size_t hash = std::hash<std::string>{}(settings.user_agent);
  const auto mix = [&](std::size_t value) {
    hash ^= value + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2);
  };
  mix(std::hash<double>{}(settings.importance));
  mix(static_cast<std::size_t>(settings.limits.min_interval.count()));
  mix(static_cast<std::size_t>(settings.limits.max_interval.count()));
  mix(static_cast<std::size_t>(settings.timeout.count()));
  mix(settings.max_body);
  mix(settings.respect_cache ? 1 : 0);
  mix(static_cast<std::size_t>(settings.cookies));
  mix(settings.headers);
  mix(settings.content);
  return hash;
}

}  // namespace pollux::config

#include "pollux/robots_txt/robots_txt.hpp"

#include "robots_txt/path_pattern.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>
#include <vector>

namespace pollux::robots_txt {
namespace {

constexpr std::string_view allow_line = "Allow: ", disallow_line = "Disallow: ";
constexpr double longest_delay_seconds = 86400;
// A millisecond or two of one core.
constexpr std::size_t most_work = 500'000;
// Lines are found sixteen characters at a time.
constexpr std::size_t characters_a_step = 16;

struct Rule {
  std::string pattern;  // normal form
  bool allow = false;

  // Most specific first; of equals the one that allows.
  bool operator<(const Rule& other) const {
    return std::tuple(other.pattern.size(), other.allow, std::string_view(pattern)) <
           std::tuple(pattern.size(), allow, std::string_view(other.pattern));
  }
  bool operator==(const Rule&) const = default;
};

// What the groups that name one robot ask for.
struct Wishes {
  bool found = false;
  std::vector<Rule> rules;
  std::optional<Duration> crawl_delay;
};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_name_character(char c) {
  const char l = lower(c);
  return (l >= 'a' && l <= 'z') || c == '-' || c == '_';
}

std::string_view leading_name(std::string_view text) {
  return text.substr(
      0, static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_name_character) -
                                  text.begin()));
}

// Takes the next line off the front; CR, LF and CRLF end one.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::optional<Duration> delay_of(std::string_view text) {
  if (text.find_first_not_of("0123456789.") != std::string_view::npos) return {};
  double seconds = 0;
  const auto [end, problem] =
      std::from_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed);
  if (problem != std::errc{} || end != text.data() + text.size()) return {};
  return from_seconds(std::min(seconds, longest_delay_seconds));
}

class FileReader {
 public:
  explicit FileReader(std::string_view product) : product_(product) {}

  void take(std::string_view key, std::string_view value) {
    if (same_word(key, "user-agent")) {
      take_agent(value);
    } else if (same_word(key, "allow") || same_word(key, "disallow")) {
      in_rules_ = true;
      take_rule(same_word(key, "allow"), value);
    } else if (same_word(key, "crawl-delay")) {
      // No record of the RFC: it ends no list of user agents, and counts for those named above it.
      if (const auto delay = delay_of(value)) {
        for (Wishes* wishes : chosen())
          wishes->crawl_delay = std::max(wishes->crawl_delay.value_or(Duration::zero()), *delay);
      }
    }
  }

  Wishes result() { return std::move(named_.found ? named_ : everybody_); }

 private:
  void take_agent(std::string_view value) {
    if (std::exchange(in_rules_, false)) for_named_ = for_everybody_ = false;  // a new group
    if (value.starts_with('*') && (value.size() == 1 || is_blank(value[1]))) {
      for_everybody_ = everybody_.found = true;
    } else if (!product_.empty() && same_word(leading_name(value), product_)) {
      for_named_ = named_.found = true;
    }
  }
  void take_rule(bool allow, std::string_view value) {
    // An empty pattern matches nothing, and no path begins with anything but a slash.
    if (value.empty() || (value.front() != '/' && value.front() != '*')) return;
    if (!for_named_ && !for_everybody_) return;  // a file is as long for us as it is for others
    Rule rule{normal_pattern(value), allow};
    if (for_named_ && for_everybody_) everybody_.rules.push_back(rule);
    (for_named_ ? named_ : everybody_).rules.push_back(std::move(rule));
  }
  std::vector<Wishes*> chosen() {
    std::vector<Wishes*> all;
    if (for_named_) all.push_back(&named_);
    if (for_everybody_) all.push_back(&everybody_);
    return all;
  }

  std::string_view product_;
  Wishes named_, everybody_;
  bool for_named_ = false, for_everybody_ = false;  // the group being read
  bool in_rules_ = false;                           // its list of user agents has ended
};

// The path and query of an absolute URL; "/" when it has none.
std::string_view target_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::size_t host = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t path = url.find_first_of("/?#", host);
  if (path == std::string_view::npos || url[path] == '#') return "/";
  return url.substr(path, url.find('#', path) - path);
}

}  // namespace

Excerpt read_robots_txt(std::string_view text, std::string_view product) {
  text = text.substr(0, most_bytes);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  FileReader reader(product);
  while (!text.empty()) {
    std::string_view line = take_line(text);
    line = line.substr(0, line.find('#'));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    reader.take(trim(line.substr(0, colon)), trim(line.substr(colon + 1)));
  }
  Wishes wishes = reader.result();
  std::sort(wishes.rules.begin(), wishes.rules.end());
  wishes.rules.erase(std::unique(wishes.rules.begin(), wishes.rules.end()), wishes.rules.end());

  Excerpt excerpt{.rules = {}, .crawl_delay = wishes.crawl_delay};
  // Rules that only allow change nothing.
  const bool forbids = std::any_of(wishes.rules.begin(), wishes.rules.end(),
                                   [](const Rule& rule) { return !rule.allow; });
  if (!forbids) return excerpt;
  for (const Rule& rule : wishes.rules) {
    excerpt.rules.append(rule.allow ? allow_line : disallow_line).append(rule.pattern) += '\n';
  }
  return excerpt;
}

namespace {

// Takes the next line of an excerpt off the front.
std::string_view take_rule_line(std::string_view& rules) {
  const std::size_t end = std::min(rules.find('\n'), rules.size());
  const std::string_view line = rules.substr(0, end);
  rules.remove_prefix(std::min(end + 1, rules.size()));
  return line;
}

bool judge(std::string_view rules, PathMatcher& matcher) {
  while (!rules.empty()) {
    std::string_view line = take_rule_line(rules);
    const bool allow = line.starts_with(allow_line);
    if (!allow && !line.starts_with(disallow_line)) continue;
    line.remove_prefix(allow ? allow_line.size() : disallow_line.size());
    if (matcher.matches(line)) return allow;
    if (matcher.work() > most_work) return false;
  }
  return true;
}

}  // namespace

bool allows(std::string_view rules, std::string_view url, std::size_t* work) {
  if (rules.empty()) return true;
  const std::string_view target = target_of(url);
  if (target == "/robots.txt") return true;
  std::string path = normal_path(target);
  if (path.front() != '/') path.insert(0, 1, '/');
  PathMatcher matcher(path);
  const bool allowed = judge(rules, matcher);
  if (work) *work += matcher.work() + path.size() + rules.size() / characters_a_step;
  return allowed;
}

std::string product_token(std::string_view user_agent) {
  return std::string(leading_name(user_agent));
}

std::string robots_txt_url(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::size_t host = scheme == std::string_view::npos ? 0 : scheme + 3;
  return std::string(url.substr(0, url.find_first_of("/?#", host))) + "/robots.txt";
}

}  // namespace pollux::robots_txt

// Pages as a file for `pages_file:`.
#include "import/words.hpp"
#include "pollux/base/text.hpp"
#include "pollux/import/import.hpp"
#include "pollux/report/text.hpp"

#include <algorithm>
#include <map>

#include <spdlog/fmt/fmt.h>

namespace pollux::import {
namespace {

using extract::Rules;
using extract::Selector;

// Without quotes where nobody could take it for anything else.
std::string scalar(std::string_view text) {
  constexpr std::string_view harmless = "-_./+ ";
  const bool word = !text.empty() && is_letter(text.front()) && text.back() != ' ' &&
                    std::all_of(text.begin(), text.end(), [&](char c) {
                      return is_letter_or_digit(c) || harmless.find(c) != harmless.npos;
                    });
  const std::string low = lowered(text);
  const bool reserved = low == "null" || low == "true" || low == "false" || low == "yes" ||
                        low == "no" || low == "on" || low == "off";
  return word && !reserved ? std::string(text) : report::yaml_text(text);
}

// A URL has a colon that no blank follows.
std::string url_scalar(std::string_view url) {
  const bool plain = url.starts_with("http") && url.back() != ':' &&
                     std::all_of(url.begin(), url.end(), [](char c) {
                       return is_letter_or_digit(c) ||
                              std::string_view("-_./~?&=%+:").find(c) != std::string_view::npos;
                     });
  return plain ? std::string(url) : report::yaml_text(url);
}

std::string duration_text(Duration d) {
  using namespace std::chrono;
  const auto ms = duration_cast<milliseconds>(d).count();
  constexpr std::pair<std::int64_t, std::string_view> units[] = {
      {604'800'000, "w"}, {86'400'000, "d"}, {3'600'000, "h"}, {60'000, "m"}, {1000, "s"}};
  for (const auto& [length, unit] : units) {
    if (ms >= length && ms % length == 0) return fmt::format("{}{}", ms / length, unit);
  }
  return fmt::format("{}ms", std::max<std::int64_t>(ms, 1));
}

template <typename Entry, typename Write>
std::string list_of(const std::vector<Entry>& entries, Write write) {
  std::string out;
  for (const Entry& entry : entries) out += (out.empty() ? "" : ", ") + write(entry);
  return "[" + out + "]";
}

// The language is written where the text would be taken for another one.
std::string selector_text(const Selector& selector, extract::As as) {
  const bool path = selector.text.starts_with('/') || selector.text.starts_with('(');
  const Selector::Language taken_for = path                      ? Selector::Language::xpath
                                       : as == extract::As::json ? Selector::Language::jq
                                                                 : Selector::Language::css;
  const std::string quoted = report::yaml_text(selector.text);
  if (taken_for == selector.language) return quoted;
  const std::string_view word = selector.language == Selector::Language::css     ? "css"
                                : selector.language == Selector::Language::xpath ? "xpath"
                                                                                 : "jq";
  return fmt::format("{{ {}: {} }}", word, quoted);
}

class Writer {
 public:
  Writer(const std::vector<Secret>& secrets, std::span<const std::string> files) {
    for (std::size_t i = 0; i < std::min(secrets.size(), files.size()); ++i)
      files_.emplace(secrets[i].value, files[i]);
  }

  std::string page(const Page& page) {
    out_.clear();
    first_ = true;
    const bool written = !page.is_plain() && has_options(page);
    if (!written) return "  - " + url_scalar(page.url) + "\n";
    line("url", url_scalar(page.url));
    if (!page.name.empty()) line("name", scalar(page.name));
    if (!page.tags.empty()) line("tags", list_of(page.tags, scalar));
    if (page.importance) line("importance", fmt::format("{}", *page.importance));
    if (page.min_interval) line("min_interval", duration_text(*page.min_interval));
    if (page.max_interval) line("max_interval", duration_text(*page.max_interval));
    if (page.timeout) line("timeout", duration_text(*page.timeout));
    if (!page.user_agent.empty()) line("user_agent", report::yaml_text(page.user_agent));
    headers(page);
    if (const std::string* file = file_of(page.login))
      line("auth", fmt::format("{{ basic_file: {} }}", report::yaml_text(*file)));
    content(page.content);
    return std::move(out_);
  }

 private:
  const std::string* file_of(const std::string& secret) const {
    const auto found = secret.empty() ? files_.end() : files_.find(secret);
    return found == files_.end() ? nullptr : &found->second;
  }
  // A page whose only options are secrets without a file has none.
  bool has_options(const Page& page) const {
    Page rest = page;
    std::erase_if(rest.headers, [&](const Header& header) {
      return header.secret && file_of(header.value) == nullptr;
    });
    if (file_of(rest.login) == nullptr) rest.login.clear();
    return !rest.is_plain();
  }
  void line(std::string_view key, std::string_view value) {
    out_ += fmt::format("  {} {}: {}\n", first_ ? '-' : ' ', key, value);
    first_ = false;
  }
  void headers(const Page& page) {
    std::string all;
    for (const Header& header : page.headers) {
      const std::string* const file = header.secret ? file_of(header.value) : nullptr;
      if (header.secret && file == nullptr) continue;
      const std::string value = file != nullptr
                                    ? fmt::format("{{ file: {} }}", report::yaml_text(*file))
                                    : report::yaml_text(header.value);
      all += fmt::format("      {}: {}\n", report::yaml_text(header.name), value);
    }
    if (!all.empty()) out_ += "    headers:\n" + all;
  }
  void content(const Rules& rules) {
    if (rules == Rules{}) return;
    out_ += "    content:\n";
    const auto key = [&](std::string_view name, const std::string& value) {
      out_ += fmt::format("      {}: {}\n", name, value);
    };
    const auto selectors = [&](std::string_view name, const std::vector<Selector>& list) {
      if (list.empty()) return;
      key(name, list_of(list, [&](const Selector& one) { return selector_text(one, rules.as); }));
    };
    const auto texts = [&](std::string_view name, const std::vector<std::string>& list) {
      if (!list.empty()) key(name, list_of(list, report::yaml_text));
    };
    if (rules.as != extract::As::automatic) key("as", std::string(extract::name_of(rules.as)));
    selectors("select", rules.select);
    selectors("remove", rules.remove);
    texts("ignore", rules.ignore);
    texts("ignore_lines", rules.ignore_lines);
    texts("keep_lines", rules.keep_lines);
    if (rules.sort_lines) key("sort_lines", "true");
    if (rules.unique_lines) key("unique_lines", "true");
    if (rules.alert) {
      const bool appears = rules.alert->when == extract::Alert::When::appears;
      key("alert", fmt::format("{{ {}: {} }}", appears ? "appears" : "disappears",
                               report::yaml_text(rules.alert->pattern)));
    }
    texts("pipe", rules.pipe);
  }

  std::map<std::string, std::string> files_;  // by the secret in it
  std::string out_;
  bool first_ = true;
};

}  // namespace

std::vector<Secret> secrets_of(const Imported& imported) {
  std::vector<Secret> secrets;
  std::map<std::string_view, bool> known;
  const auto add = [&](std::string name, const std::string& value) {
    if (value.empty() || !known.try_emplace(value, true).second) return;
    secrets.push_back({std::move(name), value});
  };
  for (const Page& page : imported.pages) {
    const std::string host = page.host.substr(0, page.host.rfind(':'));
    add(host + "-login", page.login);
    for (const Header& header : page.headers) {
      if (header.secret) add(host + "-" + lowered(header.name), header.value);
    }
  }
  return secrets;
}

std::string pages_yaml(const Imported& imported, std::span<const std::string> secret_files,
                       std::string_view heading) {
  Writer writer(secrets_of(imported), secret_files);
  std::string out = "# " + printable(heading) + "\n";
  // Nothing but URLs is read ten times as fast as a list of its own.
  const bool plain = std::all_of(imported.pages.begin(), imported.pages.end(),
                                 [](const Page& page) { return page.is_plain(); });
  if (plain && !imported.pages.empty()) {
    for (const Page& page : imported.pages) out += "- " + url_scalar(page.url) + "\n";
    return out;
  }
  out += "pages:\n";
  for (const Page& page : imported.pages) out += writer.page(page);
  if (imported.pages.empty()) out += "  []\n";
  return out;
}

}  // namespace pollux::import

#include "import/urlwatch_filters.hpp"

#include "import/content_check.hpp"
#include "import/python_pattern.hpp"
#include "import/words.hpp"
#include "pollux/base/text.hpp"

#include <algorithm>
#include <charconv>

#include <spdlog/fmt/fmt.h>

namespace pollux::import {
namespace {

using config::Kind;
using config::Node;
using extract::As;
using extract::Rules;
using extract::Selector;
using Language = Selector::Language;

constexpr std::size_t most_filters = 100;

std::string kind_of(std::string_view word) {
  std::string kind(trimmed(word));
  std::replace(kind.begin(), kind.end(), '_', '-');
  return kind;
}

UrlwatchFilter filter_of(const Node& entry) {
  UrlwatchFilter filter;
  filter.line = entry.line();
  if (entry.kind() == Kind::scalar) filter.kind = kind_of(entry.text());
  if (entry.kind() != Kind::mapping || entry.begin() == entry.end()) return filter;
  auto at = entry.begin();
  filter.kind = kind_of((*at).text());
  const Node value = *++at;
  if (value.kind() == Kind::scalar) {
    filter.value = value.text();
    filter.has_value = true;
  }
  filter.has_inner = value.kind() == Kind::list;
  if (value.kind() != Kind::mapping) return filter;
  for (auto option = value.begin(); option != value.end(); ++option) {
    const std::string name((*option).text());
    const Node inner = *++option;
    if (inner.kind() == Kind::list || inner.kind() == Kind::mapping) filter.has_inner = true;
    filter.options.emplace_back(name, inner.kind() == Kind::scalar ? inner.text() : "");
  }
  return filter;
}

// What a filter is to the order of things.
enum class Role { selects, converts, lines, orders, form, foreign };

struct KnownFilter {
  std::string_view kind;
  Role role;
};
constexpr KnownFilter known_filters[] = {
    {"css", Role::selects},
    {"xpath", Role::selects},
    {"element-by-id", Role::selects},
    {"element-by-class", Role::selects},
    {"element-by-style", Role::selects},
    {"element-by-tag", Role::selects},
    {"html2text", Role::converts},
    {"jq", Role::converts},
    {"format-json", Role::converts},
    {"pdf2text", Role::converts},
    {"grep", Role::lines},
    {"grepi", Role::lines},
    {"keep-lines-containing", Role::lines},
    {"delete-lines-containing", Role::lines},
    {"re.sub", Role::lines},
    {"re.findall", Role::lines},
    {"sort", Role::orders},
    {"remove-duplicate-lines", Role::orders},
    {"reverse", Role::orders},
    {"strip", Role::form},
    {"striplines", Role::form},
    {"strip-each-line", Role::form},
    {"beautify", Role::form},
    {"pretty-xml", Role::form},
    {"format-xml", Role::form},
    {"sha1sum", Role::form},
    {"hexdump", Role::form},
};

Role role_of(std::string_view kind) {
  for (const KnownFilter& known : known_filters) {
    if (known.kind == kind) return known.role;
  }
  return Role::foreign;
}

std::string css_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// No blank, comma or other combinator outside brackets and parentheses.
bool is_compound(std::string_view css) {
  int depth = 0;
  for (const char c : css) {
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (depth == 0 && (is_blank(c) || c == ',' || c == '>' || c == '+' || c == '~')) return false;
  }
  return !css.empty();
}

// There a relative path starts at the root element.
std::string absolute_xpath(std::string_view path) {
  path = trimmed(path);
  if (path.starts_with("./") || path == ".") return "/*" + std::string(path.substr(1));
  std::size_t name = 0;
  while (name < path.size() &&
         (is_letter_or_digit(path[name]) ||
          std::string_view("-_.:*@").find(path[name]) != std::string_view::npos))
    ++name;
  const bool call =
      name < path.size() && path[name] == '(' && path.substr(0, name).find("::") == path.npos;
  return name == 0 || call ? std::string(path) : "/*/" + std::string(path);
}

std::optional<std::size_t> whole_in(std::string_view text) {
  std::size_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return number;
}

// A pattern for blanks and nothing else.
bool is_of_blanks(std::string_view pattern) {
  bool blanks = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool escape = pattern[i] == '\\' && i + 1 < pattern.size();
    const char c = pattern[escape ? ++i : i];
    const bool blank = escape ? std::string_view("sntrv").find(c) != std::string_view::npos
                              : c == ' ' || c == '\t' || c == '\n';
    const bool grammar = !escape && (is_digit(c) || std::string_view("+*?{},()[]|").find(c) !=
                                                        std::string_view::npos);
    if (!blank && !grammar) return false;
    blanks = blanks || blank;
  }
  return blanks;
}

bool is_constant(std::string_view replacement) {
  return replacement.find('\\') == replacement.npos;
}

class Chain {
 public:
  Chain(const std::vector<UrlwatchFilter>& filters, const Place& place, Collector& out)
      : filters_(filters), place_(place), out_(out) {
    for (std::size_t i = 0; i < filters.size(); ++i) {
      const Role role = role_of(filters[i].kind);
      if (role == Role::selects || role == Role::converts) last_structure_ = i + 1;
      if (role == Role::lines && filters[i].kind != "re.sub") last_lines_ = i + 1;
    }
  }

  Rules run() {
    // What the server sent, as text whose lines end alike; a selection has markup.
    rules_.as = last_structure_ > 0 ? As::html : As::raw;
    if (last_structure_ == 0) rules_.ignore.emplace_back("\\r");
    for (at_ = 0; at_ < filters_.size(); ++at_) {
      if (!stopped_by_.empty()) {
        not_taken("it comes after " + stopped_by_);
      } else {
        take(filter());
      }
    }
    return std::move(rules_);
  }

 private:
  const UrlwatchFilter& filter() const { return filters_[at_]; }
  Place here() const { return {place_.file, filter().line, place_.url}; }
  void not_taken(std::string_view why) {
    out_.left_out(here(), fmt::format("{}: {}", printable(filter().kind, 60), why));
  }
  void taken_as(std::string_view what) {
    out_.changed(here(), fmt::format("{}: {}", printable(filter().kind, 60), what));
  }
  // What comes behind was written for what this filter would have made.
  void stop(std::string_view why) {
    not_taken(why);
    stopped_by_ = filter().kind + ", which is not taken";
  }
  // Adds it if it compiles.
  template <typename Entry>
  bool add(std::vector<Entry> Rules::*list, Entry entry) {
    Rules alone;
    alone.as = rules_.as;
    (alone.*list).push_back(entry);
    if (const std::string complaint = complaint_of(alone); !complaint.empty()) {
      not_taken(complaint);
      return false;
    }
    (rules_.*list).push_back(std::move(entry));
    return true;
  }

  void take(const UrlwatchFilter& filter) {
    switch (role_of(filter.kind)) {
      case Role::selects:
        return select(filter);
      case Role::converts:
        return convert(filter);
      case Role::lines:
        if (at_ < last_structure_) {
          return not_taken("it comes before " + filters_[last_structure_ - 1].kind +
                           "; patterns are looked for in what is left at the end");
        }
        return filter.kind == "re.sub" ? substitute(filter) : take_lines(filter);
      case Role::orders:
        return order(filter);
      case Role::form:
        return form(filter);
      case Role::foreign:
        break;
    }
    if (filter.kind == "shellpipe" || filter.kind == "execute") {
      return stop("commands are not taken; a program without a shell can stand under `pipe:`");
    }
    if (filter.kind == "ical2text" || filter.kind == "csv2text") {
      return stop("the file is compared as it is");
    }
    if (filter.kind == "ocr") return stop("the image is compared as it is");
    stop("there is no such filter here");
  }

  void select(const UrlwatchFilter& filter) {
    if (rules_.as != As::html) return not_taken("it comes after the text was made");
    std::optional<Selector> selector = selector_of(filter);
    if (!selector) return;
    if (!rules_.select.empty()) selector = inside_selected(*selector);
    if (!selector) {
      return not_taken("a selection inside a selection; write one selector for both");
    }
    if (filter.option("method") == "xml") rules_.as = As::text;
    std::vector<Selector> before = std::exchange(rules_.select, {});
    if (!add(&Rules::select, *selector)) rules_.select = std::move(before);
    take_exclusion(filter);
  }
  std::optional<Selector> selector_of(const UrlwatchFilter& filter) {
    const std::string& kind = filter.kind;
    if (kind == "css") return css_of(filter);
    if (kind == "xpath") return xpath_of(filter);
    const std::string name = kind.substr(kind.rfind('-') + 1);
    const std::string value = filter.option(name);
    if (value.empty()) {
      not_taken("it names nothing");
      return std::nullopt;
    }
    if (name == "tag") return Selector{Language::css, value};
    return Selector{Language::css, fmt::format("[{}={}]", name, css_string(value))};
  }
  std::optional<Selector> css_of(const UrlwatchFilter& filter) {
    if (filter.option("method") == "xml") {
      not_taken("CSS asks HTML; write an XPath for XML");
      return std::nullopt;
    }
    for (const std::string_view name : {"skip", "maxitems"}) {
      if (filter.has(name) && filter.option(name) != "0")
        not_taken(fmt::format("{}: all that it matches is kept", name));
    }
    return Selector{Language::css, filter.option("selector")};
  }
  std::optional<Selector> xpath_of(const UrlwatchFilter& filter) {
    if (filter.has("namespaces")) {
      not_taken("namespaces: write *[local-name()='NAME'] for a name with a prefix");
      return std::nullopt;
    }
    std::string path = absolute_xpath(filter.option("path"));
    const std::size_t skip = whole_in(filter.option("skip", "0")).value_or(0);
    const std::size_t most = whole_in(filter.option("maxitems", "0")).value_or(0);
    if (skip > 0) path = fmt::format("({})[position()>{}]", path, skip);
    if (most > 0) path = fmt::format("({})[position()<={}]", path, most);
    return Selector{Language::xpath, path};
  }
  // The second of two selections sees what the first has left, elements that it took included.
  std::optional<Selector> inside_selected(const Selector& inner) const {
    const Selector& outer = rules_.select.front();
    if (outer.language != Language::css || inner.language != Language::css ||
        !is_compound(inner.text))
      return std::nullopt;
    return Selector{Language::css,
                    fmt::format(":is({0}) {1}, :is({0}):is({1})", outer.text, inner.text)};
  }
  void take_exclusion(const UrlwatchFilter& filter) {
    const std::string text = filter.option("exclude");
    if (text.empty() || filter.kind.starts_with("element")) return;
    const bool css = filter.kind == "css";
    add(&Rules::remove,
        Selector{css ? Language::css : Language::xpath, css ? text : absolute_xpath(text)});
  }

  void convert(const UrlwatchFilter& filter) {
    if (filter.kind == "html2text") return to_text(filter);
    if (filter.kind == "pdf2text") return from_pdf(filter);
    if (!rules_.select.empty()) return not_taken("it comes after a selection of elements");
    if (filter.kind == "format-json") {
      rules_.as = As::json;
      return;
    }
    rules_.as = As::json;
    if (!out_.may_ask_jq()) return not_taken("there are too many filters for jq");
    add(&Rules::select, Selector{Language::jq, filter.option("query")});
  }
  void to_text(const UrlwatchFilter& filter) {
    if (rules_.as == As::json) return not_taken("it comes after JSON");
    rules_.as = As::text;
    const std::string method = filter.option("method", "re");
    if (method != "re" || filter.options.size() > 1) {
      taken_as("its method and options are not taken; what a reader sees is kept");
    }
    out_.changed_once(place_.file,
                      "html2text: one line a block, with the targets of links, which count, too");
  }
  void from_pdf(const UrlwatchFilter& filter) {
    if (at_ > 0) return not_taken("it must come first");
    if (filter.has("password")) not_taken("password: it is not taken");
    rules_.pipe = {"pdftotext", "-", "-"};
    rules_.as = As::text;
    Rules alone;
    alone.pipe = rules_.pipe;
    if (complaint_of(alone).empty()) return;
    rules_.pipe.clear();
    rules_.as = As::automatic;
    stop(
        "there is no pdftotext here; install poppler-utils and write pipe: [pdftotext, \"-\", "
        "\"-\"]");
  }

  void take_lines(const UrlwatchFilter& filter) {
    const bool keeps = filter.kind == "grep" || filter.kind == "keep-lines-containing" ||
                       filter.kind == "re.findall";
    const bool by_text = filter.kind.ends_with("containing") && !filter.has("re");
    const std::string text = filter.option(by_text                       ? "text"
                                           : filter.kind == "re.findall" ? "pattern"
                                                                         : "re");
    if (text.empty()) return not_taken("it has no pattern");
    if (keeps && !rules_.keep_lines.empty()) {
      return not_taken("a second one; keep_lines keeps lines in which any of its patterns matches");
    }
    const std::string pattern = by_text ? re2_of_text(text) : re2_of_python(text, Against::lines);
    const bool added = add(keeps ? &Rules::keep_lines : &Rules::ignore_lines, pattern);
    if (added && filter.kind == "re.findall") taken_as("whole lines are kept, not what matches");
  }

  void substitute(const UrlwatchFilter& filter) {
    const std::string pattern = filter.option("pattern");
    const std::string replacement = filter.option("repl");
    if (pattern.empty()) return not_taken("it has no pattern");
    if (!is_constant(replacement)) {
      return stop("text is dropped here, never put together anew");
    }
    const bool blank = trimmed(replacement).empty();
    if (blank && !replacement.empty() && rules_.as == As::text && is_of_blanks(pattern)) {
      return out_.changed_once(
          place_.file, "re.sub of blanks: not needed; in what a reader sees they are folded");
    }
    if (!blank && at_ < last_lines_) return stop("later filters see what it would have put there");
    if (!rules_.keep_lines.empty() || !rules_.ignore_lines.empty()) {
      return not_taken("it comes after lines were chosen; here patterns are dropped before that");
    }
    const bool added = add(&Rules::ignore, re2_of_python(pattern, Against::text));
    if (added && !replacement.empty()) taken_as("what it replaces is dropped");
  }

  void order(const UrlwatchFilter& filter) {
    const std::string separator = filter.option("separator", "\n");
    if (separator != "\n" && separator != "\\n") return not_taken("a separator of its own");
    if (at_ < last_structure_ && filter.kind != "reverse") {
      return not_taken("it comes before " + filters_[last_structure_ - 1].kind);
    }
    if (filter.kind == "sort") rules_.sort_lines = true;
    if (filter.kind == "remove-duplicate-lines") rules_.unique_lines = true;
    if (filter.kind == "reverse") {
      out_.changed_once(place_.file, "reverse: not needed; it does not matter for what changed");
    }
  }

  void form(const UrlwatchFilter& filter) {
    const bool strips = filter.kind.starts_with("strip");
    if (strips && filter.has("chars")) return stop("chars: only blanks can be stripped");
    const bool lines = filter.kind != "strip" || lowered(filter.option("splitlines")) == "true";
    if (!strips) {
      out_.changed_once(
          place_.file,
          fmt::format("{}: not needed; it does not matter for what changed", filter.kind));
    } else if (at_ >= last_structure_ && rules_.as != As::text) {
      // The text of HTML has no blanks to strip.
      add(&Rules::ignore,
          std::string(lines ? "^[\\t \\pZ]+|[\\t \\pZ]+$" : "\\A[\\s\\pZ]+|[\\s\\pZ]+\\z"));
    }
  }

  const std::vector<UrlwatchFilter>& filters_;
  const Place& place_;
  Collector& out_;
  Rules rules_;
  std::size_t at_ = 0;
  std::size_t last_structure_ = 0, last_lines_ = 0;  // one behind the last of them
  std::string stopped_by_;
};

}  // namespace

std::string UrlwatchFilter::option(std::string_view name, std::string_view fallback) const {
  for (const auto& [key, text] : options) {
    if (key == name) return text;
  }
  // The value that needs no name is the first of a filter's options, whatever that is called.
  constexpr std::string_view unnamed[] = {"selector", "path",  "re",     "text",
                                          "pattern",  "query", "id",     "class",
                                          "style",    "tag",   "method", "separator"};
  const bool first = std::find(std::begin(unnamed), std::end(unnamed), name) != std::end(unnamed);
  const bool css_or_xpath = kind == "css" || kind == "xpath";
  if (has_value && first && !(css_or_xpath && name == "method")) return value;
  return std::string(fallback);
}

bool UrlwatchFilter::has(std::string_view name) const {
  return std::any_of(options.begin(), options.end(),
                     [&](const auto& option) { return option.first == name; });
}

std::vector<UrlwatchFilter> urlwatch_filters(const Node& filter) {
  std::vector<UrlwatchFilter> filters;
  if (filter.kind() == Kind::scalar) {
    std::string_view rest = filter.text();
    while (!rest.empty() && filters.size() < most_filters) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      const std::string_view part = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const std::size_t colon = std::min(part.find(':'), part.size());
      UrlwatchFilter one;
      one.kind = kind_of(part.substr(0, colon));
      one.line = filter.line();
      one.has_value = colon < part.size();
      if (one.has_value) one.value = part.substr(colon + 1);
      filters.push_back(std::move(one));
    }
  } else if (filter.kind() == Kind::list) {
    for (const Node entry : filter) {
      if (filters.size() < most_filters) filters.push_back(filter_of(entry));
    }
  } else if (filter.kind() == Kind::mapping) {
    filters.push_back(filter_of(filter));
  }
  return filters;
}

Rules rules_of_urlwatch(const std::vector<UrlwatchFilter>& filters, const Place& place,
                        Collector& out) {
  return Chain(filters, place, out).run();
}

}  // namespace pollux::import

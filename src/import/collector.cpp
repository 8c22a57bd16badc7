#include "import/collector.hpp"

#include "import/words.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/base/url.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

namespace pollux::import {
namespace {

constexpr std::size_t most_notes = 1000;  // of a kind; nobody reads more
constexpr std::size_t most_pages = 2'000'000;
constexpr std::size_t most_tags = 50;  // of a page
constexpr std::size_t longest_title = 200;
constexpr Duration shortest_interval = std::chrono::milliseconds(1);
constexpr Duration default_min_interval = std::chrono::seconds(5);
constexpr Duration longest_interval = std::chrono::hours(24) * 36525;

// The userinfo of "https://user:password@host/", which is taken out of the URL.
std::string take_login(std::string& url) {
  const std::size_t start = url.find("://");
  if (start == url.npos) return "";
  const std::size_t authority = start + 3;
  const std::size_t end = std::min(url.find_first_of("/?#\\", authority), url.size());
  const std::size_t at = url.rfind('@', end);
  if (at == url.npos || at < authority || at >= end) return "";
  std::string login = percent_decoded(std::string_view(url).substr(authority, at - authority));
  url.erase(authority, at + 1 - authority);
  return login.find(':') == login.npos ? login + ":" : login;
}

// "example.org/news", and not "see the list below".
bool looks_like_host(std::string_view text) {
  const std::string_view host = text.substr(0, text.find_first_of("/?#:"));
  const std::size_t dot = host.rfind('.');
  if (dot == host.npos || dot == 0 || dot + 2 >= host.size()) return false;
  return std::all_of(host.begin(), host.end(), [](char c) {
    return is_letter_or_digit(c) || c == '-' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
  });
}

bool has_scheme(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != text.npos && colon > 0 &&
         (text.substr(colon).starts_with("://") ||
          std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon), is_letter));
}

}  // namespace

std::optional<Page> Collector::page(std::string_view url, const Place& place, Scheme scheme) {
  std::string text(trimmed(url));
  if (scheme == Scheme::may_be_missing && !has_scheme(text) && looks_like_host(text)) {
    text.insert(0, "https://");
    changed({place.file, place.line, printable_url(text)}, "https:// was added");
  }
  Page page;
  page.login = take_login(text);
  Result<Url> parsed = parse_url(text);
  if (!parsed) {
    left_out({place.file, place.line, printable_url(text)}, parsed.error().message);
    return std::nullopt;
  }
  page.url = std::move(parsed->text);
  page.host = std::move(parsed->host_port);
  if (!page.login.empty() && !is_secret_line(page.login)) {
    left_out({place.file, place.line, printable_url(page.url)},
             "the login in the URL: it is not printable ASCII; write it into a file for auth: { "
             "basic_file: … }");
    page.login.clear();
  }
  return page;
}

std::string Collector::title(std::string_view text) {
  std::string folded;
  for (const char c : trimmed(text)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool blank = byte <= ' ' || byte == 0x7F;
    if (!blank) {
      folded += c;
    } else if (!folded.empty() && folded.back() != ' ') {
      folded += ' ';
    }
  }
  folded = printable(folded, folded.size() + 1);  // other controls, and what is no UTF-8
  if (folded.size() > longest_title) {
    std::size_t end = longest_title;
    while (end > 0 && (static_cast<unsigned char>(folded[end]) & 0xC0U) == 0x80U) --end;
    folded.resize(end);
  }
  return std::string(trimmed(folded));
}

void Collector::add_tag(Page& page, std::string_view tag) {
  std::string clean = title(tag);
  if (clean.empty() || page.tags.size() >= most_tags) return;
  if (std::find(page.tags.begin(), page.tags.end(), clean) == page.tags.end())
    page.tags.push_back(std::move(clean));
}

void Collector::add_tags(Page& page, std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(",;|"), list.size());
    add_tag(page, list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

void Collector::set_name(Page& page, std::string_view name) {
  page.name = title(name);
  if (page.name == page.url || page.name + "/" == page.url) page.name.clear();
}

void Collector::set_interval(Page& page, Duration interval, const Place& place) {
  if (interval < shortest_interval || interval > longest_interval) {
    left_out(place, fmt::format("an interval of {} is none", format_duration(interval)));
    return;
  }
  page.max_interval = interval;
  if (interval < default_min_interval) page.min_interval = interval;
  changed_once(place.file,
               "intervals: they became max_interval; a page is polled at least so often, and more "
               "often where that pays");
}

void Collector::add(Page page, const Place& place) {
  if (out_.pages.size() >= most_pages) {
    left_out_once(place.file, fmt::format("more than {} pages", most_pages));
    return;
  }
  const auto [at, fresh] = known_.try_emplace(page.url, out_.pages.size());
  if (fresh) {
    out_.pages.push_back(std::move(page));
    return;
  }
  Page& first = out_.pages[at->second];
  for (const std::string& tag : page.tags) add_tag(first, tag);
  const bool same = page.name == first.name && page.content == first.content;
  left_out({place.file, place.line, printable_url(page.url)},
           same ? "it stands twice; the first is kept"
                : "it stands twice, with other options; the first is kept, with the tags of both");
}

void Collector::note(Notes& notes, const Place& place, std::string what) {
  if (++notes.count > most_notes) return;
  notes.kept.push_back({std::string(place.file), place.line, place.url, printable(what, 1000)});
}

void Collector::once(Notes& notes, std::string_view file, const std::string& what) {
  if (!said_.try_emplace(what, true).second) return;
  note(notes, {file, 0}, what);
}

void Collector::changed_once(std::string_view file, const std::string& what) {
  once(out_.changed, file, what);
}

void Collector::left_out_once(std::string_view file, const std::string& what) {
  once(out_.left_out, file, what);
}

}  // namespace pollux::import

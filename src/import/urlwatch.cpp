// urlwatch's urls.yaml: one job a document.
#include "import/content_check.hpp"
#include "import/readers.hpp"
#include "import/urlwatch_filters.hpp"
#include "import/words.hpp"
#include "pollux/base/text.hpp"
#include "pollux/config/document.hpp"

#include <charconv>
#include <map>
#include <optional>

#include <spdlog/fmt/fmt.h>

namespace pollux::import {
namespace {

using config::Document;
using config::Kind;
using config::Node;

// What is known of a key that has no counterpart.
struct IdleKey {
  std::string_view key;
  bool needed;  // something is lost without it
  std::string_view why;
};
constexpr IdleKey idle_keys[] = {
    {"kind", false, ""},
    {"index_number", false, ""},
    {"ignore_connection_errors", false, "not needed: an error is never a change here"},
    {"ignore_http_error_codes", false, "not needed: an error is never a change here"},
    {"ignore_timeout_errors", false, "not needed: an error is never a change here"},
    {"ignore_too_many_redirects", false, "not needed: an error is never a change here"},
    {"ignore_dh_key_too_small", false, "not needed: an error is never a change here"},
    {"ignore_cached", false, "not needed: a 304 is believed, and nothing else is cached"},
    {"no_redirects", true, "redirects are followed"},
    {"max_tries", true, "errors are tried again with a pause that grows"},
    {"ssl_no_verify", true,
     "certificates are always checked; network.ca_file names an authority of your own"},
    {"http_proxy", true, "network.proxy is for all pages"},
    {"https_proxy", true, "network.proxy is for all pages"},
    {"encoding", true, "the encoding is found as browsers find it"},
    {"diff_tool", true, "`pollux diff` has a diff of its own"},
    {"diff_filter", true, "diffs are not filtered"},
    {"additions_only", true, "diffs are not filtered"},
    {"deletions_only", true, "diffs are not filtered"},
    {"compared_versions", true, "going back and forth between versions is no change here"},
    {"treat_new_as_changed", true, "the first look is what later ones are compared with"},
    {"user_visible_url", true, "the URL that is polled is the one that is shown"},
    {"wait_until", true, "pages are fetched without a browser"},
    {"stderr", true, "commands are not taken"},
};

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc{} || stop != end || !(number >= 0 && number < 1e9)) return {};
  return number;
}

class Job {
 public:
  Job(const TextFile& file, const Node& root, Collector& out) : root_(root), out_(out) {
    place_ = {file.name, root.line()};
    if (root.kind() != Kind::mapping) return;
    for (auto at = root.begin(); at != root.end(); ++at) {
      const std::string_view key = (*at).text();
      const std::uint32_t line = (*at).line();
      keys_.insert_or_assign(key, std::pair(*++at, line));
    }
  }

  void read() {
    if (root_.kind() == Kind::null) return;
    if (root_.kind() != Kind::mapping) {
      return out_.left_out(place_, fmt::format("a job that is {}", kind_name(root_.kind())));
    }
    const bool browser = keys_.contains("navigate");
    const auto url = keys_.find(browser ? "navigate" : "url");
    if (url == keys_.end() || url->second.first.kind() != Kind::scalar) {
      return out_.left_out(place_, keys_.contains("command") ? "a command; commands are not run"
                                                             : "a job without a URL");
    }
    place_.line = url->second.second;
    std::optional<Page> page = out_.page(url->second.first.text(), place_);
    if (!page) return;
    place_.url = printable_url(page->url);
    if (const std::string method = posts(); !method.empty()) {
      return out_.left_out(place_, method + ": pages are asked for by GET alone");
    }
    if (browser) out_.changed(place_, "navigate: it is fetched without a browser");
    read_keys(*page);
    out_.add(std::move(*page), place_);
  }

 private:
  // How it asks, if not by GET.
  std::string posts() const {
    if (keys_.contains("data")) return "data";
    const auto method = keys_.find("method");
    if (method == keys_.end() || method->second.first.kind() != Kind::scalar) return "";
    return lowered(method->second.first.text()) == "get"
               ? ""
               : "method " + printable(method->second.first.text(), 20);
  }
  void read_keys(Page& page) {
    for (const auto& [key, found] : keys_) {
      const auto& [value, line] = found;
      const Place place{place_.file, line, place_.url};
      if (key == "url" || key == "navigate" || key == "method" || key == "filter") continue;
      if (key == "name") {
        Collector::set_name(page, value.text());
      } else if (key == "headers" && value.kind() == Kind::mapping) {
        read_headers(page, value);
      } else if (key == "cookies" && value.kind() == Kind::mapping) {
        read_cookies(page, value, place);
      } else if (key == "timeout") {
        read_timeout(page, value, place);
      } else if (key == "tags" || key == "tag") {
        read_tags(page, value);
      } else {
        read_idle(key, place);
      }
    }
    const auto filter = keys_.find("filter");
    page.content = rules_of_urlwatch(filter == keys_.end() ? std::vector<UrlwatchFilter>{}
                                                           : urlwatch_filters(filter->second.first),
                                     place_, out_);
    keep_what_compiles(page.content, place_, out_);
  }
  void read_headers(Page& page, const Node& value) {
    for (auto at = value.begin(); at != value.end(); ++at) {
      const Node name = *at;
      const Node text = *++at;
      add_header(page, name.text(), text.text(), {place_.file, name.line(), place_.url}, out_);
    }
  }
  void read_cookies(Page& page, const Node& value, const Place& place) {
    std::string line;
    for (auto at = value.begin(); at != value.end(); ++at) {
      const std::string name((*at).text());
      line += fmt::format("{}{}={}", line.empty() ? "" : "; ", name, (*++at).text());
    }
    if (!line.empty()) add_header(page, "Cookie", line, place, out_);
  }
  void read_timeout(Page& page, const Node& value, const Place& place) {
    const std::optional<double> seconds = number_in(value.text());
    if (!seconds) return out_.left_out(place, "timeout: it is no number of seconds");
    const double most = 3600;  // 0: for ever
    const double chosen = *seconds == 0 ? most : std::min(*seconds, most);
    set_timeout(page, std::chrono::duration_cast<Duration>(std::chrono::duration<double>(chosen)),
                place, out_);
    if (chosen != *seconds) out_.changed(place, "timeout: it became 1 h");
  }
  static void read_tags(Page& page, const Node& value) {
    if (value.kind() == Kind::scalar) Collector::add_tags(page, value.text());
    if (value.kind() != Kind::list) return;
    for (const Node tag : value) Collector::add_tag(page, tag.text());
  }
  void read_idle(std::string_view key, const Place& place) {
    for (const IdleKey& known : idle_keys) {
      if (known.key != key) continue;
      if (known.why.empty()) return;
      const std::string what = fmt::format("{}: {}", key, known.why);
      return known.needed ? out_.left_out(place, what) : out_.changed_once(place.file, what);
    }
    out_.left_out(place, fmt::format("{}: it has no counterpart", printable(key, 60)));
  }

  const Node root_;
  Collector& out_;
  Place place_;
  std::map<std::string_view, std::pair<Node, std::uint32_t>> keys_;  // with their lines
};

}  // namespace

Status read_urlwatch(const TextFile& file, Collector& out) {
  std::vector<std::string> remarks;
  const Result<std::vector<Document>> documents =
      Document::parse_all(file.text, file.name, ExitCode::bad_data, remarks);
  if (!documents) return documents.error();
  for (const std::string& remark : remarks) out.left_out({file.name, 0}, remark);
  for (const Document& document : *documents) Job(file, document.root(), out).read();
  return success();
}

}  // namespace pollux::import

#include "config/section_readers.hpp"

#include "config/foreign_file.hpp"
#include "config/text_file.hpp"
#include "config/value_readers.hpp"
#include "config/written_pages.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/base/url.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <spdlog/fmt/fmt.h>

namespace pollux::config {
namespace {

// The last word of a row directly below `prefix`; empty for all others.
std::string_view word_below(std::string_view prefix, const Key& key) {
  std::string_view rest = key.path;
  if (!prefix.empty()) {
    if (!rest.starts_with(prefix) || rest.size() <= prefix.size() || rest[prefix.size()] != '.') {
      return {};
    }
    rest.remove_prefix(prefix.size() + 1);
  }
  return rest.find('.') == std::string_view::npos ? rest : std::string_view();
}

const Key* find_key(std::string_view prefix, std::string_view word) {
  for (const Key& key : keys()) {
    if (key.path.ends_with(word) && word_below(prefix, key) == word) return &key;
  }
  return nullptr;
}

// "pages[]" → "of an entry in 'pages'", for messages.
std::string whereabouts(std::string_view prefix) {
  if (prefix.empty()) return "at the top level";
  const bool entry = prefix.ends_with("[]") || prefix.ends_with(".*");
  return fmt::format("{} '{}'", entry ? "of an entry in" : "in",
                     prefix.substr(0, prefix.size() - (entry ? 2 : 0)));
}

Error unknown_key(LoadContext& r, std::string_view prefix, const Node& word) {
  std::vector<std::string_view> known;
  for (const Key& key : keys()) {
    if (const std::string_view below = word_below(prefix, key); !below.empty()) {
      known.push_back(below);
    }
  }
  std::string cure = "known here: " + joined(known);
  if (prefix.empty() && word.text() == "content") {
    cure = "write it under 'defaults', in an entry of 'rules' or at a page";
  } else if (const std::string_view meant = nearest(word.text(), known); !meant.empty()) {
    cure = fmt::format("did you mean '{}'?", meant);
    if (prefix.empty()) r.meant.emplace(meant);
  } else if (prefix == "rules[]" && find_key("pages[]", word.text()) != nullptr) {
    cure =
        "a rule has only 'content'; write it at the page: { url: …, " + printable(word.text(), 60) +
        ": … }" +
        (find_key("defaults", word.text()) != nullptr ? ", or for all pages under 'defaults'" : "");
  } else if (prefix.ends_with(".auth")) {
    cure = "write basic_file: PATH (a file with user:password) or bearer_file: PATH";
  } else {
    for (const Key& key : keys()) {
      const std::size_t dot = key.path.rfind('.');
      if (dot == std::string_view::npos || key.path.substr(dot + 1) != word.text()) continue;
      cure = fmt::format("it belongs under '{}'; indent it there", key.path.substr(0, dot));
      break;
    }
  }
  return r.error(word, fmt::format("unknown key '{}' {}; {}", printable(word.text(), 60),
                                   whereabouts(prefix), cure));
}

// Reads a mapping whose keys are the rows directly below `prefix` ("" for the whole file); true:
// nothing is wrong with it.
bool read_mapping(LoadContext& r, std::string_view prefix, const Node& mapping) {
  if (mapping.kind() == Kind::null) return true;
  if (mapping.kind() != Kind::mapping) {
    return r.note(
        r.error(mapping, fmt::format("{} stands where keys with values are expected ({}); write "
                                     "'key: value'",
                                     kind_name(mapping.kind()), whereabouts(prefix))));
  }
  const std::size_t before = r.problems.count();
  std::vector<std::pair<const Key*, Node>> found;
  for (auto at = mapping.begin(); at != mapping.end(); ++at) {
    const Node word = *at;
    const Key* key = find_key(prefix, word.text());
    if (key == nullptr) r.note(unknown_key(r, prefix, word));
    ++at;
    if (key != nullptr) found.emplace_back(key, *at);
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [key, value] : found) r.note(key->read(r, *key, value));
  return r.problems.count() == before;
}

Status check_limits(const LoadContext& r, const Node& where, const schedule::Limits& limits) {
  if (limits.min_interval <= limits.max_interval) return success();
  return r.error(where, fmt::format("min_interval ({}) is longer than max_interval ({}); lower the "
                                    "one or raise the other (absent ones come from 'defaults')",
                                    format_duration(limits.min_interval),
                                    format_duration(limits.max_interval)));
}

Status read_page(LoadContext& r, const Node& entry) {
  if (entry.kind() == Kind::scalar) return r.pages.add(entry.text(), entry.line());
  if (entry.kind() != Kind::mapping) {
    return r.error(entry, fmt::format("an entry of the pages is {}; write a URL or {{ url: …, "
                                      "importance: … }}",
                                      kind_name(entry.kind())));
  }
  OwnOptions own{.settings = r.config.settings.front()};
  r.page = &own.settings;
  r.content = &own.content;
  r.label = &own.label;
  r.page_url.reset();
  r.headers.clear();
  if (!read_mapping(r, "pages[]", entry)) {
    r.pages.check_content(r.page_url ? r.page_url->text() : "", own);
    return success();
  }
  own.headers = r.pages.header_sets().number_of(r.headers);
  if (!r.page_url) return r.error(entry, "a page without a URL; add 'url: https://…'");
  if (Status limits = check_limits(r, entry, own.settings.limits); !limits) return limits;
  if (r.options.written != nullptr) {
    const Result<Url> url = parse_url(r.page_url->text());
    if (url) r.options.written->try_emplace(url->text, written_page(entry));
  }
  return r.pages.add(r.page_url->text(), r.page_url->line(), std::move(own));
}

Status read_page_list(LoadContext& r, const Node& list) {
  if (list.kind() == Kind::null) return success();
  if (list.kind() != Kind::list) {
    return r.error(list, fmt::format("the pages are {}; write a list, one '- https://…' per line",
                                     kind_name(list.kind())));
  }
  std::size_t count = 0;
  for (auto at = list.begin(); at != list.end(); ++at) ++count;
  r.pages.start_file(r.file, r.code, count);
  for (const Node entry : list) r.note(read_page(r, entry));
  return success();
}

Status read_yaml_pages(LoadContext& r, std::string text) {
  const std::optional<std::string> foreign = foreign_file(text, r.file);
  Result<Document> document = Document::parse(std::move(text), r.file, r.code, &r.problems);
  if (!document) return document.error();
  const Node root = document->root();
  if (root.kind() != Kind::mapping) return read_page_list(r, root);
  if (foreign) return r.error(root, *foreign);
  for (auto at = root.begin(); at != root.end(); ++at) {
    const Node word = *at;
    const Node value = *++at;
    r.note(word.text() == "pages"
               ? read_page_list(r, value)
               : r.error(word, fmt::format("unknown key '{}' in a pages file; the only one is "
                                           "'pages'",
                                           printable(word.text(), 60))));
  }
  return success();
}

// "example.org" or "example.org:8080" in normal form.
Result<std::string> host_key(const LoadContext& r, const Node& word) {
  const std::string_view text = word.text();
  const Result<Url> url = parse_url("http://" + std::string(text) + "/");
  if (!url || text.find_first_of("/?#") != std::string_view::npos) {
    return r.error(word, fmt::format("hosts.overrides: '{}' is no host; write example.org or "
                                     "\"example.org:8080\"",
                                     printable(text, 60)));
  }
  const std::size_t bracket = std::min(text.rfind(']'), text.size());
  const bool has_port = text.find(':', bracket == text.size() ? 0 : bracket) != text.npos;
  return has_port ? url->host_port : url->host_port.substr(0, url->host_port.rfind(':'));
}

}  // namespace

void read_configuration(LoadContext& r, const Node& root) {
  read_mapping(r, "", root);
}

bool read_keys(LoadContext& r, std::string_view prefix, const Node& mapping) {
  return read_mapping(r, prefix, mapping);
}

Status read_section(LoadContext& r, const Key& key, const Node& value) {
  read_mapping(r, key.path, value);
  return success();
}

Status read_defaults(LoadContext& r, const Key& key, const Node& value) {
  r.page = &r.config.settings.front();
  r.content = &r.pages.contents().defaults();
  r.headers.clear();
  if (!read_mapping(r, key.path, value)) return success();
  r.page->headers = r.pages.header_sets().number_of(r.headers);
  return check_limits(r, value, r.page->limits);
}

Status read_hosts(LoadContext& r, const Key& key, const Node& value) {
  r.host = &r.config.host_default;
  read_mapping(r, key.path, value);
  return success();
}

Status read_overrides(LoadContext& r, const Key& key, const Node& value) {
  if (value.kind() == Kind::null) return success();
  if (value.kind() != Kind::mapping) {
    return r.error(value, fmt::format("'{}' is {}; write \"example.org\": {{ delay: 0s }}",
                                      name_of(key), kind_name(value.kind())));
  }
  for (auto at = value.begin(); at != value.end(); ++at) {
    const Node word = *at;
    const Result<std::string> host = host_key(r, word);
    HostSettings politeness = r.config.host_default;
    r.host = &politeness;
    r.headers.clear();
    const bool right = read_mapping(r, "hosts.overrides.*", *++at);
    if (!host) r.note(host.error());
    if (!host || !right) continue;
    r.pages.set_host_headers(*host, r.pages.header_sets().number_of(r.headers));
    if (!r.config.host_overrides.emplace(*host, politeness).second) {
      r.note(r.error(word, fmt::format("hosts.overrides: '{}' stands twice; keep one of them",
                                       printable(*host))));
    }
  }
  return success();
}

Status read_pages(LoadContext& r, const Key&, const Node& value) {
  return read_page_list(r, value);
}

Status read_pages_file(LoadContext& r, const Key& key, const Node& value) {
  std::string path;
  if (Status status = read_path(r, key, value, path); !status) return status;
  const bool lines = path.ends_with(".txt");
  if (!lines && !path.ends_with(".yaml") && !path.ends_with(".yml")) {
    const Result<std::string> other = read_file(path, "pages file");
    const auto foreign = other ? foreign_file(*other, path) : std::nullopt;
    return r.error(value, foreign ? "pages_file: " + *foreign
                                  : fmt::format("pages_file: '{}' is of no known kind; name it "
                                                ".yaml, .yml or .txt",
                                                printable(path)));
  }
  Result<std::string> text = read_file(path, "pages file");
  if (!text) {
    return Error{r.error(value, "pages_file: " + text.error().message).message,
                 text.error().exit_code};
  }
  std::string outer_file = std::exchange(r.file, path);
  const ExitCode outer_code = std::exchange(r.code, ExitCode::bad_data);
  Status status =
      accept_text(*text, r.file, lines ? Tabs::allow : Tabs::refuse_in_indentation, r.code);
  if (status && (lines || is_plain_list(*text))) {
    const auto count = std::count(text->begin(), text->end(), '\n') + 1;
    r.pages.start_file(r.file, r.code, static_cast<std::size_t>(count));
    r.pages.add_lines(*text, r.problems, lines ? "" : "- ");
  } else if (status) {
    status = read_yaml_pages(r, std::move(*text));
  }
  r.file = std::move(outer_file);
  r.code = outer_code;
  return status;
}

}  // namespace pollux::config

#include "config/rooted_yaml.hpp"
#include "config/text_file.hpp"
#include "config/written_pages.hpp"
#include "pollux/base/text.hpp"
#include "pollux/config/document.hpp"
#include "pollux/config/export.hpp"
#include "pollux/config/headers.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <unordered_map>

#include <spdlog/fmt/fmt.h>

namespace pollux::config {
namespace {

using Keys = std::vector<std::pair<std::string, std::string>>;

void set_key(Keys& keys, const std::string& key, std::string value) {
  const auto at = std::ranges::find(keys, key, [](const auto& entry) { return entry.first; });
  if (at != keys.end()) {
    at->second = std::move(value);
  } else {
    keys.emplace_back(key, std::move(value));
  }
}

void drop_key(Keys& keys, const std::string& key) {
  std::erase_if(keys, [&](const auto& entry) { return entry.first == key; });
}

std::string interval_yaml(Duration interval) {
  return fmt::format("{}ms",
                     std::chrono::duration_cast<std::chrono::milliseconds>(interval).count());
}

Status lay_over(Keys& keys, const LiveSettings& live) {
  if (live.name) {
    if (live.name->empty()) {
      drop_key(keys, "name");
    } else {
      set_key(keys, "name", quoted_yaml(*live.name));
    }
  }
  if (live.tags) {
    std::string list;
    for (const std::string& tag : *live.tags) list += (list.empty() ? "" : ", ") + quoted_yaml(tag);
    set_key(keys, "tags", "[" + list + "]");
  }
  if (live.importance) set_key(keys, "importance", fmt::format("{}", *live.importance));
  if (live.min_interval) set_key(keys, "min_interval", interval_yaml(*live.min_interval));
  if (live.max_interval) set_key(keys, "max_interval", interval_yaml(*live.max_interval));
  if (live.content) {
    const Result<Document> content =
        Document::parse(*live.content, "content", ExitCode::bad_data, nullptr);
    if (!content) return content.error();
    set_key(keys, "content", yaml_of(content->root()));
  }
  return success();
}

// Read back it is the same text: nothing in it means anything to YAML.
bool is_plain_url(std::string_view url) {
  return !url.ends_with(':') && std::ranges::none_of(url, [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '\'' || c == '#';
  });
}

void append_page(std::string& yaml, const std::string& url, const Keys& keys) {
  yaml += "- ";
  if (keys.empty()) {
    yaml += is_plain_url(url) ? url : quoted_yaml(url);
  } else {
    yaml += "{ url: " + quoted_yaml(url);
    for (const auto& [key, value] : keys) yaml += ", " + key + ": " + value;
    yaml += " }";
  }
  yaml += '\n';
}

}  // namespace

std::string quoted_yaml(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (code < 0x20 || code == 0x7f) {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned>(code));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string yaml_of(const Node& value) {
  switch (value.kind()) {
    case Kind::null:
      return "~";
    case Kind::scalar:
      return quoted_yaml(value.text());
    case Kind::list: {
      std::string list;
      for (const Node entry : value) list += (list.empty() ? "" : ", ") + yaml_of(entry);
      return "[" + list + "]";
    }
    case Kind::mapping:
      break;
  }
  std::string mapping;
  for (auto at = value.begin(); at != value.end(); ++at) {
    const Node key = *at;
    mapping += (mapping.empty() ? "" : ", ") + quoted_yaml(key.text()) + ": " + yaml_of(*++at);
  }
  return "{ " + mapping + " }";
}

WrittenPage written_page(const Node& mapping) {
  WrittenPage page;
  for (auto at = mapping.begin(); at != mapping.end(); ++at) {
    const Node key = *at;
    const Node value = *++at;
    if (key.text() == "url") continue;
    if (key.text() != "headers" || value.kind() != Kind::mapping) {
      page.keys.emplace_back(std::string(key.text()), yaml_of(value));
      continue;
    }
    std::string headers;
    for (auto header = value.begin(); header != value.end(); ++header) {
      const Node name = *header;
      const Node what = *++header;
      if (what.kind() == Kind::scalar && is_secret_header(name.text())) {
        page.left_out.emplace_back(name.text());
      } else {
        headers += (headers.empty() ? "" : ", ") + quoted_yaml(name.text()) + ": " + yaml_of(what);
      }
    }
    if (!headers.empty()) page.keys.emplace_back("headers", "{ " + headers + " }");
  }
  return page;
}

namespace {

// Values as they are written, but for paths.
Status root_paths(Keys& keys, const RootedYaml& rooted) {
  for (auto& [key, value] : keys) {
    if (key != "auth" && key != "headers" && key != "content") continue;
    const Result<Document> read = Document::parse(value, key, ExitCode::bad_data);
    if (!read) return read.error();
    value = rooted.flow(read->root(), {key});
  }
  return success();
}

Result<ListToDivide> export_all(const std::string& file, std::span<const LiveEntry> live,
                                const LoadOptions& options, const RootedYaml* rooted,
                                const EachExported& each) {
  WrittenPages written;
  LoadOptions reading = options;
  reading.written = &written;
  const Result<Loaded> loaded = load(file, reading);
  if (!loaded) return loaded.error();
  std::unordered_map<std::string_view, const LiveEntry*> set;
  for (const LiveEntry& entry : live) set.emplace(entry.url, &entry);
  ListToDivide list{
      .exported = {}, .brain = loaded->config.brain, .budget = loaded->config.schedule.budget};
  std::string yaml;
  const auto tell = [&](const std::string& url, Keys& keys) -> Status {
    if (rooted != nullptr) {
      if (Status done = root_paths(keys, *rooted); !done) return done;
    }
    yaml.clear();
    append_page(yaml, url, keys);
    each(url, yaml);
    return success();
  };
  static const WrittenPage plain;
  for (const Page& page : loaded->config.pages) {
    const auto said = written.find(page.url);
    const WrittenPage& as_written = said != written.end() ? said->second : plain;
    Keys keys = as_written.keys;
    const auto found = set.find(page.url);
    if (found != set.end()) {
      // What was added live and is listed by now is as the file says.
      if (found->second->listed) {
        if (Status laid = lay_over(keys, found->second->settings); !laid) return laid.error();
      }
      set.erase(found);
    }
    for (const std::string& header : as_written.left_out)
      list.exported.left_out.push_back(printable_url(page.url) + ": " + printable(header));
    if (Status told = tell(page.url, keys); !told) return told.error();
  }
  list.exported.pages = loaded->config.pages.size();
  for (const LiveEntry& entry : live) {
    if (entry.listed || !set.contains(entry.url)) continue;
    Keys keys;
    if (Status laid = lay_over(keys, entry.settings); !laid) return laid.error();
    if (Status told = tell(entry.url, keys); !told) return told.error();
    ++list.exported.pages;
  }
  return list;
}

std::string folder_of(const std::string& file) {
  return std::filesystem::absolute(file).parent_path().string();
}

}  // namespace

Result<Exported> export_pages(const std::string& file, std::span<const LiveEntry> live,
                              const LoadOptions& options) {
  std::string yaml;
  Result<ListToDivide> list =
      export_all(file, live, options, nullptr,
                 [&](const std::string&, std::string_view entry) { yaml += entry; });
  if (!list) return list.error();
  list->exported.yaml = std::move(yaml);
  return std::move(list->exported);
}

Result<ListToDivide> export_each_page(const std::string& file, std::span<const LiveEntry> live,
                                      const EachExported& each, const LoadOptions& options) {
  const RootedYaml rooted(folder_of(file));
  return export_all(file, live, options, &rooted, each);
}

Result<std::string> brain_configuration(const std::string& file, const BrainFile& brain) {
  Result<std::string> text = read_file(file, "configuration file");
  if (!text) return text.error();
  if (Status good = accept_text(*text, file, Tabs::refuse_in_indentation, ExitCode::configuration);
      !good) {
    return good.error();
  }
  const Result<Document> document =
      Document::parse(std::move(*text), file, ExitCode::configuration);
  if (!document) return document.error();
  const RootedYaml rooted(folder_of(file));
  std::string yaml = fmt::format(
      "# One of several brains that share a budget. They need nats: {{ servers: [\"tls://…\"] }}, "
      "and\n"
      "# each agents of its own where access_points names some: an agent serves one brain.\n"
      "brains:\n  name: {}\npages_file: {}\ndatabase: {}\n",
      brain.name, brain.pages_file, brain.database);
  const Node root = document->root();
  if (root.kind() != Kind::mapping) return yaml;
  for (auto at = root.begin(); at != root.end(); ++at) {
    const std::string_view key = (*at).text();
    const Node value = *++at;
    if (key == "pages" || key == "pages_file" || key == "database" || key == "brains") continue;
    if (key != "hosts" || value.kind() != Kind::mapping) {
      yaml += fmt::format("{}:{}", key, rooted.block(value, {key}));
      continue;
    }
    // Nobody is told of hosts that are another brain's.
    std::string hosts;
    for (auto part = value.begin(); part != value.end(); ++part) {
      const std::string_view name = (*part).text();
      const Node of = *++part;
      std::string overrides;
      if (name == "overrides" && of.kind() == Kind::mapping) {
        for (auto host = of.begin(); host != of.end(); ++host) {
          const std::string_view who = (*host).text();
          const Node what = *++host;
          if (!brain.has_host(who)) continue;
          overrides += fmt::format("    {}:{}", quoted_yaml(who),
                                   rooted.block(what, {"hosts", "overrides", who}));
        }
        if (!overrides.empty()) hosts += "  overrides:\n" + overrides;
      } else {
        hosts += fmt::format("  {}:{}", name, rooted.block(of, {"hosts", name}));
      }
    }
    if (!hosts.empty()) yaml += "hosts:\n" + hosts;
  }
  return yaml;
}

}  // namespace pollux::config

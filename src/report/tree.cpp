#include "pollux/report/tree.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/url.hpp"
#include "pollux/report/json.hpp"
#include "pollux/report/text.hpp"

#include <map>
#include <utility>

#include <boost/json/object.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::report {
namespace {

// "https://example.org/" of "https://example.org/news/today".
std::string_view origin_of(std::string_view url) {
  const std::string_view authority = authority_of(url);
  const auto end = static_cast<std::size_t>(authority.data() - url.data()) + authority.size();
  return url.substr(0, std::min(end + 1, url.size()));
}

bool belongs(std::string_view url, std::string_view prefix) {
  if (prefix.find("://") != std::string_view::npos) return url.starts_with(prefix);
  const std::size_t scheme = url.find("://");
  return scheme != std::string_view::npos && url.substr(scheme + 3).starts_with(prefix);
}

// The directory that the part of `url` behind `base` begins with; empty: it is a page of `base`.
std::string_view directory_of(std::string_view url, std::string_view base) {
  const std::size_t slash = url.substr(0, url.find('?')).find('/', base.size());
  return slash == std::string_view::npos ? std::string_view() : url.substr(0, slash + 1);
}

std::string_view base_of(std::string_view url, std::string_view prefix) {
  const std::string_view origin = origin_of(url);
  if (prefix.empty()) return origin;
  const std::size_t scheme = prefix.find("://") == std::string_view::npos ? url.find("://") + 3 : 0;
  const std::string_view asked = url.substr(0, scheme + prefix.size());
  const std::size_t slash = asked.rfind('/');
  return slash + 1 < origin.size() ? origin : asked.substr(0, slash + 1);
}

}  // namespace

std::vector<TreePart> tree_parts(const std::vector<store::PageRow>& pages,
                                 const std::vector<store::NodeRow>& nodes,
                                 std::string_view prefix) {
  std::map<std::pair<std::string, std::string>, TreePart> parts;  // by base and directory
  const auto count = [&](std::string_view base, std::string_view directory,
                         const store::PageRow& page) {
    TreePart& part = parts[{std::string(base), std::string(directory)}];
    part.prefix = directory.empty() ? base : directory;
    part.depth = directory.empty() ? 0 : 1;
    ++part.pages;
    part.share += page.progress.share;
    part.change_rate_per_day += page.progress.change_rate_per_day.value_or(0);
  };
  for (const store::PageRow& page : pages) {
    const std::string_view url = page.spec.url;
    if (!belongs(url, prefix)) continue;
    const std::string_view base = base_of(url, prefix);
    count(base, {}, page);
    if (const std::string_view directory = directory_of(url, base); !directory.empty())
      count(base, directory, page);
  }
  std::map<std::string_view, const store::NodeRow*> largest;
  for (const store::NodeRow& node : nodes) {
    const store::NodeRow*& known = largest[node.prefix];
    if (known == nullptr || known->pages < node.pages) known = &node;
  }
  std::vector<TreePart> sorted;
  for (auto& [name, part] : parts) {
    if (const auto found = largest.find(part.prefix); found != largest.end()) {
      part.affinity = found->second->affinity;
      part.tried = found->second->tried;
      part.found = found->second->found;
      part.correction = found->second->value;
    }
    sorted.push_back(std::move(part));
  }
  return sorted;
}

std::vector<store::NodeRow> nodes_above(std::string_view url, std::vector<store::NodeRow> nodes) {
  std::map<std::size_t, store::NodeRow> by_length;
  for (store::NodeRow& node : nodes) {
    if (node.prefix.find("://") == std::string::npos || !url.starts_with(node.prefix)) continue;
    store::NodeRow& known = by_length[node.prefix.size()];
    if (known.pages < node.pages) known = std::move(node);
  }
  std::vector<store::NodeRow> above;
  for (auto& [length, node] : by_length) above.push_back(std::move(node));
  return above;
}

Table tree_table(const std::vector<TreePart>& parts) {
  Table table;
  table.columns = {{"PART", Align::left, Fit::shortened},
                   {"PAGES", Align::right},
                   {"SHARE", Align::right},
                   {"CHANGES/D", Align::right},
                   {"AFFINITY", Align::right, Fit::whole, 1},
                   {"LOOKS", Align::right, Fit::whole, 2},
                   {"CORRECTION", Align::right, Fit::whole, 3}};
  const auto number = [](const std::optional<double>& value, const char* form) {
    return value ? Cell(fmt::format(fmt::runtime(form), *value), *value) : Cell("-", nullptr);
  };
  for (const TreePart& part : parts) {
    table.rows.push_back({Cell((part.depth > 0 ? "  " : "") + printable_url(part.prefix)),
                          Cell(std::to_string(part.pages), part.pages),
                          Cell(fmt::format("{:.2f} %", part.share * 100), part.share),
                          Cell(number_text(part.change_rate_per_day), part.change_rate_per_day),
                          number(part.affinity, "{:.2f}"), number(part.tried, "{:.1f}"),
                          number(part.correction, "{:.3f}")});
  }
  return table;
}

boost::json::array tree_json(const std::vector<TreePart>& parts) {
  boost::json::array rows;
  for (const TreePart& part : parts) {
    rows.push_back({{"prefix", part.prefix},
                    {"depth", part.depth},
                    {"pages", part.pages},
                    {"share", part.share},
                    {"change_rate_per_day", part.change_rate_per_day},
                    {"affinity", json_number(part.affinity)},
                    {"tried", json_number(part.tried)},
                    {"found", json_number(part.found)},
                    {"correction", json_number(part.correction)}});
  }
  return rows;
}

}  // namespace pollux::report

#include "web/page_tree.hpp"

#include "pollux/base/url.hpp"
#include "pollux/report/json.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

namespace pollux::web {
namespace {

namespace json = boost::json;
using Row = PageColumns::Row;

struct TreeCell {
  const char* kind = "page";  // "host", "dir", "tag", "page", "others"
  std::string name;           // a URL or its beginning; a tag
  std::string label;
  std::int64_t pages = 0;
  double share = 0, rate = 0;
  double outdated = 0;
  std::int64_t outdated_known = 0;
  std::map<std::string, std::int64_t> unhealthy = {};
  std::vector<Row> rows = {};

  void add(const PageColumns& all, Row row, WallTime now) {
    ++pages;
    share += all.planned_share(row);
    rate += all.rate(row);
    if (const std::optional<double> chance = all.outdated(row, now)) {
      outdated += *chance;
      ++outdated_known;
    }
    if (all.health(row) != "ok") ++unhealthy[all.health(row)];
  }
  void add(const TreeCell& other) {
    pages += other.pages;
    share += other.share;
    rate += other.rate;
    outdated += other.outdated;
    outdated_known += other.outdated_known;
    for (const auto& [health, count] : other.unhealthy) unhealthy[health] += count;
  }
  // Of a part: what most of its pages that are not well have.
  std::string health() const {
    const auto most = std::ranges::max_element(
        unhealthy, [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == unhealthy.end() ? "ok" : most->first;
  }
};

std::string_view tree_origin(std::string_view url) {
  const std::string_view authority = authority_of(url);
  const auto end = static_cast<std::size_t>(authority.data() - url.data()) + authority.size();
  return url.substr(0, std::min(end + 1, url.size()));
}

// The cell that a page is in, one level below the prefix; it is one itself where there is none.
std::pair<const char*, std::string_view> part_of(std::string_view url, std::string_view prefix) {
  const std::string_view origin = tree_origin(url);
  if (prefix.size() < origin.size()) return {"host", origin};
  const std::size_t slash = url.substr(0, url.find_first_of("?#")).find('/', prefix.size());
  if (slash == std::string_view::npos) return {"page", url};
  return {"dir", url.substr(0, slash + 1)};
}

std::string first_tag(const std::string& list) {
  boost::system::error_code problem;
  const json::value value = json::parse(list.empty() ? "[]" : list, problem);
  if (problem || !value.is_array() || value.get_array().empty()) return {};
  const json::value& first = value.get_array().front();
  return first.is_string() ? std::string(first.get_string()) : std::string();
}

// Of each list of tags.
std::vector<std::string> first_tags(const PageColumns& pages) {
  std::vector<std::string> tags;
  for (std::uint32_t list = 0; list < pages.tag_lists().size(); ++list)
    tags.push_back(first_tag(pages.tag_lists().text(list)));
  return tags;
}

std::vector<Row> rows_below(const PageColumns& pages, const TreeWish& wish) {
  std::vector<Row> rows;
  const std::vector<std::string> tags =
      wish.by_tag ? first_tags(pages) : std::vector<std::string>();
  const std::vector<Row>& order = pages.by_url();
  for (Row at = wish.by_tag ? 0 : pages.first_from(wish.prefix); at < order.size(); ++at) {
    if (!wish.by_tag && !pages.url(order[at]).starts_with(wish.prefix)) break;
    if (wish.by_tag && !wish.prefix.empty() && tags[pages.tag_list(order[at])] != wish.prefix)
      continue;
    if (pages.shown(order[at])) rows.push_back(order[at]);
  }
  return rows;
}

std::string label_of(const char* kind, std::string_view name, std::string_view prefix) {
  if (kind == std::string_view("host")) return std::string(authority_of(name));
  std::string_view rest = name.substr(std::min(prefix.size(), name.size()));
  if (kind == std::string_view("dir") && rest.size() > 1) rest.remove_suffix(1);
  return std::string(rest.empty() ? name : rest);
}

std::vector<TreeCell> cells_of(const PageColumns& pages, const std::vector<Row>& rows,
                               std::string_view prefix, bool by_tag, WallTime now) {
  std::vector<TreeCell> cells;
  std::unordered_map<std::string, std::size_t> known;
  const std::vector<std::string> tags = by_tag ? first_tags(pages) : std::vector<std::string>();
  std::size_t last = 0;
  for (const Row row : rows) {
    std::pair<const char*, std::string_view> part{"tag", {}};
    if (by_tag) {
      part.second = tags[pages.tag_list(row)];
    } else {
      part = part_of(pages.url(row), prefix);
    }
    const auto [kind, name] = part;
    // Rows come by URL: most are in the cell of the one before.
    if (cells.empty() || cells[last].kind != std::string_view(kind) || cells[last].name != name) {
      const auto [found, added] = known.try_emplace(std::string(kind).append(name), cells.size());
      if (added) {
        cells.push_back({.kind = kind,
                         .name = std::string(name),
                         .label = by_tag ? std::string(name) : label_of(kind, name, prefix)});
      }
      last = found->second;
    }
    cells[last].add(pages, row, now);
    cells[last].rows.push_back(row);
  }
  return cells;
}

// The largest first; what is beyond `most` is one.
void keep_largest(std::vector<TreeCell>& cells, std::size_t most) {
  std::ranges::stable_sort(cells,
                           [](const TreeCell& a, const TreeCell& b) { return a.share > b.share; });
  if (cells.size() <= most) return;
  TreeCell others{.kind = "others", .name = {}, .label = {}};
  const std::size_t kept = most > 0 ? most - 1 : 0;
  for (std::size_t i = kept; i < cells.size(); ++i) others.add(cells[i]);
  others.label = std::to_string(others.pages) + " others";
  cells.resize(kept);
  cells.push_back(std::move(others));
}

json::object cell_json(const TreeCell& cell) {
  const std::string_view kind = cell.kind;
  json::object out{{"kind", cell.kind}, {"label", report::json_utf8(cell.label)}};
  if (kind == "page") out["url"] = report::json_utf8(cell.name);
  if (kind != "page" && kind != "others") out["prefix"] = report::json_utf8(cell.name);
  out["pages"] = cell.pages;
  out["share"] = report::json_number(cell.share);
  out["rate_per_day"] = report::json_number(cell.rate);
  out["outdated"] =
      cell.outdated_known == 0
          ? json::value(nullptr)
          : report::json_number(cell.outdated / static_cast<double>(cell.outdated_known));
  out["health"] = cell.health();
  return out;
}

}  // namespace

json::object page_tree_json(const PageColumns& pages, const TreeWish& wish, WallTime now) {
  const std::vector<Row> rows = rows_below(pages, wish);
  const bool tags = wish.by_tag && wish.prefix.empty();
  const std::string base = wish.by_tag ? "" : wish.prefix;
  std::vector<TreeCell> cells = cells_of(pages, rows, base, tags, now);
  keep_largest(cells, wish.most);
  std::size_t left = wish.most - cells.size();
  double total = 0;
  json::array out;
  for (const TreeCell& cell : cells) {
    total += cell.share;
    json::object one = cell_json(cell);
    const bool part = !cell.rows.empty() && cell.kind != std::string_view("page");
    if (wish.depth > 1 && part && left > 0) {
      std::vector<TreeCell> inner = cells_of(pages, cell.rows, tags ? "" : cell.name, false, now);
      keep_largest(inner, left);
      left -= std::min(left, inner.size());
      json::array below;
      for (const TreeCell& small : inner) below.push_back(cell_json(small));
      one["cells"] = std::move(below);
    }
    out.push_back(std::move(one));
  }
  return {{"prefix", report::json_utf8(wish.prefix)},
          {"cells", std::move(out)},
          {"total_share", report::json_number(total)},
          {"at", report::json_time(now)}};
}

}  // namespace pollux::web

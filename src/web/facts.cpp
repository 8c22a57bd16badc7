#include "pollux/web/facts.hpp"

#include "pollux/report/tree.hpp"
#include "pollux/store/content.hpp"

#include <algorithm>
#include <utility>

namespace pollux::web {
namespace {

std::optional<std::string> last_text(store::ContentReader& content, const std::string& url) {
  const Result<std::vector<store::VersionRow>> versions = content.versions(url);
  if (!versions || versions->empty()) return std::nullopt;
  Result<std::optional<std::string>> text = content.text(url, versions->back().number);
  return text ? std::move(*text) : std::nullopt;
}

}  // namespace

report::Holder holder_of(const std::string& database) {
  return {.pid = store::daemon_pid(database), .alert = store::daemon_alert(database)};
}

Result<report::StatusFacts> status_facts(store::Reader& reader, const std::string& database,
                                         WallTime now, const std::optional<store::Totals>& totals) {
  Result<store::Summary> summary = reader.summary(totals);
  if (!summary) return summary.error();
  report::StatusFacts facts{.database = database,
                            .summary = std::move(*summary),
                            .figures = {},
                            .health = {},
                            .now = now};
  facts.figures = report::figures_of(facts.summary.meta);
  facts.health = report::health_of(holder_of(database), facts.figures, now);
  return facts;
}

Result<report::PageFacts> page_facts(store::Reader& reader, const std::string& database,
                                     store::PageRow page, WallTime now) {
  Result<store::HostRow> host = reader.host(page.spec.host);
  if (!host) return host.error();
  Result<std::optional<store::RobotsRow>> robots = reader.robots(page.spec.host);
  if (!robots) return robots.error();
  const Result<store::ShareRank> rank = reader.share_rank(page.id);
  if (!rank) return rank.error();
  Result<store::HostLoads> loads = reader.host_loads({page});
  if (!loads) return loads.error();
  Result<std::vector<store::MaskView>> masks = reader.masks(page.id);
  if (!masks) return masks.error();
  const auto meta = reader.meta();
  if (!meta) return meta.error();
  Result<std::optional<store::LookRow>> look = reader.look(page.id);
  if (!look) return look.error();
  Result<std::vector<store::NodeRow>> nodes = reader.nodes(report::figures_of(*meta).policy);
  if (!nodes) return nodes.error();
  const Result<store::PlanFactor> factor = reader.plan_factor();
  if (!factor) return factor.error();
  const std::string url = page.spec.url;
  report::PageFacts facts{.page = std::move(page),
                          .host = std::move(*host),
                          .robots = std::move(*robots),
                          .rank = *rank,
                          .masks = std::move(*masks),
                          .kept = {},
                          .look = std::move(*look),
                          .nodes = report::nodes_above(url, std::move(*nodes)),
                          .loads = std::move(*loads),
                          .figures = report::figures_of(*meta),
                          .health = {},
                          .now = now};
  for_each_masked_page(database, facts.masks,
                       [&](const auto&, const report::KeptTexts& text) { facts.kept = text; });
  // Of places that are set aside there is no row.
  if (facts.masks.empty() && !facts.page.progress.noise.empty()) {
    if (std::optional<std::string> text = kept_text(database, url))
      facts.kept.emplace(url, std::move(*text));
  }
  facts.figures.plan_factor = *factor;
  facts.health = report::health_of(holder_of(database), facts.figures, now);
  return facts;
}

Result<PageList> page_list(store::Reader& reader, const store::Reader::PageQuery& query) {
  Result<std::vector<store::PageRow>> rows = reader.pages(query);
  if (!rows) return rows.error();
  Result<store::HostLoads> loads = reader.host_loads(*rows);
  if (!loads) return loads.error();
  const auto meta = reader.meta();
  if (!meta) return meta.error();
  const Result<store::PlanFactor> factor = reader.plan_factor();
  if (!factor) return factor.error();
  PageList list{std::move(*rows), std::move(*loads), report::figures_of(*meta)};
  list.figures.plan_factor = *factor;
  return list;
}

void for_each_masked_page(const std::string& database, const std::vector<store::MaskView>& masks,
                          const MasksOfPage& each) {
  if (masks.empty()) return;
  const auto content = store::ContentReader::open(database);
  for (auto row = masks.begin(); row != masks.end();) {
    const std::string& url = row->url;
    const auto end =
        std::find_if(row, masks.end(), [&](const store::MaskView& one) { return one.url != url; });
    report::KeptTexts text;
    if (content) {
      if (std::optional<std::string> last = last_text(**content, url))
        text.emplace(url, std::move(*last));
    }
    each({row, end}, text);
    row = end;
  }
}

std::optional<std::string> kept_text(const std::string& database, const std::string& url) {
  const auto content = store::ContentReader::open(database);
  return content ? last_text(**content, url) : std::nullopt;
}

}  // namespace pollux::web

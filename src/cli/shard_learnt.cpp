#include "cli/shard_learnt.hpp"

#include "engine/node_rows.hpp"
#include "pollux/brains/shard.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace pollux::cli {
namespace {

constexpr double no_correction = 1e-6;  // what rounding leaves

learn::PageMemory memory_of(const store::LearntRow& row) {
  return {.slow_hits = row.slow_hits,
          .slow_hit_time = row.slow_hit_time,
          .slow_miss_time = row.slow_miss_time,
          .fast_hits = row.fast_hits,
          .fast_hit_time = row.fast_hit_time,
          .fast_miss_time = row.fast_miss_time,
          .streak = row.streak,
          .position = row.position};
}

bool is_named(const store::NodeRow& row) {
  return !row.first_url.empty();
}
bool spans_domains(std::string_view prefix) {
  return !brains::shard_of_prefix(prefix, 1);
}

// The list's own rows, and what is fitted in place of the others.
std::vector<store::NodeRow> with_fitted(std::vector<store::NodeRow> rows, learn::LearntList& list,
                                        const std::vector<double>& shares) {
  list.restore(engine::memories_of(rows));
  for (const learn::NodeMemory& node : list.fit(shares, &spans_domains))
    if (std::abs(node.value - 1) > no_correction) rows.push_back(engine::row_of(node));
  return rows;
}

double sweep_of(std::size_t pages, double budget) {
  return std::max(1.0, static_cast<double>(pages)) / std::clamp(budget, 1e-6, 1e6);
}

}  // namespace

Result<DividedLearning> DividedLearning::of(const store::Divider& divider, std::uint32_t parts,
                                            double budget) {
  std::size_t pages = 0;
  if (Status counted = divider.each_learnt([&](const store::LearntRow&) { ++pages; }); !counted)
    return counted.error();
  DividedLearning learning(parts, sweep_of(pages, budget));
  const Result<std::string> policy = divider.meta("policy");
  if (!policy) return policy.error();
  Result<std::vector<store::NodeRow>> rows = divider.nodes(*policy);
  if (!rows) return rows.error();
  std::erase_if(*rows, [](const store::NodeRow& row) { return !is_named(row); });
  if (rows->empty()) return learning;  // every estimate is a page's own
  Status read = divider.each_learnt([&](const store::LearntRow& row) {
    learning.parts_[row.part].pages.push_back(static_cast<std::uint32_t>(learning.all_.size()));
    learning.all_.add(row.url, row.importance, memory_of(row));
  });
  if (!read) return read.error();
  learning.all_.restore(engine::memories_of(*rows));
  learning.shares_.reserve(pages);
  for (std::size_t at = 0; at < learning.all_.size(); ++at)
    learning.shares_.push_back(learning.all_.share(at));
  for (store::NodeRow& row : *rows) {
    if (const auto part = brains::shard_of_prefix(row.prefix, parts))
      learning.parts_[*part].rows.push_back(std::move(row));
  }
  return learning;
}

std::vector<store::NodeRow> DividedLearning::nodes(std::uint32_t part) const {
  const Part& of = parts_[part];
  learn::LearntList list(sweep_);
  std::vector<double> shares;
  shares.reserve(of.pages.size());
  for (const std::uint32_t at : of.pages) {
    list.add(all_.url(at), all_.importance(at), all_.memory(at));
    shares.push_back(shares_[at]);
  }
  return with_fitted(of.rows, list, shares);
}

Result<std::vector<store::NodeRow>> merged_nodes(const store::Merger& merger, double budget) {
  std::size_t pages = 0;
  for (std::uint32_t source = 0; source < merger.sources(); ++source) {
    if (Status counted = merger.each_learnt(source, [&](const store::LearntRow&) { ++pages; });
        !counted) {
      return counted.error();
    }
  }
  const Result<std::string> policy = merger.meta(0, "policy");
  if (!policy) return policy.error();
  const double sweep = sweep_of(pages, budget);
  learn::LearntList all(sweep);
  std::vector<double> shares;
  std::vector<store::NodeRow> kept;
  bool any = false;
  for (std::uint32_t source = 0; source < merger.sources(); ++source) {
    learn::LearntList one(sweep);
    Status read = merger.each_learnt(source, [&](const store::LearntRow& row) {
      one.add(row.url, row.importance, memory_of(row));
      all.add(row.url, row.importance, memory_of(row));
    });
    if (!read) return read.error();
    Result<std::vector<store::NodeRow>> rows = merger.nodes(source, *policy);
    if (!rows) return rows.error();
    std::erase_if(*rows, [](const store::NodeRow& row) { return !is_named(row); });
    any = any || !rows->empty();
    one.restore(engine::memories_of(*rows));
    const double weight = one.weight();
    for (std::size_t at = 0; at < one.size(); ++at) shares.push_back(one.share(at) * weight);
    for (store::NodeRow& row : *rows)
      if (!spans_domains(row.prefix)) kept.push_back(std::move(row));
  }
  if (!any) return kept;
  double sum = 0;
  for (const double share : shares) sum += share;
  for (double& share : shares) share /= sum;
  return with_fitted(std::move(kept), all, shares);
}

}  // namespace pollux::cli

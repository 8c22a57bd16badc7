#include "pollux/lab/cost_model.hpp"

namespace pollux::lab {
namespace {

constexpr double gigabyte = 1e9, megabyte = 1e6;

}  // namespace

std::vector<CostLine> cost_of(const Installation& wanted, const UnitCosts& unit) {
  const auto brains = static_cast<double>(wanted.brains);
  const double pages = wanted.pages / brains, polls = wanted.rate / brains;
  std::vector<CostLine> lines;
  // `measured` × `times` is one brain's, in the unit of the measure; ÷ `scale` as it is shown.
  const auto each = [&](std::string what, std::string of, double measured, double times,
                        double scale) {
    const double one = measured * times / scale;
    lines.push_back({std::move(what), std::move(of), measured, times, one, one * brains});
  };
  each("memory", "GB", unit.memory_bytes_per_page, pages, gigabyte);
  each("of it learner and scheduler", "GB", unit.learner_bytes_per_page, pages, gigabyte);
  each("database", "GB", unit.file_bytes_per_page, pages, gigabyte);
  each("start", "s", unit.start_us_per_page, pages, 1e6);
  lines.back().all = lines.back().per_brain;  // all at once
  each("decisions", "per second", 1, polls, 1);
  each("CPU of decisions", "% of a core", unit.decision_us, polls, 1e4);
  each("rows written", "per second", 1, polls, 1);
  each("CPU of rows", "% of a core", unit.row_us, polls, 1e4);
  each("disk writes", "MB/s", unit.row_bytes, polls, megabyte);
  // Each brain asks once a second and is answered once; what it says goes to all of them.
  each("messages between brains", "per second", 2, 1, 1);
  each("heard by each brain", "per second", brains + 1, 1, 1);
  each("network between brains", "MB/s", unit.ask_bytes * (brains + 1) + 2 * unit.grant_bytes, 1,
       megabyte);
  each("CPU of the allocator", "% of a core", unit.message_us, brains, 1e4);
  lines.back().all = lines.back().per_brain;  // there is one
  each("messages with agents", "per second", 2 / unit.polls_per_message, polls, 1);
  each("network with agents", "MB/s", unit.poll_bytes + unit.result_bytes, polls, megabyte);
  each("time to poll every page once", "hours", 1, pages / polls, 3600);
  lines.back().all = lines.back().per_brain;
  return lines;
}

}  // namespace pollux::lab

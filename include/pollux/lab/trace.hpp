// Real change times, from a file `page,changed_at` (Unix seconds), plain or gzip: one row per
// change; a page's first row is the moment it exists.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/lab/world.hpp"

#include <string>
#include <vector>

namespace pollux::lab {

struct Trace {
  std::vector<std::vector<double>> changes;  // by page, sorted, first one = birth
  double end = 0;                            // the last row
};
Result<Trace> load_trace(const std::string& path);

// The last `days` of a trace. Pages that exist at its start are watched; time 0 is its start.
class TraceWorld final : public World {
 public:
  TraceWorld(const Trace& trace, double days);
  std::size_t pages() const override { return changes_.size(); }
  // Over the whole window: only an oracle would know.
  double rate(std::uint32_t page) const override;
  bool poll(std::uint32_t page, double now) override;

  double seconds() const { return seconds_; }
  std::size_t total_changes() const { return total_; }
  // The first change the last poll() of this page had not seen before; only after it found one.
  double first_unseen() const { return first_unseen_; }

 private:
  std::vector<std::vector<double>> changes_;  // within the window, seconds from its start
  std::vector<std::size_t> seen_;
  double seconds_ = 0;
  std::size_t total_ = 0;
  double first_unseen_ = 0;
};

}  // namespace pollux::lab

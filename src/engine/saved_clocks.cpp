#include "engine/saved_clocks.hpp"

#include <cstdint>
#include <fstream>
#include <sstream>

namespace pollux::engine {
namespace {

// Less is what reading two clocks and time servers may cost.
constexpr Duration least_jump = std::chrono::seconds(2);

}  // namespace

std::string boot_id() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id;
}

std::string saved_clocks(const Moment& moment, std::string_view boot) {
  return std::string(boot) + " " + std::to_string(milliseconds(moment.now.time_since_epoch())) +
         " " + std::to_string(moment.wall.time_since_epoch().count());
}

std::optional<Moment> by_saved_clocks(std::string_view saved, const Moment& moment,
                                      std::string_view boot) {
  std::istringstream words{std::string(saved)};
  std::string then_boot;
  std::int64_t now = 0, wall = 0;
  if (!(words >> then_boot >> now >> wall) || then_boot != boot) return std::nullopt;
  const Moment then{Instant(std::chrono::milliseconds(now)),
                    WallTime(std::chrono::milliseconds(wall))};
  if (then.now > moment.now) return std::nullopt;
  const Moment before{moment.now, then.to_wall(moment.now)};
  const Duration off = moment.wall - before.wall;
  if (off < least_jump && off > -least_jump) return std::nullopt;
  return before;
}

const Moment& clock_of(const store::HostRow& row, const Moment& moment,
                       const std::optional<Moment>& before) {
  if (!before || !row.last_request_at) return moment;
  const Duration ago = moment.wall - *row.last_request_at;
  const Duration ago_before = before->wall - *row.last_request_at;
  const bool fits = ago > -least_jump, fits_before = ago_before > -least_jump;
  return fits_before && (!fits || ago_before < ago) ? *before : moment;
}

}  // namespace pollux::engine

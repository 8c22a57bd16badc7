#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/steering.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/base/units.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/report/text.hpp"

#include <memory>

namespace pollux::cli {
namespace {

struct PauseOptions {
  SteeringOptions common;
  std::string length;
};

int pause_pages(const PauseOptions& options) {
  if (options.length.empty()) return steer_pages(options.common, "/pages/pause", "paused");
  const Result<Duration> length = parse_duration(options.length);
  if (!length) return report({"--for: " + length.error().message, ExitCode::usage});
  const WallTime end =
      SystemClock().wall() + std::chrono::duration_cast<std::chrono::milliseconds>(*length);
  return steer_pages(options.common, "/pages/pause", "paused until " + report::time_text(end),
                     {{"for", options.length}});
}

}  // namespace

std::function<int()> setup_pause(CommandLine& line) {
  auto options = std::make_shared<PauseOptions>();
  add_steering_options(line, options->common);
  line.option("--for", options->length, "Only so long: 30min, 2h, 3d (default: until `resume`)")
      .called("TIME");
  line.footer("A page that is paused is not polled; what is known of it stays.");
  return [options] { return pause_pages(*options); };
}

std::function<int()> setup_resume(CommandLine& line) {
  auto options = std::make_shared<SteeringOptions>();
  add_steering_options(line, *options);
  line.footer("Ends what `pollux pause` began.");
  return [options] { return steer_pages(*options, "/pages/resume", "resumed"); };
}

}  // namespace pollux::cli

#include "cli/lab.hpp"
#include "cli/output.hpp"
#include "pollux/cli/command_line.hpp"
#include "pollux/concurrency/fetch_queue_model.hpp"

#include <cstdio>
#include <memory>

#include <spdlog/fmt/fmt.h>

namespace pollux::cli {

namespace {

struct RobotsOptions {
  concurrency::FetchQueueModel model{
      .arrival_rate = 0.1, .service_rate = 1, .capacity = 5, .starvation_weight = 1.4};
  int robots = 0;
  bool json = false;
};

struct Answer {
  concurrency::FixedOptimum fixed;
  concurrency::SwitchedOptimum dynamic;
  concurrency::Usage usage;
};

boost::json::array curve(const concurrency::SwitchingPolicy& policy, concurrency::Event event) {
  boost::json::array points;
  for (int out = 0; out <= policy.fetches; ++out) {
    points.push_back(concurrency::switching_point(policy, event, out));
  }
  return points;
}

boost::json::object to_json(const Answer& answer) {
  const concurrency::SwitchingPolicy& policy = answer.dynamic.policy;
  return {{"static_robots", answer.fixed.fetches},
          {"static_cost", answer.fixed.cost},
          {"static_starvation", answer.fixed.parts.starvation},
          {"static_loss", answer.fixed.parts.loss},
          {"dynamic_cost", answer.dynamic.cost},
          {"dynamic_starvation", answer.usage.parts.starvation},
          {"dynamic_loss", answer.usage.parts.loss},
          {"min_robots", answer.usage.least},
          {"mean_robots", answer.usage.mean},
          {"max_robots", answer.usage.most},
          {"policy",
           {{"robots", policy.fetches},
            {"robots_at", boost::json::array(policy.fetches_at.begin(), policy.fetches_at.end())},
            {"at_arrival", curve(policy, concurrency::Event::arrival)},
            {"at_departure", curve(policy, concurrency::Event::departure)}}}};
}

void print_text(const Answer& answer) {
  const auto line = [](const char* name, const std::string& text) {
    std::fputs(fmt::format("{:<18} {}\n", name, text).c_str(), stdout);
  };
  line("static_robots", std::to_string(answer.fixed.fetches));
  line("static_cost", fmt::format("{:.5f}", answer.fixed.cost));
  line("static_starvation", fmt::format("{:.5f}", answer.fixed.parts.starvation));
  line("static_loss", fmt::format("{:.5f}", answer.fixed.parts.loss));
  line("dynamic_cost", fmt::format("{:.5f}", answer.dynamic.cost));
  line("dynamic_starvation", fmt::format("{:.5f}", answer.usage.parts.starvation));
  line("dynamic_loss", fmt::format("{:.5f}", answer.usage.parts.loss));
  line("min_robots", std::to_string(answer.usage.least));
  line("mean_robots", fmt::format("{:.2f}", answer.usage.mean));
  line("max_robots", std::to_string(answer.usage.most));
  std::fputs("\nThe policy: with fewer robots out than this, one more is switched on.\n\n", stdout);
  Table table({{"pages waiting", Align::right}, {"robots", Align::right}});
  const std::vector<int>& robots_at = answer.dynamic.policy.fetches_at;
  for (std::size_t queue = 0; queue < robots_at.size(); ++queue) {
    table.add({std::to_string(queue), std::to_string(robots_at[queue])});
  }
  table.print(stdout);
}

int run_robots(const RobotsOptions& options) {
  if (const Status possible = concurrency::check(options.model, std::max(options.robots, 1));
      !possible)
    return report(possible.error());
  Answer answer{concurrency::best_fixed(options.model), {}, {}};
  const int robots = options.robots > 0 ? options.robots : answer.fixed.fetches;
  Result<concurrency::SwitchedOptimum> dynamic = concurrency::best_switched(options.model, robots);
  if (!dynamic) return report(dynamic.error());
  answer.dynamic = std::move(*dynamic);
  answer.usage = concurrency::fetches_used(options.model, answer.dynamic.policy);
  if (options.json) {
    show_json(to_json(answer));
  } else {
    print_text(answer);
  }
  return 0;
}

}  // namespace

std::function<int()> setup_lab_robots(CommandLine& line) {
  auto o = std::make_shared<RobotsOptions>();
  line.option("--lambda", o->model.arrival_rate, "Pages that one robot brings per unit of time")
      .show_default();
  line.option("--mu", o->model.service_rate, "Pages the queue can serve per unit of time")
      .show_default();
  line.option("--capacity", o->model.capacity, "Pages the queue holds, the one served included")
      .show_default();
  line.option("--gamma", o->model.starvation_weight,
              "What an empty queue costs per unit of time; a lost page costs 1")
      .show_default();
  line.option("--robots", o->robots, "Robots there are; without it, the best fixed number")
      .range(1, 1000000);
  line.flag("--json", o->json, "Print JSON");
  return [o] { return run_robots(*o); };
}

}  // namespace pollux::cli

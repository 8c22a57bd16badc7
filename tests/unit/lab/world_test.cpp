#include "pollux/lab/figure.hpp"
#include "pollux/lab/replay_experiment.hpp"
#include "pollux/lab/time_slots.hpp"
#include "pollux/lab/trace.hpp"
#include "pollux/lab/watch.hpp"
#include "pollux/lab/zipf_experiment.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

namespace pollux::lab {
namespace {

class TraceFile : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    return folder_.write(name, text);
  }
  test::TempFolder folder_;
};

constexpr double day = 86400;

TEST_F(TraceFile, pages_born_after_the_window_began_are_left_out) {
  const std::string path =
      write("t.csv", "page,changed_at\n7,0\n7,864000\n9,700000\n9,800000\n7,400000\n");
  const auto trace = load_trace(path);
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->end, 864000);
  const TraceWorld world(*trace, 5);
  EXPECT_EQ(world.pages(), 1U);
  EXPECT_EQ(world.total_changes(), 1U);
}

TEST_F(TraceFile, a_poll_finds_several_changes_as_one) {
  const std::string path = write("t.csv", "0,0\n0,100\n0,200\n0,864000\n");
  const auto trace = load_trace(path);
  ASSERT_TRUE(trace.ok());
  TraceWorld world(*trace, 10);
  EXPECT_FALSE(world.poll(0, 50));
  EXPECT_TRUE(world.poll(0, 250));
  EXPECT_EQ(world.first_unseen(), 100);
  EXPECT_FALSE(world.poll(0, 300));
}

TEST_F(TraceFile, compressed_files_are_read_too) {
  const std::string path = (folder_ / "t.csv.gz").string();
  gzFile file = gzopen(path.c_str(), "wb");
  gzputs(file, "page,changed_at\n1,5\n1,6.5\n");
  gzclose(file);
  const auto trace = load_trace(path);
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->changes.size(), 1U);
  EXPECT_EQ(trace->end, 6.5);
}

TEST_F(TraceFile, a_bad_line_is_named) {
  const auto trace = load_trace(write("t.csv", "page,changed_at\n1,5\n1,soon\n"));
  ASSERT_FALSE(trace.ok());
  EXPECT_NE(trace.error().message.find("t.csv:3"), std::string::npos) << trace.error().message;
  EXPECT_EQ(trace.error().exit_code, ExitCode::bad_data);
}

TEST_F(TraceFile, a_missing_file_is_missing_input) {
  const auto trace = load_trace((folder_ / "nothing.csv").string());
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.error().exit_code, ExitCode::missing_input);
}

TEST_F(TraceFile, uniform_polling_of_a_regular_page_finds_what_arithmetic_says) {
  // Two pages that change every day at noon, one poll per page and day: everything is found.
  std::string text;
  for (int page = 0; page < 2; ++page) {
    for (int d = 0; d <= 100; ++d) {
      text += std::to_string(page) + "," + std::to_string(d * day + day / 2) + "\n";
    }
  }
  const auto trace = load_trace(write("t.csv", text));
  ASSERT_TRUE(trace.ok());
  const auto result =
      run_replay(*trace, {.days = 50, .rate = 1, .policy = "uniform", .seed = 1, .explore = 0});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->polls, 100U);
  EXPECT_EQ(result->changes, 100U);
  EXPECT_NEAR(result->share, 1, 0.03);
  EXPECT_NEAR(result->gini, 0, 0.01);
}

TEST(Zipf, the_optimum_of_unit_weights_is_the_closed_form) {
  const ZipfWorld world({.pages = 3, .alpha = 0.5, .beta = 1});
  EXPECT_NEAR(world.optimum(), 1 - 0.5 * 0.75 * (1 - 0.5 / 3), 1e-12);
}

TEST(Zipf, the_weighted_optimum_is_between_nothing_and_the_largest_weight) {
  const ZipfWorld world({.weights = Weights::two_level});
  EXPECT_GT(world.optimum(), 0.1);
  EXPECT_LT(world.optimum(), 1);
}

TEST(Zipf, a_vanished_change_is_not_found_later) {
  ZipfWorld world({.pages = 2, .alpha = 0.2, .beta = 0, .updates = Updates::vanishing});
  int found = 0;
  for (int i = 1; i <= 1000; ++i) found += world.poll(0, i * 1000.0) ? 1 : 0;
  EXPECT_NEAR(found, 200, 50);  // were it overwritten, every poll would find one
  EXPECT_NEAR(world.optimum(), 0.2, 1e-9);
}

TEST(Zipf, reversal_turns_the_liveliest_page_into_the_quietest_and_back) {
  ZipfWorld world(
      {.pages = 5, .order = Order::ranked, .reverse_every = 10, .weights = Weights::correlated});
  const double rate = world.rate(0), importance = world.importance(0);
  for (int t = 1; t <= 10; ++t) EXPECT_EQ(world.advance(t), t == 10);
  EXPECT_EQ(world.rate(4), rate);
  EXPECT_EQ(world.importance(4), importance);
  for (int t = 11; t <= 20; ++t) world.advance(t);
  EXPECT_EQ(world.rate(0), rate);
  EXPECT_EQ(world.importance(0), importance);
}

TEST(Zipf, correlated_importance_favours_lively_pages) {
  const ZipfWorld world({.pages = 2000,
                         .alpha = 0.99,
                         .beta = 0.2,
                         .order = Order::ranked,
                         .weights = Weights::correlated});
  double lively = 0, quiet = 0;
  for (std::uint32_t i = 0; i < 200; ++i) {
    lively += world.importance(i);
    quiet += world.importance(1999 - i);
  }
  EXPECT_GT(lively, 1.05 * quiet);
}

TEST(TimeSlots, the_wished_number_of_changes_per_poll_is_met) {
  const TimeSlotWorld world({.change_ratio = 3});
  double sum = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    sum += -std::expm1(-world.rate(i) * static_cast<double>(world.polls_per_slot()));
  }
  EXPECT_NEAR(sum, 300, 3);
}

TEST(TimeSlots, no_page_is_polled_twice_in_a_slot) {
  TimeSlotWorld world({.pages = 50});
  Watch watch(world, {.policy = "htraa", .explore = 0, .polls_at_once = world.polls_per_slot()});
  for (int slot = 0; slot < 200; ++slot) {
    std::vector<std::uint32_t> seen;
    for (std::uint64_t i = 0; i < world.polls_per_slot(); ++i) seen.push_back(watch.step().page);
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
  }
}

TEST(Zipf, one_seed_gives_one_result) {
  ZipfRun run;
  run.world.pages = 64;
  run.polls = 2000;
  EXPECT_EQ(run_zipf(run).total_ratio, run_zipf(run).total_ratio);
}

TEST(Zipf, an_unknown_policy_is_refused) {
  ZipfRun run;
  run.policy = "nobody";
  EXPECT_THROW(run_zipf(run), std::invalid_argument);
}

TEST(Zipf, who_knows_the_rates_is_near_the_optimum) {
  ZipfRun run;
  run.policy = "optimal";
  run.polls = 30000;
  EXPECT_GT(run_zipf(run).total_ratio, 0.95);
}

TEST(PlotFiles, csv_and_svg_hold_every_series) {
  const Plot plot{"t", "A < B", "x", "y", {{"one", {{0, 0.5}, {1, 0.75}}}, {"two", {{0, 1}}}}};
  EXPECT_EQ(to_csv(plot),
            "series,x,y\n\"one\",0,0.500000\n\"one\",1,0.750000\n\"two\",0,1.000000\n");
  const std::string svg = to_svg(plot);
  EXPECT_NE(svg.find("A &lt; B"), std::string::npos);
  EXPECT_NE(svg.find(">two</text>"), std::string::npos);
}

TEST(PlotFiles, a_long_legend_fits_and_no_two_lines_look_alike) {
  Plot plot{"t", "title", "x", "y", {}};
  for (int i = 0; i < 28; ++i) {
    plot.series.push_back({"a policy with a long name, number " + std::to_string(i), {}});
    for (int x = 0; x < 30; ++x) plot.series.back().points.emplace_back(x, i);
  }
  const std::string svg = to_svg(plot);
  double width = 0, height = 0;
  ASSERT_EQ(
      std::sscanf(svg.c_str() + svg.find("viewBox"), "viewBox=\"0 0 %lf %lf", &width, &height), 2);
  for (const Series& series : plot.series) {
    const auto name = svg.find('>' + series.name + "</text>");
    ASSERT_NE(name, std::string::npos);
    double x = 0, y = 0;
    const auto text = svg.rfind("<text", name);
    ASSERT_EQ(std::sscanf(svg.c_str() + text, "<text x=\"%lf\" y=\"%lf\"", &x, &y), 2);
    EXPECT_LT(y, height - 4) << series.name;
    EXPECT_LT(x + 6.5 * static_cast<double>(series.name.size()), width) << series.name;
  }
  std::set<std::string> pens;
  for (std::size_t at = svg.find("<polyline"); at != std::string::npos;
       at = svg.find("<polyline", at + 1)) {
    const auto from = svg.find("stroke=", at);
    pens.insert(svg.substr(from, svg.find(" points", from) - from));
  }
  EXPECT_EQ(pens.size(), plot.series.size());
}

TEST(PlotFiles, a_pen_may_be_shared_by_what_belongs_together) {
  const Plot plot{
      "t", "title", "x", "y", {{"one", {{0, 1}}, Pen{3, 0}}, {"two", {{0, 2}}, Pen{3, 1}}}};
  const std::string svg = to_svg(plot);
  EXPECT_EQ(svg.find("#0072b2"), std::string::npos);
  EXPECT_NE(svg.find("#cc79a7"), std::string::npos);
  EXPECT_NE(svg.find("stroke-dasharray"), std::string::npos);
}

TEST(Zipf, delays_of_found_changes_are_those_of_arithmetic) {
  ZipfRun run;
  run.policy = "uniform";
  run.world.pages = 50;
  run.world.beta = 0;  // all pages alike
  run.world.alpha = 0.02;
  run.explore = 0;
  run.polls = 100000;
  const ZipfResult result = run_zipf(run);
  // Polled every 50 steps at rate r: 50 − E[first change | there is one].
  const double rate = -std::log1p(-0.02), missed = std::exp(-50 * rate);
  const double expected = 50 - (1 / rate - 50 * missed / (1 - missed));
  EXPECT_NEAR(result.mean_delay_s, expected, 0.5);
  EXPECT_NEAR(result.median_delay_s, 50 + std::log1p(-(1 - missed) / 2) / rate, 0.7);
}

}  // namespace
}  // namespace pollux::lab

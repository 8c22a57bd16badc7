// The lab's commands: their JSON is a contract, their complaints say what to do.
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace pollux::cli {
namespace {

class Lab : public testing::Test {
 protected:
  test::Finished run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "lab");
    return test::Program(POLLUX_BINARY, folder_, std::move(arguments)).wait();
  }
  test::TempFolder folder_;
};

std::set<std::string> keys(const boost::json::value& row) {
  std::set<std::string> names;
  for (const auto& item : row.as_object()) names.emplace(item.key());
  return names;
}

TEST_F(Lab, zipf_prints_one_object_per_policy_with_the_promised_fields) {
  const test::Finished done = run({"zipf", "--pages", "32", "--polls", "500", "--policy",
                                   "htraa,uniform", "--seed", "3", "--runs", "2", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto rows = boost::json::parse(done.out).as_array();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(keys(rows[0]),
            (std::set<std::string>{"policy", "pages", "polls", "optimal", "total_ratio",
                                   "tail_ratio", "median_delay_s", "mean_delay_s", "curve"}));
  EXPECT_EQ(rows[1].as_object().at("policy").as_string(), "uniform");
}

TEST_F(Lab, ages_prints_every_estimate_of_a_policy) {
  const test::Finished done =
      run({"ages", "--pages", "40", "--sweeps", "6", "--policy", "htraa,two-step", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto rows = boost::json::parse(done.out).as_array();
  ASSERT_EQ(rows.size(), 7U);  // htraa: changes, and two objectives twice; two-step twice
  for (const auto& row : rows) {
    EXPECT_EQ(keys(row),
              (std::set<std::string>{"policy", "objective", "estimate", "habits", "pages", "polls",
                                     "outdated", "age_s", "found_per_poll", "median_delay_s",
                                     "mean_delay_s"}));
  }
}

TEST_F(Lab, replay_prints_the_promised_fields) {
  std::ofstream(folder_ / "t.csv") << "page,changed_at\n0,0\n0,500000\n1,0\n1,864000\n";
  const test::Finished done = run(
      {"replay", "--trace", "t.csv", "--days", "9", "--rate", "1", "--policy", "htraa", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto rows = boost::json::parse(done.out).as_array();
  EXPECT_EQ(keys(rows.at(0)), (std::set<std::string>{"policy", "pages", "polls", "changes", "found",
                                                     "share", "median_delay_s", "mean_delay_s",
                                                     "looks", "looks_found", "gini"}));
}

TEST_F(Lab, bursts_prints_shares_and_delays_with_looks_and_without) {
  const test::Finished done = run({"bursts", "--sites", "6", "--pages-per-site", "16", "--sweeps",
                                   "40", "--runs", "2", "--threads", "1", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const boost::json::value row = boost::json::parse(done.out);
  EXPECT_EQ(keys(row), (std::set<std::string>{"with_looks", "with_looks_standard_error",
                                              "with_looks_median_delay", "without_looks",
                                              "without_looks_standard_error",
                                              "without_looks_median_delay", "looks"}));
  EXPECT_GT(row.at("without_looks_median_delay").to_number<double>(), 0);
}

TEST_F(Lab, ablation_leaves_each_part_out_in_every_world) {
  const test::Finished done =
      run({"ablation", "--zipf", "--polls", "600", "--alike", "20", "--quiet", "50", "--rates",
           "0.1", "--runs", "2", "--threads", "1", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  std::set<std::string> worlds, variants;
  const boost::json::value rows = boost::json::parse(done.out);
  for (const boost::json::value& row : rows.as_array()) {
    EXPECT_EQ(keys(row), (std::set<std::string>{"world", "variant", "found", "standard_error",
                                                "brings", "brings_standard_error"}));
    worlds.emplace(row.at("world").as_string());
    variants.emplace(row.at("variant").as_string());
  }
  EXPECT_EQ(worlds, (std::set<std::string>{"zipf (0.9,1.5)", "zipf (0.3,1.5)", "zipf (0.3,1.0)",
                                           "alike 20", "quiet 50 0.1"}));
  EXPECT_EQ(variants, (std::set<std::string>{"everything", "without two speeds", "without trust",
                                             "without likeness", "without quiet",
                                             "without automata", "without looks", "without unrest",
                                             "without explore", "only rates"}));
}

TEST_F(Lab, ablation_without_a_world_says_what_to_give) {
  EXPECT_EQ(run({"ablation"}).exit_code, 64);
}

TEST_F(Lab, robots_prints_the_promised_fields) {
  const test::Finished done = run({"robots", "--lambda", "0.1", "--mu", "1", "--capacity", "5",
                                   "--gamma", "1.4", "--robots", "16", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto row = boost::json::parse(done.out).as_object();
  EXPECT_EQ(keys(row), (std::set<std::string>{"static_robots", "static_cost", "static_starvation",
                                              "static_loss", "dynamic_starvation", "dynamic_loss",
                                              "dynamic_cost", "min_robots", "mean_robots",
                                              "max_robots", "policy"}));
  EXPECT_EQ(row.at("static_robots").as_int64(), 10);
  EXPECT_NEAR(row.at("dynamic_cost").to_number<double>(), 0.25924, 0.00001);
  EXPECT_EQ(row.at("policy").as_object().at("at_arrival").as_array().size(), 17u);
}

TEST_F(Lab, robots_without_a_number_takes_the_best_fixed_one) {
  const test::Finished done =
      run({"robots", "--lambda", "0.1", "--mu", "1", "--capacity", "5", "--gamma", "1.4"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_NE(done.out.find("dynamic_cost       0.32198"), std::string::npos) << done.out;
}

TEST_F(Lab, robots_refuses_rates_that_make_no_sense) {
  EXPECT_EQ(run({"robots", "--lambda", "0"}).exit_code, 64);
  EXPECT_EQ(run({"robots", "--gamma", "nan"}).exit_code, 64);
  EXPECT_EQ(run({"robots", "--lambda", "1e-300"}).exit_code, 64);
}

TEST_F(Lab, the_switching_curves_are_drawn) {
  const test::Finished done = run({"figure", "004-7", "--out", "."});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  std::ifstream csv(folder_ / "figure-004-7.csv");
  const std::string text{std::istreambuf_iterator<char>(csv), {}};
  EXPECT_NE(text.find("\"at a departure\",12,2."), std::string::npos) << text;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "figure-004-7.svg"));
}

TEST_F(Lab, every_policy_runs) {
  const test::Finished done =
      run({"zipf", "--pages", "40", "--polls", "400", "--policy", "all", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(boost::json::parse(done.out).as_array().size(), 17U);
}

TEST_F(Lab, an_unknown_policy_is_a_usage_error_that_names_the_known_ones) {
  const test::Finished done = run({"zipf", "--policy", "magic"});
  EXPECT_EQ(done.exit_code, 64);
  EXPECT_NE(done.err.find("stormcrawler"), std::string::npos) << done.err;
}

TEST_F(Lab, an_unknown_figure_lists_the_known_ones) {
  const test::Finished done = run({"figure", "000-99"});
  EXPECT_EQ(done.exit_code, 64);
  EXPECT_NE(done.err.find("000-12"), std::string::npos) << done.err;
}

TEST_F(Lab, missing_inputs_have_their_exit_code) {
  EXPECT_EQ(run({"replay", "--trace", "nothing.csv"}).exit_code, 66);
  EXPECT_EQ(run({"record", "--database", "nothing.db", "--out", "t.csv"}).exit_code, 66);
}

TEST_F(Lab, cost_prints_nanoseconds_and_bytes) {
  const test::Finished done = run({"cost", "--pages", "100,200", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto rows = boost::json::parse(done.out).as_array();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_GT(rows[0].as_object().at("ns_per_decision").as_double(), 0);
  EXPECT_GT(rows[1].as_object().at("bytes_per_page").as_double(), 0);
}

// On a database that the program has made.
TEST_F(Lab, advise_says_what_another_budget_would_bring) {
  const test::Finished made = test::Program(POLLUX_BINARY, folder_,
                                            {"demo", "--pages", "60", "--budget", "60", "--seconds",
                                             "4", "--seed", "5", "--database", "demo.db", "--json"})
                                  .wait();
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const test::Finished done = run({"advise", "--database", "demo.db", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto answer = boost::json::parse(done.out).as_object();
  EXPECT_EQ(keys(answer),
            (std::set<std::string>{"pages", "pages_without_rate", "policy", "objective", "budget",
                                   "changes_per_day", "budgets", "droppable", "max_intervals"}));
  EXPECT_GT(answer.at("pages").to_number<int>() + answer.at("pages_without_rate").to_number<int>(),
            50);
  EXPECT_EQ(answer.at("budget").to_number<double>(), 60);
  const auto& budgets = answer.at("budgets").as_array();
  ASSERT_EQ(budgets.size(), 4u);
  EXPECT_EQ(keys(budgets[0]), (std::set<std::string>{"factor", "budget", "polls_per_day",
                                                     "changes_per_day", "share", "mean_delay_s"}));
  const auto value = [&](std::size_t row, const char* key) {
    return budgets[row].as_object().at(key).to_number<double>();
  };
  for (std::size_t row = 1; row < 4; ++row) {
    EXPECT_GT(value(row, "changes_per_day"), value(row - 1, "changes_per_day"));
    EXPECT_GT(value(row, "share"), value(row - 1, "share"));
    EXPECT_LT(value(row, "mean_delay_s"), value(row - 1, "mean_delay_s"));
  }
  EXPECT_LE(value(3, "share"), 1);

  const test::Finished text = run({"advise", "--database", "demo.db"});
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("MEAN DELAY"), std::string::npos) << text.out;
  std::istringstream lines(text.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST_F(Lab, advise_without_anything_learnt_says_so) {
  EXPECT_EQ(run({"advise", "--database", "nothing.db"}).exit_code, 66);
  EXPECT_EQ(run({"advise"}).exit_code, 64);
}

}  // namespace
}  // namespace pollux::cli

// The figures of the real program, as Prometheus and Grafana meet them: names, alert rules,
// dashboard.
#include "integration/running_daemon.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"
#include "support/tcp.hpp"

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include <boost/json.hpp>
#include <yaml-cpp/yaml.h>

namespace pollux::test {
namespace {

namespace monitored_fs = std::filesystem;
const std::string promtool = "/usr/bin/promtool", prometheus = "/usr/bin/prometheus";
const std::string config_folder = POLLUX_SOURCE_DIR "/config/";

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Every "expr" below it, with Grafana's variables filled in.
void collect_expressions(const boost::json::value& from, std::vector<std::string>& into) {
  if (from.is_array()) {
    for (const boost::json::value& one : from.as_array()) collect_expressions(one, into);
  } else if (from.is_object()) {
    for (const auto& [key, value] : from.as_object()) {
      if (key != "expr") {
        collect_expressions(value, into);
        continue;
      }
      const std::string plain(value.as_string());
      const std::string timed = std::regex_replace(plain, std::regex("\\$__rate_interval"), "1m");
      into.push_back(std::regex_replace(timed, std::regex("\\$(job|instance)"), ".*"));
    }
  }
}

std::vector<std::string> dashboard_expressions() {
  std::vector<std::string> all;
  collect_expressions(
      boost::json::parse(file_text(config_folder + "grafana-dashboard.json")).at("panels"), all);
  return all;
}

std::map<std::string, std::string> rule_expressions() {
  std::map<std::string, std::string> all;
  for (const YAML::Node& group : YAML::LoadFile(config_folder + "pollux.rules.yaml")["groups"])
    for (const YAML::Node& rule : group["rules"])
      all[rule["alert"].as<std::string>()] = rule["expr"].as<std::string>();
  return all;
}

std::set<std::string> metric_names(const std::string& expression) {
  static const std::regex ours("\\b(pollux|process)_[a-z0-9_]+");
  return {std::sregex_token_iterator(expression.begin(), expression.end(), ours),
          std::sregex_token_iterator()};
}

class Monitoring : public RunningDaemon {
 protected:
  void SetUp() override {
    if (access(promtool.c_str(), X_OK) != 0) GTEST_SKIP() << "promtool is not installed";
  }
  void start_watching() {
    origin_.on("/moving", serve::changing_page());
    origin_.on("/still", serve::page("always the same"));
    configure({origin_.url("/moving"), origin_.url("/still"), origin_.url("/missing")}, "50",
              "defaults: { min_interval: 0s, timeout: 5s }\nweb: { listen: \"127.0.0.1:0\" }\n");
    start();
    const std::string mark = "to be seen at http://127.0.0.1:";
    ASSERT_TRUE(logged(mark)) << daemon_->text("err");
    const std::string log = daemon_->text("err");
    port_ = static_cast<std::uint16_t>(std::stoi(log.substr(log.find(mark) + mark.size())));
    // The learner's figures come after its first walk over all pages.
    ASSERT_TRUE(eventually([&] {
      return get_body(port_, "/metrics").find("\npollux_learner_optimum_ratio ") !=
             std::string::npos;
    })) << get_body(port_, "/metrics");
  }
  Finished run_tool(std::vector<std::string> arguments) {
    monitored_fs::create_directories(folder_ / "promtool");
    return Program(promtool, folder_ / "promtool", std::move(arguments)).wait();
  }
  // A Prometheus of our own that knows daemon and rules. Another may take the port first.
  bool start_prometheus() {
    monitored_fs::create_directories(folder_ / "prometheus");
    for (int attempt = 0; attempt < 5; ++attempt) {
      const std::string own = "127.0.0.1:" + std::to_string(free_port());
      const std::string config =
          folder_.write("prometheus.yml",
                        "global: { scrape_interval: 1s, evaluation_interval: 1s }\n"
                        "rule_files: [" +
                            config_folder +
                            "pollux.rules.yaml]\nscrape_configs:\n"
                            "  - { job_name: pollux, static_configs: [{ targets: [\"127.0.0.1:" +
                            std::to_string(port_) +
                            "\"] }] }\n"
                            "  - { job_name: itself, static_configs: [{ targets: [\"" +
                            own + "\"] }] }\n");
      prometheus_ = std::make_unique<Program>(
          prometheus, folder_ / "prometheus",
          std::vector<std::string>{"--config.file=" + config,
                                   "--storage.tsdb.path=" + folder_.file("tsdb"),
                                   "--web.listen-address=" + own});
      server_ = "http://" + own;
      bool refused = false;
      const bool there = eventually([&] {
        refused = prometheus_->text("err").find("address already in use") != std::string::npos;
        return refused || has_value("vector(1)");
      });
      if (there && !refused) return true;
    }
    return false;
  }
  bool has_value(const std::string& expression) {
    const Finished asked = run_tool({"query", "instant", server_, expression});
    return asked.exit_code == 0 && asked.out.find("=>") != std::string::npos;
  }
  void TearDown() override {
    if (prometheus_) {
      prometheus_->send(SIGTERM);
      prometheus_->wait();
    }
    RunningDaemon::TearDown();
  }

  Origin origin_;
  std::unique_ptr<Program> prometheus_;
  std::uint16_t port_ = 0;
  std::string server_;
};

TEST_F(Monitoring, the_rules_are_right_and_each_has_a_test) {
  const Finished checked = run_tool({"check", "rules", config_folder + "pollux.rules.yaml"});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  const Finished tested = run_tool({"test", "rules", config_folder + "pollux.rules.test.yaml"});
  EXPECT_EQ(tested.exit_code, 0) << tested.out << tested.err;
  const std::string tests = file_text(config_folder + "pollux.rules.test.yaml");
  for (const auto& [alert, expression] : rule_expressions())
    EXPECT_NE(tests.find("ALERTS{alertname=\"" + alert + "\""), std::string::npos) << alert;
}

TEST_F(Monitoring, the_dashboard_can_be_parsed) {
  std::ostringstream rules;
  rules << "groups:\n  - name: dashboard\n    rules:\n";
  int n = 0;
  for (const std::string& expression : dashboard_expressions())
    rules << "      - { record: \"panel:" << n++
          << "\", expr: " << boost::json::serialize(boost::json::value(expression)) << " }\n";
  ASSERT_GT(n, 40);
  const Finished checked = run_tool({"check", "rules", folder_.write("panels.yaml", rules.str())});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
}

TEST_F(Monitoring, the_metrics_are_well_formed_and_all_that_is_asked_for_is_there) {
  ASSERT_NO_FATAL_FAILURE(start_watching());
  const std::string text = get_body(port_, "/metrics");
  const std::string file = folder_.write("metrics", text);
  const Finished checked =
      Program("/bin/sh", folder_, {"-c", promtool + " check metrics < " + file}).wait();
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;

  std::set<std::string> exposed;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("#")) exposed.insert(line.substr(0, line.find_first_of("{ ")));
  std::set<std::string> asked_for;
  for (const std::string& expression : dashboard_expressions())
    asked_for.merge(metric_names(expression));
  const std::set<std::string> shown = asked_for;
  for (const auto& [alert, expression] : rule_expressions())
    asked_for.merge(metric_names(expression));
  for (const std::string& name : asked_for) EXPECT_TRUE(exposed.contains(name)) << name;
  for (const std::string& name : exposed)
    EXPECT_TRUE(shown.contains(name)) << name << " is not on the dashboard";
}

TEST_F(Monitoring, a_real_Prometheus_scrapes_it_and_every_panel_has_a_value) {
  if (access(prometheus.c_str(), X_OK) != 0) GTEST_SKIP() << "prometheus is not installed";
  ASSERT_NO_FATAL_FAILURE(start_watching());
  ASSERT_TRUE(start_prometheus()) << prometheus_->text("err");
  EXPECT_TRUE(eventually([&] { return has_value("up{job=\"pollux\"} == 1"); }));
  EXPECT_TRUE(eventually([&] { return has_value("pollux_polls_total > 0"); }));
  for (const std::string& expression : dashboard_expressions())
    EXPECT_TRUE(eventually([&] { return has_value(expression); })) << expression;
  EXPECT_TRUE(eventually([&] { return has_value("prometheus_rule_evaluations_total > 0"); }));
  EXPECT_FALSE(has_value("prometheus_rule_evaluation_failures_total > 0"));
}

}  // namespace
}  // namespace pollux::test

#include "pollux/store/store.hpp"
#include "support/program.hpp"
#include "support/receiver.hpp"
#include "support/temp_folder.hpp"

#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace pollux::cli {
namespace {

class NotifyCommand : public testing::Test {
 protected:
  void configure(const std::string& rules) {
    folder_.write("pollux.yaml",
                  "budget: 1\ndatabase: pollux.db\npages: [https://example.org/]\n"
                  "notify:\n" +
                      rules);
  }
  test::Finished run(std::vector<std::string> words) {
    words.insert(words.begin(), "notify");
    return test::Program(POLLUX_BINARY, folder_, std::move(words)).wait();
  }
  // A delivery that waits and one that was given up.
  void fill() {
    auto store = store::Store::open(folder_.file("pollux.db"));
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE((*store)
                    ->reconcile({{.url = "https://example.org/", .host = "example.org:443"}},
                                WallTime(std::chrono::hours(490'000)))
                    .ok());
    store::Batch batch;
    for (int i = 0; i < 2; ++i) {
      store::NoticeRow notice;
      notice.event = "failing";
      notice.at = WallTime(std::chrono::hours(490'000));
      notice.url = "https://example.org/\x1b[31m";
      notice.wishes = {{.rule = "team"}};
      batch.notices.push_back(notice);
    }
    batch.deliveries.push_back({.what = store::DeliveryChange::What::dead,
                                .rule = "team",
                                .message = 1,
                                .error = "HTTP 410"});
    ASSERT_TRUE((*store)->write(batch, "htraa").ok());
  }
  test::TempFolder folder_;
};

TEST_F(NotifyCommand, test_sends_a_sample_the_way_the_daemon_would) {
  test::Receiver receiver;
  configure("  - { name: team, to: { webhook: \"" + receiver.url("/hook") +
            "\", body: slack, allow: [127.0.0.0/8] } }\n");
  const test::Finished sent = run({"--test", "team", "--config", "pollux.yaml"});
  EXPECT_EQ(sent.exit_code, 0) << sent.err;
  EXPECT_NE(sent.out.find("delivered"), std::string::npos);
  ASSERT_EQ(receiver.count(), 1u);
  EXPECT_TRUE(boost::json::parse(receiver.all()[0].body).as_object().contains("blocks"));
  const test::Finished told = run({"--test", "team", "--config", "pollux.yaml", "--json"});
  EXPECT_TRUE(boost::json::parse(told.out).at("delivered").as_bool());
}

TEST_F(NotifyCommand, test_says_what_went_wrong_and_not_the_secret) {
  folder_.write("hook.url", "http://127.0.0.1:1/T0SECRET\n");
  configure("  - { name: team, to: { webhook: { file: hook.url }, allow: [127.0.0.0/8] } }\n");
  const test::Finished failed = run({"--test", "team", "--config", "pollux.yaml"});
  EXPECT_EQ(failed.exit_code, 69);
  EXPECT_NE(failed.err.find("rule team"), std::string::npos) << failed.err;
  EXPECT_EQ(failed.err.find("T0SECRET"), std::string::npos) << failed.err;
}

TEST_F(NotifyCommand, an_unknown_rule_is_answered_with_those_there_are) {
  configure("  - { name: team, to: { file: x } }\n  - { name: ops, to: { file: y } }\n");
  const test::Finished wrong = run({"--test", "teem", "--config", "pollux.yaml"});
  EXPECT_EQ(wrong.exit_code, 64);
  EXPECT_NE(wrong.err.find("there are team, ops"), std::string::npos) << wrong.err;
}

TEST_F(NotifyCommand, lists_what_waits_and_what_was_given_up) {
  fill();
  const test::Finished pending = run({"--pending", "--database", "pollux.db"});
  EXPECT_EQ(pending.exit_code, 0) << pending.err;
  EXPECT_NE(pending.out.find("team"), std::string::npos);
  EXPECT_EQ(pending.out.find('\x1b'), std::string::npos);
  const test::Finished failed = run({"--failed", "--database", "pollux.db", "--json"});
  const auto rows = boost::json::parse(failed.out).as_array();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].at("last_error"), "HTTP 410");
  EXPECT_EQ(rows[0].at("state"), "dead");
}

TEST_F(NotifyCommand, retry_without_a_daemon_says_so_and_how_to_start_it) {
  fill();
  const test::Finished retry = run({"--retry", "1", "--database", "pollux.db"});
  EXPECT_EQ(retry.exit_code, 69);
  EXPECT_NE(retry.err.find("pollux run"), std::string::npos) << retry.err;
}

TEST_F(NotifyCommand, wants_one_thing_at_a_time) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{},
                                                {"--pending", "--failed"},
                                                {"--retry", "0"},
                                                {"--retry", "x"},
                                                {"--test", "a"}}) {
    const test::Finished wrong = run(words);
    EXPECT_EQ(wrong.exit_code, 64) << wrong.err << wrong.out;
    EXPECT_FALSE(wrong.err.empty());
  }
}

}  // namespace
}  // namespace pollux::cli

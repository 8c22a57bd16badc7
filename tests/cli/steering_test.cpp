// The commands that steer, as the real program, against a control socket with nobody behind it but
// a book of what was asked.
#include "cli/steering.hpp"

#include "cli/control_socket.hpp"
#include "cli/daemon_events.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/store/store.hpp"
#include "pollux/web/control.hpp"
#include "support/fake_steering.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pollux::cli {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

class SteeringCommands : public testing::Test {
 protected:
  SteeringCommands() {
    auto store = store::Store::open(database_);
    EXPECT_TRUE(store.ok());
    const std::vector<store::PageSpec> pages = {
        {.url = "https://example.org/news", .host = "example.org:443", .name = "The news"},
        {.url = "https://example.org/quiet", .host = "example.org:443"}};
    EXPECT_TRUE((*store)->reconcile(pages, WallTime(std::chrono::hours(490'000))).ok());
    store_ = std::move(*store);
  }
  void listen() {
    auto made = web::Control::start({.socket = socket_, .database = database_}, steering_, clock_);
    ASSERT_TRUE(made.ok()) << made.error().message;
    control_ = std::move(made).value();
  }
  test::Finished run(std::vector<std::string> words) {
    words.insert(words.end(), {"--database", database_});
    return test::Program(POLLUX_BINARY, folder_, std::move(words)).wait();
  }
  std::string last() const {
    const auto all = steering_.asked();
    return all.empty() ? "" : all.back();
  }

  test::TempFolder folder_;
  std::string database_ = folder_.file("pollux.db"), socket_ = folder_.file("pollux.db-socket");
  std::unique_ptr<store::Store> store_;
  SystemClock clock_;
  test::FakeSteering steering_;
  std::unique_ptr<web::Control> control_;
};

TEST_F(SteeringCommands, without_a_daemon_say_so_and_how_to_start_it) {
  store_.reset();
  const std::vector<std::vector<std::string>> all = {{"add", "https://a/"},
                                                     {"remove", "https://a/"},
                                                     {"pause", "https://a/"},
                                                     {"resume", "https://a/"},
                                                     {"poll", "https://a/"},
                                                     {"set", "https://a/", "importance=2"},
                                                     {"set", "budget=5"},
                                                     {"reload"},
                                                     {"tail"},
                                                     {"read", "1"},
                                                     {"mask", "accept", "1"},
                                                     {"mask", "refuse", "1"}};
  for (const std::vector<std::string>& words : all) {
    const test::Finished answer = run(words);
    EXPECT_EQ(answer.exit_code, 69) << words.front() << answer.err;
    EXPECT_NE(answer.err.find("no daemon runs on"), std::string::npos) << answer.err;
    EXPECT_NE(answer.err.find("pollux run --config"), std::string::npos) << answer.err;
  }
  const test::Finished nowhere =
      test::Program(POLLUX_BINARY, folder_, {"add", "https://a/", "--config", "none.yaml"}).wait();
  EXPECT_NE(nowhere.exit_code, 0);
}

TEST_F(SteeringCommands, a_daemon_without_a_socket_is_told_from_none) {
  // The store holds the database as a daemon does.
  const test::Finished answer = run({"reload"});
  EXPECT_EQ(answer.exit_code, 69);
  EXPECT_NE(answer.err.find("does not listen on"), std::string::npos) << answer.err;
  std::ofstream(folder_ / "none.yaml") << "database: pollux.db\ncontrol: { socket: none }\n";
  const test::Finished none =
      test::Program(POLLUX_BINARY, folder_, {"reload", "--config", "none.yaml"}).wait();
  EXPECT_EQ(none.exit_code, 69);
  EXPECT_NE(none.err.find("control: { socket: none }"), std::string::npos) << none.err;
}

TEST_F(SteeringCommands, who_may_not_connect_hears_which_group_may) {
  listen();
  ASSERT_EQ(chmod(socket_.c_str(), 0), 0);
  ASSERT_EQ(chmod(folder_.string().c_str(), 0755), 0);
  // Root may everything, and becomes somebody else.
  const std::string setpriv = "/usr/bin/setpriv";
  const bool is_root = geteuid() == 0;
  if (is_root && !std::filesystem::exists(setpriv)) GTEST_SKIP() << "there is no setpriv";
  const test::Finished answer =
      is_root ? test::Program(setpriv, folder_,
                              {"--reuid=65534", "--regid=65534", "--clear-groups", POLLUX_BINARY,
                               "reload", "--database", database_})
                    .wait()
              : run({"reload"});
  if (answer.exit_code == 126 || answer.exit_code == 127)
    GTEST_SKIP() << "others may not run the program where it lies";
  EXPECT_EQ(answer.exit_code, 69);
  EXPECT_NE(answer.err.find("mode 0000"), std::string::npos) << answer.err;
  EXPECT_NE(answer.err.find("group "), std::string::npos) << answer.err;
}

TEST_F(SteeringCommands, add_pages_with_what_is_said_of_them) {
  listen();
  const test::Finished one = run({"add",
                                  "https://a/",
                                  "--tag",
                                  "t",
                                  "--tag",
                                  "u",
                                  "--name",
                                  "A",
                                  "--importance",
                                  "2",
                                  "--min-interval",
                                  "5min",
                                  "--max-interval",
                                  "2h",
                                  "--select",
                                  "main",
                                  "--select",
                                  "h1",
                                  "--remove",
                                  "nav",
                                  "--ignore",
                                  "\\d+",
                                  "--as",
                                  "html"});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(one.out, "1 page added\n");
  const auto added = steering_.added();
  ASSERT_EQ(added.size(), 1u);
  EXPECT_EQ(added[0].settings.name, "A");
  EXPECT_EQ(added[0].settings.tags, (std::vector<std::string>{"t", "u"}));
  EXPECT_EQ(added[0].settings.importance, 2.0);
  EXPECT_EQ(added[0].settings.min_interval, Duration(5min));
  EXPECT_EQ(
      json::parse(*added[0].settings.content),
      json::parse(R"({"as":"html","select":["main","h1"],"remove":["nav"],"ignore":["\\d+"]})"));
}

TEST_F(SteeringCommands, add_takes_urls_from_a_file) {
  listen();
  folder_.write("list.txt", "# a list\nhttps://one/\n\n  https://two/ # why\r\n#https://no/\n");
  EXPECT_EQ(run({"add", "https://zero/", "--file", "list.txt", "--dry-run"}).out,
            "Would be: 3 pages added\n");
  EXPECT_EQ(last(), "add https://zero/ https://one/ https://two/ dry");
  EXPECT_EQ(run({"add", "--file", "missing.txt"}).exit_code, 66);
  EXPECT_EQ(run({"add"}).exit_code, 64);
  EXPECT_EQ(run({"add", "https://a/", "https://b/", "--name", "x"}).exit_code, 64);
  EXPECT_EQ(run({"add", "https://a/", "--as", "pdf"}).exit_code, 64);
  EXPECT_EQ(run({"add", "https://a/", "--importance", "0"}).exit_code, 64);
  EXPECT_EQ(run({"add", "https://a/", "--min-interval", "often"}).exit_code, 64);
}

TEST_F(SteeringCommands, add_sends_a_long_list_in_parts) {
  listen();
  std::string list;
  for (int i = 0; i < 25'000; ++i) list += "https://a/" + std::to_string(i) + "\n";
  folder_.write("list.txt", list);
  EXPECT_EQ(run({"add", "--file", "list.txt"}).out, "25000 pages added\n");
  EXPECT_EQ(steering_.asked().size(), 3u);
}

TEST_F(SteeringCommands, name_pages_by_url_name_part_tag_and_glob) {
  listen();
  for (const char* what : {"remove", "resume", "poll"}) {
    EXPECT_EQ(run({what, "https://a/", "--tag", "t", "--match", "*x"}).exit_code, 0);
    EXPECT_EQ(last(), std::string(what) + " https://a/ tag:t glob:*x");
  }
  EXPECT_EQ(run({"resume", "the news", "quiet"}).exit_code, 0);
  EXPECT_EQ(last(), "resume https://example.org/news https://example.org/quiet");
  EXPECT_EQ(run({"resume", "nowhere"}).exit_code, 66);
  EXPECT_EQ(run({"resume"}).exit_code, 64);
  EXPECT_EQ(run({"remove", "--tag", "t", "--dry-run"}).exit_code, 66);
  EXPECT_EQ(last(), "remove tag:t dry");
}

TEST_F(SteeringCommands, say_when_no_page_is_meant) {
  listen();
  const test::Finished answer = run({"pause", "--tag", "nobody"});
  EXPECT_EQ(answer.exit_code, 66);
  EXPECT_EQ(answer.out, "");
  EXPECT_NE(answer.err.find("no page has such a tag"), std::string::npos) << answer.err;
  const test::Finished data = run({"pause", "--tag", "nobody", "--json"});
  EXPECT_EQ(data.exit_code, 66);
  EXPECT_EQ(json::parse(data.out).at("done"), 0);
}

TEST_F(SteeringCommands, tell_what_was_refused_and_why) {
  listen();
  steering_.refuse_with = "urls.yaml:3 lists it; edit that file";
  const test::Finished answer = run({"remove", "https://a/", "https://refuse/\x1b[31m"});
  EXPECT_EQ(answer.exit_code, 65);
  EXPECT_EQ(answer.out,
            "1 page removed; 1 refused:\n"
            "  https://refuse/\\x1b[31m: urls.yaml:3 lists it; edit that file\n");
  const json::value data = json::parse(run({"remove", "https://refuse/", "--json"}).out);
  EXPECT_EQ(data.at("refused"), 1);
  EXPECT_EQ(data.at("pages").at(0).at("what"), "refused");
}

TEST_F(SteeringCommands, pause_for_a_while) {
  listen();
  EXPECT_EQ(run({"pause", "https://a/"}).out, "1 page paused\n");
  const test::Finished answer = run({"pause", "https://a/", "https://b/", "--for", "2h"});
  EXPECT_TRUE(answer.out.starts_with("2 pages paused until 20")) << answer.out;
  EXPECT_EQ(last(), "pause 7200.000000 https://a/ https://b/");
  EXPECT_EQ(run({"pause", "https://a/", "--for", "soon"}).exit_code, 64);
}

TEST_F(SteeringCommands, poll_waits_for_the_outcome) {
  listen();
  const test::Finished answer = run({"poll", "https://a/", "--wait"});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_EQ(answer.out, "1 page asked for:\n  https://a/  200, same\n");
  const json::value data = json::parse(run({"poll", "https://a/", "--wait", "--json"}).out);
  EXPECT_EQ(data.at("outcomes").at(0).at("outcome"), "same");
  EXPECT_EQ(run({"poll", "https://a/"}).out, "1 page to be polled next\n");
}

TEST(Outcomes, say_a_status_once) {
  EXPECT_EQ(outcome_in({{"status", 200}, {"outcome", "same"}}), "200, same");
  EXPECT_EQ(outcome_in({{"status", 404}, {"outcome", "HTTP 404"}}), "HTTP 404");
  EXPECT_EQ(outcome_in({{"status", 0}, {"outcome", "no answer"}}), "no answer");
}

TEST_F(SteeringCommands, set_takes_keys_and_urls_in_any_order) {
  listen();
  EXPECT_EQ(run({"set", "importance=3", "https://a/?x=1", "tags=a,b", "name=A page", "select=main",
                 "select=h1"})
                .out,
            "1 page set\n");
  EXPECT_EQ(last(), "set https://a/?x=1");
  const engine::LiveSettings set = steering_.last_set();
  EXPECT_EQ(set.importance, 3.0);
  EXPECT_EQ(set.tags, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(set.name, "A page");
  EXPECT_EQ(json::parse(*set.content), json::parse(R"({"select": ["main", "h1"]})"));
  EXPECT_EQ(run({"set", "https://a/", "--reset"}).out, "1 page as files and defaults say\n");
  EXPECT_EQ(last(), "reset https://a/");
  EXPECT_EQ(run({"set", "https://a/"}).exit_code, 64);
  EXPECT_EQ(run({"set", "https://a/", "importance=much"}).exit_code, 64);
  EXPECT_EQ(run({"set", "https://a/", "content=main"}).exit_code, 64);
  const test::Finished pipe = run({"set", "https://a/", "pipe=rm"});
  EXPECT_EQ(pipe.exit_code, 64);
  EXPECT_NE(pipe.err.find("'pipe' cannot be set; known: name,"), std::string::npos) << pipe.err;
}

TEST_F(SteeringCommands, set_the_budget_without_a_page) {
  listen();
  EXPECT_EQ(run({"set", "budget=300/min"}).out, "The budget is 5/s; it was 5/s.\n");
  EXPECT_EQ(run({"set", "budget=20", "--dry-run"}).out,
            "Would be: The budget is 20/s; it was 5/s.\n");
  EXPECT_EQ(last(), "budget 20.000000 dry");
  EXPECT_EQ(run({"set", "budget=none"}).exit_code, 64);
  EXPECT_EQ(run({"set", "https://a/", "budget=2"}).exit_code, 64);
}

TEST_F(SteeringCommands, reload_masks_and_changes) {
  listen();
  EXPECT_EQ(run({"reload"}).out, "3 pages added\n");
  EXPECT_EQ(run({"mask", "accept", "7"}).out, "accepted\n");
  EXPECT_EQ(run({"mask", "refuse", "7"}).out, "refused\n");
  EXPECT_EQ(run({"mask", "refuse", "404"}).exit_code, 66);
  EXPECT_EQ(run({"mask", "refuse", "x"}).exit_code, 64);
  EXPECT_EQ(run({"read", "1", "2"}).out, "2 changes marked as read.\n");
  EXPECT_EQ(run({"read"}).exit_code, 64);
  EXPECT_EQ(json::parse(run({"reload", "--json"}).out).at("message"), "3 pages added");
}

TEST_F(SteeringCommands, tail_shows_what_happens_until_the_daemon_ends) {
  listen();
  test::Program tail(POLLUX_BINARY, folder_, {"tail", "--database", database_});
  while (steering_.readers() == 0) std::this_thread::sleep_for(1ms);
  const auto happen = [&](engine::Event::What what, std::string text, std::string detail = "") {
    steering_.happen({.what = what,
                      .at = WallTime(std::chrono::hours(490'000)),
                      .url = "https://a/\x1b[31m",
                      .text = std::move(text),
                      .detail = std::move(detail),
                      .id = 3,
                      .status = 200,
                      .milliseconds = 12});
  };
  happen(engine::Event::What::poll, "same", "due");
  happen(engine::Event::What::change, "+1 \x1b]0;word");
  happen(engine::Event::What::health, "it is gone", "failing");
  happen(engine::Event::What::gap, "");
  while (tail.text("out").find("gap") == std::string::npos) std::this_thread::sleep_for(1ms);
  control_.reset();
  const test::Finished ended = tail.wait();
  EXPECT_EQ(ended.exit_code, 69);
  EXPECT_NE(ended.err.find("the daemon has ended"), std::string::npos) << ended.err;
  EXPECT_EQ(ended.out,
            "16:00:00 poll    https://a/\\x1b[31m  200, same, 12 ms; due\n"
            "16:00:00 change  https://a/\\x1b[31m  +1 \\x1b]0;word\n"
            "16:00:00 health  https://a/\\x1b[31m  failing: it is gone\n"
            "16:00:00 gap     3 events were missed: they came too fast to be shown\n");
}

TEST_F(SteeringCommands, tail_in_json_is_an_object_a_line) {
  listen();
  test::Program tail(POLLUX_BINARY, folder_,
                     {"tail", "--changes", "--json", "--database", database_});
  while (steering_.readers() == 0) std::this_thread::sleep_for(1ms);
  steering_.happen({.what = engine::Event::What::poll, .url = "https://poll/"});
  steering_.happen({.what = engine::Event::What::change, .url = "https://a/", .id = 3});
  while (tail.text("out").find('\n') == std::string::npos) std::this_thread::sleep_for(1ms);
  const json::value line = json::parse(tail.text("out"));
  EXPECT_EQ(line.at("event"), "change");
  EXPECT_EQ(line.at("url"), "https://a/");
  tail.send(SIGINT);
}

TEST(EventParser, cuts_bytes_into_events_wherever_they_break) {
  const std::string all =
      ": hello\n\nevent: poll\ndata: {\"url\":\"a\"}\n\nevent: gap\ndata: {}\n\n";
  EventParser parser;
  std::vector<std::string> seen;
  for (const char c : all) {
    for (const DaemonEvent& event : parser.take(std::string(1, c))) seen.push_back(event.what);
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"poll", "gap"}));
}

TEST(ControlSocket, lies_beside_the_database_in_the_runtime_directory_or_where_it_is_said) {
  unsetenv("RUNTIME_DIRECTORY");
  config::Config config;
  config.database = "/var/lib/x.db";
  EXPECT_EQ(control_socket_for(config), "/var/lib/x.db-socket");
  setenv("RUNTIME_DIRECTORY", "/run/pollux:/run/other", 1);
  EXPECT_EQ(control_socket_for(config), "/run/pollux/control.socket");
  config.control_socket = "/tmp/mine.socket";
  EXPECT_EQ(control_socket_for(config), "/tmp/mine.socket");
  config.control_socket = config::no_control_socket;
  EXPECT_EQ(control_socket_for(config), "");
  unsetenv("RUNTIME_DIRECTORY");
}

}  // namespace
}  // namespace pollux::cli

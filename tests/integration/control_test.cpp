// A running daemon and the commands that steer it, as the real program.
#include "integration/running_daemon.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/http/client.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"

#include <atomic>
#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <sys/stat.h>

namespace pollux::test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

class Control : public RunningDaemon {
 protected:
  // Answers every path, and is not polled more often than every hour unless somebody asks.
  void watch(const std::vector<std::string>& paths, const std::string& more = "") {
    origin_.otherwise([](Exchange& x) -> Step { co_await x.respond(200, "", "hello " + x.path); });
    std::vector<std::string> urls;
    for (const std::string& path : paths) urls.push_back(origin_.url(path));
    configure(urls, "100", "defaults: { min_interval: 1h, max_interval: 2d }\n" + more);
    start();
    ASSERT_TRUE(listens());
  }
  bool listens() {
    return eventually([&] { return http::Client::connect(socket()).ok(); });
  }
  std::string socket() const { return database() + "-socket"; }
  Finished pollux(std::vector<std::string> words) {
    const TempFolder folder;  // its output is not the daemon's
    words.insert(words.end(), {"--database", database()});
    return Program(POLLUX_BINARY, folder, std::move(words)).wait();
  }
  json::object data(std::vector<std::string> words) {
    words.emplace_back("--json");
    const Finished answer = pollux(std::move(words));
    boost::system::error_code problem;
    const json::value value = json::parse(answer.out, problem);
    EXPECT_FALSE(problem) << answer.out << answer.err;
    return problem || !value.is_object() ? json::object() : value.as_object();
  }
  bool polled(const std::string& url, std::int64_t times = 1) {
    return eventually([&] { return progress(url).polls >= times; });
  }
  std::string exchange(const std::string& bytes) {
    boost::asio::io_context io;
    boost::asio::local::stream_protocol::socket raw(io);
    raw.connect(boost::asio::local::stream_protocol::endpoint(socket()));
    boost::system::error_code error;
    boost::asio::write(raw, boost::asio::buffer(bytes), error);
    std::string answer;
    boost::asio::read(raw, boost::asio::dynamic_buffer(answer), error);
    return answer;
  }
  store::PageRow row(const std::string& url) {
    const auto open = reader();
    const auto page = open->page(url);
    EXPECT_TRUE(page.ok()) << url;
    return page.ok() ? *page : store::PageRow{};
  }

  Origin origin_;
};

TEST_F(Control, a_page_is_added_polled_paused_set_and_removed_while_it_runs) {
  watch({"/listed"});
  const std::string live = origin_.url("/live");
  const Finished added = pollux({"add", live, "--tag", "mine", "--name", "A live page"});
  EXPECT_EQ(added.exit_code, 0) << added.err;
  EXPECT_EQ(added.out, "1 page added\n");
  EXPECT_TRUE(polled(live));
  EXPECT_EQ(row(live).spec.name, "A live page");
  EXPECT_EQ(pollux({"add", live}).out, "0 pages added; 1 as before\n");

  const Finished paused = pollux({"pause", "--tag", "mine", "--for", "2h"});
  EXPECT_TRUE(paused.out.starts_with("1 page paused until ")) << paused.out << paused.err;
  EXPECT_EQ(row(live).state, "paused");
  EXPECT_EQ(pollux({"resume", "A live page"}).out, "1 page resumed\n");
  EXPECT_EQ(row(live).state, "active");

  EXPECT_EQ(pollux({"set", live, "importance=5", "tags=mine,yours"}).out, "1 page set\n");
  EXPECT_EQ(row(live).spec.importance, 5.0);
  EXPECT_EQ(pollux({"set", "--tag", "yours", "--reset"}).exit_code, 0);
  EXPECT_EQ(row(live).spec.importance, 1.0);

  EXPECT_EQ(pollux({"remove", live, "--dry-run"}).out, "Would be: 1 page removed\n");
  EXPECT_EQ(row(live).state, "active");
  EXPECT_EQ(pollux({"remove", live}).out, "1 page removed\n");
  EXPECT_EQ(row(live).state, "removed");
}

TEST_F(Control, a_page_of_a_file_is_not_removed_and_the_file_and_line_are_named) {
  watch({"/listed"});
  const Finished refused = pollux({"remove", origin_.url("/listed")});
  EXPECT_EQ(refused.exit_code, 65);
  EXPECT_NE(refused.out.find("0 pages removed; 1 refused:"), std::string::npos) << refused.out;
  EXPECT_NE(refused.out.find("pollux.yaml:"), std::string::npos) << refused.out;
  EXPECT_EQ(row(origin_.url("/listed")).state, "active");
}

TEST_F(Control, poll_waits_for_what_it_brings_whatever_min_interval_says) {
  watch({"/listed"});
  const std::string url = origin_.url("/listed");
  ASSERT_TRUE(polled(url));
  const Finished answer = pollux({"poll", url, "--wait"});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_TRUE(answer.out.starts_with("1 page asked for:\n  " + url + "  200, ")) << answer.out;
  EXPECT_GE(origin_.requests("/listed"), 2u);
  const json::object result = data({"poll", url, "--wait"});
  EXPECT_EQ(result.at("outcomes").as_array().size(), 1u);
}

TEST_F(Control, budget_reload_and_bad_words) {
  watch({"/listed"});
  EXPECT_EQ(pollux({"set", "budget=50"}).out, "The budget is 50/s; it was 100/s.\n");
  EXPECT_EQ(data({"status"}).at("budget"), 50) << "seen at once";
  EXPECT_EQ(data({"set", "budget=20", "--dry-run"}).at("before"), 50);
  configure({origin_.url("/listed"), origin_.url("/new")}, "100",
            "defaults: { min_interval: 1h }\n");
  const Finished reloaded = pollux({"reload"});
  EXPECT_EQ(reloaded.exit_code, 0) << reloaded.err;
  EXPECT_EQ(row(origin_.url("/new")).state, "active") << "in force when the command ends";
  std::ofstream(folder_ / "pollux.yaml") << "budget: none\n";
  const Finished refused = pollux({"reload"});
  EXPECT_EQ(refused.exit_code, 78);
  EXPECT_NE(refused.err.find("pollux.yaml:1"), std::string::npos) << refused.err;

  EXPECT_EQ(pollux({"pause", "https://nowhere.example/"}).exit_code, 65);
  EXPECT_EQ(pollux({"add", "ftp://example.org/"}).exit_code, 65);
  EXPECT_EQ(pollux({"set", origin_.url("/listed"), "importance=-1"}).exit_code & ~1, 64);
  EXPECT_EQ(pollux({"mask", "accept", "99"}).exit_code, 66);
  EXPECT_EQ(pollux({"read", "99"}).exit_code, 66);
}

TEST_F(Control, tail_tells_of_polls_and_changes_and_changes_are_marked_as_read) {
  origin_.on("/ticking", [](Exchange& x) -> Step {
    co_await x.respond(200, "", "number " + std::to_string(x.nth));
  });
  watch({"/ticking"});
  const std::string url = origin_.url("/ticking");
  ASSERT_TRUE(polled(url));
  const TempFolder folder;
  Program tail(POLLUX_BINARY, folder, {"tail", "--json", "--database", database()});
  ASSERT_TRUE(eventually([&] {
    EXPECT_EQ(pollux({"poll", url, "--wait"}).exit_code, 0);
    const std::string out = tail.text("out");
    return out.find(R"("event":"poll")") != std::string::npos &&
           out.find(R"("event":"change")") != std::string::npos;
  }));
  std::int64_t change = 0;
  std::istringstream lines(tail.text("out"));
  for (std::string line; std::getline(lines, line);) {
    boost::system::error_code partial;
    const json::value event = json::parse(line, partial);
    if (!partial && event.at("event") == "change") change = event.at("id").as_int64();
  }
  ASSERT_GT(change, 0);
  EXPECT_EQ(pollux({"read", std::to_string(change)}).out, "1 change marked as read.\n");
  EXPECT_EQ(pollux({"read", std::to_string(change)}).out, "0 changes marked as read.\n");
  stop();
  const Finished ended = tail.wait();
  EXPECT_EQ(ended.exit_code, 69);
  EXPECT_NE(ended.err.find("the daemon has ended"), std::string::npos) << ended.err;
}

TEST_F(Control, what_was_set_and_added_survives_a_kill_and_the_dead_socket_is_replaced) {
  watch({"/listed"});
  const std::string live = origin_.url("/live");
  ASSERT_EQ(pollux({"add", live}).exit_code, 0);
  ASSERT_EQ(pollux({"set", origin_.url("/listed"), "importance=7"}).exit_code, 0);
  stop(SIGKILL);
  EXPECT_TRUE(std::filesystem::exists(socket())) << "as a process that was killed leaves it";
  const Finished nobody = pollux({"pause", live});
  EXPECT_EQ(nobody.exit_code, 69);
  EXPECT_NE(nobody.err.find("no daemon runs on"), std::string::npos) << nobody.err;
  start();
  ASSERT_TRUE(listens());
  EXPECT_EQ(pollux({"pause", live}).out, "1 page paused\n");
  EXPECT_EQ(row(origin_.url("/listed")).spec.importance, 7.0);
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(socket()));
}

TEST_F(Control, two_clients_at_once_do_not_get_in_each_others_way) {
  watch({"/listed"});
  std::vector<std::thread> clients;
  std::atomic<int> done = 0;
  for (const std::string name : {"a", "b"}) {
    clients.emplace_back([this, name, &done] {
      for (int i = 0; i < 10; ++i) {
        const std::string url = origin_.url("/" + name + std::to_string(i));
        done += pollux({"add", url}).out == "1 page added\n";
        done += pollux({"pause", url}).out == "1 page paused\n";
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(done, 40);
  EXPECT_EQ(data({"resume", "--match", "*"}).at("done"), 20);
}

TEST_F(Control, requests_of_browsers_and_gets_change_nothing) {
  watch({"/listed"});
  const std::string body = R"({"urls": [")" + origin_.url("/listed") + R"("]})";
  const auto pause = [&](const std::string& method, const std::string& header) {
    return exchange(method +
                    " /api/v1/pages/pause HTTP/1.1\r\nHost: pollux\r\nConnection: close\r\n" +
                    header + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  };
  const std::string json_type = "Content-Type: application/json\r\n";
  EXPECT_TRUE(
      pause("POST", json_type + "Origin: https://evil.example\r\n").starts_with("HTTP/1.1 403 "));
  EXPECT_TRUE(pause("POST", "Content-Type: text/plain\r\n").starts_with("HTTP/1.1 415 "));
  EXPECT_TRUE(pause("GET", json_type).starts_with("HTTP/1.1 405 "));
  EXPECT_EQ(row(origin_.url("/listed")).state, "active");
  EXPECT_TRUE(pause("POST", json_type).starts_with("HTTP/1.1 200 "));
  EXPECT_EQ(row(origin_.url("/listed")).state, "paused");
}

TEST_F(Control, oversized_and_slow_requests_are_refused_and_hold_up_nobody) {
  watch({"/listed"});
  EXPECT_TRUE(exchange("POST /api/v1/pages HTTP/1.1\r\nHost: a\r\nContent-Type: application/json"
                       "\r\nContent-Length: 1000000000\r\n\r\n")
                  .starts_with("HTTP/1.1 413 "));
  EXPECT_TRUE(exchange("GET /api/v1/status HTTP/1.1\r\nHost: a\r\nX: " + std::string(65'536, 'x') +
                       "\r\n\r\n")
                  .starts_with("HTTP/1.1 431 "));
  boost::asio::io_context io;
  std::vector<boost::asio::local::stream_protocol::socket> slow;
  for (int i = 0; i < 20; ++i) {
    slow.emplace_back(io);
    slow.back().connect(boost::asio::local::stream_protocol::endpoint(socket()));
    boost::asio::write(slow.back(), boost::asio::buffer(std::string("GET /api/v1/st")));
  }
  EXPECT_EQ(pollux({"poll", origin_.url("/listed")}).exit_code, 0);
}

TEST_F(Control, its_socket_is_where_the_configuration_or_systemd_says_and_commands_find_it) {
  origin_.otherwise(serve::page("hello"));
  const std::string rest = "defaults: { min_interval: 1h }\n";
  configure({origin_.url("/listed")}, "100", rest + "control: { socket: mine.socket }\n");
  start();
  ASSERT_TRUE(logged("steered on the socket"));
  EXPECT_TRUE(std::filesystem::is_socket(folder_ / "mine.socket"));
  EXPECT_TRUE(eventually([&] { return pollux({"reload"}).exit_code == 0; }));
  stop();
  configure({origin_.url("/listed")}, "100", rest);
  const TempFolder runtime;
  start({{"RUNTIME_DIRECTORY", runtime.string()}});
  ASSERT_TRUE(logged("steered on the socket"));
  EXPECT_TRUE(std::filesystem::is_socket(runtime / "control.socket"));
  EXPECT_TRUE(eventually([&] { return pollux({"reload"}).exit_code == 0; }));
  struct stat file {};
  ASSERT_EQ(stat(runtime.file("control.socket").c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 07777, 0660u);
}

TEST_F(Control, without_a_socket_the_daemon_runs_and_says_so) {
  origin_.otherwise(serve::page("hello"));
  configure({origin_.url("/listed")}, "100",
            "defaults: { min_interval: 1h }\ncontrol: { socket: none }\n");
  start();
  ASSERT_TRUE(polled(origin_.url("/listed")));
  EXPECT_FALSE(std::filesystem::exists(socket()));
  ASSERT_TRUE(eventually([&] {
    const Finished answer = pollux({"reload"});
    EXPECT_EQ(answer.exit_code, 69);
    return answer.err.find("control: { socket: none }") != std::string::npos;
  }));
}

TEST_F(Control, a_file_in_the_way_of_the_socket_is_left_alone) {
  origin_.otherwise(serve::page("hello"));
  configure({origin_.url("/listed")}, "100");
  folder_.write(database_file_ + "-socket", "precious");
  start();
  EXPECT_TRUE(logged("the daemon runs, and cannot be steered"));
  EXPECT_TRUE(polled(origin_.url("/listed")));
  stop();
  std::ifstream kept(socket());
  std::string text;
  kept >> text;
  EXPECT_EQ(text, "precious");
  configure({origin_.url("/listed")}, "100",
            "control: { socket: " + database_file_ + "-socket }\n");
  start();
  const Finished refused = daemon_->wait();
  EXPECT_EQ(refused.exit_code, 73) << "it was asked for";
  EXPECT_NE(refused.err.find("a file that is no socket is there"), std::string::npos)
      << refused.err;
}

TEST_F(Control, ten_thousand_pages_are_added_to_ninety_thousand) {
  std::vector<std::string> urls;
  for (int i = 0; i < 90'000; ++i) urls.push_back("http://127.0.0.1:9/listed/" + std::to_string(i));
  configure(urls, "1", "defaults: { min_interval: 1h, max_interval: 30d }\n");
  start();
  ASSERT_TRUE(listens());
  std::string list;
  for (int i = 0; i < 10'000; ++i) list += "http://127.0.0.1:9/live/" + std::to_string(i) + "\n";
  const std::string file = folder_.write("list.txt", list);
  const auto took = [&](const char* what, std::vector<std::string> words) {
    const auto before = std::chrono::steady_clock::now();
    const json::object result = data(std::move(words));
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - before;
    std::printf("  %s: %.2f s\n", what, time.count());
    std::fflush(stdout);  // or it would be printed by the next child, too
    return result;
  };
  EXPECT_EQ(took("add of 10 000 pages", {"add", "--file", file}).at("done"), 10'000);
  EXPECT_EQ(took("the same again", {"add", "--file", file}).at("unchanged"), 10'000);
  EXPECT_EQ(took("pause by a glob", {"pause", "--match", "*/live/*"}).at("done"), 10'000);
  EXPECT_EQ(took("resume of all", {"resume", "--match", "*"}).at("done"), 10'000);
  EXPECT_EQ(took("remove by a glob", {"remove", "--match", "*/live/*"}).at("done"), 10'000);
}

}  // namespace
}  // namespace pollux::test

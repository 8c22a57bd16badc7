// `pollux top` and `pollux status --watch` on a real terminal (tmux), against a real daemon.
#include "support/behaviours.hpp"
#include "support/origin.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace pollux::cli {
namespace {

using namespace std::chrono_literals;
namespace serve = test::serve;

constexpr char tmux_program[] = "/usr/bin/tmux";

// A terminal with one program in it; both end with this. How the program ended is said by the shell
// around it: tmux itself may miss that for as long as nothing else happens.
class TmuxTerminal {
 public:
  TmuxTerminal(const test::TempFolder& folder, int columns, int rows, const std::string& command)
      : folder_(folder) {
    tmux({"-f", folder_.write("tmux.conf", "set -g default-shell /bin/sh\n"), "-u", "new-session",
          "-d", "-x", std::to_string(columns), "-y", std::to_string(rows),
          "trap : INT; " + command + "; echo \"ended with $?\"; exec cat"});
  }
  ~TmuxTerminal() { tmux({"kill-server"}); }
  TmuxTerminal(const TmuxTerminal&) = delete;
  TmuxTerminal& operator=(const TmuxTerminal&) = delete;

  void press(const std::string& key) { tmux({"send-keys", key}); }
  void resize(int columns, int rows) {
    tmux({"resize-window", "-x", std::to_string(columns), "-y", std::to_string(rows)});
  }
  std::string screen() { return tmux({"capture-pane", "-p"}); }
  std::string colours() { return tmux({"capture-pane", "-p", "-e"}); }
  // Once this is there, or after a minute what is there instead.
  std::string screen_with(const std::string& text) {
    return screen_when([&](const std::string& now) { return now.find(text) != std::string::npos; });
  }
  template <typename Condition>
  std::string screen_when(const Condition& condition) {
    const auto deadline = std::chrono::steady_clock::now() + 1min;
    std::string now = screen();
    while (!condition(now) && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(100ms);
      now = screen();
    }
    return now;
  }

 private:
  std::string tmux(std::vector<std::string> words) {
    words.insert(words.begin(), {"-S", folder_.file("tmux.socket")});
    std::filesystem::create_directory(folder_ / "tmux");
    return test::Program(tmux_program, folder_ / "tmux", std::move(words),
                         {{"TERM", "xterm-256color"}})
        .wait()
        .out;
  }
  const test::TempFolder& folder_;
};

class LiveView : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(tmux_program)) GTEST_SKIP() << "tmux is not installed";
    origin_.on("/robots.txt", serve::status(404));
    origin_.on("/news", serve::page("The shirt is blue and stays so for all that we know today"));
    origin_.on("/quiet", serve::page("nothing happens here"));
    origin_.on("/broken", serve::status(500));
    folder_.write("pollux.yaml",
                  "budget: 20\ndatabase: pollux.db\nnetwork: { allow: [127.0.0.0/8] }\n"
                  "hosts: { delay: 0s }\ndefaults: { min_interval: 200ms, max_interval: 2s }\n"
                  "pages:\n  - { url: \"" +
                      origin_.url("/news") + "\", name: News }\n  - " + origin_.url("/quiet") +
                      "\n  - " + origin_.url("/broken") + "\n");
    start();
  }
  void start() {
    std::filesystem::create_directories(folder_ / "run");
    daemon_ = std::make_unique<test::Program>(
        POLLUX_BINARY, folder_ / "run",
        std::vector<std::string>{"run", "--config", folder_.file("pollux.yaml")});
  }
  void wait_for_daemon() {
    const auto deadline = std::chrono::steady_clock::now() + 1min;
    while (run({"top", "--once"}).exit_code != 0 && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(50ms);
  }
  test::Finished run(std::vector<std::string> words) {
    words.insert(words.end(), {"--database", folder_.file("pollux.db")});
    return test::Program(POLLUX_BINARY, folder_, std::move(words)).wait();
  }
  std::string command(const std::string& words, const std::string& environment = "LANG=C") {
    return "env -u NO_COLOR -u LC_ALL " + environment + " " + test::chosen_program(POLLUX_BINARY) +
           " " + words + " --database " + folder_.file("pollux.db");
  }

  test::TempFolder folder_;
  test::Origin origin_;
  std::unique_ptr<test::Program> daemon_;
};

TEST_F(LiveView, shows_what_happens_at_80_by_24_and_after_a_resize) {
  wait_for_daemon();
  TmuxTerminal terminal(folder_, 80, 24, command("top"));
  std::string screen = terminal.screen_with("Failing hosts (1)");
  for (const char* text : {"Budget   20/s", "3 on 1 host", "1 Pages", "by share", "SHARE", "/quiet",
                           "last polls and changes", "? help", "░"})
    EXPECT_NE(screen.find(text), std::string::npos) << text << "\n" << screen;
  EXPECT_NE(terminal.screen_with(" poll ").find("200, "), std::string::npos);
  terminal.resize(120, 40);
  // The line of keys stands at the bottom of a taller window.
  screen = terminal.screen_when([](const std::string& now) {
    return std::count(now.begin(), now.end(), '\n') >= 39 && now.find("EVERY") != now.npos;
  });
  EXPECT_NE(screen.find("EVERY"), std::string::npos) << "there is room for more columns" << screen;
  terminal.resize(50, 14);
  screen = terminal.screen_when([](const std::string& now) {
    return std::count(now.begin(), now.end(), '\n') <= 14 && now.find("q quit") != now.npos;
  });
  EXPECT_NE(screen.find("q quit"), std::string::npos) << screen;
  EXPECT_NE(screen.find("Budget"), std::string::npos) << screen;
}

TEST_F(LiveView, keys_sort_filter_pause_poll_and_explain) {
  wait_for_daemon();
  TmuxTerminal terminal(folder_, 100, 30, command("top"));
  ASSERT_NE(terminal.screen_with("/quiet").find("/quiet"), std::string::npos);
  terminal.press("s");
  EXPECT_NE(terminal.screen_with("by changes").find("by changes"), std::string::npos);
  for (const char* key : {"/", "q", "u", "i", "e"}) terminal.press(key);
  EXPECT_NE(terminal.screen_with("URL: quie_").find("URL: quie_"), std::string::npos);
  terminal.press("Enter");
  ASSERT_NE(terminal.screen_with("filter: quie").find("filter: quie"), std::string::npos);
  // Only this page is in the list, and so it is the chosen one.
  ASSERT_NE(terminal
                .screen_when([](const std::string& now) {
                  const std::size_t list = now.find("URL"), strip = now.find("last polls");
                  return list < strip && now.substr(list, strip - list).find("/news") == now.npos;
                })
                .find("/quiet"),
            std::string::npos);
  terminal.press("n");
  EXPECT_NE(terminal.screen_with("to be polled next").find("/quiet"), std::string::npos);
  terminal.press("p");
  EXPECT_NE(terminal.screen_with("1 paused").find("1 paused"), std::string::npos)
      << terminal.screen();
  terminal.press("p");
  EXPECT_NE(terminal.screen_with("polled again").find("polled again"), std::string::npos)
      << terminal.screen();
  terminal.press("w");
  EXPECT_NE(terminal.screen_with("change rate").find("change rate"), std::string::npos)
      << terminal.screen();
  terminal.press("q");
  terminal.press("?");
  EXPECT_NE(terminal.screen_with("any key goes back").find("mark the change as read"),
            std::string::npos);
  terminal.press("x");
  ASSERT_NE(terminal.screen_with("last polls").find("last polls"), std::string::npos);
  terminal.press("q");
  EXPECT_NE(terminal.screen_with("ended with").find("ended with 0"), std::string::npos)
      << terminal.screen();
}

TEST_F(LiveView, opens_a_change_and_marks_it_as_read_and_hostile_words_are_text) {
  wait_for_daemon();
  TmuxTerminal terminal(folder_, 80, 24, command("top"));
  terminal.press("2");
  ASSERT_NE(terminal.screen_with("No change was found yet").find("No change"), std::string::npos);
  // A first look at least has to be over.
  ASSERT_NE(terminal.screen_with("same,").find("same,"), std::string::npos) << terminal.screen();
  origin_.on(
      "/news",
      serve::page("The shirt is \x1b[31mred\xe2\x80\xae and stays so for all that we know today"));
  ASSERT_NE(terminal.screen_with("FOUND AT").find("FOUND AT"), std::string::npos)
      << terminal.screen();
  const std::string listed = terminal.screen_with("\\x1b[31mred");
  EXPECT_NE(listed.find("\\x1b[31mred\\xe2\\x80\\xae"), std::string::npos) << listed;
  terminal.press("Enter");
  const std::string diff = terminal.screen_with("[-blue-]");
  EXPECT_NE(diff.find("The shirt is [-blue-]{+\\x1b[31mred\\xe2\\x80\\xae+} and stays"),
            std::string::npos)
      << diff;
  EXPECT_NE(terminal.colours().find("\x1b["), std::string::npos);
  terminal.press("q");
  terminal.press("r");
  EXPECT_NE(terminal.screen_with("is read").find("change 1 is read"), std::string::npos)
      << terminal.screen();
  EXPECT_EQ(run({"changes", "--unread"}).out.find("News"), std::string::npos);
}

TEST_F(LiveView, waits_for_a_daemon_that_was_killed_and_goes_on_with_the_next) {
  wait_for_daemon();
  TmuxTerminal terminal(folder_, 80, 24, command("top"));
  ASSERT_NE(terminal.screen_with("pid " + std::to_string(daemon_->pid())).find("pid"),
            std::string::npos);
  daemon_->send(SIGKILL);
  daemon_->wait();
  const std::string gone = terminal.screen_with("the daemon has gone");
  EXPECT_NE(gone.find("the daemon has gone"), std::string::npos) << gone;
  EXPECT_NE(gone.find("/quiet"), std::string::npos) << "what is known stays" << gone;
  start();
  const std::string back = terminal.screen_with("pid " + std::to_string(daemon_->pid()));
  EXPECT_NE(back.find("pid " + std::to_string(daemon_->pid())), std::string::npos) << back;
}

TEST_F(LiveView, draws_with_plain_characters_and_without_colours_where_that_is_wanted) {
  wait_for_daemon();
  TmuxTerminal terminal(folder_, 80, 24, command("top --ascii", "NO_COLOR=1"));
  const std::string screen = terminal.screen_with("last polls and changes");
  EXPECT_NE(screen.find("- last polls and changes ---"), std::string::npos) << screen;
  EXPECT_TRUE(std::all_of(screen.begin(), screen.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x80;
  })) << screen;
  for (const char* colour : {"\x1b[31", "\x1b[32", "\x1b[33", ";31m", ";32m", ";33m"})
    EXPECT_EQ(terminal.colours().find(colour), std::string::npos) << colour + 1;
}

TEST_F(LiveView, once_needs_no_terminal) {
  wait_for_daemon();
  const test::Finished once = run({"top", "--once"});
  EXPECT_EQ(once.exit_code, 0) << once.err;
  for (const char* text : {"Budget   20/s", "Pages by share", "/quiet", "Failing hosts",
                           "Access points", "Notifications"})
    EXPECT_NE(once.out.find(text), std::string::npos) << text << "\n" << once.out;
  EXPECT_EQ(once.out.find('\x1b'), std::string::npos);
  const test::Finished data = run({"top", "--json"});
  const boost::json::object all = boost::json::parse(data.out).as_object();
  EXPECT_EQ(all.at("pages").as_array().size(), 3u);
  EXPECT_TRUE(all.at("status").as_object().at("running").as_bool());
  for (const char* name : {"changes", "failing_hosts", "access_points", "notifications"})
    EXPECT_TRUE(all.at(name).is_array()) << name;
  const test::Finished pipe = run({"top"});
  EXPECT_EQ(pipe.exit_code, 69);
  EXPECT_NE(pipe.err.find("--once"), std::string::npos) << pipe.err;
}

TEST_F(LiveView, without_a_daemon_says_so_and_how_to_start_it) {
  wait_for_daemon();
  daemon_->send(SIGTERM);
  daemon_->wait();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"top"}, {"top", "--once"}}) {
    const test::Finished answer = run(words);
    EXPECT_EQ(answer.exit_code, 69);
    EXPECT_NE(answer.err.find("pollux run --config"), std::string::npos) << answer.err;
  }
}

TEST_F(LiveView, status_is_shown_again_and_again_in_one_place) {
  wait_for_daemon();
  TmuxTerminal terminal(folder_, 80, 24, command("status --watch 0.1"));
  const std::string screen = terminal.screen_with("daemon     running");
  EXPECT_NE(screen.find("daemon     running"), std::string::npos) << screen;
  daemon_->send(SIGTERM);
  daemon_->wait();
  const std::string later = terminal.screen_with("not running");
  EXPECT_NE(later.find("daemon     not running"), std::string::npos) << later;
  EXPECT_EQ(later.find("daemon     running"), std::string::npos) << "over the old one" << later;
  terminal.press("C-c");
  const std::string ended = terminal.screen_with("ended with");
  EXPECT_NE(ended.find("ended with 0"), std::string::npos) << ended;
  EXPECT_NE(ended.find("budget"), std::string::npos) << "the last one stays to be read" << ended;
}

TEST_F(LiveView, status_in_a_pipe_is_an_object_a_line) {
  wait_for_daemon();
  std::filesystem::create_directory(folder_ / "watch");
  test::Program watching(
      POLLUX_BINARY, folder_ / "watch",
      {"status", "--json", "--watch", "0.1", "--database", folder_.file("pollux.db")});
  const auto deadline = std::chrono::steady_clock::now() + 1min;
  const auto lines = [&] {
    const std::string out = watching.text("out");
    return std::count(out.begin(), out.end(), '\n');
  };
  while (lines() < 3 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(50ms);
  watching.send(SIGINT);
  const test::Finished done = watching.wait();
  EXPECT_EQ(done.exit_code, 0);
  ASSERT_GE(std::count(done.out.begin(), done.out.end(), '\n'), 3);
  const std::string first = done.out.substr(0, done.out.find('\n'));
  EXPECT_TRUE(boost::json::parse(first).as_object().at("running").as_bool());
  EXPECT_EQ(run({"status", "--watch", "soon"}).exit_code, 64);
}

}  // namespace
}  // namespace pollux::cli

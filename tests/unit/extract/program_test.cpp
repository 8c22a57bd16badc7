#include "pollux/extract/program.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pollux::extract {
namespace {

using namespace std::chrono_literals;
using How = ProgramEnd::How;

ProgramBounds within(std::chrono::steady_clock::duration time) {
  return {.deadline = std::chrono::steady_clock::now() + time};
}
ProgramEnd run(std::vector<std::string> argv, std::string_view input = "",
               ProgramBounds bounds = within(30s)) {
  return run_program(argv, input, bounds);
}
ProgramEnd shell(const std::string& script, std::string_view input = "",
                 ProgramBounds bounds = within(30s)) {
  return run({"/bin/sh", "-c", script}, input, bounds);
}

TEST(Program, reads_bytes_and_prints_text) {
  const std::string bytes("a\0b\n", 4);
  const ProgramEnd end = run({"/bin/cat"}, bytes);
  EXPECT_TRUE(end.ok());
  EXPECT_EQ(end.output, bytes);
}

TEST(Program, large_input_and_output_pass_through) {
  const std::string bytes(10 << 20, 'x');
  EXPECT_EQ(run({"/bin/cat"}, bytes).output, bytes);
}

TEST(Program, one_that_reads_nothing_is_fine) {
  const std::string bytes(10 << 20, 'x');
  EXPECT_EQ(run({"/bin/echo", "a  b", "$HOME"}, bytes).output, "a  b $HOME\n");
}

// Processes that run sleep for so long.
int sleepers(const std::string& nap) {
  int found = 0;
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(process.path() / "cmdline");
    const std::string line{std::istreambuf_iterator<char>(file), {}};
    found += line.starts_with("sleep") && line.find(nap) != std::string::npos ? 1 : 0;
  }
  return found;
}
bool all_end(const std::string& nap) {
  for (int i = 0; i < 1000 && sleepers(nap) > 0; ++i) std::this_thread::sleep_for(5ms);
  return sleepers(nap) == 0;
}

TEST(Program, is_ended_from_outside_with_its_children) {
  StopSignal stop;
  Children children{.stop = &stop};
  ProgramBounds bounds = within(60s);
  bounds.children = &children;
  const std::string nap = "61" + std::to_string(getpid());
  std::thread other([&] {
    while (sleepers(nap) < 2) std::this_thread::sleep_for(5ms);
    stop.raise();
  });
  const ProgramEnd end = shell("sleep " + nap + " & sleep " + nap + "; wait", "", bounds);
  other.join();
  EXPECT_EQ(end.how, How::stopped);
  EXPECT_FALSE(end.ok());
  EXPECT_TRUE(all_end(nap));
  EXPECT_EQ(run({"/bin/sleep", "30"}, "", bounds).how, How::stopped) << "for good";
}

TEST(Program, nothing_of_it_leaves_its_group) {
  EXPECT_FALSE(shell("setsid sleep 300 & wait $!").ok());
}

// A grandchild whose parent has gone, and that tries each way out before it sleeps.
std::string runaway(const std::string& nap) {
  return R"(import os, sys
reading, writing = os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        for leave in (os.setsid, os.setpgrp, lambda: os.setpgid(0, 0)):
            try:
                leave()
                os.write(writing, b"left ")
            except OSError:
                os.write(writing, b"stays ")
        os.write(writing, b"\n")
        os.execv("/bin/sleep", ["sleep", ")" +
         nap + R"("])
    os._exit(0)
os.wait()
os.close(writing)
text = b""
while not text.endswith(b"\n"): text += os.read(reading, 100)
os.write(1, text)
)";
}

TEST(Program, a_grandchild_that_would_leave_ends_with_it) {
  const auto python = find_program("python3");
  if (!python) GTEST_SKIP() << "no python3";
  const std::string nap = "62" + std::to_string(getpid());
  const ProgramEnd end = run({*python, "-c", runaway(nap)});
  EXPECT_EQ(end.output, "stays stays stays \n") << describe(end);
  EXPECT_TRUE(all_end(nap));
}

TEST(Program, a_grandchild_that_would_leave_ends_at_the_deadline_and_at_a_stop) {
  const auto python = find_program("python3");
  if (!python) GTEST_SKIP() << "no python3";
  const std::string nap = "63" + std::to_string(getpid());
  const std::vector<std::string> waits = {*python, "-c",
                                          runaway(nap) + "import time\ntime.sleep(300)\n"};
  StopSignal stop;
  Children children{.stop = &stop};
  ProgramBounds bounds = within(60s);
  bounds.children = &children;
  std::thread other([&] {
    while (sleepers(nap) < 1) std::this_thread::sleep_for(5ms);
    stop.raise();
  });
  EXPECT_EQ(run(waits, "", bounds).how, How::stopped);
  other.join();
  EXPECT_TRUE(all_end(nap));
  EXPECT_EQ(run(waits, "", within(2s)).how, How::out_of_time);
  EXPECT_TRUE(all_end(nap));
}

TEST(Program, is_not_started_where_none_may_be_and_that_is_noted) {
  Children children{.refused = true};
  ProgramBounds bounds = within(30s);
  bounds.children = &children;
  EXPECT_FALSE(children.wanted);
  EXPECT_EQ(run({"/bin/true"}, "", bounds).how, How::not_started);
  EXPECT_TRUE(children.wanted);
}

TEST(Program, its_status_and_complaint_are_told) {
  const ProgramEnd end = shell("echo; echo 'Syntax \x1b Error' >&2; echo more >&2; exit 3");
  EXPECT_FALSE(end.ok());
  EXPECT_EQ(end.code, 3);
  EXPECT_EQ(describe(end), "ends with status 3: Syntax \\x1b Error");
}

TEST(Program, one_that_dies_by_a_signal_is_told) {
  const ProgramEnd end = shell("kill -SEGV $$");
  EXPECT_EQ(end.how, How::killed);
  EXPECT_EQ(end.code, SIGSEGV);
}

TEST(Program, one_that_hangs_is_ended) {
  const ProgramEnd end = shell("echo first; sleep 600", "", within(300ms));
  EXPECT_EQ(end.how, How::out_of_time);
  EXPECT_EQ(end.output, "first\n");
  EXPECT_EQ(describe(end), "takes longer than it may");
}

TEST(Program, one_that_ignores_signals_is_ended) {
  EXPECT_EQ(shell("trap '' TERM INT HUP; while :; do :; done", "", within(300ms)).how,
            How::out_of_time);
}

TEST(Program, one_that_prints_for_ever_is_ended) {
  ProgramBounds bounds = within(30s);
  bounds.max_output = 1000;
  const ProgramEnd end = run({"/usr/bin/yes"}, "", bounds);
  EXPECT_EQ(end.how, How::too_much_output);
  EXPECT_EQ(end.output.size(), 1000u);
}

TEST(Program, one_that_complains_for_ever_is_ended) {
  EXPECT_EQ(shell("yes >&2", "", within(300ms)).how, How::out_of_time);
}

TEST(Program, closing_its_output_does_not_end_it) {
  const ProgramEnd end = shell("exec >&- 2>&-; sleep 0.2; exit 7");
  EXPECT_EQ(end.how, How::exited);
  EXPECT_EQ(end.code, 7);
}

TEST(Program, what_it_leaves_behind_is_not_waited_for_and_is_ended) {
  const ProgramEnd end = shell("sleep 600 & echo $!");
  ASSERT_TRUE(end.ok()) << describe(end);
  const pid_t left = static_cast<pid_t>(std::stol(end.output));
  // In a user namespace of its own it has the same number as here.
  for (int i = 0; i < 200 && ::kill(left, 0) == 0; ++i) {
    std::ifstream stat("/proc/" + std::to_string(left) + "/stat");
    std::string number, name, state;
    stat >> number >> name >> state;
    if (state == "Z") break;
    std::this_thread::sleep_for(10ms);
    EXPECT_LT(i, 199) << "still there";
  }
}

TEST(Program, has_no_environment) {
  ::setenv("POLLUX_SECRET", "x", 1);
  EXPECT_EQ(run({"/usr/bin/env"}).output, "");
}

TEST(Program, has_none_of_our_files) {
  const ProgramEnd end = shell("ls /proc/self/fd");
  EXPECT_EQ(end.output, "0\n1\n2\n3\n") << "3 is the folder itself";
}

TEST(Program, cannot_write_files) {
  const std::string path = testing::TempDir() + "pollux-program-" + std::to_string(::getpid());
  const ProgramEnd end = shell("echo x > '" + path + "'");
  EXPECT_FALSE(end.ok());
  EXPECT_EQ(std::ifstream(path).get(), EOF);
  ::unlink(path.c_str());
}

TEST(Program, cannot_change_what_it_reads) {
  EXPECT_FALSE(shell("echo x >&0", "input").ok());
}

// Connects, and says nothing.
ProgramEnd connect_to(std::uint16_t port, Confined confined) {
  ProgramBounds bounds = within(30s);
  bounds.confined = confined;
  return run({"/bin/bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(port)}, "", bounds);
}

TEST(Program, cannot_reach_loopback) {
  boost::asio::io_context io;
  boost::asio::ip::tcp::acceptor listener(io, {boost::asio::ip::address_v4::loopback(), 0});
  listener.non_blocking(true);
  boost::asio::ip::tcp::socket caller(io);
  boost::system::error_code nobody;
  EXPECT_FALSE(connect_to(listener.local_endpoint().port(), Confined::yes).ok());
  listener.accept(caller, nobody);
  EXPECT_TRUE(nobody) << "somebody has called";
  EXPECT_TRUE(connect_to(listener.local_endpoint().port(), Confined::no).ok());
  listener.accept(caller, nobody);
  EXPECT_FALSE(nobody) << "nobody could have called: this shows nothing";
}

TEST(Program, has_a_bound_on_its_memory) {
  const auto python = find_program("python3");
  if (!python) GTEST_SKIP() << "no python3";
  ProgramBounds bounds = within(30s);
  bounds.memory = std::size_t{200} << 20U;
  EXPECT_FALSE(run({*python, "-c", "x = b'x' * (1 << 30)"}, "", bounds).ok());
}

TEST(Program, one_that_does_not_start_says_why) {
  const ProgramEnd end = run({"/nonexistent/program"});
  EXPECT_EQ(end.how, How::not_started);
  EXPECT_EQ(describe(end), "does not start: No such file or directory");
}

TEST(Program, is_found_by_its_name) {
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_TRUE(find_program("sh"));
  EXPECT_FALSE(find_program("no-such-program-anywhere"));
  EXPECT_FALSE(find_program("../bin/sh"));
  EXPECT_FALSE(find_program(""));
  EXPECT_FALSE(find_program("/etc/passwd"));
}

TEST(Program, many_threads_may_run_them_at_once) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 10; ++i) {
        const std::string input = std::to_string(t * 100 + i);
        EXPECT_EQ(run({"/bin/cat"}, input).output, input);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Program, leaves_no_zombies) {
  run({"/bin/true"});
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(Work, in_a_child_returns_its_text) {
  const std::string large(1 << 20, 'x');
  EXPECT_EQ(run_in_child([&large] { return large + "y"; }, within(30s)).output, large + "y");
}

TEST(Work, that_does_not_end_is_ended) {
  const ProgramEnd end = run_in_child(
      [] {
        for (;;) ::pause();
        return std::string();
      },
      within(300ms));
  EXPECT_EQ(end.how, How::out_of_time);
}

TEST(Work, that_dies_is_told) {
  const ProgramEnd end = run_in_child(
      [] {
        ::raise(SIGKILL);
        return std::string();
      },
      within(30s));
  EXPECT_EQ(end.how, How::killed);
}

}  // namespace
}  // namespace pollux::extract

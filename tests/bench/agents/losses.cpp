// Every loss that agents and their servers can suffer, while the web looks on: whether limits hold,
// hosts move in time, and every change that was shown is recorded, once. Three installations side
// by side: the machine is idle for most of it.
#include "bench/agents/loss_world.hpp"
#include "bench/agents/parts.hpp"
#include "support/steady_polls.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <functional>
#include <future>
#include <thread>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

namespace pollux::bench {
namespace {

using namespace std::chrono_literals;
using Seconds = std::chrono::duration<double>;

constexpr double goal = 10;  // seconds, until hosts are asked by somebody else

// What is lost for how long. `who`: the agent that polls most hosts.
struct Loss {
  std::string name;
  enum class Whose : bool { agent, everybody } whose = Whose::agent;
  std::function<void(LossWorld&, const std::string&who)> inject, mend;
  std::chrono::seconds lasts{11};
  // Agents that only seem to be lost keep their hosts.
  bool hosts_leave = true;
  // Asks nothing while it is lost, but what was under way.
  bool is_silent = true;
  // It closes connections on which the web is still about to answer.
  bool gives_up = false;
};

struct Report {
  std::string text;
  bool met = true;
  void figure(const std::string& what, double value, double most, const char* unit = "") {
    const bool good = value <= most;
    met = met && good;
    text +=
        fmt::format("; {} {:.4g}{} ({:.4g}) {}", what, value, unit, most, good ? "met" : "MISSED");
  }
};

double most_of(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::ranges::max_element(values);
}

void tell_recovery(Report& report, const Recovery& recovery, double timeout,
                   std::size_t lost_polls) {
  // Of hosts that were idle as the web saw it, a poll may have been on its way.
  const auto late = static_cast<std::size_t>(
      std::ranges::count_if(recovery.idle, [](double took) { return took > goal; }));
  std::vector<double> in_time = recovery.idle;
  std::erase_if(in_time, [](double took) { return took > goal; });
  report.text += fmt::format("; {} idle hosts after {:.1f} s (median)", recovery.idle.size(),
                             test::median(recovery.idle));
  report.figure("at most", most_of(recovery.idle), timeout < goal / 2 ? goal : timeout + goal,
                " s");
  if (timeout >= goal / 2)
    report.figure(fmt::format("of them above {:g} s, beyond the {} polls that nobody answered",
                              goal, lost_polls),
                  static_cast<double>(late > lost_polls ? late - lost_polls : 0), 0);
  if (!recovery.busy.empty())
    report.figure(fmt::format("{} busy hosts after at most", recovery.busy.size()),
                  most_of(recovery.busy), timeout + goal, " s");
  report.figure("hosts that nobody asked again", static_cast<double>(recovery.never), 0);
}

std::size_t requests_of(const LossWeb& web, const std::string& agent, SteadyTime from,
                        SteadyTime to) {
  const auto log = web.log();
  return static_cast<std::size_t>(std::ranges::count_if(log, [&](const LossWeb::Request& one) {
    return one.agent == agent && one.came >= from && one.came < to;
  }));
}

Report suffer(LossWorld& world, const Loss& loss) {
  Report report;
  report.text = fmt::format("   {:<34}", loss.name);
  if (!world.wait_until_steady()) return {report.text + ": agents do not poll", false};
  const std::string who = world.busiest_agent();
  const std::size_t given_up = world.lost_polls();
  const LossWorld::Totals before = world.totals(30s);
  const SteadyTime injected = std::chrono::steady_clock::now();
  world.web().change_all(injected - 1s, 4s);
  loss.inject(world, who);
  const SteadyTime lost = std::chrono::steady_clock::now();
  // Longer than a poll may take, or its end would come early.
  std::this_thread::sleep_until(injected + std::max(loss.lasts, world.timeout() + 6s));
  const SteadyTime mended = std::chrono::steady_clock::now();
  loss.mend(world, who);
  // What nobody answers is given up by then, and its host asked again.
  std::this_thread::sleep_for(5s);
  std::this_thread::sleep_until(injected + world.timeout() + 10s);
  const LossWorld::Totals after = world.totals(40s);
  const SteadyTime end = std::chrono::steady_clock::now();

  const bool agents_loss = loss.whose == Loss::Whose::agent;
  if (loss.hosts_leave) {
    const std::size_t polls = world.lost_polls();
    tell_recovery(report, recovery_of(world.web(), agents_loss ? who : "", lost, end),
                  static_cast<double>(world.timeout().count()), polls - std::min(polls, given_up));
  }
  if (agents_loss && loss.is_silent)
    report.figure("its requests meanwhile, after 3 s",
                  static_cast<double>(requests_of(world.web(), who, lost + 3s, mended)), 0);
  const Limits limits =
      limits_of(world.web(), injected - 2s, end, LossWorld::delay, world.timeout());
  report.figure("fullest second", static_cast<double>(limits.fullest_second),
                LossWorld::budget + static_cast<double>(LossWorld::holders));
  report.figure("gaps broken",
                static_cast<double>(limits.gaps_broken + (loss.gives_up ? 0 : limits.overlaps)), 0);
  report.text += fmt::format("; {} changes", after.counted.shown - before.counted.shown);
  report.figure("not shown", static_cast<double>(after.counted.unseen + before.unknown), 0);
  report.figure("lost", static_cast<double>(after.counted.lost), 0);
  report.figure("twice", static_cast<double>(after.counted.twice + after.counted.invented), 0);
  report.figure("page errors", static_cast<double>(after.page_errors - before.page_errors), 0);
  return report;
}

// --- What can be lost.

Loss nothing() {
  return {.name = "nothing is lost",
          .whose = Loss::Whose::everybody,
          .inject = [](LossWorld&, auto&) {},
          .mend = [](LossWorld&, auto&) {}};
}
Loss killed() {
  return {.name = "agent killed",
          .inject = [](LossWorld& world, auto& who) { world.fleet().end_agent(who, SIGKILL); },
          .mend = [](LossWorld& world, auto& who) { world.start_agent(who); }};
}
Loss hangs() {
  return {.name = "agent hangs",
          .inject = [](LossWorld& world, auto& who) { world.fleet().agent(who).send(SIGSTOP); },
          .mend = [](LossWorld& world, auto& who) { world.fleet().agent(who).send(SIGCONT); }};
}
Loss cut_off() {
  return {.name = "agent cut off, connections closed",
          .inject = [](LossWorld& world, auto& who) { world.cut_off(who); },
          .mend = [](LossWorld& world, auto& who) { world.mend(who); }};
}
Loss held() {
  return {.name = "agent cut off, nobody told",
          .inject = [](LossWorld& world, auto& who) { world.hold(who); },
          .mend = [](LossWorld& world, auto& who) { world.mend(who); }};
}
Loss slow_link() {
  return {.name = "agent behind 400 ms",
          .inject =
              [](LossWorld& world, auto& who) {
                const auto end = std::chrono::steady_clock::now() + 10s;
                while (std::chrono::steady_clock::now() < end) {
                  world.hold(who);
                  std::this_thread::sleep_for(400ms);
                  world.mend(who);
                  std::this_thread::sleep_for(5ms);
                }
              },
          .mend = [](LossWorld&, auto&) {},
          .hosts_leave = false,
          .is_silent = false};
}
Loss slow_machine() {
  return {.name = "agent runs a tenth of the time",
          .inject =
              [](LossWorld& world, auto& who) {
                const auto end = std::chrono::steady_clock::now() + 10s;
                while (std::chrono::steady_clock::now() < end) {
                  world.fleet().agent(who).send(SIGSTOP);
                  std::this_thread::sleep_for(450ms);
                  world.fleet().agent(who).send(SIGCONT);
                  std::this_thread::sleep_for(50ms);
                }
              },
          .mend = [](LossWorld&, auto&) {},
          .hosts_leave = false,
          .is_silent = false,
          .gives_up = true};
}
Loss clock_off(const char* name, std::chrono::seconds by) {
  return {.name = name,
          .inject = [by](LossWorld& world, auto& who) { world.shift_clock(who, by); },
          .mend = [](LossWorld& world, auto& who) { world.shift_clock(who, 0s); },
          .hosts_leave = false,
          .is_silent = false};
}
Loss old_version() {
  return {.name = "agent of an old version",
          .inject =
              [](LossWorld& world, auto& who) {
                world.fleet().end_agent(who, SIGTERM);
                world.speak_as_old_agent(who);
              },
          .mend =
              [](LossWorld& world, auto& who) {
                const std::size_t asked = world.old_agent()->asked();
                const std::size_t polls = world.old_agent()->polls();
                if (asked < 10 || polls > 0)
                  throw std::runtime_error(fmt::format(
                      "the old agent asked {} times and was sent {} polls", asked, polls));
                world.end_old_agent();
                world.start_agent(who);
              }};
}
Loss wrong_credentials(const char* name,
                       bus::Options (LossWorld::*credentials)(const std::string&)) {
  return {.name = name,
          .inject =
              [credentials](LossWorld& world, auto& who) {
                world.fleet().end_agent(who, SIGTERM);
                world.start_agent(who, (world.*credentials)(who));
              },
          .mend =
              [](LossWorld& world, auto& who) {
                world.fleet().end_agent(who, SIGTERM);
                world.start_agent(who);
              }};
}
Loss server_lost(const char* name, int (*which)(LossWorld&)) {
  auto lost = std::make_shared<int>(0);
  return {.name = name,
          .whose = Loss::Whose::everybody,
          .inject =
              [lost, which](LossWorld& world, auto&) {
                *lost = which(world);
                world.fleet().nats().kill(*lost);
              },
          .mend = [lost](LossWorld& world, auto&) { world.fleet().nats().start(*lost); }};
}
Loss server_hangs() {
  auto lost = std::make_shared<int>(0);
  return {.name = "NATS: the brain's server hangs",
          .whose = Loss::Whose::everybody,
          .inject = [lost](LossWorld& world,
                           auto&) { world.fleet().nats().freeze(*lost = world.server_of_brain()); },
          .mend = [lost](LossWorld& world, auto&) { world.fleet().nats().go_on(*lost); }};
}
Loss all_servers_lost() {
  return {.name = "NATS: all servers killed for 4 s",
          .whose = Loss::Whose::everybody,
          .inject =
              [](LossWorld& world, auto&) {
                for (int server = 0; server < 3; ++server) world.fleet().nats().kill(server);
                std::this_thread::sleep_for(4s);
                for (int server = 0; server < 3; ++server) world.fleet().nats().launch(server);
              },
          .mend = [](LossWorld&, auto&) {}};
}
Loss brain_killed() {
  return {.name = "brain killed, started anew",
          .whose = Loss::Whose::everybody,
          .inject =
              [](LossWorld& world, auto&) {
                world.fleet().end_brain(SIGKILL);
                world.fleet().restart_brain();
              },
          .mend = [](LossWorld&, auto&) {}};
}

Report suffer_all(std::chrono::seconds timeout, const std::vector<Loss>& losses) {
  Report all;
  LossWorld world(timeout);
  for (const Loss& loss : losses) {
    const Report one = suffer(world, loss);
    all.text += one.text + "\n";
    all.met = all.met && one.met;
  }
  return all;
}

}  // namespace

bool losses(const std::string& word) {
  std::printf(
      "2. What is lost: %d polls/s by three agents and three NATS servers with TLS, 72 hosts with "
      "a delay of %lld ms; wanted at most, in brackets\n",
      LossWorld::budget, static_cast<long long>(LossWorld::delay.count()));
  spdlog::set_level(spdlog::level::err);  // our own bus
  std::vector<std::pair<std::chrono::seconds, std::vector<Loss>>> worlds{
      {3s, {nothing(), killed(), hangs(), cut_off(), held(), slow_link(), slow_machine()}},
      {3s,
       {clock_off("agent's clock an hour ahead", 1h), clock_off("agent's clock an hour back", -1h),
        old_version(),
        wrong_credentials("agent with another's certificate", &LossWorld::with_name_of_another),
        wrong_credentials("agent with a foreign certificate",
                          &LossWorld::with_foreign_certificate)}},
      {3s,
       {server_lost("NATS: the brain's server killed",
                    [](LossWorld& world) { return world.server_of_brain(); }),
        server_lost("NATS: the leader killed",
                    [](LossWorld& world) { return std::max(world.leading_server(), 0); }),
        server_hangs(), all_servers_lost(), brain_killed()}},
      {20s, {killed(), hangs(), held(), brain_killed()}}};
  for (auto& [timeout, losses] : worlds)
    std::erase_if(losses,
                  [&](const Loss& loss) { return loss.name.find(word) == std::string::npos; });
  std::erase_if(worlds, [](const auto& world) { return world.second.empty(); });
  std::vector<std::future<Report>> reports;
  for (const auto& [timeout, losses] : worlds)
    reports.push_back(std::async(std::launch::async, suffer_all, timeout, losses));
  bool met = true;
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    const Report report = reports[i].get();
    std::printf("   time-out of %lld s%s\n%s", static_cast<long long>(worlds[i].first.count()),
                worlds[i].first == 20s ? ", the default" : "", report.text.c_str());
    met = met && report.met;
  }
  return met;
}

}  // namespace pollux::bench

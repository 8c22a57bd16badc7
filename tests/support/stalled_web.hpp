// Healthy hosts beside others that take a connection and never answer, and a pollux of their own
// that watches them all from a cold start. The list is in an order that mixes them.
#pragma once

#include "support/behaviours.hpp"
#include "support/origin.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>

namespace pollux::test {

class StalledWeb {
 public:
  enum class Where {
    request,   // the connection is there, the answer never comes
    handshake  // TLS does not even begin
  };
  struct Options {
    int healthy = 100, stalling = 0;
    std::chrono::milliseconds answer{0};  // what a healthy answer takes
    Where where = Where::request;
    int budget = 50;
    std::string more = {};     // YAML; everything else is as it is by default
    bool stall_later = false;  // they are healthy until begin_to_stall()
  };

  StalledWeb(const std::string& binary, const Options& options)
      : options_(options),
        bad_(Origin::Options{.tls = options.where == Where::handshake, .address = "0.0.0.0"}),
        stalling_(!options.stall_later) {
    const Script page = [answer = options.answer](Exchange& x) -> Step {
      if (answer.count() > 0) co_await x.sleep(answer);
      co_await x.respond(200, "", "a healthy page");
    };
    good_.on("/page", page);
    good_.on("/robots.txt", serve::status(404));
    if (options.where == Where::handshake) {
      bad_.on_connect([](Exchange& x) -> Step { co_await x.wait_for_close(); });
    } else {
      bad_.otherwise([this, page](Exchange& x) -> Step {
        if (stalling_) co_return co_await x.wait_for_close();
        if (x.path == "/page") co_return co_await page(x);
        co_await x.respond(404, "", "");
      });
    }
    std::ofstream file(folder_ / "pollux.yaml");
    file << "budget: " << options.budget << "\ndatabase: stalled.db\n"
         << "network: { allow: [127.0.0.0/8] }\nlog: { level: warn }\n"
         << options.more << "pages:\n";
    for (int i = 0; i < std::max(options.healthy, options.stalling); ++i) {
      const std::string host = std::to_string(i / 200) + "." + std::to_string(1 + i % 200);
      if (i < options.healthy) file << "  - " << good_.url_at("127.1." + host, "/page") << "\n";
      if (i < options.stalling) file << "  - " << bad_.url_at("127.2." + host, "/page") << "\n";
    }
    file.close();
    started_ = std::chrono::steady_clock::now();
    daemon_ = std::make_unique<Program>(
        binary, folder_.path(),
        std::vector<std::string>{"run", "--config", (folder_ / "pollux.yaml").string()});
  }

  void begin_to_stall() { stalling_ = true; }
  // Of the healthy pages, in these seconds after the start.
  std::size_t polls(double from, double to) const {
    const std::vector<SteadyTime> arrivals = good_.arrivals("/page");
    return static_cast<std::size_t>(std::ranges::count_if(arrivals, [&](SteadyTime at) {
      const double seconds = std::chrono::duration<double>(at - started_).count();
      return seconds >= from && seconds < to;
    }));
  }
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }
  // To ask every stalling host once takes the budget so long; nobody can know them before.
  double introduction() const { return static_cast<double>(options_.stalling) / options_.budget; }
  pid_t pid() const { return daemon_->pid(); }

 private:
  Options options_;
  TempFolder folder_;
  Origin good_{Origin::Options{.address = "0.0.0.0"}};
  Origin bad_;
  std::atomic<bool> stalling_;
  SteadyTime started_;
  std::unique_ptr<Program> daemon_;
};

}  // namespace pollux::test

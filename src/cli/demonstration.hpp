// What `pollux demo` runs: the demo site and the real daemon on it, in one process.
//
// What was found and learnt is read from the database, as anybody could; the truth comes from the
// site. Threading: one owner; the site and the daemon have threads of their own.
#pragma once

#include "pollux/base/clock.hpp"
#include "pollux/base/result.hpp"
#include "pollux/demo/progress.hpp"
#include "pollux/demo/site.hpp"
#include "pollux/engine/daemon.hpp"
#include "pollux/store/reader.hpp"
#include "pollux/web/control.hpp"
#include "pollux/web/web.hpp"

#include <algorithm>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace pollux::cli {

struct DemoOptions {
  std::size_t pages = 300;
  double budget = 60;  // polls per second
  double seconds = 60;
  std::uint64_t seed = 0;  // 0: from the system
  std::string database = "pollux-demo.db";
};

class Demonstration {
 public:
  // Polling when it returns.
  static Result<std::unique_ptr<Demonstration>> start(const DemoOptions& options,
                                                      const Clock& clock);
  ~Demonstration();

  // Reads the present state; `rows` pages, those with the largest shares first.
  Status update(std::size_t rows);
  // False when the daemon has ended by itself, which is an error that stop() will tell.
  bool running() const;
  // Ends polling, then reads the final state: all pages, those with the most polls first.
  Status stop();
  const demo::Progress& progress() const { return progress_; }
  // The time that was meant is over, and it goes on.
  void extend() { progress_.seconds = std::max(progress_.seconds, elapsed() + 1); }
  double elapsed() const { return to_seconds(clock_.now() - start_); }
  std::string page_url(demo::PageNumber page) const { return site_->url(page); }

 private:
  Demonstration(const DemoOptions& options, const Clock& clock);
  Status start_daemon();
  Status start_web();
  Status start_socket();
  Status read(Instant now, std::size_t rows);  // 0: all of them
  Status judge_changes();
  demo::WatchedPage watched(const store::PageRow& row) const;

  const DemoOptions options_;
  const Clock& clock_;
  Instant start_{};
  WallTime wall_start_{};
  std::unique_ptr<demo::Site> site_;
  std::unique_ptr<engine::Daemon> daemon_;
  std::unique_ptr<web::Workshop> workshop_;
  // These end before the daemon does.
  std::unique_ptr<web::Web> web_;
  std::string socket_;
  std::unique_ptr<web::Control> control_;
  std::thread thread_;
  std::future<Status> outcome_;
  std::unique_ptr<store::Reader> reader_;
  std::vector<demo::Change> history_;
  // Of the changes in the database, up to which one they were compared with the truth, and how many
  // were true.
  std::int64_t judged_ = 0;
  WallTime judged_until_{};
  std::uint64_t found_ = 0;
  demo::Progress progress_;
};

// The configuration the daemon of a demo runs with, as anybody could write it.
std::string demo_configuration(const DemoOptions& options, const demo::Site& site);

}  // namespace pollux::cli

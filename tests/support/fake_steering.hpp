// A Steering that only remembers what was asked of it, and answers at once or not at all.
#pragma once

#include "pollux/engine/steering.hpp"

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace pollux::test {

class FakeSteering final : public engine::Steering {
 public:
  using Selection = engine::Selection;
  using DryRun = engine::DryRun;
  using Pages = Done<engine::SteeringResult>;

  void add(std::vector<engine::LivePage> pages, DryRun dry_run, Pages done) override {
    std::vector<std::string> urls;
    for (const engine::LivePage& page : pages) urls.push_back(page.url);
    {
      const std::lock_guard lock(mutex_);
      added_.insert(added_.end(), pages.begin(), pages.end());
    }
    tell("add", {.urls = urls}, dry_run, "added", done);
  }
  void remove(Selection pages, DryRun dry_run, Pages done) override {
    tell("remove", pages, dry_run, "removed", done);
  }
  void pause(Selection pages, std::optional<Duration> length, DryRun dry_run, Pages done) override {
    tell("pause" + (length ? " " + std::to_string(to_seconds(*length)) : ""), pages, dry_run,
         "paused", done);
  }
  void resume(Selection pages, DryRun dry_run, Pages done) override {
    tell("resume", pages, dry_run, "resumed", done);
  }
  void poll(Selection pages, DryRun dry_run, Pages done) override {
    tell("poll", pages, dry_run, "queued", done);
    for (const std::string& url : pages.urls)
      happen({.what = engine::Event::What::poll,
              .url = url,
              .text = "same",
              .status = 200,
              .milliseconds = 12});
  }
  void set(Selection pages, engine::LiveSettings settings, DryRun dry_run, Pages done) override {
    {
      const std::lock_guard lock(mutex_);
      set_ = settings;
    }
    tell("set", pages, dry_run, "set", done);
  }
  void reset(Selection pages, DryRun dry_run, Pages done) override {
    tell("reset", pages, dry_run, "reset", done);
  }
  void set_budget(double budget, DryRun dry_run, Done<double> done) override {
    note("budget " + std::to_string(budget) + (dry_run == DryRun::yes ? " dry" : ""));
    done(5.0);
  }
  void reload(Done<std::string> done) override {
    note("reload");
    if (hang) {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(done));
      return;
    }
    done(std::string("3 pages added"));
  }
  void decide_mask(std::int64_t mask, engine::MaskDecision decision,
                   Done<std::string> done) override {
    const bool accepted = decision == engine::MaskDecision::accept;
    note((accepted ? "accept " : "refuse ") + std::to_string(mask));
    if (mask == 404) return done(Error{"there is no mask 404", ExitCode::missing_input});
    done(std::string(accepted ? "accepted" : "refused"));
  }
  void mark_read(std::vector<std::int64_t> changes, Done<std::size_t> done) override {
    note("read " + std::to_string(changes.size()));
    done(changes.size());
  }
  void retry_delivery(std::int64_t delivery, Done<std::string> done) override {
    note("retry " + std::to_string(delivery));
    done(std::string("tried now"));
  }

  void settings(Done<config::Settings> done) override {
    using From = config::Setting::From;
    done(config::Settings{{"budget", "20/s", From::live},
                          {"database", "pollux.db", From::fallback},
                          {"web.listen", "127.0.0.1:0", From::file}});
  }

  std::unique_ptr<engine::EventStream> events(std::function<void()> wake) override {
    auto shared = std::make_shared<Queue>();
    shared->wake = std::move(wake);
    const std::lock_guard lock(mutex_);
    queues_.push_back(shared);
    return std::make_unique<Reading>(shared);
  }

  // To all who look.
  void happen(const engine::Event& event) {
    std::vector<std::shared_ptr<Queue>> all;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& queue : queues_) {
        if (const auto there = queue.lock()) all.push_back(there);
      }
    }
    for (const auto& queue : all) {
      {
        const std::lock_guard lock(queue->mutex);
        queue->events.push_back(event);
      }
      queue->wake();
    }
  }
  std::size_t readers() const {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const auto& queue : queues_) count += queue.expired() ? 0 : 1;
    return count;
  }

  // "pause http://a/ tag:x glob:*"
  std::vector<std::string> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  std::vector<engine::LivePage> added() const {
    const std::lock_guard lock(mutex_);
    return added_;
  }
  engine::LiveSettings last_set() const {
    const std::lock_guard lock(mutex_);
    return set_;
  }
  std::atomic<bool> hang = false;
  std::string refuse_with = {};  // every page with "refuse" in its URL, and why

 private:
  struct Queue {
    std::mutex mutex;
    std::deque<engine::Event> events;
    std::function<void()> wake;
  };
  class Reading final : public engine::EventStream {
   public:
    explicit Reading(std::shared_ptr<Queue> queue) : queue_(std::move(queue)) {}
    std::vector<engine::Event> take(std::size_t most) override {
      const std::lock_guard lock(queue_->mutex);
      std::vector<engine::Event> taken;
      while (!queue_->events.empty() && taken.size() < most) {
        taken.push_back(std::move(queue_->events.front()));
        queue_->events.pop_front();
      }
      return taken;
    }

   private:
    std::shared_ptr<Queue> queue_;
  };

  void note(std::string what) {
    const std::lock_guard lock(mutex_);
    asked_.push_back(std::move(what));
  }
  void tell(std::string what, const Selection& pages, DryRun dry_run, const std::string& word,
            const Pages& done) {
    engine::SteeringResult result;
    for (const std::string& url : pages.urls) {
      what += " " + url;
      if (url.find("refuse") != std::string::npos) {
        ++result.refused;
        result.pages.insert(result.pages.begin(), {url, "refused", refuse_with});
        continue;
      }
      ++result.done;
      if (result.pages.size() < engine::SteeringResult::most_told)
        result.pages.push_back({url, word});
    }
    for (const std::string& tag : pages.tags) what += " tag:" + tag;
    for (const std::string& glob : pages.globs) what += " glob:" + glob;
    note(what + (dry_run == DryRun::yes ? " dry" : ""));
    done(result);
  }

  mutable std::mutex mutex_;
  std::vector<std::string> asked_;
  std::vector<engine::LivePage> added_;
  engine::LiveSettings set_;
  std::vector<std::weak_ptr<Queue>> queues_;
  std::vector<Done<std::string>> waiting_;
};

}  // namespace pollux::test

// Steering as the daemon does it: each command is an errand (errands.hpp) that plans, writes and
// brings into force what it changes, in slices. Threading: as Steering says; the rest on the
// engine's thread.
#pragma once

#include "engine/errands.hpp"
#include "engine/event_hub.hpp"
#include "engine/lists.hpp"
#include "engine/live_changes.hpp"
#include "engine/page_list_update.hpp"
#include "engine/poll_loop.hpp"
#include "engine/reload.hpp"
#include "pollux/engine/steering.hpp"
#include "pollux/notify/notifier.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pollux::engine {

class SteeringDesk final : public Steering {
 public:
  struct Parts {
    EventLoop& loop;
    const Clock& clock;
    Lists& lists;
    PollLoop& poll_loop;
    ReloadWork& work;
    store::Writer& writer;
    Reload& reload;
    std::shared_ptr<EventHub> events;
    notify::Notifier& notifier;
  };
  explicit SteeringDesk(const Parts& parts);

  void begin();  // pauses that have an end are looked after from now on
  void set_problem(const std::string& problem) { errands_.set_problem(problem); }
  void stop();                        // commands that come now are refused
  void close() { errands_.close(); }  // the loop runs no more

  void add(std::vector<LivePage> pages, DryRun dry_run, Done<SteeringResult> done) override;
  void remove(Selection pages, DryRun dry_run, Done<SteeringResult> done) override;
  void pause(Selection pages, std::optional<Duration> length, DryRun dry_run,
             Done<SteeringResult> done) override;
  void resume(Selection pages, DryRun dry_run, Done<SteeringResult> done) override;
  void poll(Selection pages, DryRun dry_run, Done<SteeringResult> done) override;
  void set(Selection pages, LiveSettings settings, DryRun dry_run,
           Done<SteeringResult> done) override;
  void reset(Selection pages, DryRun dry_run, Done<SteeringResult> done) override;
  void set_budget(double budget, DryRun dry_run, Done<double> done) override;
  void reload(Done<std::string> done) override;
  void decide_mask(std::int64_t mask, MaskDecision decision, Done<std::string> done) override;
  void mark_read(std::vector<std::int64_t> changes, Done<std::size_t> done) override;
  void retry_delivery(std::int64_t delivery, Done<std::string> done) override;
  void settings(Done<config::Settings> done) override;
  std::unique_ptr<EventStream> events(std::function<void()> wake) override {
    return parts_.events->listen(std::move(wake));
  }

 private:
  using Errand = Errands::Ptr;
  template <typename Value>
  void begin(const Done<Value>& done, Errands::Needs needs, std::function<void(const Errand&)> go);
  void change_settings(Selection pages, std::optional<LiveSettings> settings, DryRun dry_run,
                       Done<SteeringResult> done);
  void bring_into_force(const Errand& errand, LiveChange& change, DryRun dry_run,
                        const Done<SteeringResult>& done);
  void continue_update(const Errand& errand, std::function<void()> then);
  void tell_places(const Errand& errand, std::vector<std::string> urls, Tally tally,
                   const Done<SteeringResult>& done);
  void ask_for(const Errand& errand, const std::shared_ptr<Chosen>& chosen, std::size_t from,
               DryRun dry_run, const Done<SteeringResult>& done);
  void judge(const store::DecidedMask& mask, MaskDecision decision);
  void plan_resumption();
  void resume_due();
  Moment moment() const { return {parts_.clock.now(), parts_.clock.wall()}; }

  Parts parts_;
  Errands errands_;
  std::unique_ptr<PageListUpdate> update_;    // under way; who has the turn has it
  std::shared_ptr<config::Config> fragment_;  // whose settings it names
  std::unique_ptr<Timer> pause_timer_;
  bool stopped_ = false;
};

}  // namespace pollux::engine

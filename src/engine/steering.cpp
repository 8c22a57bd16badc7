#include "engine/steering.hpp"

#include "engine/metrics.hpp"
#include "pollux/base/units.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <spdlog/spdlog.h>

namespace pollux::engine {
namespace {

using Needs = Errands::Needs;

constexpr Duration slice_of_steering = std::chrono::milliseconds(4);
constexpr std::size_t pages_per_turn = 32;
// The wall clock may be set: no end of a pause is waited for longer without looking at it.
constexpr Duration look_at_pauses_every = std::chrono::minutes(1);
constexpr Duration longest_pause = std::chrono::hours(24) * 36525;
// Settings in memory only ever grow in number; who sets others every second ends here.
constexpr std::size_t most_settings = 1U << 20U;
constexpr double most_budget = 1e9;

store::Keep keep_of(DryRun dry_run) {
  return dry_run == DryRun::yes ? store::Keep::no : store::Keep::yes;
}

}  // namespace

SteeringDesk::SteeringDesk(const Parts& parts)
    : parts_(parts),
      errands_(parts.loop, parts.work, parts.writer, parts.lists.turn),
      pause_timer_(parts.loop.make_timer()) {}

template <typename Value>
void SteeringDesk::begin(const Done<Value>& done, Needs needs,
                         std::function<void(const Errand&)> go) {
  errands_.begin([done](const Error& why) { done(why); }, needs, std::move(go));
}

void SteeringDesk::add(std::vector<LivePage> pages, DryRun dry_run, Done<SteeringResult> done) {
  auto wanted = std::make_shared<const std::vector<LivePage>>(std::move(pages));
  begin<SteeringResult>(done, Needs::turn, [this, wanted, dry_run, done](const Errand& errand) {
    if (parts_.lists.settings.size() >= most_settings) {
      return errands_.refuse(errand, {"too many different settings were made since the start; "
                                      "restart the daemon",
                                      ExitCode::temporary});
    }
    errands_.aside<AddPlan>(
        errand, [book = parts_.lists.config.book, wanted] { return plan_add(book, *wanted); },
        [=, this](AddPlan& plan) {
          auto planned = std::make_shared<AddPlan>(std::move(plan));
          errands_.write<LiveChange>(
              errand,
              [this, planned, dry_run](store::Store& store) {
                return carry_out(*planned, store, parts_.clock.wall(), keep_of(dry_run));
              },
              [=, this](LiveChange& change) { bring_into_force(errand, change, dry_run, done); });
        });
  });
}

void SteeringDesk::remove(Selection pages, DryRun dry_run, Done<SteeringResult> done) {
  begin<SteeringResult>(done, Needs::turn, [=, this](const Errand& errand) {
    errands_.write<LiveChange>(
        errand,
        [pages, dry_run](store::Store& store) -> Result<LiveChange> {
          Result<Chosen> chosen = choose(store, pages);
          if (!chosen.ok()) return chosen.error();
          return remove_pages(store, std::move(*chosen), keep_of(dry_run));
        },
        [=, this](LiveChange& change) { bring_into_force(errand, change, dry_run, done); });
  });
}

void SteeringDesk::pause(Selection pages, std::optional<Duration> length, DryRun dry_run,
                         Done<SteeringResult> done) {
  if (length && (*length <= Duration::zero() || *length > longest_pause)) {
    return done(Error{"a pause of " + format_duration(*length) + " is none; write 1s to 36525d",
                      ExitCode::usage});
  }
  begin<SteeringResult>(done, Needs::turn, [=, this](const Errand& errand) {
    errands_.write<LiveChange>(
        errand,
        [this, pages, length, dry_run](store::Store& store) -> Result<LiveChange> {
          Result<Chosen> chosen = choose(store, pages);
          if (!chosen.ok()) return chosen.error();
          std::optional<WallTime> until;
          if (length) {
            until = parts_.clock.wall() +
                    std::chrono::duration_cast<std::chrono::milliseconds>(*length);
          }
          return pause_pages(store, std::move(*chosen), until, keep_of(dry_run));
        },
        [=, this](LiveChange& change) {
          bring_into_force(errand, change, dry_run, done);
          if (length && dry_run == DryRun::no) plan_resumption();
        });
  });
}

void SteeringDesk::resume(Selection pages, DryRun dry_run, Done<SteeringResult> done) {
  begin<SteeringResult>(done, Needs::turn, [=, this](const Errand& errand) {
    errands_.write<Resumed>(
        errand,
        [pages, dry_run](store::Store& store) -> Result<Resumed> {
          Result<Chosen> chosen = choose(store, pages);
          if (!chosen.ok()) return chosen.error();
          return resume_pages(store, std::move(*chosen), keep_of(dry_run));
        },
        [=, this](Resumed& rows) {
          auto resumed = std::make_shared<Resumed>(std::move(rows));
          errands_.aside<LiveChange>(
              errand,
              [book = parts_.lists.config.book, resumed] {
                return resolve_resumed(book, std::move(*resumed));
              },
              [=, this](LiveChange& change) { bring_into_force(errand, change, dry_run, done); });
        });
  });
}

void SteeringDesk::set(Selection pages, LiveSettings settings, DryRun dry_run,
                       Done<SteeringResult> done) {
  if (settings.empty()) {
    return done(
        Error{"nothing is to be set; name one of name, tags, importance, min_interval, "
              "max_interval and content",
              ExitCode::usage});
  }
  change_settings(std::move(pages), std::move(settings), dry_run, std::move(done));
}

void SteeringDesk::reset(Selection pages, DryRun dry_run, Done<SteeringResult> done) {
  change_settings(std::move(pages), std::nullopt, dry_run, std::move(done));
}

void SteeringDesk::change_settings(Selection pages, std::optional<LiveSettings> settings,
                                   DryRun dry_run, Done<SteeringResult> done) {
  begin<SteeringResult>(done, Needs::turn, [=, this](const Errand& errand) {
    if (parts_.lists.settings.size() >= most_settings) {
      return errands_.refuse(errand, {"too many different settings were made since the start; "
                                      "restart the daemon",
                                      ExitCode::temporary});
    }
    errands_.read<Chosen>(
        errand, [pages](store::Store& store) { return choose(store, pages); },
        [=, this](Chosen& found) {
          auto chosen = std::make_shared<Chosen>(std::move(found));
          errands_.aside<SetPlan>(
              errand,
              [book = parts_.lists.config.book, chosen, settings] {
                return plan_set(book, std::move(*chosen), settings);
              },
              [=, this](SetPlan& plan) {
                auto planned = std::make_shared<SetPlan>(std::move(plan));
                errands_.write<LiveChange>(
                    errand,
                    [planned, dry_run](store::Store& store) {
                      return carry_out(*planned, store, keep_of(dry_run));
                    },
                    [=, this](LiveChange& change) {
                      bring_into_force(errand, change, dry_run, done);
                    });
              });
        });
  });
}

// The database has it: now the list in memory, a slice at a time.
void SteeringDesk::bring_into_force(const Errand& errand, LiveChange& change, DryRun dry_run,
                                    const Done<SteeringResult>& done) {
  const auto answer = [this, errand, done, files = std::move(change.of_files),
                       tally = std::move(change.tally)] {
    if (!files.empty()) return tell_places(errand, files, tally, done);
    errands_.end(errand, [&] { done(tally.result()); });
  };
  if (dry_run == DryRun::yes) return answer();
  fragment_ = change.fragment ? std::move(change.fragment) : std::make_shared<config::Config>();
  update_ = std::make_unique<PageListUpdate>(std::move(change.change), *fragment_,
                                             parts_.lists.parts(), parts_.poll_loop);
  continue_update(errand, answer);
}

void SteeringDesk::continue_update(const Errand& errand, std::function<void()> then) {
  if (stopped_) return;  // it is answered when the daemon has ended
  const Instant enough = parts_.clock.now() + slice_of_steering;
  bool more = true;
  while (more && parts_.clock.now() < enough) more = update_->step(moment(), pages_per_turn);
  if (more) {
    return parts_.loop.post(
        [this, errand, then = std::move(then)] { continue_update(errand, then); });
  }
  parts_.work.tell(update_->take_shares());
  parts_.lists.set_sweep(parts_.lists.pages.size());
  // Freed elsewhere: it may be large.
  parts_.work.aside([done = std::shared_ptr<PageListUpdate>(std::move(update_)),
                     settings = std::move(fragment_)]() mutable { done.reset(); });
  then();
  parts_.poll_loop.turn();
}

// Refusals of many pages need the file once.
void SteeringDesk::tell_places(const Errand& errand, std::vector<std::string> urls, Tally tally,
                               const Done<SteeringResult>& done) {
  auto files = std::make_shared<std::vector<std::string>>(std::move(urls));
  errands_.aside<SteeringResult>(
      errand,
      [file = parts_.lists.config.file, files, tally]() mutable {
        for (Steered& refusal : refusals_of(file, std::move(*files)))
          tally.refused(refusal.url, std::move(refusal.why));
        return tally.result();
      },
      [=, this](SteeringResult& result) { errands_.end(errand, [&] { done(result); }); });
}

void SteeringDesk::poll(Selection pages, DryRun dry_run, Done<SteeringResult> done) {
  begin<SteeringResult>(done, Needs::turn, [=, this](const Errand& errand) {
    errands_.read<Chosen>(
        errand,
        [pages](store::Store& store) -> Result<Chosen> {
          Result<Chosen> chosen = choose(store, pages);
          if (!chosen.ok()) return chosen.error();
          return pollable(std::move(*chosen));
        },
        [=, this](Chosen& chosen) {
          ask_for(errand, std::make_shared<Chosen>(std::move(chosen)), 0, dry_run, done);
        });
  });
}

// A slice of them at a time, from this one on.
void SteeringDesk::ask_for(const Errand& errand, const std::shared_ptr<Chosen>& chosen,
                           std::size_t from, DryRun dry_run, const Done<SteeringResult>& done) {
  PageList list(parts_.lists.parts(), parts_.poll_loop);
  const Instant enough = parts_.clock.now() + slice_of_steering;
  for (std::size_t i = 0; i < pages_per_turn || parts_.clock.now() < enough; ++i) {
    if (from == chosen->pages.size())
      return errands_.end(errand, [&] { done(chosen->tally.result()); });
    const store::ChosenPage& page = chosen->pages[from++];
    const PageTable& table = parts_.lists.pages;
    if (index(page.slot) >= table.slots() || table[page.slot].id != page.id) {
      chosen->tally.refused(page.url, paused_first);
      continue;
    }
    if (dry_run == DryRun::no) list.poll_now(page.slot);
    chosen->tally.done(page.url, "asked for");
  }
  parts_.loop.post([=, this] {
    if (!stopped_) ask_for(errand, chosen, from, dry_run, done);
  });
}

void SteeringDesk::set_budget(double budget, DryRun dry_run, Done<double> done) {
  if (!std::isfinite(budget) || budget <= 0 || budget > most_budget) {
    return done(Error{"the budget is a number of requests per second above 0", ExitCode::usage});
  }
  if (parts_.lists.shared_budget) {
    return done(
        Error{"the budget is shared by brains; change it in the configuration of each, and reload",
              ExitCode::usage});
  }
  // In force, whatever becomes of the database.
  const auto before_it = std::make_shared<std::optional<double>>();
  const auto refuse = [done, before_it](const Error& why) {
    done(*before_it ? Result<double>(**before_it) : why);
  };
  errands_.begin(refuse, Needs::engine, [=, this](const Errand& errand) {
    Lists& lists = parts_.lists;
    const double before = lists.config.schedule.budget;
    if (dry_run == DryRun::no && budget != before) {
      *before_it = before;
      if (!lists.file_budget) lists.file_budget = before;
      lists.set_budget(budget, parts_.clock.now());
      lists.set_sweep(lists.pages.size());
      if (lists.file_budget == budget) lists.file_budget.reset();
      spdlog::info("the budget is {} now, until the next start or until the file says another",
                   format_rate(budget));
    }
    parts_.poll_loop.turn();
    if (!*before_it || !errands_.can_write()) return errands_.end(errand, [&] { done(before); });
    // Who asks for the status next sees it.
    store::Batch shown;
    shown.meta = budget_rows(budget, lists.file_budget);
    parts_.writer.submit(std::move(shown));
    errands_.follow_database(errand);
    errands_.read<double>(
        errand, [before](store::Store&) { return Result<double>(before); },
        [=, this](double& was) { errands_.end(errand, [&] { done(was); }); });
  });
}

void SteeringDesk::settings(Done<config::Settings> done) {
  begin<config::Settings>(done, Needs::engine, [=, this](const Errand& errand) {
    const Lists& lists = parts_.lists;
    config::Settings rows = lists.config.in_force ? *lists.config.in_force : config::Settings();
    for (config::Setting& row : rows) {
      if (row.key != "budget" || !lists.file_budget) continue;
      row.from = config::Setting::From::live;
      row.value = format_rate(lists.config.schedule.budget);
    }
    errands_.end(errand, [&] { done(std::move(rows)); });
  });
}

void SteeringDesk::reload(Done<std::string> done) {
  // The reload answers for itself, also when the daemon stops.
  begin<std::string>(done, Needs::database, [this, done](const Errand& errand) {
    parts_.reload.begin([this, errand, done](Result<std::string> what) {
      errands_.end(errand, [&] { done(std::move(what)); });
    });
  });
}

void SteeringDesk::decide_mask(std::int64_t mask, MaskDecision decision, Done<std::string> done) {
  begin<std::string>(done, Needs::turn, [=, this](const Errand& errand) {
    const auto state = decision == MaskDecision::accept ? store::MaskRow::State::accepted
                                                        : store::MaskRow::State::refused;
    errands_.write<store::DecidedMask>(
        errand, [=](store::Store& store) { return store.decide_mask(mask, state); },
        [=, this](store::DecidedMask& decided) {
          judge(decided, decision);
          errands_.end(errand, [&] {
            done(std::string(decision == MaskDecision::accept ? "accepted" : "refused"));
          });
        });
  });
}

void SteeringDesk::judge(const store::DecidedMask& decided, MaskDecision decision) {
  PageTable& pages = parts_.lists.pages;
  const std::optional<extract::Mask> mask = extract::mask_from_text(decided.row.mask);
  if (!mask || !decided.slot || index(*decided.slot) >= pages.slots()) return;
  PageRecord& page = pages[*decided.slot];
  if (page.id != decided.row.page) return;
  const std::size_t before = page.masks.size();
  if (decision == MaskDecision::accept) {
    page.masks.accept(*mask, parts_.clock.wall());
  } else {
    page.masks.refuse(*mask);
  }
  // Other places count from now on: what they show is no change.
  if (page.masks.size() != before) page.forget_content();
}

void SteeringDesk::mark_read(std::vector<std::int64_t> changes, Done<std::size_t> done) {
  begin<std::size_t>(done, Needs::database, [=, this](const Errand& errand) {
    errands_.write<std::size_t>(
        errand,
        [this, changes](store::Store& store) {
          return store.mark_read(changes, parts_.clock.wall());
        },
        [=, this](std::size_t& marked) { errands_.end(errand, [&] { done(marked); }); });
  });
}

void SteeringDesk::retry_delivery(std::int64_t delivery, Done<std::string> done) {
  begin<std::string>(done, Needs::database, [=, this](const Errand& errand) {
    errands_.write<std::string>(
        errand,
        [this, delivery](store::Store& store) {
          return store.retry_delivery(delivery, parts_.clock.wall());
        },
        [=, this](std::string& what) {
          parts_.notifier.wake();
          errands_.end(errand, [&] { done("tried again: " + what); });
        });
  });
}

void SteeringDesk::begin() {
  plan_resumption();
}

void SteeringDesk::stop() {
  stopped_ = true;
  pause_timer_->cancel();
  errands_.stop();
}

// Looks when the next pause ends.
void SteeringDesk::plan_resumption() {
  const auto later = [this] {
    if (stopped_) return;
    pause_timer_->arm(parts_.clock.now() + look_at_pauses_every, [this] { plan_resumption(); });
  };
  errands_.begin([this, later](const Error&) { parts_.loop.post(later); }, Needs::database,
                 [this, later](const Errand& errand) {
                   errands_.read<std::optional<WallTime>>(
                       errand, [](store::Store& store) { return store.next_pause_end(); },
                       [this, errand, later](std::optional<WallTime>& next) {
                         errands_.end(errand, [] {});
                         if (!next || stopped_) return;
                         const WallTime now = parts_.clock.wall();
                         if (*next <= now) return resume_due();
                         if (*next - now > look_at_pauses_every) return later();
                         pause_timer_->arm(parts_.clock.now() + (*next - now),
                                           [this] { plan_resumption(); });
                       });
                 });
}

void SteeringDesk::resume_due() {
  const auto again = [this] { plan_resumption(); };
  const Done<SteeringResult> done = [this, again](const Result<SteeringResult>& result) {
    if (result.ok() && result->done > 0)
      spdlog::info("{} resumed: the pause is over",
                   count_of(static_cast<std::int64_t>(result->done), "page"));
    if (stopped_) return;
    if (result.ok()) return parts_.loop.post(again);
    pause_timer_->arm(parts_.clock.now() + look_at_pauses_every, again);
  };
  begin<SteeringResult>(done, Needs::turn, [=, this](const Errand& errand) {
    errands_.write<Resumed>(
        errand,
        [this](store::Store& store) -> Result<Resumed> {
          Result<std::vector<PageId>> due = store.due_pauses(parts_.clock.wall());
          if (!due.ok()) return due.error();
          Result<std::vector<store::ChosenPage>> pages =
              store.choose_pages({.ids = std::move(*due)});
          if (!pages.ok()) return pages.error();
          return resume_pages(store, {std::move(*pages), {}}, store::Keep::yes);
        },
        [=, this](Resumed& rows) {
          auto resumed = std::make_shared<Resumed>(std::move(rows));
          errands_.aside<LiveChange>(
              errand,
              [book = parts_.lists.config.book, resumed] {
                return resolve_resumed(book, std::move(*resumed));
              },
              [=, this](LiveChange& change) {
                bring_into_force(errand, change, DryRun::no, done);
              });
        });
  });
}

}  // namespace pollux::engine

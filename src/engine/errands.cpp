#include "engine/errands.hpp"

#include <vector>

namespace pollux::engine {
namespace {

Error stopping() {
  return {"the daemon stops", ExitCode::temporary};
}

}  // namespace

void Errands::begin(Refuse refuse, Needs needs, std::function<void(const Ptr&)> go) {
  auto errand = std::make_shared<Errand>();
  errand->refuse = std::move(refuse);
  errand->needs = needs;
  bool too_many = false;
  {
    const std::lock_guard lock(mutex_);
    too_many = errands_.size() >= most;
    if (!closed_ && !too_many) errands_.insert(errand);
    if (closed_) too_many = false;
    if (closed_ || too_many) errand->stage = Stage::given_up;
  }
  if (errand->stage == Stage::given_up) {
    const Error busy{"too many commands wait already; try again", ExitCode::temporary};
    return errand->refuse(too_many ? busy : stopping());
  }
  loop_.post([this, errand, needs, go = std::move(go)] {
    if (needs != Needs::turn) return start(errand, go);
    turn_.ask([this, errand, go] {
      errand->has_turn = true;
      start(errand, go);
    });
  });
}

std::string Errands::obstacle(Needs needs) const {
  if (stopped_) return stopping().message;
  if (problem_.empty() || needs == Needs::engine) return "";
  return "the database cannot be written, so nothing is changed: " + problem_;
}

void Errands::start(const Ptr& errand, const std::function<void(const Ptr&)>& go) {
  if (!is_open(errand)) {  // refused while it waited
    if (std::exchange(errand->has_turn, false)) turn_.give_back();
    return;
  }
  if (const std::string why = obstacle(errand->needs); !why.empty())
    return refuse(errand, {why, stopped_ ? ExitCode::temporary : ExitCode::io});
  go(errand);
}

bool Errands::is_open(const Ptr& errand) {
  const std::lock_guard lock(mutex_);
  return errands_.contains(errand);
}

void Errands::back(const Ptr& errand, std::function<void()> then) {
  loop_.post([this, errand, then = std::move(then)] {
    if (is_open(errand)) then();
  });
}

void Errands::end(const Ptr& errand, const std::function<void()>& answer) {
  bool mine = false;
  {
    const std::lock_guard lock(mutex_);
    mine = errands_.erase(errand) > 0;
  }
  if (mine) answer();
  if (std::exchange(errand->has_turn, false)) turn_.give_back();
}

void Errands::refuse(const Ptr& errand, const Error& why) {
  end(errand, [&] { errand->refuse(why); });
}

// What is being written is waited for: it happens, or it fails as a whole.
void Errands::give_up_open(const std::function<bool(const Errand&)>& which, const Error& why) {
  std::vector<Ptr> all;
  {
    const std::lock_guard lock(mutex_);
    all.assign(errands_.begin(), errands_.end());
  }
  for (const Ptr& errand : all) {
    Stage open = Stage::open;
    if (which(*errand) && errand->stage.compare_exchange_strong(open, Stage::given_up))
      refuse(errand, why);
  }
}

void Errands::set_problem(const std::string& problem) {
  problem_ = problem;
  if (problem.empty()) return;
  give_up_open([](const Errand& errand) { return errand.needs != Needs::engine; },
               {obstacle(Needs::database), ExitCode::io});
}

void Errands::stop() {
  stopped_ = true;
  give_up_open([](const Errand&) { return true; }, stopping());
}

void Errands::close() {
  std::vector<Ptr> left;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    left.assign(errands_.begin(), errands_.end());
    errands_.clear();
  }
  const Error meanwhile{
      "the daemon stopped meanwhile; what is in its database by now is in force at the next start",
      ExitCode::temporary};
  for (const Ptr& errand : left)
    errand->refuse(errand->stage == Stage::written ? meanwhile : stopping());
}

}  // namespace pollux::engine

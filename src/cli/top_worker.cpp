#include "cli/top_source.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace pollux::cli {
namespace {

constexpr Duration glance = std::chrono::milliseconds(100);  // between looks at what is wanted
constexpr std::size_t most_news = 2000;
constexpr int rest_after_reading = 4;  // times as long as the reading took

}  // namespace

void take(TopModel& model, TopNews news) {
  std::visit(
      [&](auto& one) {
        using One = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<One, TopMessage>) {
          model.tell(std::move(one.text), one.bad);
        } else if constexpr (std::is_same_v<One, TopLost>) {
          model.lost(std::move(one.why));
        } else if constexpr (std::is_same_v<One, TopText>) {
          model.open(std::move(one));
        } else {
          model.take(std::move(one));
        }
      },
      news);
}

TopWorker::TopWorker(DatabaseOption option, Duration every)
    : option_(std::move(option)), every_(every), thread_([this] { run(); }) {}

TopWorker::~TopWorker() {
  stop_ = true;
  thread_.join();
}

void TopWorker::choose(const TopChoice& choice) {
  const std::lock_guard lock(mutex_);
  if (choice_ == choice) return;
  choice_ = choice;
  fresh_choice_ = true;
}

void TopWorker::wish(TopWish wish) {
  const std::lock_guard lock(mutex_);
  wishes_.push_back(std::move(wish));
}

std::vector<TopNews> TopWorker::news() {
  const std::lock_guard lock(mutex_);
  std::vector<TopNews> out(std::make_move_iterator(news_.begin()),
                           std::make_move_iterator(news_.end()));
  news_.clear();
  return out;
}

void TopWorker::say(TopNews news) {
  const std::lock_guard lock(mutex_);
  // Nobody looks (the program was stopped by Ctrl-Z): the newest is what counts.
  if (news_.size() >= most_news) news_.pop_front();
  news_.push_back(std::move(news));
}

void TopWorker::run() {
  while (!stop_) {
    if (source_) {
      follow();
    } else {
      connect();
    }
  }
}

void TopWorker::connect() {
  Result<std::unique_ptr<TopSource>> source = TopSource::connect(option_);
  if (source) {
    source_ = std::move(*source);
    next_read_ = {};
    return;
  }
  say(TopLost{source.error().message});
  const Instant again = clock_.now() + std::chrono::seconds(1);
  while (!stop_ && clock_.now() < again) std::this_thread::sleep_for(glance);
}

void TopWorker::follow() {
  std::deque<TopWish> wishes;
  TopChoice choice;
  bool fresh = false;
  {
    const std::lock_guard lock(mutex_);
    wishes.swap(wishes_);
    choice = choice_;
    fresh = std::exchange(fresh_choice_, false);
  }
  for (const TopWish& wish : wishes) fulfil(wish);
  fresh = fresh || !wishes.empty();
  if (fresh || clock_.now() >= next_read_) {
    const Instant begun = clock_.now();
    Result<TopSnapshot> snapshot = source_->read(choice);
    if (!snapshot) {
      say(TopLost{snapshot.error().message});
      source_.reset();
      return;
    }
    const Instant ended = clock_.now();
    next_read_ = ended + std::max(every_, (ended - begun) * rest_after_reading);
    say(std::move(*snapshot));
  }
  for (DaemonEvent& event : source_->events(glance)) say(std::move(event));
  if (!source_->ended()) return;
  say(TopLost{"the daemon has ended; waiting for it, or another one on this database"});
  source_.reset();
}

void TopWorker::fulfil(const TopWish& wish) {
  const bool asks = wish.what != TopWish::What::diff && wish.what != TopWish::What::why;
  if (asks) {
    const Result<std::string> done = source_->steer(wish);
    say(done ? TopMessage{*done, done->starts_with("refused")}
             : TopMessage{done.error().message, true});
    return;
  }
  Result<TopText> text = source_->text(wish);
  if (text) {
    say(std::move(*text));
  } else {
    say(TopMessage{text.error().message, true});
  }
}

}  // namespace pollux::cli

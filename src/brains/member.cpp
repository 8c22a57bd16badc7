#include "pollux/brains/member.hpp"

#include "brains/allocator.hpp"
#include "brains/election.hpp"
#include "brains/messages.hpp"
#include "pollux/base/text.hpp"
#include "pollux/bus/subject.hpp"

#include <cassert>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace pollux::brains {
namespace {

constexpr Duration between_asks = std::chrono::seconds(1);
constexpr std::size_t most_known = 1024;

// "fra" of "px.b.fra.ask".
std::string brain_of(const std::string& subject) {
  constexpr std::size_t begin = std::string_view("px.b.").size();
  return subject.substr(begin, subject.find('.', begin) - begin);
}

}  // namespace

Member::Member(bus::Bus& bus, EventLoop& loop, const Clock& clock, const Options& options,
               std::uint64_t seed, Callbacks callbacks)
    : bus_(bus),
      clock_(clock),
      options_(options),
      callbacks_(std::move(callbacks)),
      rng_(seed),
      incarnation_(fmt::format("{:016x}", rng_.next())),
      holder_(clock.now()),
      election_(
          std::make_unique<Election>(bus, clock, options.name, incarnation_, options.entries_live)),
      timer_(loop.make_timer()) {
  assert(bus::is_word(options_.name));
  asks_ = bus_.subscribe("px.b.*.ask", [this](const bus::Message& message) { heard_ask(message); });
  grants_ = bus_.subscribe("px.b." + options_.name + ".grant",
                           [this](const bus::Message& message) { heard_grant(message); });
  timer_->arm(clock_.now() + Duration(static_cast<Duration::rep>(
                                 rng_.below(static_cast<std::uint64_t>(between_asks.count())))),
              [this] { tick(); });
}

Member::~Member() {
  const AskMessage last{incarnation_, holder_.leave(clock_.now(), passed_on()), {}};
  bus_.publish("px.b." + options_.name + ".ask", text_of(last));
  election_->resign();
}

void Member::tick() {
  const Instant now = clock_.now();
  timer_->arm(now + between_asks, [this] { tick(); });
  std::erase_if(known_,
                [&](const auto& brain) { return now - brain.second.heard > options_.lease; });
  election_->tick();
  if (const auto epoch = election_->epoch()) {
    // An allocator of the same epoch goes on with what it knows.
    if (!allocator_ || allocator_->epoch() != *epoch) {
      spdlog::info("brains: {} divides the budget now, epoch {}", options_.name, *epoch);
      allocator_ = std::make_unique<Allocator>(options_, *epoch, now);
    }
    allocator_->tick(now);
  }
  ask();
}

void Member::ask() {
  const AskMessage message{incarnation_, holder_.ask({}, clock_.now(), passed_on()),
                           callbacks_.figures()};
  bus_.publish("px.b." + options_.name + ".ask", text_of(message));
}

leases::InUse Member::passed_on() const {
  return callbacks_.passed_on ? callbacks_.passed_on() : leases::InUse{};
}

void Member::heard_ask(const bus::Message& message) {
  const auto asked = read_ask(message.payload);
  const std::string name = brain_of(message.subject);
  if (!asked || !bus::is_word(name) || !election_->believes(asked->ask.knows)) return;
  const Instant now = clock_.now();
  election_->heard_of(asked->ask.knows);
  if (name == options_.name && asked->incarnation != incarnation_ && !asked->ask.leaving) {
    if (!namesake_) spdlog::warn("brains: another one is called {}, too", name);
    namesake_ = now;
  } else if (asked->ask.leaving) {
    known_.erase(name);
  } else if (known_.contains(name) || known_.size() < most_known) {
    known_[name] = {asked->figures, asked->ask.rate, now, asked->incarnation};
  }
  const auto epoch = election_->epoch();
  if (!epoch || !allocator_ || allocator_->epoch() != *epoch) return;
  const auto grant = allocator_->answer(name, *asked, now);
  if (const auto higher = allocator_->superseded()) election_->heard_of(*higher);
  if (grant)
    bus_.publish("px.b." + name + ".grant", text_of(GrantMessage{asked->incarnation, *grant}));
}

void Member::heard_grant(const bus::Message& message) {
  const auto granted = read_grant(message.payload);
  if (!granted || granted->incarnation != incarnation_) return;
  if (!election_->believes(granted->grant.epoch)) return;
  const Instant now = clock_.now();
  const auto took = holder_.take(granted->grant, now);
  if (took == leases::Holder::Took::no) return;
  election_->heard_of(holder_.knows());
  if (!granted->grant.hello) callbacks_.obey(holder_.rate(now), holder_.ends());
  if (took == leases::Holder::Took::ask_again) ask();
}

void Member::set_budget(double per_second) {
  options_.budget = per_second;
  if (allocator_) allocator_->set_budget(per_second);
}

bool Member::allocates() const {
  return election_->epoch().has_value();
}

const std::string& Member::allocator() const {
  return election_->holder();
}

std::map<std::string, Known> Member::brains() const {
  return known_;
}

std::string Member::trouble() const {
  const Instant now = clock_.now();
  if (namesake_ && now - *namesake_ < options_.lease) {
    return "another brain is called " + options_.name + ", too";
  }
  if (!bus_.connected()) return bus_.trouble();
  if (now >= holder_.ends()) return "no part of the budget is granted: nothing is polled";
  return "";
}

}  // namespace pollux::brains

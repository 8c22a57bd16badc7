#include "brains/election.hpp"

#include "pollux/bus/subject.hpp"

#include <sstream>
#include <utility>

namespace pollux::brains {
namespace {

constexpr const char* entry_name = "allocator";

}  // namespace

Member::Election::Election(bus::Bus& bus, const Clock& clock, std::string name,
                           std::string incarnation, Duration entries_live)
    : bus_(bus),
      clock_(clock),
      name_(std::move(name)),
      incarnation_(std::move(incarnation)),
      entries_live_(entries_live) {}

std::optional<std::uint64_t> Member::Election::epoch() const {
  // Somebody knows a higher one: the next renewal takes one above it.
  if (clock_.now() >= held_until_ || known_ > epoch_) return std::nullopt;
  return epoch_;
}

void Member::Election::tick() {
  if (waiting_) return;
  if (clock_.now() < held_until_) {
    renew(revision_);
  } else {
    look();
  }
}

std::string Member::Election::value() const {
  return std::to_string(epoch_) + " " + name_ + " " + incarnation_;
}

std::optional<Member::Election::Claim> Member::Election::read(const std::string& value) {
  std::istringstream in(value.substr(0, 256));
  Claim claim;
  in >> claim.epoch >> claim.name >> claim.incarnation;
  if (!in || !bus::is_word(claim.name)) return std::nullopt;
  return claim;
}

void Member::Election::look() {
  waiting_ = true;
  bus_.get(entry_name, guarded([this](const Result<std::optional<bus::Entry>>& found) {
             waiting_ = false;
             if (found) seen(*found);
           }));
}

void Member::Election::seen(const std::optional<bus::Entry>& entry) {
  if (!entry) return create();
  const auto claim = read(entry->value);
  if (!claim || !believes(claim->epoch)) return;  // it ends some time
  holder_ = claim->name;
  heard_of(claim->epoch);
  // Ours, though the answer that said so was lost.
  if (claim->name == name_ && claim->incarnation == incarnation_) renew(entry->revision);
}

void Member::Election::create() {
  waiting_ = true;
  epoch_ = ++known_;
  bus_.create(entry_name, value(),
              guarded([this, sent = clock_.now(), epoch = epoch_](bus::Wrote wrote,
                                                                  std::uint64_t revision) {
                written(wrote, revision, epoch, sent);
              }));
}

void Member::Election::renew(std::uint64_t revision) {
  waiting_ = true;
  if (known_ > epoch_) epoch_ = ++known_;
  bus_.update(
      entry_name, value(), revision,
      guarded([this, sent = clock_.now(), epoch = epoch_](bus::Wrote wrote, std::uint64_t now) {
        written(wrote, now, epoch, sent);
      }));
}

void Member::Election::written(bus::Wrote wrote, std::uint64_t revision, std::uint64_t epoch,
                               Instant sent) {
  waiting_ = false;
  switch (wrote) {
    case bus::Wrote::yes:
      epoch_ = epoch;
      revision_ = revision;
      held_until_ = sent + entries_live_;
      holder_ = name_;
      break;
    case bus::Wrote::conflict:
      held_until_ = Instant::min();
      break;
    case bus::Wrote::unreachable:
      break;  // what we have lasts until its end
  }
}

void Member::Election::resign() {
  if (clock_.now() < held_until_) bus_.remove(entry_name, [](bool) {});
  held_until_ = Instant::min();
}

}  // namespace pollux::brains

#include "pollux/leases/leases.hpp"

#include <algorithm>
#include <cmath>

namespace pollux::leases {
namespace {

// Each is a grant that was smaller than the one before, and not confirmed yet.
constexpr std::size_t most_promises = 32;

bool is_rate(double rate) {
  return std::isfinite(rate) && rate >= 0;
}

}  // namespace

Granter::Granter(const GranterOptions& options, std::uint64_t epoch, Instant now, First first)
    : options_(options),
      epoch_(epoch),
      divides_from_(first == First::yes ? now : now + options.lasts + options.guard) {}

std::optional<Grant> Granter::answer(const std::string& holder, const Ask& ask, Instant now) {
  if (ask.knows > epoch_) superseded_ = std::max(superseded_.value_or(0), ask.knows);
  if (superseded_ || !is_rate(ask.rate) || !is_rate(ask.weight) || !(ask.most >= 0) ||
      ask.ends_in < Duration::zero()) {
    return std::nullopt;
  }
  if (ask.knows < epoch_ && !ask.leaving) return Grant{epoch_, ask.id, 0, Duration{}, true};
  forget_old(now);
  if (!holders_.contains(holder) && holders_.size() >= options_.most_holders) return std::nullopt;
  Known& known = holders_[holder];
  if (ask.id <= known.last_ask) return std::nullopt;
  known.last_ask = ask.id;
  known.claim = {ask.leaving ? 0 : ask.weight, ask.most};
  known.forgotten_at = now + options_.lasts + options_.guard;
  if (ask.leaving) {
    for (Promise& left : known.promises)
      left.ends = std::min(left.ends, now + ask.ends_in + options_.guard);
    return std::nullopt;
  }
  if (ask.epoch == epoch_) {
    // It will not go back to an older one. What it took from may still be on its way to servers.
    for (Promise& old : known.promises) {
      if (old.ask < ask.held) old.ends = std::min(old.ends, now + options_.guard);
    }
  }
  double others = 0;
  for (const auto& [name, other] : holders_) {
    if (&other != &known) others += promised(other, now);
  }
  double rate =
      now < divides_from_ ? (ask.epoch < epoch_ ? ask.rate : promised(known, now)) : target(holder);
  const Ceiling& ceiling = options_.ceiling;
  if (ceiling.ends <= now) return Grant{epoch_, ask.id, 0, options_.lasts};
  rate = std::clamp(std::min(rate, ceiling.rate - others), 0.0, ask.most);
  const Grant grant{epoch_, ask.id, rate, std::min(options_.lasts, ceiling.ends - now)};
  promise(known, grant, now);
  return grant;
}

void Granter::promise(Known& known, const Grant& grant, Instant now) const {
  std::erase_if(known.promises, [now](const Promise& old) { return old.ends <= now; });
  while (!known.promises.empty() && known.promises.back().rate <= grant.rate) {
    known.promises.pop_back();
  }
  known.promises.push_back({grant.ask, grant.rate, now + grant.lasts + options_.guard});
  if (known.promises.size() > most_promises) {
    // The two oldest as one, which promises what either did.
    known.promises[1].rate = known.promises[0].rate;
    known.promises.pop_front();
  }
}

double Granter::promised(const Known& known, Instant now) const {
  for (const Promise& one : known.promises) {
    if (one.ends > now) return one.rate;  // rates fall
  }
  return 0;
}

double Granter::promised(Instant now) const {
  double sum = 0;
  for (const auto& [name, known] : holders_) sum += promised(known, now);
  return sum;
}

InUse Granter::in_use(Instant now) const {
  InUse all{promised(now), {}};
  for (const auto& [name, known] : holders_) {
    for (const Promise& one : known.promises) all.lasts = std::max(all.lasts, one.ends - now);
  }
  return all;
}

double Granter::target(const std::string& holder) const {
  std::vector<Claim> claims;
  std::size_t index = 0;
  for (const auto& [name, known] : holders_) {
    if (name == holder) index = claims.size();
    claims.push_back(known.claim);
  }
  return divide(options_.ceiling.rate, claims)[index];
}

void Granter::forget_old(Instant now) {
  std::erase_if(holders_, [now](const auto& known) { return known.second.forgotten_at <= now; });
}

}  // namespace pollux::leases

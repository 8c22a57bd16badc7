#include "pollux/leases/leases.hpp"

#include <algorithm>
#include <utility>

namespace pollux::leases {
namespace {

constexpr std::size_t most_open_asks = 64;
constexpr std::size_t most_unconfirmed = 64;
constexpr double rounding = 1e-9;  // of sums of rates

}  // namespace

Ask Holder::ask(const Claim& claim, Instant now, const InUse& passed_on) {
  confirm(passed_on.rate);
  sent_.push_back({++last_ask_, now});
  if (sent_.size() > most_open_asks) sent_.pop_front();
  Ask ask;
  ask.id = last_ask_;
  ask.weight = claim.weight;
  ask.most = claim.most;
  ask.knows = knows_;
  // Also of a lease that has ended: it says which ones will not be obeyed again.
  ask.epoch = confirmed_.epoch;
  ask.held = confirmed_.ask;
  ask.rate = rate(now);
  return ask;
}

// The newest grant that allows what is in use. What is left of older ones was passed on from no
// more than that and ends before it does.
void Holder::confirm(double in_use) {
  const auto fits = std::find_if(taken_.rbegin(), taken_.rend(), [in_use](const Taken& taken) {
    return in_use <= taken.rate * (1 + rounding);
  });
  if (fits == taken_.rend()) return;
  confirmed_ = *fits;
  taken_.erase(taken_.begin(), fits.base() - 1);
}

Ask Holder::leave(Instant now, const InUse& passed_on) {
  ends_ = std::min(ends_, now);
  rate_ = 0;
  sent_.clear();  // no grant is taken any more, unless it asks again
  taken_.clear();
  Ask last;
  last.id = ++last_ask_;
  last.knows = knows_;
  last.leaving = true;
  last.ends_in = passed_on.lasts;
  return last;
}

Holder::Took Holder::take(const Grant& grant, Instant now) {
  const auto asked = std::find_if(sent_.begin(), sent_.end(),
                                  [&grant](const Sent& sent) { return sent.id == grant.ask; });
  if (asked == sent_.end() || grant.epoch < knows_ || !(grant.rate >= 0)) return Took::no;
  if (grant.hello)
    return std::exchange(knows_, grant.epoch) < grant.epoch ? Took::ask_again : Took::no;
  const Instant ends = asked->at + grant.lasts;
  if (ends <= now) return Took::no;
  const double before = rate(now);
  // Older asks are not answered to any more: leases go forward only.
  sent_.erase(sent_.begin(), asked + 1);
  knows_ = grant.epoch;
  taken_.push_back({grant.epoch, grant.ask, grant.rate});
  if (taken_.size() > most_unconfirmed) taken_.pop_front();
  rate_ = grant.rate;
  ends_ = ends;
  if (rate_ > 0) pace_.set_rate(rate_, now);
  return rate_ < before ? Took::ask_again : Took::yes;
}

Instant Holder::next_allowed(Instant now) const {
  if (rate(now) <= 0) return never;
  const Instant next = std::max(pace_.next_allowed(), now);
  return next < ends_ ? next : never;
}

}  // namespace pollux::leases

#include "brains/allocator.hpp"

namespace pollux::brains {
namespace {

leases::GranterOptions granter_options(const Options& options) {
  leases::GranterOptions granter;
  granter.ceiling = options.budget;
  granter.lasts = options.lease;
  return granter;
}

constexpr std::size_t most_brains = 256;

}  // namespace

Member::Allocator::Allocator(const Options& options, std::uint64_t epoch, Instant now)
    : lease_(options.lease), granter_(granter_options(options), epoch, now) {}

void Member::Allocator::tick(Instant now) {
  for (auto heard = heard_.begin(); heard != heard_.end();) {
    if (now - heard->second < lease_) {
      ++heard;
      continue;
    }
    division_.remove(heard->first);
    heard = heard_.erase(heard);
  }
  division_.step();
}

std::optional<leases::Grant> Member::Allocator::answer(const std::string& brain, AskMessage asked,
                                                       Instant now) {
  if (asked.ask.leaving) {
    division_.remove(brain);
    heard_.erase(brain);
  } else {
    if (!heard_.contains(brain) && heard_.size() >= most_brains) return std::nullopt;
    heard_[brain] = now;
    division_.set(brain, asked.figures.marginal_value, asked.figures.pages);
    asked.ask.weight = division_.part(brain);
  }
  // One that was restarted is another holder: what its predecessor was granted has to end first.
  return granter_.answer(brain + "." + asked.incarnation, asked.ask, now);
}

}  // namespace pollux::brains

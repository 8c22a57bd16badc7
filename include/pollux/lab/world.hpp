// What is being watched in an experiment: pages that change by themselves. The lab's stand-in for
// the web. Time is in seconds from the start. Threading: one owner.
#pragma once

#include "pollux/base/rng.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace pollux::lab {

enum class Updates {
  overwritten,  // a change can be found until the next one replaces it
  vanishing     // a change can be found in its own time step only
};

class World {
 public:
  virtual ~World() = default;
  virtual std::size_t pages() const = 0;
  virtual double importance(std::uint32_t) const { return 1; }
  // The true rate now, for oracles.
  virtual double rate(std::uint32_t page) const = 0;

  // Time goes on: habits may change. True when true rates or importances did.
  virtual bool advance(double /*now*/) { return false; }
  // Polls the page: has it changed since it was last polled (or since the start)?
  virtual bool poll(std::uint32_t page, double now) = 0;
  // What the page's Last-Modified says at the poll just made, in seconds before it.
  virtual std::optional<double> modified_ago(std::uint32_t /*page*/, double /*now*/) const {
    return std::nullopt;
  }
};

// Importance in 0…1 that favours lively pages, with much chance in it: even for a page that never
// changes, close to 1 for one that always does.
double importance_like_change(double chance, Rng& rng);

}  // namespace pollux::lab

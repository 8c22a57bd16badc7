// What is being watched in an experiment: pages that change by themselves. The lab's stand-in for
// the web. Time is in seconds from the start. Threading: one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace pollux::lab {

class World {
 public:
  virtual ~World() = default;
  virtual std::size_t pages() const = 0;
  virtual double importance(std::uint32_t) const { return 1; }
  // The true rate now, for oracles.
  virtual double rate(std::uint32_t page) const = 0;

  // Time goes on: habits may change. True when true rates did.
  virtual bool advance(double /*now*/) { return false; }
  // Looks at the page: has it changed since it was last looked at (or since the start)?
  virtual bool poll(std::uint32_t page, double now) = 0;
  // What the page's Last-Modified says at the poll just made, in seconds before it.
  virtual std::optional<double> modified_ago(std::uint32_t /*page*/, double /*now*/) const {
    return std::nullopt;
  }
};

}  // namespace pollux::lab

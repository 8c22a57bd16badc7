#include "engine/flight.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <memory>

namespace pollux::engine {
namespace {

constexpr unsigned bit(Stage stage) {
  return 1u << static_cast<unsigned>(stage);
}

// By the stage a flight is in: those it may go to.
constexpr std::array<unsigned, 8> legal_moves = {
    /* free */ bit(Stage::waiting) | bit(Stage::preparing) | bit(Stage::sent),
    /* waiting */ bit(Stage::preparing) | bit(Stage::sent) | bit(Stage::free),
    /* preparing */ bit(Stage::ready) | bit(Stage::waiting) | bit(Stage::free),
    /* ready */ bit(Stage::sent) | bit(Stage::preparing) | bit(Stage::waiting) | bit(Stage::free),
    /* sent */ bit(Stage::hashing) | bit(Stage::waiting) | bit(Stage::free),
    /* hashing */ bit(Stage::in_program) | bit(Stage::bringing) | bit(Stage::waiting) |
        bit(Stage::free),
    /* bringing */ bit(Stage::waiting) | bit(Stage::free),
    /* in_program */ bit(Stage::waiting) | bit(Stage::free)};

// All but its name. In place: assigning a new one would write each of its many members twice.
void reset(Flight& flight) {
  const std::uint32_t index = flight.index, generation = flight.generation;
  std::destroy_at(&flight);
  std::construct_at(&flight);
  flight.index = index;
  flight.generation = generation;
}

}  // namespace

void FlightTable::grow(std::size_t most) {
  while (flights_.size() < most) {
    free_.push_back(static_cast<std::uint32_t>(flights_.size()));
    flights_.emplace_back();
  }
}

Flight& FlightTable::take() {
  Flight& flight = flights_[free_.back()];
  flight.index = free_.back();
  ++flight.generation;
  return flight;
}

void FlightTable::move(Flight& flight, Stage to) {
  assert((legal_moves[static_cast<std::size_t>(flight.stage)] & bit(to)) != 0);
  const Stage from = flight.stage;
  if (from == Stage::free) free_.pop_back();
  flight.stage = to;
  const fetch::Token mine = token(flight);
  if (from == Stage::waiting) std::erase(waiting_, mine);
  if (from == Stage::ready) std::erase(ready_, mine);
  if (to == Stage::waiting) waiting_.push_back(mine);
  if (to == Stage::ready) ready_.push_back(mine);
  if (to == Stage::free) {
    free_.push_back(static_cast<std::uint32_t>(index_of(mine)));
    reset(flight);  // its texts may be large, and nobody knows when its place is taken again
  }
}

fetch::Token FlightTable::token(const Flight& flight) const {
  return fetch::Token{(static_cast<std::uint64_t>(flight.generation) << 32) | flight.index};
}

Flight* FlightTable::find(fetch::Token token) {
  const std::size_t index = index_of(token);
  if (index >= flights_.size()) return nullptr;
  Flight& flight = flights_[index];
  const bool same = flight.generation == static_cast<std::uint64_t>(token) >> 32;
  return same && flight.stage != Stage::free ? &flight : nullptr;
}

std::optional<fetch::Token> FlightTable::first_ready() const {
  return ready_.empty() ? std::nullopt : std::optional(ready_.front());
}

}  // namespace pollux::engine

// Counts of the poll loop since the start, for whoever watches the daemon from outside.
#pragma once

#include "engine/flight.hpp"
#include "engine/outcome.hpp"
#include "pollux/engine/snapshot.hpp"
#include "pollux/learn/next_poll.hpp"

#include <string_view>

namespace pollux::engine {

inline std::string_view verdict_word(detect::Verdict verdict) {
  switch (verdict) {
    case detect::Verdict::baseline:
      return "baseline";
    case detect::Verdict::same:
      return "same";
    case detect::Verdict::changed:
      return "changed";
    case detect::Verdict::noisy:
      return "noisy";
    case detect::Verdict::withheld:
      return "withheld";
    case detect::Verdict::unknown:
      break;
  }
  return "unknown";
}

// Few words, all of them static: what a server says is not among them.
inline std::string_view error_class(const fetch::Response& answer) {
  if (answer.failure != fetch::Failure::none) return fetch::failure_name(answer.failure);
  if (answer.status >= 500) return "http_5xx";
  if (answer.status >= 400) return "http_4xx";
  if (answer.status >= 300) return "http_3xx";
  return "other";
}

inline learn::Polled polled(const PollTotals& totals) {
  const auto changed = totals.verdicts.find(verdict_word(detect::Verdict::changed));
  return {totals.polls, changed == totals.verdicts.end() ? 0 : changed->second};
}

inline void count(const Flight& flight, const Outcome& outcome, PollTotals& totals) {
  ++totals.verdicts[verdict_word(outcome.verdict)];
  if (!outcome.conclusive()) ++totals.errors[error_class(flight.answer)];
  totals.fetches.add(to_seconds(flight.answer.elapsed));
}

inline void add(const store::MinuteRow& counts, PollTotals& totals) {
  totals.requests += static_cast<std::uint64_t>(counts.requests);
  totals.polls += static_cast<std::uint64_t>(counts.polls);
  totals.explored += static_cast<std::uint64_t>(counts.explored);
  totals.looks += static_cast<std::uint64_t>(counts.looks);
  totals.looks_found += static_cast<std::uint64_t>(counts.looks_found);
}

}  // namespace pollux::engine

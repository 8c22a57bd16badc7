// What went wrong with an answer, in words that are stored and shown. Pure.
#pragma once

#include "pollux/base/units.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <string>

namespace pollux::engine {

// "connect: refused"; empty when there was an answer, whatever it said.
inline std::string failure_of(const fetch::Response& answer) {
  if (answer.failure == fetch::Failure::none) return {};
  std::string text(fetch::failure_name(answer.failure));
  if (!answer.failure_text.empty()) text += ": " + answer.failure_text;
  return text;
}

// The same, or "HTTP 503, Retry-After 2 min".
inline std::string error_of(const fetch::Response& answer) {
  if (answer.failure != fetch::Failure::none) return failure_of(answer);
  std::string text = "HTTP " + std::to_string(answer.status);
  if (answer.retry_after) text += ", Retry-After " + format_duration(*answer.retry_after);
  return text;
}

}  // namespace pollux::engine

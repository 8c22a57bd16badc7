#include "pollux/detect/verdict.hpp"

namespace pollux::detect {
namespace {

// A 2xx that carries the whole page. 204 and 205 have no body, 206 has a part of one.
bool shows_whole_page(int status) {
  return status >= 200 && status <= 299 && status != 204 && status != 205 && status != 206;
}

}  // namespace

Verdict judge(const Answer& answer, const std::optional<Hash>& known) {
  if (!answer.complete) return Verdict::unknown;
  if (answer.status == 304) {
    return answer.conditional && known ? Verdict::same : Verdict::unknown;
  }
  if (!shows_whole_page(answer.status) || !answer.hash) return Verdict::unknown;
  if (known && *answer.hash == *known) return Verdict::same;
  if (known && answer.empty) return Verdict::unknown;
  if (answer.uncertain_end && answer.first_look != answer.hash) return Verdict::noisy;
  return known ? Verdict::changed : Verdict::baseline;
}

}  // namespace pollux::detect

// What an answer says about the page. Pure functions.
//
// An error is never a change: only a complete 2xx body with another hash is one. `unknown` teaches
// the learner nothing.
#pragma once

#include "pollux/detect/digest.hpp"

#include <optional>

namespace pollux::detect {

enum class Verdict {
  baseline,  // first content seen: nothing to compare with
  same,      // 304, or a 2xx with the hash we have
  changed,   // a 2xx with another hash
  noisy,     // a 2xx that no second look has confirmed: cut short, noise, or news that waits
  withheld,  // a 2xx that is not believed, or in which nothing was found to compare
  unknown    // everything else
};

struct Answer {
  int status = 0;            // 0: no answer at all
  bool complete = false;     // the transfer ended as HTTP says it should
  bool conditional = false;  // validators were sent, so a 304 means something
  std::optional<Hash> hash;  // of a complete 2xx body
  bool empty = false;        // that body has no bytes
  // Nothing says that the body is whole: it is news only when two looks at it agree.
  bool uncertain_end = false;
  std::optional<Hash> first_look = {};  // what was seen a moment before, if anything
};

// `known` is the hash stored for the page, if any. 204, 205 and 206 are unknown (no whole body); a
// 304 to an unconditional request, or with nothing known, is unknown. So is an empty body where
// there was content before: servers send it when something is wrong.
Verdict judge(const Answer& answer, const std::optional<Hash>& known);

}  // namespace pollux::detect

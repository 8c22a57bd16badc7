// Numbers that count how often a page was seen, liked or fetched: they say so themselves, in the
// words beside them. What else counts up may be what a page is watched for (an episode, a score, a
// bid, votes, a number of pieces), so it is none.
#pragma once

#include "extract/mask_tokens.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace pollux::extract {

enum class Counter {
  none,
  readers,  // views, likes, downloads, and comments in one line with them: one step up tells
  talk,     // comments, members: two steps up, they may be news
  present   // how many people are there: one step, up or down
};
// By the words of its line, none of which speaks of a price or a stock.
Counter counter_at(const std::vector<MaskToken>& tokens, std::size_t at);

// The number at `at`: "1,204", "12'000", "5.3k". None: it is no whole number.
std::optional<double> counted_at(const std::vector<MaskToken>& tokens, std::size_t at);

}  // namespace pollux::extract

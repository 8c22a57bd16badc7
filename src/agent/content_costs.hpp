// Whether a poll's content shall come at once or when it is asked for: document 002's comparison of
// two ways to observe (2.5, eqs 41 to 43), for the second half of the way. What a poll costs is the
// bytes on the way between agent and brain, and what a poll waits for them:
//
//   cost = bytes + worth · (L · messages + N · bytes)
//
// L: latency, N: seconds per byte (Way); worth: bytes that a second of waiting is worth. Only
// content that differs from what the poll named as known makes a difference. Squeezed it takes
// C = η · S bytes, and for a part γ of the polls the brain wants it; in the others it has it.
//
//   at once:     cost(C bytes)
//   hash first:  cost(hash) + γ · cost(two messages, pair + C bytes)
//
// With worth → ∞ these are times, the bracket of eq. 42; with worth = 0 bytes alone, as in eq. 43.
//
// γ and C are measured for each page. What its polls have shown counts beside what those of its
// host have, which is worth two of its own; a host of which nothing is known is as likely to show
// what is wanted as not. Polls that name a known content and those that name none (second looks,
// and pages with masks) have a γ each: a second look mostly shows what the first has shown. The
// first content of a page comes at once, for it cannot be known. Pages share places in tables of
// fixed size, so no number of them takes more memory. Pure; one owner.
#pragma once

#include "agent/way.hpp"
#include "pollux/agent/contents.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace pollux::agent {

// What is known of the content that a poll may bring.
struct ContentEstimate {
  double wanted = 0.5;  // γ
  double bytes = 1024;  // C
};

struct ContentPrices {
  double hash = 40;     // bytes more in a result that leaves its content out
  double pair = 400;    // of two messages more, with all that goes around them
  double worth = 4096;  // bytes that a second of waiting is worth
};
double cost_at_once(const ContentEstimate& content, const ContentPrices& prices, const Way& way);
double cost_hash_first(const ContentEstimate& content, const ContentPrices& prices, const Way& way);

// Of a poll.
struct ContentClass {
  std::string_view url;
  bool named = false;  // it names a content as known
};

class ContentCosts {
 public:
  explicit ContentCosts(ContentMode mode) : mode_(mode) {}

  bool hash_first(const ContentClass& poll, const Way& way);
  // Of content that differed, and of how many bytes it took or would have taken.
  void judged(const ContentClass& poll, Wanted wanted, std::size_t bytes);
  // What was put aside did not come: the next one of this page comes at once.
  void lost(std::string_view url);
  // What the two messages took that brought one content, besides it.
  void note_pair(std::size_t bytes);
  ContentEstimate estimate(const ContentClass& poll) const;

 private:
  // A mean over the newest.
  struct Mean {
    float value = 0;
    std::uint8_t seen = 0;
    void add(float next, int memory);
    // Beside a guess that is worth so many.
    float with(float guess, float worth) const {
      return (value * static_cast<float>(seen) + guess * worth) /
             (static_cast<float>(seen) + worth);
    }
  };
  struct Entry {
    Mean wanted[2];  // by ContentClass::named
    Mean bytes;
    bool lost = false;
  };
  static constexpr std::size_t pages = 1u << 14, hosts = 1u << 11;

  Entry& page(std::string_view url);
  Entry& host(std::string_view url);
  const Entry* page(std::string_view url) const;
  const Entry* host(std::string_view url) const;

  const ContentMode mode_;
  ContentPrices prices_;
  std::vector<Entry> pages_, hosts_;  // by hash; empty before the first
};

}  // namespace pollux::agent

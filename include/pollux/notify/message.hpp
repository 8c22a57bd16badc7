// What is sent: one or several events, and the words for them that all channels share. Names, URLs
// and everything else of pages is data: it is made visible here (no control characters, valid
// UTF-8, bounded), and escaped by whoever writes it into a channel's own form. Pure.
#pragma once

#include "pollux/base/time.hpp"
#include "pollux/notify/options.hpp"
#include "pollux/store/views.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::notify {

struct Item {
  std::int64_t id = 0;         // of the notification
  std::int64_t change_id = 0;  // 0: of none
  Event event = Event::change;
  WallTime at{};
  std::optional<WallTime> since = {};  // it happened between the two
  std::string name = {};               // what people call the page; empty: nothing
  std::string url = {};                // empty: about the daemon itself
  std::vector<std::string> tags = {};
  std::string summary = {};
  std::string diff = {};  // see excerpt.hpp
  std::string why = {};   // it was polled then
  std::string link = {};  // where it has moved to
};

struct Message {
  enum class Kind { single, digest, test };
  Kind kind = Kind::single;
  std::string key;  // the same at every attempt, and of no other message
  std::string rule;
  WallTime sent_at{};
  std::int64_t count = 0;        // events, with those that are left out
  std::vector<Item> items = {};  // newest first
};

inline constexpr std::int64_t most_items = 500;  // of a message; the rest is counted

Message message_of(const store::MessageView& view, const std::string& rule,
                   const std::string& database_id, WallTime now);
// What `pollux notify --test` sends.
Message sample(const std::string& rule, WallTime now);

// One line: "Prices changed: 99.90 → 94.90", "12 changes, 3 failing".
std::string title_of(const Message& message);
std::string headline_of(const Item& item);  // without the summary: "Prices changed"
std::string name_of(const Item& item);      // what people call it, or its URL
// "between 2026-11-18T07:00:00Z and 2026-11-18T07:10:00Z"; "at …"
std::string when_of(const Item& item);
// Lines for people, without markup: headline, URL, when, summary, why, links.
std::vector<std::string> lines_of(const Item& item);

// Text of a page for a line of a message.
std::string visible(std::string_view text, std::size_t most = 500);

}  // namespace pollux::notify

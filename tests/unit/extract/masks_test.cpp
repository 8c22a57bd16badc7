#include "pollux/extract/masks.hpp"

#include "extract/mask_match.hpp"
#include "pollux/base/rng.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <re2/re2.h>

namespace pollux::extract {
namespace {

using namespace std::chrono_literals;

std::string random_of(Rng& rng, std::string_view alphabet, std::size_t length) {
  std::string text;
  while (text.size() < length) text += alphabet[rng.below(alphabet.size())];
  return text;
}
constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::string_view base64_signs =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string uuid(Rng& rng) {
  std::string text = random_of(rng, hex_digits, 36);
  for (const std::size_t at : {8u, 13u, 18u, 23u}) text[at] = '-';
  return text;
}
std::string two_digits(std::uint64_t n) {
  return (n < 10 ? "0" : "") + std::to_string(n);
}
std::string clock_at(std::uint64_t second) {
  return two_digits(second / 3600 % 24) + ":" + two_digits(second / 60 % 60) + ":" +
         two_digits(second % 60);
}

Noise find(const std::vector<std::string>& texts, Looks kind = Looks::twins, bool numbers = false) {
  const std::vector<std::string_view> looks(texts.begin(), texts.end());
  return find_masks(looks, kind, numbers);
}
// Successive versions, and when they were seen: seconds after midnight UTC of 1 December 2026.
bool runs(const std::vector<std::string>& texts, const std::vector<int>& seconds) {
  const std::vector<std::string_view> looks(texts.begin(), texts.end());
  std::vector<WallTime> seen;
  for (const int second : seconds) {
    seen.push_back(std::chrono::sys_days(std::chrono::December / 1 / 2026) +
                   std::chrono::seconds(second));
  }
  const Noise noise = find_masks(looks, Looks::versions, true, seen);
  EXPECT_EQ(noise.explained, !noise.masks.empty());
  return noise.explained;
}
constexpr int minute = 60, hour = 3600, day = 24 * hour;

std::string kinds(std::string_view text) {
  std::string list;
  for (const MaskToken& token : mask_tokens(text)) {
    list += token.kind ? std::string(name_of(*token.kind)) + "(" + std::string(token.text) + ") "
                       : std::string(token.text) + " ";
  }
  return list;
}

TEST(MaskTokens, dates_times_and_ages_are_found_as_people_write_them) {
  for (const char* date : {"2025-05-12", "2025/5/2", "12.05.2025", "5/12/2025", "12 May 2025",
                           "12. Mai 2025", "May 12, 2025", "Monday, 12 May 2025", "12-May-2025",
                           "Sept. 3rd, 2024", "12 de mayo 2025"}) {
    EXPECT_EQ(kinds(std::string("on ") + date + " here"),
              "on date(" + std::string(date) + ") here ");
  }
  for (const char* time :
       {"12:30", "9:05 pm", "23:59:59", "01:02:03.456", "12:30 UTC", "7:15 a.m."}) {
    EXPECT_EQ(kinds(std::string("at ") + time + " here"),
              "at time(" + std::string(time) + ") here ");
  }
  for (const char* both :
       {"2025-05-12T12:30:00Z", "2025-05-12 12:30", "Mon, 12 May 2025 12:30:00 GMT",
        "12 May 2025 at 9:05 pm", "20250512T123000Z", "2025-05-12T12:30:00.123+02:00"}) {
    EXPECT_EQ(kinds(std::string("at ") + both + " here"),
              "at datetime(" + std::string(both) + ") here ");
  }
  for (const char* age :
       {"3 minutes ago", "a minute ago", "5h ago", "1 hour, 5 minutes ago", "just now",
        "vor 3 Minuten", "il y a 2 heures", "yesterday", "12 sec. ago"}) {
    EXPECT_EQ(kinds(std::string("seen ") + age + " here"),
              "seen age(" + std::string(age) + ") here ");
  }
}

TEST(MaskTokens, what_only_looks_like_them_is_none) {
  EXPECT_EQ(kinds("May I ask 3 minutes of silence"), "May I ask number(3) minutes of silence ");
  EXPECT_EQ(kinds("won 2:1 in 1999"), "won number(2) : number(1) in number(1999) ");
  EXPECT_EQ(kinds("a few days long"), "a few days long ");
  EXPECT_EQ(kinds("facade deadbeef cafe"), "facade deadbeef cafe ");
}

TEST(MaskTokens, random_tokens_are_told_from_words) {
  EXPECT_EQ(kinds("id 3f2504e0-4f89-11d3-9a0c-0305e82c3301"),
            "id uuid(3f2504e0-4f89-11d3-9a0c-0305e82c3301) ");
  EXPECT_EQ(kinds("csrf=9f86d081884c7d65"), "csrf = hex(9f86d081884c7d65) ");
  EXPECT_EQ(kinds("token k7XH+q/3sVb0aZ9tLm2P=="), "token base64(k7XH+q/3sVb0aZ9tLm2P==) ");
  EXPECT_EQ(kinds("Windows-11-Professional"), "Windows - number(11) - Professional ");
  EXPECT_EQ(kinds("JavaScriptFrameworks"), "JavaScriptFrameworks ");
}

TEST(MaskTokens, a_place_that_is_masked_is_one_token_of_its_kind) {
  EXPECT_EQ(kinds("seen ‹number› times, ‹age›‹lines›"),
            "seen number(‹number›) times , age(‹age›) lines(‹lines›) ");
  EXPECT_EQ(kinds("‹word› ‹"), "‹ word › ‹ ");
}

TEST(MaskTokens, prices_are_a_number_and_their_sign) {
  EXPECT_EQ(kinds("€99.90"), "€ number(99.90) ");
  EXPECT_EQ(kinds("1.299,50 €, 20GB"), "number(1.299,50) € , number(20) GB ");
}

// A page with one kind of noise in the middle of it, at one moment.
struct Kind {
  std::string name;
  std::function<std::string(Rng&, std::uint64_t)> place;  // at a second
};
std::vector<Kind> kinds_of_noise() {
  return {
      {"csrf token", [](Rng& r, std::uint64_t) { return "csrf " + random_of(r, hex_digits, 32); }},
      {"session in a link",
       [](Rng& r, std::uint64_t) {
         return "Home </start?sid=" + random_of(r, hex_digits, 26) + ">";
       }},
      {"nonce", [](Rng& r, std::uint64_t) { return "nonce " + random_of(r, base64_signs, 22); }},
      {"uuid", [](Rng& r, std::uint64_t) { return "Request " + uuid(r); }},
      {"clock", [](Rng&, std::uint64_t s) { return "Server time: " + clock_at(s); }},
      {"datetime",
       [](Rng&, std::uint64_t s) { return "Generated 2025-05-12T" + clock_at(s) + "Z"; }},
      {"age",
       [](Rng&, std::uint64_t s) {
         return "Updated " + std::to_string(s % 59 + 1) + " seconds ago";
       }},
      {"counter",
       [](Rng&, std::uint64_t s) { return "You are visitor " + std::to_string(48'213 + s); }},
      {"users online",
       [](Rng&, std::uint64_t s) {
         return "Users online: " + std::to_string(500 + (s * 7) % 499);
       }},
      {"unix time",
       [](Rng&, std::uint64_t s) { return "page?t=" + std::to_string(1'750'000'000 + s); }},
      {"load time",
       [](Rng&, std::uint64_t s) {
         return "Rendered in 0." + two_digits((s * 13) % 97) + " seconds";
       }},
  };
}
std::string page_with(const std::string& place, const std::string& price = "99.90") {
  return "Example shop\nBlue shirt\nPrice: " + price + " €\nIn the shop since 2019\n" + place +
         "\nImprint Privacy Contact\n";
}

TEST(Masks, each_kind_of_noise_is_masked_for_good) {
  for (const Kind& kind : kinds_of_noise()) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(kind.name + " " + std::to_string(seed));
      Rng rng(seed);
      std::uint64_t second = 40'000 + rng.below(10'000);
      std::vector<std::string> looks;
      for (int i = 0; i < 3; ++i)
        looks.push_back(page_with(kind.place(rng, second += 1 + rng.below(3))));
      const Noise noise = find(looks);
      ASSERT_TRUE(noise.explained) << looks[0] << looks[1];
      ASSERT_EQ(noise.masks.size(), 1u) << to_text(noise.masks.front());
      const std::string base = extract::apply(noise.masks, looks[0]).text;
      int false_changes = 0;
      for (int i = 0; i < 20; ++i) {
        const Masked later =
            extract::apply(noise.masks, page_with(kind.place(rng, second += 1 + rng.below(30))));
        EXPECT_TRUE(later.matched[0]);
        false_changes += later.text == base ? 0 : 1;
      }
      EXPECT_EQ(false_changes, 0);
      EXPECT_NE(extract::apply(noise.masks, page_with(kind.place(rng, second), "94.90")).text, base)
          << "a price is still seen";
    }
  }
}

TEST(Masks, the_pattern_for_people_finds_the_place_in_every_look) {
  for (const Kind& kind : kinds_of_noise()) {
    SCOPED_TRACE(kind.name);
    Rng rng(5);
    std::vector<std::string> looks;
    for (std::uint64_t i = 0; i < 3; ++i) looks.push_back(page_with(kind.place(rng, 40'000 + i)));
    const Noise noise = find(looks);
    ASSERT_EQ(noise.masks.size(), 1u);
    const std::string pattern = ignore_pattern(noise.masks[0]);
    const RE2 compiled(pattern, RE2::Quiet);
    ASSERT_TRUE(compiled.ok()) << pattern << ": " << compiled.error();
    std::string first;
    for (std::string look : looks) {
      EXPECT_EQ(RE2::GlobalReplace(&look, compiled, ""), 1) << pattern << "\n" << look;
      if (first.empty()) first = look;
      EXPECT_EQ(look, first) << pattern;
    }
  }
}

TEST(Masks, every_kind_of_time_fits_its_pattern) {
  for (const char* text : {"2025-05-12",
                           "12. Mai 2025",
                           "May 12, 2025",
                           "Monday, 12 May 2025",
                           "5/12/2025",
                           "12:30",
                           "9:05 pm",
                           "01:02:03.456 UTC",
                           "2025-05-12T12:30:00.123+02:00",
                           "Mon, 12 May 2025 12:30:00 GMT",
                           "12 May 2025 at 9:05 pm",
                           "20250512T123000Z",
                           "2025-05-12 12:30",
                           "just now",
                           "3 minutes ago",
                           "1 hour, 5 minutes ago",
                           "vor 3 Minuten",
                           "il y a 2 heures",
                           "yesterday",
                           "5h ago"}) {
    const std::vector<MaskToken> tokens = mask_tokens(text);
    ASSERT_EQ(tokens.size(), 1u) << text;
    ASSERT_TRUE(tokens[0].kind) << text;
    const std::string pattern =
        ignore_pattern({.kind = *tokens[0].kind, .before = {}, .after = {}});
    EXPECT_TRUE(RE2::FullMatch(text, RE2(pattern))) << text << " " << pattern;
  }
}

TEST(Masks, a_price_that_moves_between_looks_is_never_masked) {
  const std::vector<std::function<std::string(const std::string&)>> ways = {
      [](const std::string& n) { return "Price: " + n; },
      [](const std::string& n) { return "€ " + n; },
      [](const std::string& n) { return "only " + n + " €"; },
      [](const std::string& n) { return "$" + n; },
      [](const std::string& n) { return "now " + n + " EUR"; },
      [](const std::string& n) { return "In stock: " + n; },
      [](const std::string& n) { return n + " left"; },
      [](const std::string& n) { return "up " + n + "%"; },
      [](const std::string& n) { return "Version " + n; },
      [](const std::string& n) { return "Total\n" + n; },
  };
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const auto& way = ways[rng.below(ways.size())];
    const bool decimals = rng.chance(0.5);
    std::vector<std::string> looks;
    std::uint64_t price = 100 + rng.below(900);
    for (int i = 0; i < 3; ++i) {
      price += rng.below(50);
      const std::string number =
          std::to_string(price) + (decimals ? "." + two_digits(rng.below(100)) : "");
      looks.push_back("Shop\nShirt\n" + way(number) + "\ncsrf " + random_of(rng, hex_digits, 32) +
                      "\nImprint");
    }
    const Noise noise = find(looks);
    for (const Mask& mask : noise.masks) EXPECT_NE(mask.kind, TokenKind::number) << to_text(mask);
    EXPECT_EQ(noise.explained, way("") == way("") &&
                                   looks[0].substr(0, looks[0].find("csrf")) ==
                                       looks[1].substr(0, looks[1].find("csrf")) &&
                                   looks[1].substr(0, looks[1].find("csrf")) ==
                                       looks[2].substr(0, looks[2].find("csrf")));
  }
}

TEST(Masks, bare_prices_and_versions_are_known_by_their_form) {
  EXPECT_TRUE(find({"Shirt blue 99.90 now here", "Shirt blue 94.90 now here"}).masks.empty());
  EXPECT_TRUE(find({"Pollux 1.2.3 is out now", "Pollux 1.2.4 is out now"}).masks.empty());
}

TEST(Masks, under_a_number_rule_no_number_is_masked) {
  const std::vector<std::string> looks = {"visitor number 17 today", "visitor number 18 today",
                                          "visitor number 19 today"};
  EXPECT_EQ(find(looks).masks.size(), 1u);
  EXPECT_TRUE(find(looks, Looks::twins, true).masks.empty());
}

TEST(Masks, numbers_have_to_differ_in_every_pair_of_looks) {
  EXPECT_TRUE(find({"read 17 times", "read 18 times", "read 18 times"}).masks.empty());
  EXPECT_TRUE(find({"read 17 times", "read 18 times", "read 17 times"}).masks.empty());
  EXPECT_TRUE(find({"read 17 times", "read 18 times", "read 19 times"}).explained);
}

TEST(Masks, dates_have_to_differ_in_every_pair_of_looks_and_random_tokens_in_one) {
  EXPECT_TRUE(
      find({"on 2026-12-10 there", "on 2026-12-11 there", "on 2026-12-11 there"}).masks.empty());
  EXPECT_TRUE(find({"at 12:30:01 there", "at 12:30:02 there", "at 12:30:01 there"}).masks.empty());
  EXPECT_TRUE(
      find({"id 9f86d081884c7d65 x", "id 9f86d081884c7d66 x", "id 9f86d081884c7d66 x"}).explained);
}

TEST(Masks, tell_whether_what_they_hide_is_what_it_was) {
  const std::vector<Mask> masks = {{TokenKind::number, {"read"}, {"times"}},
                                   {TokenKind::lines, {"top"}, {"bottom"}},
                                   {TokenKind::age, {"posted"}, {}}};
  const auto shown = [&](const std::string& number, const std::string& line) {
    return extract::apply(masks, "read " + number + " times\ntop\n" + line + "\nbottom\n").shown;
  };
  const std::vector<Shown> first = shown("17", "buy"), same = shown("17", "buy"),
                           other = shown("18", "sell");
  ASSERT_EQ(first.size(), 3u);
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_NE(first[i].mark, 0u);
    EXPECT_EQ(first[i].mark, same[i].mark);
    EXPECT_NE(first[i].mark, other[i].mark);
  }
  EXPECT_EQ(first[2].mark, 0u) << "it is nowhere";
}

TEST(Masks, tell_how_long_what_they_hide_may_stay) {
  const auto stays = [](TokenKind kind, const std::string& value) {
    return extract::apply(std::vector<Mask>{{kind, {"posted"}, {}}}, "posted " + value + " here")
        .shown.front()
        .stays;
  };
  EXPECT_EQ(stays(TokenKind::number, "17"), 0s);
  EXPECT_EQ(stays(TokenKind::age, "3 hours ago"), 1h);
  EXPECT_EQ(stays(TokenKind::date, "2026-12-10"), 24h);
  EXPECT_EQ(stays(TokenKind::time, "12:30"), 1min);
  EXPECT_EQ(stays(TokenKind::datetime, "2026-12-10 12:30:05"), 1s);
}

// Whatever the page shows next would be hidden.
TEST(Masks, nothing_is_masked_that_has_no_context) {
  EXPECT_TRUE(find({"12", "13", "14"}).masks.empty());
  EXPECT_TRUE(find({"2026-12-10", "2026-12-11", "2026-12-12"}).masks.empty());
  EXPECT_TRUE(find({"9f86d081884c7d65", "9f86d081884c7d66"}).masks.empty());
  EXPECT_TRUE(find({"12 13", "14 15", "16 17"}).masks.empty()) << "numbers are no context";
  const std::vector<Mask> bare = {{.kind = TokenKind::number, .before = {}, .after = {}}};
  EXPECT_EQ(extract::apply(bare, "12 of 13").text, "12 of 13");
}

TEST(Masks, a_context_that_is_there_twice_gives_no_mask) {
  const auto with = [](const std::string& number) {
    const std::string line = " readers have seen it " + number + " times in all since then";
    return line + "\nmore:" + line;
  };
  EXPECT_TRUE(find({with("12"), with("13"), with("14")}).masks.empty());
}

TEST(Masks, a_new_mask_beside_an_old_one_fits_raw_and_masked_text) {
  const auto shown = [](const std::string& views, const std::string& age) {
    return "Story of the day\n" + views + " views · " + age + "\nImprint Privacy Contact";
  };
  Noise old = find({shown("12345", "3 minutes ago"), shown("12346", "3 minutes ago"),
                    shown("12347", "3 minutes ago")});
  ASSERT_EQ(old.masks.size(), 1u);
  std::vector<std::string> looks;
  for (const char* age : {"3 minutes ago", "4 minutes ago", "5 minutes ago"})
    looks.push_back(extract::apply(old.masks, shown("12350", age)).text);
  const Noise added = find(looks);
  ASSERT_TRUE(added.explained);
  ASSERT_EQ(added.masks.size(), 1u);
  std::vector<Mask> both = old.masks;
  both.push_back(added.masks.front());
  const Masked raw = extract::apply(both, shown("777", "9 hours ago"));
  EXPECT_EQ(raw.matched, (std::vector<bool>{true, true}));
  EXPECT_EQ(raw.text, extract::apply(added.masks, looks.front()).text);
  EXPECT_EQ(extract::apply(both, raw.text).text, raw.text) << "a second time changes nothing";
}

TEST(Masks, lines_that_are_masked_are_no_neighbours) {
  const std::vector<std::string> looks = {"The title\n‹lines›\nread 17 times",
                                          "The title\n‹lines›\nread 18 times",
                                          "The title\n‹lines›\nread 19 times"};
  const Noise noise = find(looks);
  ASSERT_EQ(noise.masks.size(), 1u);
  EXPECT_EQ(noise.masks[0].before, std::vector<std::string>{"read"});
}

TEST(Masks, what_is_masked_in_one_look_only_gives_no_mask) {
  EXPECT_TRUE(find({"read ‹number› times", "read 18 times", "read 19 times"}).masks.empty());
}

TEST(Masks, every_mask_that_is_found_can_be_read_back_however_long_its_neighbours) {
  const std::string endless(5000, 'w'), odd(900, '|');
  const auto with = [&](const std::string& number) {
    return "start " + endless + " here " + number + " there " + endless + " " + odd + " end";
  };
  const Noise noise = find({with("17"), with("18"), with("19")});
  ASSERT_EQ(noise.masks.size(), 1u);
  EXPECT_TRUE(noise.explained);
  EXPECT_LE(to_text(noise.masks[0]).size(), 4096u);
  EXPECT_EQ(mask_from_text(to_text(noise.masks[0])), noise.masks[0]);
}

TEST(Masks, a_word_that_differs_is_no_noise_that_can_be_masked) {
  const Noise noise = find({"ad: buy shoes", "ad: buy books", "ad: buy cars"});
  EXPECT_TRUE(noise.masks.empty());
  EXPECT_FALSE(noise.explained);
}

TEST(Masks, what_can_be_masked_is_even_where_something_else_differs) {
  const Noise noise = find({"time now 12:00:01 here today\nad: buy shoes",
                            "time now 12:00:02 here today\nad: buy books"});
  EXPECT_EQ(noise.masks.size(), 1u);
  EXPECT_FALSE(noise.explained);
}

TEST(Masks, a_list_in_another_order_gives_no_mask) {
  std::vector<std::string> looks;
  for (const char* order : {"312", "231", "123"}) {
    std::string text = "List";
    for (const char* c = order; *c != '\0'; ++c)
      text += std::string("\nitem ") + *c + " of the list";
    looks.push_back(text + "\nend");
  }
  EXPECT_TRUE(find(looks).masks.empty());
}

TEST(Masks, versions_show_times_and_never_numbers_or_tokens) {
  const std::vector<std::string> clock = {"Updated 12:30 by us", "Updated 12:45 by us",
                                          "Updated 13:10 by us"};
  const int half_past = 12 * hour + 30 * minute;
  EXPECT_TRUE(runs(clock, {half_past, half_past + 15 * minute, half_past + 40 * minute}));
  EXPECT_FALSE(runs({clock[0], clock[1]}, {half_past, half_past + 15 * minute}));
  EXPECT_TRUE(find(clock, Looks::versions).masks.empty()) << "when were they seen?";
  const std::vector<std::string> ages = {"Updated 3 minutes ago by us", "Updated 1 hour ago by us",
                                         "Updated yesterday by us"};
  EXPECT_TRUE(find(ages, Looks::versions).explained);
  EXPECT_TRUE(find({ages[0], ages[1]}, Looks::versions).masks.empty()) << "two are not enough";
  EXPECT_TRUE(find({"n 17 x", "n 18 x", "n 19 x"}, Looks::versions).masks.empty());
  EXPECT_TRUE(find({"id 9f86d081884c7d65 x", "id 9f86d081884c7d66 x", "id 9f86d081884c7d67 x"},
                   Looks::versions)
                  .masks.empty());
}

TEST(Masks, what_runs_with_the_clock_is_masked_in_every_form) {
  const int t = 14 * hour + 18 * minute;
  const std::vector<int> seen = {t + 1, t + 600, t + 1500};
  EXPECT_TRUE(runs({"Now 14:18:00 here", "Now 14:28:00 here", "Now 14:42:59 here"}, seen));
  EXPECT_TRUE(runs({"Now 15:18 here", "Now 15:28 here", "Now 15:43 here"}, seen)) << "in Berlin";
  EXPECT_TRUE(runs({"Now 7:48 pm here", "Now 7:58 pm here", "Now 8:13 pm here"}, seen)) << "Delhi";
  EXPECT_TRUE(runs({"Now 15:18 CET here", "Now 15:28 CET here", "Now 15:43 CET here"}, seen));
  EXPECT_TRUE(runs({"Made 2026-12-01T14:18:00Z here", "Made 2026-12-01T14:28:00Z here",
                    "Made 2026-12-01T14:43:00Z here"},
                   seen));
  EXPECT_TRUE(runs(
      {"Made Tue, 01 Dec 2026 16:18:00 +0200 here", "Made Tue, 01 Dec 2026 16:28:00 +0200 here",
       "Made Tue, 01 Dec 2026 16:43:00 +0200 here"},
      seen));
  EXPECT_TRUE(runs(
      {"Made 20261201T141800Z here", "Made 20261201T142800Z here", "Made 20261201T144300Z here"},
      seen));
  const std::vector<int> days = {t, t + day, t + 3 * day};
  EXPECT_TRUE(
      runs({"As of 2026-12-01 here", "As of 2026-12-02 here", "As of 2026-12-04 here"}, days));
  EXPECT_TRUE(runs(
      {"As of 1. Dezember 2026 here", "As of 2. Dezember 2026 here", "As of 4. Dezember 2026 here"},
      days));
  EXPECT_TRUE(runs({"As of 12/1/2026 here", "As of 12/2/2026 here", "As of 12/4/2026 here"}, days));
  EXPECT_TRUE(
      runs({"Now 23:59 here", "Now 00:00 here", "Now 00:02 here"}, {day - 30, day + 30, day + 130}))
      << "over midnight";
}

TEST(Masks, a_date_or_time_that_does_not_run_with_the_clock_is_news) {
  const int t = 9 * hour + 20 * minute;
  const std::vector<int> hours = {t, t + 2 * hour, t + 5 * hour};
  EXPECT_FALSE(runs({"Doors open at 20:15:00 today", "Doors open at 21:15:00 today",
                     "Doors open at 22:15:00 today"},
                    hours));
  EXPECT_FALSE(runs(
      {"extended to 2026-12-10 now", "extended to 2026-12-15 now", "extended to 2026-12-20 now"},
      {t, t + day, t + 2 * day}));
  const int u = 14 * hour + 5 * minute;
  EXPECT_FALSE(runs({"departs at 14:18 here", "departs at 14:33 here", "departs at 14:48 here"},
                    {u, u + 15 * minute, u + 30 * minute}));
  EXPECT_FALSE(runs({"departs at 14:20 here", "departs at 14:35 here", "departs at 14:50 here"},
                    {u, u + 15 * minute, u + 30 * minute}))
      << "always a quarter of an hour ahead";
  EXPECT_FALSE(runs({"Now 14:05 here", "Now 14:20 here", "Now 15:35 here"},
                    {u, u + 15 * minute, u + 30 * minute}))
      << "not in one time zone";
  EXPECT_FALSE(runs({"Now 15:05 UTC here", "Now 15:20 UTC here", "Now 15:35 UTC here"},
                    {u, u + 15 * minute, u + 30 * minute}))
      << "nor in the one it names";
  EXPECT_FALSE(runs({"on 2026-02-30 here", "on 2026-02-31 here", "on 2026-04-31 here"}, hours));
}

TEST(Masks, an_age_grows_no_faster_than_time) {
  const std::vector<int> seen = {0, 2 * minute, 10 * minute};
  EXPECT_TRUE(runs(
      {"seen 3 minutes ago by us", "seen 5 minutes ago by us", "seen 13 minutes ago by us"}, seen));
  EXPECT_TRUE(
      runs({"seen 3 minutes ago by us", "seen just now by us", "seen 8 minutes ago by us"}, seen))
      << "begun anew";
  EXPECT_TRUE(
      runs({"vor 59 Minuten von uns", "vor 1 Stunde von uns", "vor 2 Minuten von uns"}, seen));
  EXPECT_FALSE(runs(
      {"seen 3 minutes ago by us", "seen 5 minutes ago by us", "seen 2 years ago by us"}, seen));
}

TEST(Masks, equal_looks_need_none) {
  const Noise noise = find({"same", "same"});
  EXPECT_TRUE(noise.explained);
  EXPECT_TRUE(noise.masks.empty());
}

TEST(Masks, white_space_that_differs_is_not_explained) {
  EXPECT_FALSE(find({"at 12:00:01 here", "at  12:00:02 here"}).explained);
}

TEST(Masks, there_are_never_more_than_64) {
  std::vector<std::string> looks(3);
  Rng rng(1);
  for (int i = 0; i < 500; ++i) {
    const std::string name = "w" + std::to_string(i) + "x";
    for (std::string& look : looks)
      look += name + " " + random_of(rng, hex_digits, 32) + " " + name + "y\n";
  }
  const Noise noise = find(looks);
  EXPECT_EQ(noise.masks.size(), 64u);
  EXPECT_FALSE(noise.explained);
}

TEST(Masks, a_text_of_a_mask_is_one_line_and_can_be_read_back) {
  const Mask mask{
      .kind = TokenKind::time, .before = {"|", "100%", "a b"}, .after = {"#", "##", "\n\xff€"}};
  const std::string text = to_text(mask);
  EXPECT_EQ(text, "time %7c 100%25 a%20b | # ## %0a\xff€");
  EXPECT_EQ(mask_from_text(text), mask);
  const Mask bare{.kind = TokenKind::uuid, .before = {}, .after = {}};
  EXPECT_EQ(to_text(bare), "uuid |");
  EXPECT_EQ(mask_from_text("uuid |"), bare);
  for (const char* bad : {"", "time", "clock |", "time a b c d e f g |", "time | | x", "time %zz |",
                          "time  |", "time | ", "time %7 |", " time |", "time a%4 |"}) {
    EXPECT_FALSE(mask_from_text(bad)) << bad;
  }
}

TEST(Masks, names_of_kinds_are_read_back) {
  for (const TokenKind kind :
       {TokenKind::uuid, TokenKind::datetime, TokenKind::time, TokenKind::date, TokenKind::age,
        TokenKind::hex, TokenKind::base64, TokenKind::number}) {
    EXPECT_EQ(token_kind_of(name_of(kind)), kind);
  }
  EXPECT_FALSE(token_kind_of("word"));
}

// Whatever the looks are, `explained` tells the truth, and a mask comes back from its text.
TEST(Masks, random_looks_keep_the_promises) {
  const std::vector<std::string> parts = {
      "Updated",           "12:30", "17",      "99.90",         "€",          "#", "\n",
      "ab12cd34ef",        "Price", "<a?b=1>", "3 minutes ago", "2025-05-12", "x", "\xff",
      "k7XHq3sVb0aZ9tLm2P"};
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    std::vector<std::string> looks(2 + rng.below(2));
    for (std::uint64_t i = rng.below(30); i > 0; --i) {
      const std::string part = parts[rng.below(parts.size())];
      const bool noisy = rng.chance(0.2);
      for (std::string& look : looks) {
        look += noisy ? random_of(rng, rng.chance(0.5) ? "0123456789" : hex_digits, 12) : part;
        look += " ";
      }
    }
    const Noise noise = find(looks);
    std::vector<std::string> masked;
    for (const std::string& look : looks) masked.push_back(extract::apply(noise.masks, look).text);
    bool equal = true;
    for (const std::string& text : masked) equal = equal && text == masked[0];
    EXPECT_EQ(noise.explained, equal);
    for (const Mask& mask : noise.masks) {
      EXPECT_EQ(mask_from_text(to_text(mask)), mask);
      const RE2 pattern(ignore_pattern(mask), RE2::Quiet);
      ASSERT_TRUE(pattern.ok()) << ignore_pattern(mask);
      for (const std::string& look : looks) {
        const std::vector<MaskToken> tokens = mask_tokens(look);
        int places = 0;
        for (std::size_t i = 0; i < tokens.size(); ++i) places += matches(mask, tokens, i) ? 1 : 0;
        EXPECT_EQ(places, 1);
        EXPECT_TRUE(RE2::PartialMatch(look, pattern)) << ignore_pattern(mask) << "\n" << look;
      }
    }
  }
}

}  // namespace
}  // namespace pollux::extract

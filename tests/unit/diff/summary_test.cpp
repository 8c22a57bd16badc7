#include "pollux/diff/diff.hpp"
#include "random_text.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pollux::diff {
namespace {

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80 ? 1 : 0;
  return count;
}

TEST(Summary, one_place_is_told_with_what_stands_before_it) {
  EXPECT_EQ(summary("Blue shirt\nprice 99.90\nin stock", "Blue shirt\nprice 94.90\nin stock"),
            "price 99.90 → 94.90");
  EXPECT_EQ(summary("the best price: 99.90 € today", "the best price: 94.90 € today"),
            "best price: 99.90 → 94.90");
}

TEST(Summary, a_number_alone_is_told_with_its_neighbours) {
  EXPECT_EQ(summary("Title\n10 comments so far\nend", "Title\n11 comments so far\nend"),
            "10 → 11 comments so");
  EXPECT_EQ(summary("Comments\n10\nend of it", "Comments\n11\nend of it"), "Comments: 10 → 11");
  EXPECT_EQ(summary("In stock:\n\n10", "In stock:\n\n11"), "In stock: 10 → 11");
  EXPECT_EQ(summary("10", "11"), "10 → 11") << "there is nothing else";
}

TEST(Summary, lines_of_json_that_are_not_compared_are_in_no_place) {
  const auto text = [](const std::string& quantity) {
    return "{\n  \"cache\": {\n    \"age\": ‹number›,\n‹lines›\n  },\n  \"items\": [\n    {\n      "
           "\"qty\": " +
           quantity + "\n    }\n  ],\n‹lines›\n  \"z\": 1\n}";
  };
  EXPECT_EQ(summary(text("82"), text("55"), Form::json), "items[0].qty: 82 → 55");
}

TEST(Summary, a_number_behind_another_is_told_with_what_it_counts) {
  const auto told = [](const std::string& line, const std::string& now) {
    return summary("Title\n" + line + "\nend", "Title\n" + now + "\nend");
  };
  EXPECT_EQ(told("4.6 of 5 stars, 218 ratings", "4.6 of 5 stars, 225 ratings"),
            "5 stars, 218 → 225 ratings");
  EXPECT_EQ(told("Posted on 3 October, 5 minutes ago", "Posted on 3 October, 6 minutes ago"),
            "3 October, 5 → 6 minutes");
  EXPECT_EQ(told("211 likes · 17 comments", "213 likes · 18 comments"),
            "211 → 213 likes ·; likes · 17 → 18 comments");
  EXPECT_EQ(told("211 claps, 17 replies, 40 reads", "213 claps, 18 replies, 40 reads"),
            "211 → 213 claps; claps, 17 → 18 replies");
  EXPECT_EQ(told("Queue A — 99.90% uptime", "Queue A — 99.93% uptime"),
            "A — 99.90% → 99.93% uptime");
  EXPECT_EQ(told("total price 99 EUR now", "total price 94 EUR now"), "total price 99 → 94");
  EXPECT_EQ(told("4.6 of 5 stars, 218 (new)", "4.6 of 5 stars, 225 (new)"), "5 stars, 218 → 225");
}

TEST(Summary, a_value_of_json_is_told_with_its_path) {
  const std::string before =
      "{\n  \"items\": [\n    {\n      \"qty\": 1\n    },\n    {\n      \"qty\": 82,\n      "
      "\"z\": 1\n    }\n  ],\n  \"status\": \"ok\"\n}";
  std::string after = before;
  after.replace(after.find("82"), 2, "55");
  EXPECT_EQ(summary(before, after, Form::json), "items[1].qty: 82 → 55");
  after.replace(after.find("\"ok\""), 4, "\"down\"");
  EXPECT_EQ(summary(before, after, Form::json), "items[1].qty: 82 → 55; status: ok → down");
}

TEST(Summary, a_value_of_json_is_told_with_the_name_of_its_object) {
  const std::string before =
      "{\n  \"components\": [\n    {\n      \"id\": 7,\n      \"name\": \"API\",\n      "
      "\"status\": "
      "\"operational\"\n    },\n    {\n      \"id\": 8,\n      \"status\": \"operational\"\n    "
      "}\n  "
      "]\n}";
  std::string after = before;
  after.replace(after.find("operational"), 11, "outage");
  EXPECT_EQ(summary(before, after, Form::json), "components[0].status (API): operational → outage");
  after = before;
  after.replace(after.rfind("operational"), 11, "outage");
  EXPECT_EQ(summary(before, after, Form::json),
            "components[1].status (id 8): operational → outage");
}

TEST(Summary, results_of_a_filter_are_numbered_where_there_are_several) {
  EXPECT_EQ(
      summary("{\n  \"id\": 1,\n  \"qty\": 82\n}\n{\n  \"id\": 2,\n  \"qty\": 3\n}",
              "{\n  \"id\": 1,\n  \"qty\": 82\n}\n{\n  \"id\": 2,\n  \"qty\": 4\n}", Form::json),
      "[1].qty (id 2): 3 → 4");
  EXPECT_EQ(summary("82", "55", Form::json), "82 → 55");
}

TEST(Summary, of_a_long_text_in_json_the_words_that_differ_are_told) {
  const std::string head = "A long text whose first words stay the same however often it is read, ";
  const std::string tail = " and whose last words stay the same as well, however long it may be.";
  const auto told = [&](const std::string& before, const std::string& after) {
    const auto text = [&](const std::string& middle) {
      return "{\n  \"text\": \"" + head + middle + tail + "\"\n}";
    };
    return summary(text(before), text(after), Form::json);
  };
  EXPECT_EQ(told("open today", "closed today"), "text: read, open → read, closed");
  EXPECT_EQ(told("über", "üben"), "text: read, über → read, üben");
  EXPECT_EQ(told("one", "one two"), "text: one → one two");
  EXPECT_EQ(told("one two", "one"), "text: one two → one");
}

TEST(Summary, what_came_and_went_in_json_has_a_sign_and_a_comma_is_no_change) {
  EXPECT_EQ(summary("{\n  \"a\": 1\n}", "{\n  \"a\": 1,\n  \"b\": \"x y\"\n}", Form::json),
            "+b: x y");
  EXPECT_EQ(summary("{\n  \"a\": 1,\n  \"b\": 2\n}", "{\n  \"a\": 1\n}", Form::json), "−b: 2");
}

TEST(Summary, entries_that_only_moved_are_told_as_another_order) {
  const std::string a = "First\nhttp://x/1\n", b = "Second\nhttp://x/2\n",
                    c = "Third\nhttp://x/3\n";
  EXPECT_EQ(summary(a + "\n" + b + "\n" + c, c + "\n" + a + "\n" + b, Form::feed),
            "another order, first: Third");
  EXPECT_EQ(summary(a + "\n" + b, c + "\n" + b + "\n" + a, Form::feed), "new: Third");
}

TEST(Summary, entries_of_a_feed_are_told_by_their_titles) {
  const std::string a = "First\nhttps://e.example/1\nid: 1\nOld text\n";
  const std::string b = "Second\nhttps://e.example/2\nid: 2\nThe price is 9 now\n";
  const std::string c = "Third\nhttps://e.example/3\nid: 3\nMore\n";
  EXPECT_EQ(summary(a + "\n" + b, c + "\n" + a + "\n" + b, Form::feed), "new: Third");
  EXPECT_EQ(summary(b + "\n" + a, c + "\n" + b, Form::feed), "new: Third; gone: First");
  std::string edited = b;
  edited.replace(edited.find("9 now"), 5, "8 now");
  EXPECT_EQ(summary(a + "\n" + b, a + "\n" + edited, Form::feed),
            "edited: Second (price is 9 → 8)");
}

TEST(Summary, a_few_places_are_told_one_after_the_other) {
  EXPECT_EQ(
      summary("price 99.90\nmany other words\nstock 3", "price 94.90\nmany other words\nstock 2"),
      "price 99.90 → 94.90; stock 3 → 2");
}

TEST(Summary, what_is_only_added_or_removed_has_a_sign) {
  EXPECT_EQ(summary("in stock", "in stock only 3 left"), "in stock +only 3 left");
  EXPECT_EQ(summary("one\ntwo three\nfour", "one\nfour"), "−two three");
  EXPECT_EQ(summary("", "hello"), "+hello");
}

TEST(Summary, more_than_that_is_counted_in_lines_and_the_first_words_are_shown) {
  const std::string before = "News\nan old story that has gone from the page now\nImprint";
  const std::string after =
      "News\nfirst new story with all of its many words here\nsecond new story\nImprint";
  EXPECT_EQ(summary(before, after),
            "+2 −1 lines: first new story with all of its many words here / second new story");
}

TEST(Summary, words_come_before_numbers_where_there_is_much_to_tell) {
  std::string before = "A thread\n", after = before;
  for (int post = 0; post < 60; ++post) {
    const std::string words = "what somebody wrote\n";
    before += words + std::to_string(100 + post) + "\n";
    after += words + std::to_string(200 + post) + "\n";
  }
  const std::string text =
      summary(before, after + "the newest answer to all of that, in many words");
  EXPECT_NE(text.find("the newest answer"), std::string::npos) << text;
  EXPECT_NE(text.find("200; 201"), std::string::npos) << text;
}

TEST(Summary, may_stand_behind_a_reason) {
  EXPECT_EQ(with_reason("below 100: 94.9", "price 105.00 → 94.90"),
            "below 100: 94.9 (price 105.00 → 94.90)");
  EXPECT_EQ(with_reason("105 → 94.9", "price 105.00 → 94.90"), "price 105.00 → 94.90");
  EXPECT_EQ(with_reason("", "price 105.00 → 94.90"), "price 105.00 → 94.90");
  EXPECT_EQ(with_reason("below 100: 94.9", ""), "below 100: 94.9");
  EXPECT_EQ(characters(with_reason(std::string(150, 'r'), std::string(150, 's'))), 200u);
}

TEST(Summary, white_space_is_said_to_be_that) {
  EXPECT_EQ(summary("a b", "a  b"), "white space");
  EXPECT_EQ(summary("a", "a"), "");
}

TEST(Summary, it_is_cut_between_characters) {
  std::string euros = "+";
  for (int i = 0; i < 300; ++i) euros += "€";
  const std::string text = summary("", euros);
  EXPECT_EQ(characters(text), 200u);
  EXPECT_TRUE(text.ends_with("€…")) << text;
}

TEST(Summary, exactly_200_characters_are_not_cut) {
  EXPECT_EQ(summary("", std::string(199, 'x')), "+" + std::string(199, 'x'));
  EXPECT_EQ(characters(summary("", std::string(200, 'x'))), 200u);
}

TEST(Summary, control_characters_are_made_visible) {
  EXPECT_EQ(summary("a", std::string("a \x1b[31mred\x07")), "a +\\x1b[31mred\\x07");
}

TEST(Summary, any_texts_give_one_short_line) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    std::string a = random_text(rng, rng.below(100), 40);
    std::string b = edited(rng, a, static_cast<int>(rng.below(8)));
    for (int i = 0; i < 5; ++i)
      b.insert(rng.below(b.size() + 1), 1, static_cast<char>(rng.below(256)));
    for (const Form form : {Form::text, Form::json, Form::feed}) {
      const std::string text = summary(a, b, form);
      EXPECT_FALSE(text.empty());
      EXPECT_LE(characters(text), 200u);
      EXPECT_EQ(text.find('\n'), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace pollux::diff

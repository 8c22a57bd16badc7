// A look that goes on with what an agent has extracted finds what it would have found itself.
#include "engine/known_texts.hpp"
#include "engine/look.hpp"
#include "pollux/agent/worker.hpp"
#include "pollux/extract/packed.hpp"
#include "support/temp_folder.hpp"

#include <gtest/gtest.h>

namespace pollux::engine {
namespace {

class LookFar : public testing::Test {
 protected:
  LookTask task(const std::string& body) {
    LookTask task;
    task.url = task.final_url = task.final_before = "http://a.test/";
    task.content_type = "text/html";
    task.body = body;
    task.rules = rules_;
    task.known = known_;
    return task;
  }
  LookTask far(const std::string& body, bool whole = false) {
    LookTask far =
        task(agent::extract_for_brain({body, "text/html", rules_, known_, whole}).packed);
    far.extracted = true;
    return far;
  }
  static std::string page(const std::string& text) {
    return "<html><title>A page</title><p>Some words that stay</p><p>" + text + "</p>";
  }

  test::TempFolder folder_;
  KnownTexts texts_{folder_.file("a.db")};
  extract::SharedRules rules_ = extract::compile({}).value();
  std::optional<detect::Hash> known_;
};

TEST_F(LookFar, finds_the_same_as_one_at_home) {
  const Look first = look(task(page("one")), texts_);
  known_ = first.hash;
  const Look home = look(task(page("two")), texts_), away = look(far(page("two")), texts_);
  EXPECT_EQ(away.hash, home.hash);
  EXPECT_EQ(away.text, home.text);
  EXPECT_EQ(away.traits, home.traits);
  EXPECT_EQ(away.as, home.as);
  EXPECT_EQ(away.summary, home.summary);
  EXPECT_EQ(away.words_added, 1);
  EXPECT_FALSE(away.same);
}

TEST_F(LookFar, knows_a_content_that_did_not_travel) {
  known_ = look(task(page("one")), texts_).hash;
  LookTask same = far(page("one") + "<!-- other bytes -->");
  EXPECT_LT(same.body.size(), 200u);
  const Look seen = look(std::move(same), texts_);
  EXPECT_TRUE(seen.same);
  EXPECT_FALSE(seen.dropped);
  EXPECT_EQ(seen.hash, known_);
  EXPECT_EQ(seen.as, extract::As::text);
  EXPECT_TRUE(seen.readable);
  EXPECT_NE(seen.traits, "");
}

// It was left where it was found; what is known here need not come.
TEST_F(LookFar, takes_content_that_was_put_aside_from_what_is_known_or_asks_for_it) {
  const std::string more = " and so much more that it is worth an errand of its own, if only just";
  const Look first = look(task(page("one" + more)), texts_);
  known_ = first.hash;
  const Look home = look(task(page("two" + more)), texts_);
  const auto put_aside = [&](const std::string& text) {
    agent::Extraction extraction{page(text), "text/html", rules_, known_, false};
    extraction.hash_first = true;
    const agent::Extracted found = agent::extract_for_brain(extraction);
    LookTask far = task(found.packed);
    far.extracted = true;
    if (found.aside) far.left_there = found.aside->hash;
    return far;
  };
  EXPECT_TRUE(look(put_aside("one" + more), texts_).same);
  const Look away = look(put_aside("two" + more), texts_);
  EXPECT_FALSE(away.wants_content);
  EXPECT_EQ(away.content_known, true);
  EXPECT_EQ(away.text, home.text);
  EXPECT_EQ(away.summary, home.summary);
  EXPECT_EQ(away.traits, home.traits);

  LookTask unknown = put_aside("three" + more);
  const detect::Hash hash = *unknown.left_there;
  const Look asks = look(std::move(unknown), texts_);
  ASSERT_TRUE(asks.wants_content);
  EXPECT_FALSE(asks.failure || asks.dropped || asks.suspicion);
  const std::string content = "A page\nSome words that stay\nthree" + more;
  asks.wants_content->brought =
      std::make_shared<CountedBytes>(std::make_shared<ByteRoom>(1u << 20), ByteRoom::Name{1});
  asks.wants_content->brought->add(content);
  const Look brought = look(std::move(*asks.wants_content), texts_);
  EXPECT_EQ(brought.text, content);
  EXPECT_FALSE(brought.content_known) << "it was asked for: that has been learnt";
  EXPECT_NE(hash, home.hash);
}

TEST_F(LookFar, tells_whether_content_that_came_at_once_was_known) {
  known_ = look(task(page("one")), texts_).hash;
  EXPECT_EQ(look(far(page("two")), texts_).content_known, false);
  EXPECT_EQ(look(far(page("two")), texts_).content_known, true);
  EXPECT_FALSE(look(far(page("one")), texts_).content_known) << "it did not come";
}

TEST_F(LookFar, understands_what_was_found_in_a_rendered_page) {
  extract::Rules rules;
  rules.render = true;
  rules_ = extract::compile(rules).value();
  const std::string packed = extract::pack(rules);
  ASSERT_EQ(extract::unpack_rules(packed), rules);
  const Look seen = look(far(page("one")), texts_);
  EXPECT_FALSE(seen.dropped);
  EXPECT_EQ(seen.as, extract::As::text);
}

TEST_F(LookFar, says_nothing_of_rules_that_hold_no_more) {
  LookTask old = far(page("one"));
  extract::Rules others;
  others.as = extract::As::html;
  old.rules = extract::compile(others).value();
  EXPECT_TRUE(look(std::move(old), texts_).dropped);
}

TEST_F(LookFar, says_nothing_of_a_content_that_is_known_no_more) {
  known_ = look(task(page("one")), texts_).hash;
  LookTask old = far(page("one"));
  old.known.reset();
  EXPECT_TRUE(look(std::move(old), texts_).dropped);
}

TEST_F(LookFar, reports_a_selector_that_matches_nothing) {
  extract::Rules rules;
  rules.select = {{extract::Selector::Language::css, "#gone"}};
  rules_ = extract::compile(rules).value();
  const Look seen = look(far(page("one")), texts_);
  ASSERT_TRUE(seen.failure);
  EXPECT_EQ(seen.failure->kind, extract::Failure::Kind::selector);
}

TEST_F(LookFar, what_cannot_be_read_is_nothing) {
  LookTask broken = far(page("one"));
  broken.body.resize(broken.body.size() / 2);
  EXPECT_TRUE(look(std::move(broken), texts_).dropped);
}

}  // namespace
}  // namespace pollux::engine

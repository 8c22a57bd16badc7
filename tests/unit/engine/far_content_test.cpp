// Polls whose agents have put content aside: it is brought where it is news, and where it does not
// come the page was not polled.
#include "pollux/agent/worker.hpp"
#include "unit/engine/poll_loop_fixture.hpp"

namespace pollux::engine {
namespace {

const std::string long_tail =
    ", and so much more that it is worth an errand of its own, if only just";

// Has put aside what the test says, and answers when the test says so.
class ContentElsewhere final : public agent::Contents {
 public:
  std::optional<fetch::Remote::Hash> aside(fetch::Token token) const override {
    const auto found = kept.find(token);
    return found != kept.end() ? std::optional(found->second) : std::nullopt;
  }
  void bring(fetch::Token token, Brought brought) override {
    asked.emplace_back(token, std::move(brought));
  }
  void judged(fetch::Token token, agent::Wanted wanted) override {
    kept.erase(token);
    judgements.push_back(wanted);
  }

  std::map<fetch::Token, fetch::Remote::Hash> kept;
  std::vector<std::pair<fetch::Token, Brought>> asked;
  std::vector<agent::Wanted> judgements;
};

class FarContent : public PollLoopTest {
 protected:
  void begin() {
    config_.contents = {rules_};
    watch({"http://a.test/"});
    loop_->use(contents_);
  }
  // What its agent would answer; the text is put aside.
  void poll_far(const std::string& text, bool hash_first = true) {
    const fetch::Request request = next_request();
    agent::Extraction extraction{"<p>" + text + "</p>", "text/html", rules_, {}, false};
    extraction.hash_first = hash_first;
    const agent::Extracted found = agent::extract_for_brain(extraction);
    fetch::Response response = plain(request, 200);
    detect::Digest digest;
    digest.update(extraction.body);
    response.body_hash = digest.finish();
    response.content_type = "text/html";
    response.body_bytes = extraction.body.size();
    response.extracted = true;
    response.kept_body =
        std::make_shared<CountedBytes>(request.keep_in, static_cast<ByteRoom::Name>(request.token));
    response.kept_body->add(found.packed);
    if (found.aside) contents_.kept[request.token] = found.aside->hash;
    respond(std::move(response));
  }
  void bring(const std::optional<std::string>& text) {
    ASSERT_FALSE(contents_.asked.empty());
    auto [token, brought] = std::move(contents_.asked.front());
    contents_.asked.erase(contents_.asked.begin());
    std::shared_ptr<CountedBytes> bytes;
    if (text) {
      bytes = std::make_shared<CountedBytes>(room_, static_cast<ByteRoom::Name>(token));
      bytes->add(*text);
    }
    brought(std::move(bytes));
    for (int i = 0; i < 5000 && hashing_ > 0; ++i) {
      io_.restart();
      io_.run_one_for(10ms);
    }
    settle();
  }

  // So that what differs next is believed.
  void settle_on(const std::string& text) {
    for (int i = 0; i < 10; ++i) poll_far(text);
  }

  ContentElsewhere contents_;
  extract::SharedRules rules_ = extract::compile({}).value();
  std::shared_ptr<ByteRoom> room_ = std::make_shared<ByteRoom>(1u << 20);
};

TEST_F(FarContent, that_is_news_is_brought_and_a_change_is_found) {
  begin();
  poll_far("one" + long_tail);
  EXPECT_EQ(stored("http://a.test/").progress.polls, 0) << "it is on its way";
  bring("one" + long_tail);
  EXPECT_EQ(stored("http://a.test/").progress.polls, 1);
  settle_on("one" + long_tail);
  poll_far("two" + long_tail);
  EXPECT_TRUE(changes().empty());
  bring("two" + long_tail);
  EXPECT_EQ(changes().size(), 1u);
}

TEST_F(FarContent, that_is_known_is_not_brought) {
  begin();
  poll_far("one" + long_tail);
  bring("one" + long_tail);
  settle_on("one" + long_tail);
  EXPECT_TRUE(contents_.asked.empty());
  poll_far("two" + long_tail);
  bring("two" + long_tail);
  settle_on("two" + long_tail);
  contents_.judgements.clear();
  poll_far("one" + long_tail);
  poll_far("two" + long_tail, false);
  EXPECT_TRUE(contents_.asked.empty());
  using agent::Wanted;
  EXPECT_EQ(contents_.judgements, (std::vector{Wanted::no, Wanted::no}));
  poll_far("three" + long_tail, false);
  EXPECT_EQ(contents_.judgements.back(), Wanted::yes);
}

TEST_F(FarContent, that_does_not_come_is_no_poll_and_the_page_is_polled_once_more) {
  begin();
  poll_far("one" + long_tail);
  bring("one" + long_tail);
  settle_on("one" + long_tail);
  const std::int64_t polls = stored("http://a.test/").progress.polls;
  poll_far("two" + long_tail);
  bring({});
  const store::PageProgress page = stored("http://a.test/").progress;
  EXPECT_EQ(page.polls, polls);
  EXPECT_EQ(page.errors, 0);
  EXPECT_EQ(page.last_error, "");
  EXPECT_TRUE(changes().empty());
  poll_far("two" + long_tail, false);
  EXPECT_EQ(changes().size(), 1u) << "no change is lost";
}

TEST_F(FarContent, of_a_page_that_is_removed_meanwhile_is_dropped) {
  begin();
  poll_far("one" + long_tail);
  ASSERT_EQ(contents_.asked.size(), 1u);
  loop_->forget(PageSlot{0});
  bring({});
  EXPECT_TRUE(contents_.asked.empty());
}

TEST_F(FarContent, that_does_not_come_lets_a_stop_go_on) {
  begin();
  poll_far("one" + long_tail);
  bool idle = false;
  loop_->stop([&] { idle = true; });
  settle();
  bring({});
  for (const fetch::Request& request : fetcher_.requests) {
    fetch::Response response = plain(request, 0);
    response.failure = Failure::cancelled;
    respond(std::move(response));
  }
  settle();
  EXPECT_TRUE(idle);
}

}  // namespace
}  // namespace pollux::engine

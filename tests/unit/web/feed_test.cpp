#include "unit/web/control_fixture.hpp"

namespace pollux::web {
namespace {

class Feed : public ControlTest {
 protected:
  std::string feed(const std::string& query = "") {
    auto client = http::Client::connect(socket_);
    EXPECT_TRUE(client.ok());
    const auto answer = client->ask({.target = "/api/v1/feed.atom" + query});
    EXPECT_TRUE(answer.ok());
    EXPECT_EQ(answer->status, 200u);
    EXPECT_EQ(answer->content_type, "application/atom+xml; charset=utf-8");
    return answer->body;
  }
  void change(const std::string& url, const std::string& summary) {
    const auto reader = store::Reader::open(database_);
    ASSERT_TRUE(reader.ok());
    const auto page = (*reader)->page(url);
    ASSERT_TRUE(page.ok());
    store::PollRecord poll{.page = page->id, .progress = page->progress, .change = {}};
    poll.change = store::ChangeRow{.page = page->id,
                                   .found_at = WallTime(std::chrono::hours(490'002)),
                                   .previous_poll_at = WallTime(std::chrono::hours(490'001)),
                                   .old_hash = "old",
                                   .new_hash = "new",
                                   .url = url,
                                   .summary = summary};
    store::Batch batch;
    batch.polls.push_back(std::move(poll));
    ASSERT_TRUE(store_->write(batch, "htraa").ok());
  }
};

TEST_F(Feed, without_changes_is_a_feed) {
  EXPECT_NE(feed().find("<feed xmlns=\"http://www.w3.org/2005/Atom\">"), std::string::npos);
  EXPECT_EQ(feed().find("<entry>"), std::string::npos);
}

TEST_F(Feed, what_pages_say_is_text) {
  change("https://example.org/a", "<script>alert(1)</script> & \x01");
  const std::string text = feed();
  EXPECT_NE(text.find("<entry>"), std::string::npos);
  EXPECT_EQ(text.find("<script>"), std::string::npos);
  EXPECT_NE(text.find("&lt;script&gt;"), std::string::npos);
  EXPECT_EQ(text.find('\x01'), std::string::npos);
}

TEST_F(Feed, of_a_tag_has_its_pages_only) {
  change("https://example.org/a", "one");
  change("https://example.org/news/two", "two");
  const std::string text = feed("?tag=news");
  EXPECT_NE(text.find("example.org/news/two"), std::string::npos);
  EXPECT_EQ(text.find("example.org/a\""), std::string::npos);
}

}  // namespace
}  // namespace pollux::web

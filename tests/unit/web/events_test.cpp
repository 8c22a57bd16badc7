#include "unit/web/control_fixture.hpp"

#include <thread>

#include <boost/json/array.hpp>

namespace pollux::web {
namespace {

using namespace std::chrono_literals;
using What = engine::Event::What;

class Events : public ControlTest {
 protected:
  http::Client open(const std::string& query = "", const std::string& last = "") {
    auto client = http::Client::connect(socket_);
    EXPECT_TRUE(client.ok());
    http::ClientRequest request{.target = "/api/v1/events" + query};
    if (!last.empty()) request.headers.emplace_back("Last-Event-ID", last);
    const auto head = client->begin_stream(request);
    EXPECT_TRUE(head.ok());
    EXPECT_EQ(head->status, 200u);
    EXPECT_EQ(head->content_type, "text/event-stream");
    return std::move(client).value();
  }
  // What comes until this text is there.
  static std::string until(http::Client& client, const std::string& text) {
    std::string all, piece;
    while (all.find(text) == std::string::npos) {
      if (client.read(piece, 60s) != http::Client::Read::bytes) break;
      all += piece;
    }
    EXPECT_NE(all.find(text), std::string::npos) << all;
    return all;
  }
  void wait_for_readers(std::size_t count) {
    while (steering_.readers() != count) std::this_thread::sleep_for(1ms);
  }
  void find_changes(int count) {
    const auto page = store::Reader::open(database_).value()->page("https://example.org/a");
    store::Batch batch;
    for (int i = 0; i < count; ++i) {
      store::PollRecord poll{.page = page->id, .progress = page->progress, .change = {}};
      poll.change = store::ChangeRow{.page = page->id,
                                     .found_at = WallTime(std::chrono::hours(490'001 + i)),
                                     .old_hash = "old",
                                     .new_hash = "new",
                                     .url = page->spec.url,
                                     .summary = "change " + std::to_string(i + 1) + "!"};
      batch.polls.push_back(std::move(poll));
    }
    ASSERT_TRUE(store_->write(batch, "htraa").ok());
  }
};

TEST_F(Events, come_as_they_happen) {
  http::Client reader = open();
  wait_for_readers(1);
  steering_.happen({.what = What::poll,
                    .url = "https://a/",
                    .text = "same",
                    .detail = "due",
                    .status = 200,
                    .milliseconds = 7});
  EXPECT_NE(until(reader, "\"why\"").find("\"failed\":false"), std::string::npos);
  steering_.happen({.what = What::poll, .url = "https://a/", .text = "HTTP 500", .failed = true});
  EXPECT_NE(until(reader, "HTTP 500").find("\"failed\":true"), std::string::npos);
  steering_.happen({.what = What::change, .url = "https://a/", .text = "+1 word", .id = 5});
  const std::string change = until(reader, "+1 word");
  EXPECT_NE(change.find("event: change\nid: 5\ndata: {"), std::string::npos) << change;
  steering_.happen({.what = What::health, .url = "https://a/", .text = "404", .detail = "failing"});
  EXPECT_NE(until(reader, "failing").find("event: health\ndata: "), std::string::npos);
  steering_.happen({.what = What::gap, .id = 12});
  EXPECT_NE(until(reader, "missed").find("\"missed\":12"), std::string::npos);
}

TEST_F(Events, only_those_that_are_wanted) {
  http::Client reader = open("?what=change,health");
  wait_for_readers(1);
  steering_.happen({.what = What::poll, .url = "https://poll/"});
  steering_.happen({.what = What::change, .url = "https://change/", .id = 1});
  EXPECT_EQ(until(reader, "https://change/").find("https://poll/"), std::string::npos);
}

TEST_F(Events, of_changes_resume_from_the_table_and_no_change_comes_twice) {
  find_changes(300);
  http::Client reader = open("", "2");
  std::string all = until(reader, "change 300!");
  EXPECT_EQ(all.find("change 2!"), std::string::npos);
  EXPECT_NE(all.find("id: 3\n"), std::string::npos);
  steering_.happen({.what = What::change, .url = "https://a/", .text = "again", .id = 300});
  steering_.happen({.what = What::change, .url = "https://a/", .text = "fresh", .id = 301});
  EXPECT_EQ(until(reader, "fresh").find("again"), std::string::npos);
}

TEST_F(Events, without_an_id_only_the_present_is_told) {
  find_changes(3);
  http::Client reader = open();
  wait_for_readers(1);
  steering_.happen({.what = What::change, .url = "https://a/", .text = "now", .id = 4});
  EXPECT_EQ(until(reader, "now").find("change 3!"), std::string::npos);
}

TEST_F(Events, what_a_page_says_cannot_forge_an_event) {
  http::Client reader = open();
  wait_for_readers(1);
  steering_.happen({.what = What::change,
                    .url = "https://a/\n\nevent: forged",
                    .name = "\r\nid: 9",
                    .text = "x\n\nevent: forged\ndata: {}\n\n\xff</script>",
                    .id = 1});
  steering_.happen({.what = What::change, .url = "https://b/", .text = "end", .id = 2});
  const std::string all = until(reader, "https://b/");
  EXPECT_EQ(all.find("\nevent: forged"), std::string::npos) << all;
  EXPECT_EQ(all.find("\nid: 9"), std::string::npos) << all;
}

TEST_F(Events, a_reader_that_leaves_is_forgotten) {
  {
    http::Client reader = open();
    wait_for_readers(1);
  }
  wait_for_readers(0);
  steering_.happen({.what = What::poll, .url = "https://a/"});
  EXPECT_EQ(get("/status").status, 200u);
}

TEST_F(Events, a_reader_that_is_too_slow_stops_neither_the_daemon_nor_others) {
  http::Client slow = open();
  http::Client quick = open("?what=change");
  wait_for_readers(2);
  const std::string long_text(10'000, 'x');
  for (int i = 0; i < 500; ++i)
    steering_.happen({.what = What::poll, .url = "https://a/", .text = long_text});
  steering_.happen({.what = What::change, .url = "https://a/", .text = "heard", .id = 1});
  until(quick, "heard");
  EXPECT_EQ(get("/status").status, 200u);
  until(slow, "heard");
}

TEST_F(Events, end_with_the_daemon) {
  http::Client reader = open();
  wait_for_readers(1);
  control_.reset();
  std::string piece;
  while (reader.read(piece, 60s) == http::Client::Read::bytes) {
  }
  EXPECT_EQ(reader.read(piece, 60s), http::Client::Read::end);
  EXPECT_EQ(steering_.readers(), 0u);
}

TEST_F(Events, head_has_no_body) {
  auto client = http::Client::connect(socket_);
  const auto answer = client->ask({.method = "HEAD", .target = "/api/v1/events"});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->status, 200u);
}

TEST_F(Events, resume_only_behind_a_number) {
  EXPECT_EQ(ask({.target = "/api/v1/events", .headers = {{"Last-Event-ID", "x"}}}).status, 400u);
}

}  // namespace
}  // namespace pollux::web

// What a reload says and does to the list of pages, with the real program.
#include "integration/running_daemon.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"

namespace pollux::test {
namespace {

class Reloads : public RunningDaemon {
 protected:
  Reloads() { origin_.otherwise(serve::page("x")); }
  // Pages from `first` on; those below `changed` with an importance of their own.
  void list(int first, int count, int changed = 0, const std::string& more = "") {
    std::vector<std::string> entries;
    for (int i = first; i < first + count; ++i) {
      const std::string url = origin_.url("/" + std::to_string(i));
      entries.push_back(i < changed ? "{ url: \"" + url + "\", importance: 3 }" : url);
    }
    configure(entries, "100", more);
  }
  Origin origin_;
};

TEST_F(Reloads, say_what_they_did) {
  list(0, 30);
  start();
  ASSERT_TRUE(logged("watching 30 pages"));
  list(5, 32, 8);
  daemon_->send(SIGHUP);
  ASSERT_TRUE(logged("reloaded: 7 pages added, 5 removed, 3 changed; watching 32 pages"))
      << daemon_->text("err");
  daemon_->send(SIGHUP);
  ASSERT_TRUE(logged("reloaded: 0 pages added, 0 removed, 0 changed")) << daemon_->text("err");
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_F(Reloads, that_would_drop_most_of_a_list_are_refused_and_a_start_warns) {
  list(0, 30);
  start();
  ASSERT_TRUE(logged("watching 30 pages"));
  list(0, 10);
  daemon_->send(SIGHUP);
  ASSERT_TRUE(
      logged("reload refused, going on with the old configuration: 20 of 30 pages would be "
             "removed, more than reload.max_removed (50%) allows"))
      << daemon_->text("err");
  const auto state = [&](const std::string& path) {
    return reader()->page(origin_.url(path))->state;
  };
  EXPECT_EQ(state("/29"), "active");
  const std::size_t asked = origin_.requests("/29");
  EXPECT_TRUE(eventually([&] { return origin_.requests("/29") > asked; })) << "it goes on with all";

  list(0, 10, 0, "defaults: { min_interval: 0s }\nreload: { max_removed: 100% }\n");
  daemon_->send(SIGHUP);
  ASSERT_TRUE(logged("reloaded: 0 pages added, 20 removed, 10 changed; watching 10 pages"))
      << daemon_->text("err");
  EXPECT_EQ(state("/29"), "removed");

  list(0, 30);
  daemon_->send(SIGHUP);
  ASSERT_TRUE(logged("reloaded: 20 pages added, 0 removed")) << daemon_->text("err");
  EXPECT_EQ(stop().exit_code, 0);
  list(0, 10);
  start();
  ASSERT_TRUE(logged("20 of 30 pages have left the list since the last run")) << "a warning";
  ASSERT_TRUE(logged("watching 10 pages")) << "and no more than that";
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_F(Reloads, give_a_page_that_is_added_again_its_share_at_once) {
  const std::string hot = origin_.url("/hot"), other = origin_.url("/other");
  origin_.on("/hot", serve::changing_page());
  configure({hot, other}, "50");
  start();
  ASSERT_TRUE(eventually([&] { return progress(hot).changes >= 5; }));
  configure({other}, "50");
  daemon_->send(SIGHUP);
  ASSERT_TRUE(eventually([&] { return reader()->page(hot)->state == "removed"; }));
  EXPECT_EQ(progress(hot).share, 0);
  // With this min_interval no poll comes to tell it.
  const std::string resting = "defaults: { min_interval: 1h, max_interval: 2h }\n";
  configure({hot, other}, "50", resting);
  daemon_->send(SIGHUP);
  EXPECT_TRUE(eventually([&] { return progress(hot).share > 0.1; }));
  EXPECT_TRUE(progress(hot).next_due_at.has_value());
  EXPECT_EQ(stop().exit_code, 0);

  // The same over a restart.
  for (const bool listed : {false, true}) {
    configure(listed ? std::vector{hot, other} : std::vector{other}, "50", resting);
    start();
    ASSERT_TRUE(logged("watching"));
    EXPECT_EQ(progress(hot).share > 0.1, listed);
    EXPECT_EQ(stop().exit_code, 0);
  }
}

}  // namespace
}  // namespace pollux::test

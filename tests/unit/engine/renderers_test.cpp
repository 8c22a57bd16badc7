// Who renders a page, and what becomes of it when nobody does.
#include "engine/renderers.hpp"

#include "unit/engine/poll_loop_fixture.hpp"

#include <map>

namespace pollux::engine {
namespace {

using agent::RenderRoom;
using fetch::AccessPointId;

class RenderersTest : public testing::Test {
 protected:
  // Access points 0 (an interface), 1 and 2 (agents); which agents render is the test's to say.
  RenderersTest() {
    config_.fetch.access_points = {{"dsl", "eth1", "", "", ""},
                                   {"one", "", "", "", "", "one"},
                                   {"two", "", "", "", "", "two"}};
    config_.placement.capacities = {0, 0, 0};
    host_ = hosts_.add("a.test:80");
  }
  void place_at(const std::string& name, double one = 0, double two = 0) {
    points_ = std::make_unique<AccessPoints>(config_, hosts_);
    points_->ask_of_agents(
        [this](const std::string& agent, bool) { return there_.contains(agent); },
        [this](const std::string& agent, bool secrets) {
          const auto found = there_.find(agent);
          return found == there_.end() || secrets ? RenderRoom::none : found->second;
        });
    std::vector<store::PlacementRow> rows{{"a.test:80", "dsl", name == "dsl", 3, 0.1},
                                          {"a.test:80", "one", name == "one", 3, one},
                                          {"a.test:80", "two", name == "two", 3, two}};
    points_->restore(rows);
    renderers_ = std::make_unique<Renderers>(config_, points_.get());
  }
  Renderers::Choice choose(HasSecrets secrets = HasSecrets::no) {
    return renderers_->choose(host_, secrets);
  }

  config::Config config_;
  HostTable hosts_;
  HostSlot host_{};
  std::map<std::string, RenderRoom> there_{{"one", RenderRoom::yes}, {"two", RenderRoom::none}};
  std::unique_ptr<AccessPoints> points_;
  std::unique_ptr<Renderers> renderers_;
};

TEST_F(RenderersTest, the_agent_at_which_the_host_is_placed_renders_its_pages) {
  there_["two"] = RenderRoom::yes;
  place_at("one", 0.9, 0.1);
  EXPECT_EQ(choose().access_point, AccessPointId{1});
  there_["one"] = RenderRoom::busy;
  EXPECT_EQ(choose().access_point, AccessPointId{1}) << "it stays where it is";
  EXPECT_EQ(choose().room, RenderRoom::busy);
}

TEST_F(RenderersTest, another_agent_does_it_where_that_one_cannot) {
  place_at("two");
  EXPECT_EQ(choose().access_point, AccessPointId{1});
  EXPECT_EQ(choose().room, RenderRoom::yes);
  place_at("dsl");
  EXPECT_EQ(choose().access_point, AccessPointId{1}) << "this machine has no browser";
}

TEST_F(RenderersTest, the_quickest_agent_with_a_free_place_is_taken) {
  there_["two"] = RenderRoom::yes;
  place_at("dsl", 0.2, 0.1);
  EXPECT_EQ(choose().access_point, AccessPointId{2});
  there_["two"] = RenderRoom::busy;
  EXPECT_EQ(choose().access_point, AccessPointId{1});
  there_["one"] = RenderRoom::busy;
  EXPECT_EQ(choose().access_point, AccessPointId{2});
}

TEST_F(RenderersTest, the_own_browser_renders_where_the_host_is_placed_at_no_agent) {
  config_.render.chromium = true;
  place_at("dsl");
  EXPECT_FALSE(choose().access_point);
  EXPECT_EQ(choose().room, RenderRoom::yes);
  place_at("one");
  EXPECT_EQ(choose().access_point, AccessPointId{1});
  there_.clear();
  EXPECT_FALSE(choose().access_point) << "the last resort";
  EXPECT_EQ(choose().room, RenderRoom::yes);
}

TEST_F(RenderersTest, the_own_browser_has_so_many_pages_and_as_many_that_wait) {
  config_.render.chromium = true;
  config_.render.pages = 1;
  Renderers alone(config_, nullptr);
  Flight first, second;
  alone.place(first, alone.choose(host_, HasSecrets::no));
  EXPECT_EQ(alone.choose(host_, HasSecrets::no).room, RenderRoom::yes);
  alone.place(second, alone.choose(host_, HasSecrets::no));
  EXPECT_EQ(alone.choose(host_, HasSecrets::no).room, RenderRoom::busy);
  alone.place(second, alone.choose(host_, HasSecrets::no));  // its next hop: it counts once
  alone.end(second);
  EXPECT_EQ(alone.choose(host_, HasSecrets::no).room, RenderRoom::yes);
  alone.end(second);
  alone.end(first);
}

TEST_F(RenderersTest, secrets_go_to_agents_that_may_be_told_only) {
  place_at("one");
  EXPECT_EQ(choose(HasSecrets::yes).room, RenderRoom::none);
}

TEST_F(RenderersTest, that_nobody_renders_is_trouble_when_it_lasts) {
  place_at("one");
  const Instant now{};
  renderers_->note(HasSecrets::no, RenderRoom::none, now);
  EXPECT_FALSE(renderers_->is_trouble(HasSecrets::no, now + 9s)) << "agents come and go";
  EXPECT_TRUE(renderers_->is_trouble(HasSecrets::no, now + 10s));
  EXPECT_FALSE(renderers_->is_trouble(HasSecrets::yes, now + 10s));
  renderers_->note(HasSecrets::no, RenderRoom::busy, now + 11s);
  EXPECT_FALSE(renderers_->is_trouble(HasSecrets::no, now + 60s));
}

class UnrenderedPages : public PollLoopTest {
 protected:
  void SetUp() override {
    PollLoopTest::SetUp();
    extract::Rules rules;
    rules.render = true;
    config_.contents.push_back(extract::compile(rules).value());
  }
  void later(Duration time) {
    clock_.jump(time);
    loop_->turn();
    settle();
  }
};

TEST_F(UnrenderedPages, are_not_polled_and_show_why_without_an_error) {
  watch({"http://a.test/"});
  later(3s);
  EXPECT_EQ(stored("http://a.test/").progress.last_error, "");
  for (int i = 0; i < 4; ++i) later(3s);
  EXPECT_TRUE(fetcher_.requests.empty());
  const store::PageProgress shown = stored("http://a.test/").progress;
  EXPECT_EQ(shown.last_error, "render: no agent with a browser is there that takes it");
  EXPECT_EQ(shown.errors, 0);
  EXPECT_EQ(shown.error_streak, 0);
  EXPECT_EQ(shown.polls, 0);
  EXPECT_TRUE(policy_.heard.empty());
  // Somebody who does has come.
  config_.render.chromium = true;
  later(3s);
  const fetch::Request request = next_request();
  EXPECT_TRUE(request.render);
  EXPECT_EQ(request.price, 5u);
  answer(request, 200, "<p>here</p>");
  EXPECT_EQ(stored("http://a.test/").progress.last_error, "");
  EXPECT_EQ(stored("http://a.test/").progress.polls, 1);
}

// Whoever asks gets no answer by asking again.
TEST_F(UnrenderedPages, that_somebody_asks_for_keep_nobody_busy) {
  watch({"http://a.test/"});
  const std::uint64_t before = loop_->turns();
  loop_->poll_now(PageSlot{0});
  settle();
  EXPECT_TRUE(fetcher_.requests.empty());
  EXPECT_LT(loop_->turns() - before, 20u);
}

}  // namespace
}  // namespace pollux::engine

#include "engine/page_list_update.hpp"

#include "unit/engine/poll_loop_fixture.hpp"

#include <set>

namespace pollux::engine {
namespace {

const std::string site = "http://site.test/";

class PageListUpdateTest : public PollLoopTest {
 protected:
  // One page of each name, in a list whose only settings have this user agent and this header.
  config::Config configured(const std::vector<std::string>& names, const std::string& agent) {
    config::Config config = config_;
    config.settings.assign(1, config_.settings[0]);
    config.settings[0].user_agent = agent;
    config.settings[0].headers = 1;
    config.header_sets = {nullptr, std::make_shared<fetch::HeaderLines>(1, "Secret: " + agent)};
    for (const std::string& name : names) config.pages.push_back({site + name, "site.test:80", 0});
    return config;
  }
  void watch_names(const std::vector<std::string>& names) {
    config_ = configured({}, "first");
    std::vector<std::string> urls;
    for (const std::string& name : names) urls.push_back(site + name);
    watch(urls);
  }
  // As the daemon does it: into the database, then into force, but by the hand of the test.
  std::unique_ptr<PageListUpdate> begin_reload(const std::vector<std::string>& names,
                                               const std::string& agent = "second") {
    config::Config fresh = configured(names, agent);
    const WantedPages wanted(fresh);
    std::promise<PageListChange> found;
    writer_->run([&](store::Store& store) {
      EXPECT_TRUE(store.reconcile(wanted.specs, clock_.wall()).ok());
      found.set_value(read_change(store, wanted, known_ids()).value());
    });
    PageListChange change = found.get_future().get();
    config_ = std::move(fresh);
    return std::make_unique<PageListUpdate>(std::move(change), list_parts(), *loop_, nullptr);
  }
  std::vector<PageId> known_ids() const {
    std::vector<PageId> ids;
    while (pages_.append_ids(ids, 1)) {  // a little at a time, as a reload does
    }
    return ids;
  }
  Moment moment() const { return {clock_.now(), clock_.wall()}; }
  int finish(PageListUpdate& update) {
    int steps = 1;
    while (update.step(moment(), 1)) ++steps;
    return steps;
  }
  std::set<std::string> listed() {
    std::set<std::string> urls;
    for (std::uint32_t i = 0; i < pages_.slots(); ++i) {
      if (pages_[PageSlot{i}].used())
        urls.insert(pages_[PageSlot{i}].url.str().substr(site.size()));
    }
    return urls;
  }
};

TEST_F(PageListUpdateTest, pages_go_stay_and_come_one_at_a_time) {
  watch_names({"gone1", "gone2", "kept1", "kept2"});
  const auto update = begin_reload({"kept1", "kept2", "new1", "new2", "new3"});
  EXPECT_EQ(listed(), (std::set<std::string>{"gone1", "gone2", "kept1", "kept2"}))
      << "nothing is done before its turn";
  // A host, two that go, two that stay, three into the table and three into the schedule, the end.
  EXPECT_EQ(finish(*update), 12);
  EXPECT_EQ(listed(), (std::set<std::string>{"kept1", "kept2", "new1", "new2", "new3"}));
  EXPECT_EQ(policy_.pages, 5);
  EXPECT_EQ(scheduler_.page_count(), 5u);
  EXPECT_FALSE(update->step(moment(), 1));
}

// Headers may hold secrets: those of one configuration never go with the settings of the other.
TEST_F(PageListUpdateTest, a_page_goes_on_with_its_old_settings_and_headers_until_its_turn) {
  config_.host_default.connections = 1;
  watch_names({"a", "b", "c"});
  const auto update = begin_reload({"a", "b", "c"});
  std::set<std::string> seen;
  for (int i = 0; i < 40; ++i) {
    const fetch::Request request = next_request();
    ASSERT_NE(request.headers, nullptr);
    ASSERT_EQ(request.headers->front(), "Secret: " + request.user_agent);
    seen.insert(request.user_agent);
    if (i % 5 == 4) update->step(moment(), 1);
    answer(request, 200, "x");
  }
  EXPECT_EQ(seen, (std::set<std::string>{"first", "second"}));
  EXPECT_EQ(next_request().user_agent, "second");
}

TEST_F(PageListUpdateTest, an_answer_for_a_page_that_went_meanwhile_is_dropped) {
  watch_names({"gone", "kept"});
  std::vector<fetch::Request> out;
  while (!fetcher_.requests.empty()) out.push_back(next_request());
  ASSERT_EQ(out.size(), 2u);
  const auto update = begin_reload({"kept", "new"}, "first");
  update->step(moment(), 3);  // the host, the page that goes, the one that stays
  for (const fetch::Request& request : out) answer(request, 200, "x");
  finish(*update);
  EXPECT_EQ(listed(), (std::set<std::string>{"kept", "new"}));
  EXPECT_EQ(stored(site + "gone").progress.polls, 0);
  EXPECT_EQ(stored(site + "kept").progress.polls, 1);
}

TEST_F(PageListUpdateTest, a_page_that_comes_back_has_its_masks) {
  watch_names({"back", "kept"});
  answer(next_request(), 200, "x");
  answer(next_request(), 200, "x");
  const extract::Mask mask{extract::TokenKind::number, {"read"}, {"times"}};
  const PageId id = stored(site + "back").id;
  writer_->run([&](store::Store& store) {
    store::Batch batch;
    batch.masks.push_back({id, extract::to_text(mask), clock_.wall()});
    EXPECT_TRUE(store.write(batch, "listening").ok());
  });
  finish(*begin_reload({"kept"}));
  finish(*begin_reload({"kept", "back", "new"}));
  int with_masks = 0;
  for (std::uint32_t i = 0; i < pages_.slots(); ++i) {
    const PageRecord& page = pages_[PageSlot{i}];
    if (!page.used() || page.masks.empty()) continue;
    ++with_masks;
    EXPECT_EQ(page.url.view(), site + "back");
    EXPECT_EQ(*page.masks.list(), Masks{mask});
  }
  EXPECT_EQ(with_masks, 1);
}

// As the scheduler wants those whose limits differ.
TEST_F(PageListUpdateTest, pages_that_stay_come_longest_ago_polled_first) {
  config_.host_default.connections = 1;
  config_.settings[0].limits.min_interval = 1h;
  watch_names({"a", "b", "c", "d"});
  std::vector<std::string> polled;
  for (int i = 0; i < 4; ++i) {
    const fetch::Request request = next_request();
    polled.push_back(request.url);
    clock_.jump(1min);
    answer(request, 200, "x");
  }
  std::promise<PageListChange> found;
  config::Config same = configured({"a", "b", "c", "d"}, "second");
  const WantedPages wanted(same);
  writer_->run([&](store::Store& store) {
    found.set_value(read_change(store, wanted, known_ids()).value());
  });
  std::vector<std::string> kept;
  for (const auto& [slot, settings] : found.get_future().get().kept) {
    kept.push_back(pages_[slot].url.str());
  }
  EXPECT_EQ(kept, polled);
}

TEST_F(PageListUpdateTest, a_page_whose_cache_is_no_longer_respected_keeps_its_min_interval) {
  config_.settings[0].limits.min_interval = 1h;
  config_.settings[0].respect_cache = true;
  watch_names({"a"});
  fetch::Response fresh = plain(next_request(), 200);
  fresh.body = "x";
  fresh.fresh_for = 12h;
  respond(std::move(fresh));
  config_.settings[0].respect_cache = false;  // what configured() copies
  finish(*begin_reload({"a"}));
  loop_->turn();
  settle();
  EXPECT_TRUE(fetcher_.requests.empty()) << "polled a moment ago";
  clock_.jump(61min);
  loop_->turn();
  EXPECT_EQ(next_request().url, site + "a") << "not twelve hours later";
}

TEST_F(PageListUpdateTest, a_slot_that_came_free_is_used_by_a_new_page) {
  watch_names({"gone", "kept"});
  finish(*begin_reload({"kept", "new"}));
  EXPECT_EQ(pages_.size(), 2u);
  EXPECT_EQ(pages_[PageSlot{0}].url.str(), site + "new");
}

}  // namespace
}  // namespace pollux::engine

// People are told: the real program, receivers on loopback that misbehave, and kills in between.
#include "integration/running_daemon.hpp"
#include "pollux/base/rng.hpp"
#include "support/behaviours.hpp"
#include "support/json_schema.hpp"
#include "support/receiver.hpp"

#include <atomic>
#include <cstdlib>
#include <map>
#include <set>

#include <boost/json.hpp>
#include <sys/stat.h>

namespace pollux::test {
namespace {

class Notify : public RunningDaemon {
 protected:
  // Rules of `notify:`, one line each.
  void configure_with(const std::vector<std::string>& urls, const std::string& rules,
                      const std::string& budget = "20") {
    configure(urls, budget, "defaults: { min_interval: 0s, timeout: 5s }\nnotify:\n" + rules);
  }
  std::string webhook(const Receiver& receiver, const std::string& name,
                      const std::string& more = "") {
    return "  - { name: " + name + ", to: { webhook: \"" + receiver.url("/" + name) +
           "\", allow: [127.0.0.0/8] }" + (more.empty() ? "" : ", " + more) + " }\n";
  }
  std::vector<store::ChangeView> changes() {
    const auto open = reader();
    if (!open) return {};
    auto found = open->changes({.limit = 0});
    return found.ok() ? std::move(found).value() : std::vector<store::ChangeView>();
  }
  store::DeliveryCounts counts() {
    const auto open = reader();
    if (!open) return {};
    const auto summary = open->summary();
    return summary.ok() ? summary->deliveries : store::DeliveryCounts{};
  }
  Finished command(std::vector<std::string> arguments) {
    const TempFolder elsewhere;
    return Program(POLLUX_BINARY, elsewhere, std::move(arguments)).wait();
  }
  // The changes that the receiver was told of, by the number of their row.
  static std::set<std::int64_t> changes_in(const std::vector<Received>& messages) {
    std::set<std::int64_t> ids;
    for (const Received& message : messages) {
      const boost::json::value body = boost::json::parse(message.body);
      for (const boost::json::value& event : body.at("events").as_array()) {
        if (event.at("change_id").is_int64()) ids.insert(event.at("change_id").as_int64());
      }
    }
    return ids;
  }
  std::set<std::int64_t> change_ids() {
    std::set<std::int64_t> ids;
    for (const store::ChangeView& change : changes()) ids.insert(change.id);
    return ids;
  }
};

boost::json::value schema() {
  std::ifstream file(POLLUX_SOURCE_DIR "/config/notification.schema.json");
  return boost::json::parse(std::string{std::istreambuf_iterator<char>(file), {}});
}

TEST_F(Notify, a_change_is_told_with_what_differs_as_the_schema_says) {
  Origin origin;
  std::atomic<int> price{99};
  origin.on("/p", [&](Exchange& x) -> Step {
    co_await x.respond(200, "Content-Type: text/html\r\n",
                       "<h1>Bolts</h1><p>price " + std::to_string(price) + " euro</p><p>end</p>");
  });
  Receiver receiver;
  std::ofstream(folder_ / "pollux.yaml")
      << "budget: 20\ndatabase: test.db\nnetwork: { allow: [127.0.0.0/8] }\n"
         "hosts: { delay: 0s, robots: ignore, probe: false }\ndefaults: { min_interval: 0s }\n"
         "notify:\n"
      << webhook(receiver, "team", "when: { tags: [shop], events: [change] }")
      << webhook(receiver, "other", "when: { tags: [none] }") << "pages: [{ url: \""
      << origin.url("/p") << "\", name: Bolts, tags: [shop] }]\n";
  start();
  ASSERT_TRUE(eventually([&] { return origin.requests("/p") >= 3; }));
  price = 94;
  ASSERT_TRUE(eventually([&] { return !receiver.taken("/team").empty(); })) << daemon_->text("err");
  const boost::json::value body = boost::json::parse(receiver.taken("/team").front().body);
  EXPECT_EQ(schema_errors(schema(), body), std::vector<std::string>());
  const boost::json::object& event = body.at("events").at(0).as_object();
  EXPECT_EQ(event.at("event"), "change");
  EXPECT_EQ(event.at("name"), "Bolts");
  EXPECT_EQ(std::string(event.at("url").as_string()), origin.url("/p"));
  EXPECT_NE(std::string(event.at("diff").as_string()).find("-price 99 euro\n+price 94 euro"),
            std::string::npos)
      << event.at("diff");
  EXPECT_FALSE(event.at("summary").is_null());
  EXPECT_FALSE(event.at("why").is_null());
  EXPECT_EQ(receiver.taken("/team").front().key(), std::string(body.at("key").as_string()));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_TRUE(receiver.taken("/other").empty());
}

TEST_F(Notify, an_error_that_lasts_and_its_end_are_told) {
  Origin origin;
  std::atomic<bool> broken{false};
  origin.on("/p",
            [&](Exchange& x) -> Step { co_await x.respond(broken ? 500 : 200, "", "hello"); });
  Receiver receiver;
  configure_with(
      {origin.url("/p")},
      webhook(receiver, "ends", "when: { events: [failing, recovered] }, failing_after: 0s") +
          webhook(receiver, "later",
                  "when: { events: [failing, recovered] }, "
                  "failing_after: 1h"));
  start();
  ASSERT_TRUE(eventually([&] { return origin.requests("/p") >= 2; }));
  broken = true;
  ASSERT_TRUE(eventually([&] { return receiver.taken("/ends").size() == 1; }));
  broken = false;
  ASSERT_TRUE(eventually([&] { return receiver.taken("/ends").size() == 2; }));
  const auto event = [&](std::size_t i) {
    return boost::json::parse(receiver.taken("/ends")[i].body).at("events").at(0);
  };
  EXPECT_EQ(event(0).at("event"), "failing");
  EXPECT_EQ(event(0).at("summary"), "HTTP 500");
  EXPECT_EQ(event(1).at("event"), "recovered");
  EXPECT_TRUE(eventually([&] { return counts().waiting == 0; }));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_TRUE(receiver.taken("/later").empty()) << "it was over before it was to be told";
}

TEST_F(Notify, a_receiver_that_hangs_delays_no_other_and_a_stop_is_quick) {
  Origin origin;
  origin.on("/p", serve::changing_page());
  Receiver hanging([](const Received&) { return Reply::hang; });
  Receiver well;
  configure_with({origin.url("/p")}, webhook(hanging, "stuck") + webhook(well, "well"));
  start();
  ASSERT_TRUE(eventually([&] { return hanging.count() >= 1; }));
  const std::size_t before = well.count();
  ASSERT_TRUE(eventually([&] { return well.count() >= before + 5; }));
  const auto asked = std::chrono::steady_clock::now();
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(30));
  EXPECT_GT(counts().waiting, 0) << "what was not answered waits";
}

TEST_F(Notify, what_is_refused_for_good_is_kept_and_shown) {
  Origin origin;
  origin.on("/p", serve::in_turn({serve::page("a"), serve::page("b")}));
  Receiver receiver([](const Received&) { return Reply::gone; });
  configure_with({origin.url("/p")}, webhook(receiver, "team"));
  start();
  ASSERT_TRUE(eventually([&] { return counts().dead == 1; }));
  const Finished failed = command({"notify", "--failed", "--database", database()});
  EXPECT_EQ(failed.exit_code, 0);
  EXPECT_NE(failed.out.find("HTTP 410"), std::string::npos) << failed.out;
  const Finished status = command({"status", "--database", database()});
  EXPECT_NE(status.out.find("1 given up"), std::string::npos) << status.out;
  EXPECT_EQ(stop().exit_code, 0);
  const Finished retry = command({"notify", "--retry", "1", "--database", database()});
  EXPECT_EQ(retry.exit_code, 69);
  EXPECT_NE(retry.err.find("no daemon runs"), std::string::npos) << retry.err;
}

TEST_F(Notify, a_reload_brings_rules_into_force_and_gives_up_what_waits_for_those_that_are_gone) {
  Origin origin;
  origin.on("/p", serve::changing_page());
  Receiver stuck([](const Received&) { return Reply::error; });
  Receiver fresh;
  configure_with({origin.url("/p")}, webhook(stuck, "old"));
  start();
  ASSERT_TRUE(eventually([&] { return stuck.count() >= 1; }));
  configure_with({origin.url("/p")}, webhook(fresh, "new"));
  daemon_->send(SIGHUP);
  ASSERT_TRUE(eventually([&] { return fresh.count() >= 3; })) << daemon_->text("err");
  ASSERT_TRUE(eventually([&] { return counts().dead > 0; }));
  EXPECT_EQ(stop().exit_code, 0);
  const auto dead = reader()->deliveries("dead", 1);
  EXPECT_NE(dead->front().last_error.find("no rule of this name"), std::string::npos);
}

TEST_F(Notify, the_daemon_tells_of_itself) {
  Origin origin;
  origin.otherwise(serve::page("still"));
  std::vector<std::string> urls;
  for (int i = 0; i < 30; ++i) urls.push_back(origin.url("/" + std::to_string(i)));
  Receiver receiver;
  configure(urls, "1",
            "defaults: { min_interval: 0s, max_interval: 1s, timeout: 5s }\nnotify:\n" +
                webhook(receiver, "self", "when: { events: [system] }"));
  start();
  ASSERT_TRUE(eventually([&] { return receiver.taken("/self").size() == 1; }));
  EXPECT_NE(receiver.taken("/self")[0].body.find("budget cannot pay"), std::string::npos);
  EXPECT_EQ(stop().exit_code, 0);
  // Once a day, however often it starts; a list that was cut short is told.
  urls.resize(5);
  configure(urls, "1",
            "defaults: { min_interval: 0s, max_interval: 1s, timeout: 5s }\nnotify:\n" +
                webhook(receiver, "self", "when: { events: [system] }"));
  start();
  ASSERT_TRUE(eventually([&] { return receiver.taken("/self").size() == 2; }));
  EXPECT_NE(receiver.taken("/self")[1].body.find("have left the list"), std::string::npos);
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_F(Notify, file_feed_and_program_are_told_by_the_daemon) {
  Origin origin;
  origin.on("/p", serve::changing_page());
  const std::string program = folder_.file("hook");
  std::ofstream(program) << "#!/bin/sh\ncat >> " << folder_.file("hook.out") << "\n";
  ::chmod(program.c_str(), 0755);
  configure_with({origin.url("/p")},
                 "  - { name: lines, to: { file: changes.jsonl } }\n"
                 "  - { name: feed, to: { atom: changes.xml } }\n"
                 "  - { name: hook, to: { program: [./hook] } }\n");
  start();
  ASSERT_TRUE(eventually([&] { return counts().sent >= 9; })) << daemon_->text("err");
  EXPECT_EQ(stop().exit_code, 0);
  for (const char* name : {"changes.jsonl", "hook.out"}) {
    std::ifstream file(folder_ / name);
    int lines = 0;
    for (std::string line; std::getline(file, line); ++lines)
      EXPECT_EQ(schema_errors(schema(), boost::json::parse(line)), std::vector<std::string>());
    EXPECT_GE(lines, 3) << name;
  }
  std::ifstream feed(folder_ / "changes.xml");
  const std::string text{std::istreambuf_iterator<char>(feed), {}};
  EXPECT_NE(text.find("<entry>"), std::string::npos);
  EXPECT_TRUE(text.ends_with("</feed>\n"));
}

// Receivers fail at random in every way, and the daemon is killed again and again: every change is
// told at least once, in order, and what was answered with 2xx is repeated once a kill at most,
// with the same key.
TEST_F(Notify, nothing_is_lost_by_kills_and_failing_receivers) {
  const char* wanted = std::getenv("POLLUX_KILLS");
  const int kills = wanted ? std::atoi(wanted) : 3;
  Origin origin;
  std::vector<std::string> urls;
  for (int i = 0; i < 5; ++i) {
    origin.on("/p/" + std::to_string(i), serve::changing_page());
    urls.push_back(origin.url("/p/" + std::to_string(i)));
  }
  Rng rng(11), pauses(12);  // one for each thread
  Receiver receiver([&](const Received&) {
    constexpr Reply bad[] = {Reply::error, Reply::busy, Reply::half};
    return rng.chance(0.1) ? bad[rng.below(3)] : Reply::ok;
  });
  const std::string changes_only = "when: { events: [change] }";
  configure_with(urls, webhook(receiver, "a", changes_only) + webhook(receiver, "b", changes_only),
                 "30");
  for (int i = 0; i < kills; ++i) {
    start();
    const std::size_t told = receiver.count();
    ASSERT_TRUE(eventually([&] { return receiver.count() >= told + 40; })) << daemon_->text("err");
    std::this_thread::sleep_for(std::chrono::milliseconds(pauses.below(300)));
    daemon_->send(SIGKILL);
    daemon_->wait();
    daemon_.reset();
  }
  // No more changes: what waits is told.
  for (int i = 0; i < 5; ++i) origin.on("/p/" + std::to_string(i), serve::status(503));
  start();
  ASSERT_TRUE(eventually([&] {
    const store::DeliveryCounts now = counts();
    return now.waiting == 0 && now.sent > 0;
  })) << counts().waiting
      << " wait; " << daemon_->text("err");
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(counts().dead, 0);
  for (const char* rule : {"/a", "/b"}) {
    const std::vector<Received> taken = receiver.taken(rule);
    EXPECT_EQ(changes_in(taken), change_ids()) << "every change, and none that is not recorded";
    std::map<std::string, int> keys;
    int repeated = 0;
    std::int64_t last = 0;
    for (const Received& message : taken) {
      if (keys[message.key()]++ > 0) {
        ++repeated;
        continue;
      }
      const std::int64_t id =
          boost::json::parse(message.body).at("events").at(0).at("id").as_int64();
      EXPECT_GT(id, last) << "out of order";
      last = id;
    }
    EXPECT_LE(repeated, kills);
  }
}

TEST_F(Notify, a_database_that_was_deleted_and_put_back_is_told_from_and_nothing_twice) {
  Origin origin;
  origin.on("/p", serve::changing_page());
  Receiver receiver;
  configure_with({origin.url("/p")}, webhook(receiver, "a", "when: { events: [change] }"), "10");
  start();
  ASSERT_TRUE(eventually([&] { return receiver.count() >= 3; }));
  for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(database() + part);
  ASSERT_TRUE(logged("copied back to its place"));
  const std::size_t told = receiver.count();
  ASSERT_TRUE(eventually([&] { return receiver.count() >= told + 5; })) << daemon_->text("err");
  EXPECT_EQ(stop().exit_code, 0);
  std::map<std::string, int> keys;
  int repeated = 0;
  for (const Received& message : receiver.taken("/a")) repeated += keys[message.key()]++ > 0;
  EXPECT_LE(repeated, 1) << "what was on its way at that moment";
}

}  // namespace
}  // namespace pollux::test

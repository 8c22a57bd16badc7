// The real daemon and real agents, over real NATS servers.
#include "integration/running_agents.hpp"

#include <csignal>

namespace pollux::test {
namespace {

using namespace std::chrono_literals;

class Agents : public RunningAgents {
 protected:
  // Two agents of a brain with so many pages, all on one host.
  std::vector<std::string> start_two(int pages) {
    serve_nats();
    std::vector<std::string> urls;
    for (int i = 0; i < pages; ++i) {
      const std::string path = "/" + std::to_string(i);
      origin_.on(path, serve::page("page " + path));
      urls.push_back(origin_.url(path));
    }
    configure_brain(urls, "40", {"one", "two"});
    start_agent("one");
    start_agent("two");
    start();
    return urls;
  }
};

TEST_F(Agents, poll_what_their_brain_decides_and_changes_are_found) {
  serve_nats();
  origin_.on("/page", serve::page("<p>one</p>"));
  configure_brain({origin_.url("/page")}, "20", {"one"},
                  "rules: [{ match: \"*\", content: { as: text } }]\n");
  start_agent("one");
  start();
  EXPECT_TRUE(eventually([&] { return progress(origin_.url("/page")).polls >= 3; }));
  origin_.on("/page", serve::page("<p>two</p>"));
  EXPECT_TRUE(eventually([&] { return progress(origin_.url("/page")).changes == 1; }));
  EXPECT_EQ(progress(origin_.url("/page")).last_error, "");
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_NE(agents_.at("one")->text("err").find("the brain is there"), std::string::npos);
  agents_.at("one")->send(SIGTERM);
  EXPECT_EQ(agents_.at("one")->wait().exit_code, 0);
}

// By hash first: what the brain has seen before does not come again.
TEST_F(Agents, put_content_aside_until_their_brain_asks_for_it_and_changes_are_found) {
  serve_nats();
  const auto text = [](const std::string& word) {
    std::string body = "<p>Version " + word + ":";
    for (int i = 0; i < 200; ++i) body += " word" + std::to_string(i);
    return body + "</p>";
  };
  origin_.on("/page", serve::page(text("one")));
  configure_brain({origin_.url("/page")}, "20", {"one"},
                  "rules: [{ match: \"*\", content: { as: text } }]\n");
  set_content("hash_first");
  start_agent("one");
  start();
  const std::string url = origin_.url("/page");
  ASSERT_TRUE(eventually([&] { return progress(url).polls >= 3; }));
  int changes = 0;
  for (const char* version : {"two", "one", "two", "one", "three"}) {
    origin_.on("/page", serve::page(text(version)));
    ++changes;
    ASSERT_TRUE(eventually([&] { return progress(url).changes == changes; })) << version;
  }
  EXPECT_EQ(progress(url).last_error, "");
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(agents_figure("brought"), 3) << "one, two and three";
  EXPECT_GE(agents_figure("put_aside"), 6);
  EXPECT_EQ(agents_figure("not_brought"), 0);
  EXPECT_EQ(agents_figure("faults"), 0);
}

TEST_F(Agents, that_are_killed_leave_their_hosts_to_the_others_and_no_page_fails) {
  const std::vector<std::string> urls = start_two(20);
  EXPECT_TRUE(eventually([&] { return progress(urls[0]).polls >= 3; }));
  for (const char* name : {"one", "two"}) {
    agents_.at(name)->send(SIGKILL);
    static_cast<void>(agents_.at(name)->wait());
    const std::int64_t before = progress(urls[0]).polls;
    // A poll that was under way there ends by its time-out first.
    const auto began = std::chrono::steady_clock::now();
    EXPECT_TRUE(eventually([&] { return progress(urls[0]).polls >= before + 2; })) << name;
    const auto took = std::chrono::steady_clock::now() - began;
    RecordProperty(
        std::string("recovered_ms_") + name,
        static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(took).count()));
    start_agent(name);
  }
  for (const std::string& url : urls) EXPECT_EQ(progress(url).last_error, "") << url;
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_F(Agents, wait_for_servers_and_brain_in_any_order) {
  serve_nats();
  origin_.on("/page", serve::page("x"));
  configure_brain({origin_.url("/page")}, "20", {"one"});
  nats_->terminate(0);
  start();
  start_agent("one");
  std::this_thread::sleep_for(500ms);
  nats_->start(0);
  EXPECT_TRUE(eventually([&] { return progress(origin_.url("/page")).polls >= 3; }));
  nats_->kill(0);
  std::this_thread::sleep_for(500ms);
  nats_->start(0);
  const std::int64_t before = progress(origin_.url("/page")).polls;
  EXPECT_TRUE(eventually([&] { return progress(origin_.url("/page")).polls >= before + 3; }));
  EXPECT_EQ(progress(origin_.url("/page")).last_error, "");
}

TEST_F(Agents, with_a_certificate_of_another_name_get_no_polls) {
  serve_nats();
  origin_.on("/page", serve::page("x"));
  configure_brain({origin_.url("/page")}, "20", {"one"});
  start_agent("one", "two");
  start();
  ASSERT_TRUE(logged("bus: connected to"));
  ASSERT_TRUE(agent_logged("one", "bus: connected to"));
  ASSERT_TRUE(agent_logged("one", "the server says: "));  // it may not ask
  EXPECT_EQ(origin_.requests("/page"), 0u);
  EXPECT_EQ(daemon_->text("err").find("agent one is there"), std::string::npos);
}

TEST_F(Agents, are_told_secrets_only_where_they_say_so) {
  serve_nats();
  origin_.on("/page", serve::page("x"));
  configure_brain({}, "20", {"one"});
  std::ofstream(folder_ / "pollux.yaml", std::ios::app)
      << "  - { url: \"" << origin_.url("/page") << "\", headers: { X-Key: \"secret\" } }\n";
  const auto polls_there = [&] {
    const auto open = reader();
    if (!open) return std::string();
    const auto meta = open->meta();
    if (!meta.ok() || !meta->contains("agents")) return std::string();
    const std::string& row = meta->at("agents");
    const std::size_t at = row.find("\"polls\":") + 8;
    return row.substr(at, row.find(',', at) - at);
  };
  start_agent("one");
  start();
  ASSERT_TRUE(logged("agent one is there"));
  // They leave from the daemon's own machine.
  EXPECT_TRUE(eventually([&] { return origin_.requests("/page") >= 5; }));
  EXPECT_TRUE(eventually([&] { return polls_there() == "0"; }));
  agents_.at("one")->send(SIGTERM);
  EXPECT_EQ(agents_.at("one")->wait().exit_code, 0);
  start_agent("one", "", ", secrets: true");
  EXPECT_TRUE(eventually([&] { return !polls_there().empty() && polls_there() != "0"; }));
}

TEST_F(Agents, that_hang_leave_their_hosts_to_the_others_and_drop_what_they_find_when_they_go_on) {
  const std::vector<std::string> urls = start_two(10);
  EXPECT_TRUE(eventually([&] { return progress(urls[0]).polls >= 3; }));
  // One of the two has the host: whichever that is.
  for (const char* name : {"one", "two"}) {
    agents_.at(name)->send(SIGSTOP);
    const std::int64_t before = progress(urls[0]).polls;
    EXPECT_TRUE(eventually([&] { return progress(urls[0]).polls >= before + 3; })) << name;
    agents_.at(name)->send(SIGCONT);
  }
  for (const std::string& url : urls) EXPECT_EQ(progress(url).last_error, "") << url;
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_F(Agents, go_on_while_a_cluster_loses_any_one_of_its_servers) {
  serve_nats(3);
  origin_.on("/page", serve::page("x"));
  configure_brain({origin_.url("/page")}, "20", {"one"});
  start_agent("one");
  start();
  EXPECT_TRUE(eventually([&] { return progress(origin_.url("/page")).polls >= 3; }));
  for (int server = 0; server < 3; ++server) {
    nats_->kill(server);
    const std::int64_t before = progress(origin_.url("/page")).polls;
    EXPECT_TRUE(eventually([&] { return progress(origin_.url("/page")).polls >= before + 5; }))
        << server;
    nats_->start(server);
  }
  EXPECT_EQ(progress(origin_.url("/page")).last_error, "");
}

TEST_F(Agents, work_for_the_brain_that_is_started_after_one_that_was_killed) {
  serve_nats();
  origin_.on("/page", serve::page("x"));
  configure_brain({origin_.url("/page")}, "20", {"one"});
  start_agent("one");
  start();
  EXPECT_TRUE(eventually([&] { return progress(origin_.url("/page")).polls >= 3; }));
  static_cast<void>(stop(SIGKILL));
  const std::int64_t before = progress(origin_.url("/page")).polls;
  start();
  EXPECT_TRUE(eventually([&] { return progress(origin_.url("/page")).polls >= before + 3; }));
  EXPECT_TRUE(agent_logged("one", "the brain has been started anew"));
  EXPECT_EQ(progress(origin_.url("/page")).last_error, "");
}

}  // namespace
}  // namespace pollux::test

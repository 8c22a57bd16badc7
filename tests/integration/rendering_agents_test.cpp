// Pages whose content scripts make, rendered by agents in a real browser, over a real NATS server.
#include "integration/running_agents.hpp"
#include "support/chromium.hpp"
#include "support/network_namespace.hpp"
#include "support/scripted_shop.hpp"

#include <atomic>
#include <csignal>

namespace pollux::test {
namespace {

using namespace std::chrono_literals;

const std::string only_loopback = "network: { allow: [127.0.0.1] }\n";

class RenderingAgents : public RunningAgents {
 protected:
  void SetUp() override {
    POLLUX_NEEDS_CHROMIUM();
    RunningAgents::SetUp();
  }
  // The brain has no browser, and may poll what its agents may not.
  void configure_rendering(const std::vector<std::string>& urls,
                           const std::vector<std::string>& names,
                           const std::string& timeout = "20s") {
    configure(urls, "50",
              "render: { price: 3 }\ndefaults: { min_interval: 0s, max_interval: 2s, timeout: " +
                  timeout + ", content: { as: auto } }\n" + agents_section(names));
  }
  static std::string rendered(const std::string& url) {
    return "{ url: \"" + url + "\", content: { render: true } }";
  }
  void start_renderer(const std::string& name, const std::string& more = "",
                      const std::string& network = only_loopback) {
    start_agent_with(name, "", "", network + "render: { chromium: true" + more + " }\n");
  }
  std::string told(const std::vector<std::string>& command) {
    const TempFolder aside;
    Program program(POLLUX_BINARY, aside, command);
    return program.wait().out;
  }
  std::string ask(const std::string& sql) {
    const TempFolder aside;
    Program asked("/usr/bin/sqlite3", aside,
                  {"-readonly", "-cmd", ".timeout 5000", database(), sql});
    return asked.wait().out;
  }
};

TEST_F(RenderingAgents, watch_a_page_that_scripts_make_and_its_change_is_told_in_words) {
  serve_nats();
  ScriptedShop watched(origin_);
  origin_.on("/plain", serve::page("<p>plain</p>", as_html));
  const std::string shop = origin_.url("/shop");
  configure_rendering({rendered(shop), origin_.url("/plain")}, {"one", "two"});
  start_agent("one");
  start_renderer("two");
  start();
  ASSERT_TRUE(eventually([&] { return progress(shop).polls >= 2; })) << progress(shop).last_error;
  ASSERT_TRUE(eventually([&] { return progress(origin_.url("/plain")).polls >= 2; }));
  EXPECT_EQ(progress(shop).last_error, "");
  EXPECT_EQ(progress(shop).changes, 0);
  watched.price = 90;
  ASSERT_TRUE(eventually([&] { return progress(shop).changes == 1; }));
  EXPECT_NE(ask("SELECT summary FROM change").find("120 → 90"), std::string::npos)
      << ask("SELECT summary FROM change");
  const std::string points = told({"access-points", "--database", database()});
  EXPECT_NE(points.find(", renders"), std::string::npos) << points;
  const std::string status = told({"status", "--database", database()});
  EXPECT_NE(status.find("2 of 2 there; pages are rendered by two"), std::string::npos) << status;
  EXPECT_EQ(stop().exit_code, 0);
  // Whoever asked for the page ran its scripts: the one without a browser never did.
  EXPECT_LE(origin_.requests("/shop") - origin_.requests("/api"), 1u);
  EXPECT_EQ(ask("SELECT sum(requests) FROM budget_minute"),
            std::to_string(3 * origin_.requests("/shop") + origin_.requests("/plain")) + "\n");
  agents_.at("two")->send(SIGTERM);
  EXPECT_EQ(agents_.at("two")->wait().exit_code, 0);
}

TEST_F(RenderingAgents, that_are_wanted_and_not_there_are_the_pages_trouble_and_no_error) {
  serve_nats();
  origin_.on("/shop", scripted_page("here"));
  origin_.on("/plain", serve::page("plain"));
  const std::string shop = origin_.url("/shop");
  configure_rendering({rendered(shop), origin_.url("/plain")}, {"one"});
  start_agent("one");
  start();
  ASSERT_TRUE(eventually([&] { return progress(shop).last_error.starts_with("render:"); }));
  EXPECT_EQ(progress(shop).errors, 0);
  EXPECT_EQ(progress(shop).polls, 0);
  EXPECT_EQ(origin_.requests("/shop"), 0u);
  EXPECT_GE(progress(origin_.url("/plain")).polls, 1) << "it waits for nobody";
  const std::string why = told({"explain", "--database", database(), shop});
  EXPECT_NE(why.find("no agent with a browser"), std::string::npos) << why;
  agents_.at("one")->send(SIGTERM);
  EXPECT_EQ(agents_.at("one")->wait().exit_code, 0);
  start_renderer("one");
  EXPECT_TRUE(eventually([&] { return progress(shop).polls >= 1; }));
  EXPECT_EQ(progress(shop).last_error, "");
  EXPECT_EQ(progress(shop).errors, 0);
}

TEST_F(RenderingAgents, end_each_hostile_page_with_its_own_error_and_go_on) {
  serve_nats();
  Origin forbidden({.address = "127.0.0.9"});
  forbidden.otherwise(serve::page("secret", "Access-Control-Allow-Origin: *\r\n"));
  const std::string there = "127.0.0.9:" + std::to_string(forbidden.port()) + "/";
  std::atomic<std::uint64_t> flooded{0};
  origin_.on("/flood", [&](Exchange& x) -> Step {
    co_await x.send("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n");
    for (const std::string piece(65536, 'x'); x.connected() && flooded < 1u << 30;
         flooded += piece.size())
      co_await x.send(piece);
  });
  const std::map<std::string, std::pair<std::string, std::string>> hostile = {
      {"/loop", {"for (;;);", "timeout"}},
      {"/fetch", {"fetch('http://" + there + "', { mode: 'no-cors' })", "address_refused"}},
      {"/socket", {"new WebSocket('ws://" + there + "')", "address_refused"}},
      {"/image", {"new Image().src = 'http://" + there + "'", "address_refused"}},
      {"/moves", {"location = 'http://" + there + "'", "address_refused"}},
      {"/download", {"fetch('/flood').then(r => r.blob())", "rendering"}}};
  std::vector<std::string> pages = {rendered(origin_.url("/fine"))};
  for (const auto& [path, script] : hostile) {
    origin_.on(path, serve::page("<body><script>" + script.first + "</script>", as_html));
    pages.push_back(rendered(origin_.url(path)));
  }
  origin_.on("/redirect", serve::redirect(302, "http://" + there));
  origin_.on("/fine", scripted_page("well"));
  pages.push_back(rendered(origin_.url("/redirect")));
  configure_rendering(pages, {"one"}, "8s");
  start_renderer("one", ", max_traffic: 8MiB");
  start();
  const auto expect_error = [&](const std::string& path, const std::string& kind) {
    const std::string url = origin_.url(path);
    EXPECT_TRUE(eventually([&] { return progress(url).errors >= 1; })) << path;
    EXPECT_TRUE(progress(url).last_error.starts_with(kind))
        << path << ": " << progress(url).last_error;
  };
  for (const auto& [path, script] : hostile) expect_error(path, script.second);
  expect_error("/redirect", "address_refused");
  const std::int64_t before = progress(origin_.url("/fine")).polls;
  EXPECT_TRUE(eventually([&] { return progress(origin_.url("/fine")).polls > before; }));
  EXPECT_EQ(progress(origin_.url("/fine")).last_error, "");
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(forbidden.connections(), 0u);
  // What the page may have, and what lies in buffers on the way.
  EXPECT_LT(flooded / std::max<std::size_t>(origin_.requests("/flood"), 1), 64u << 20);
}

// In a network in which every address of the world is this machine: who gets out is seen.
TEST_F(RenderingAgents, let_no_page_reach_anything_inside) {
  const auto network = NetworkNamespace::enter();
  if (!network) GTEST_SKIP() << "a network of its own needs root";
  ASSERT_TRUE(network->own_every_address());
  serve_nats();
  Origin outside({.address = "::"});
  Origin inside({.address = "::"});
  inside.otherwise(serve::page("secret", "Access-Control-Allow-Origin: *\r\n"));
  const std::vector<std::string> hosts = {"169.254.169.254", "10.0.0.1", "127.0.0.1",
                                          "localhost",       "[::1]",    "[fd00:ec2::254]"};
  std::vector<std::string> ways, pages, urls;
  for (const std::string& host : hosts) {
    const std::string there = inside.url_at(host, "/").substr(std::string("http:").size());
    ways.push_back("fetch('http:" + there + "', { mode: 'no-cors' })");
    ways.push_back("new WebSocket('ws:" + there + "')");
    ways.push_back("new Image().src = 'https:" + there + "'");
    ways.push_back("location = 'http:" + there + "'");
  }
  for (const std::string& way : ways) {
    const std::string path = "/" + std::to_string(urls.size());
    outside.on(path, serve::page("<body><script>" + way + "</script>", as_html));
    urls.push_back(outside.url_at("93.184.215.14", path));
    pages.push_back(rendered(urls.back()));
  }
  configure_rendering(pages, {"one"});
  start_renderer("one", ", pages: 4", "");
  start();
  for (std::size_t i = 0; i < urls.size(); ++i) {
    EXPECT_TRUE(eventually([&] { return progress(urls[i]).errors >= 1; })) << ways[i];
    EXPECT_TRUE(progress(urls[i]).last_error.starts_with("address_refused"))
        << ways[i] << ": " << progress(urls[i]).last_error;
  }
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(inside.connections(), 0u);
}

TEST_F(RenderingAgents, that_are_killed_fail_no_page_and_come_back) {
  serve_nats();
  origin_.on("/shop", scripted_page("here"));
  const std::string shop = origin_.url("/shop");
  configure_rendering({rendered(shop)}, {"one", "two"}, "5s");
  start_renderer("one");
  start_renderer("two");
  start();
  ASSERT_TRUE(eventually([&] { return progress(shop).polls >= 2; }));
  for (const char* name : {"one", "two"}) {
    agents_.at(name)->send(SIGKILL);
    static_cast<void>(agents_.at(name)->wait());
    const std::int64_t before = progress(shop).polls;
    EXPECT_TRUE(eventually([&] { return progress(shop).polls >= before + 2; })) << name;
    start_renderer(name);
  }
  EXPECT_EQ(progress(shop).last_error, "");
  EXPECT_EQ(progress(shop).errors, 0);
  EXPECT_EQ(stop().exit_code, 0);
}

TEST(RenderingAgent, that_has_no_such_program_does_not_start_and_says_why) {
  const TempFolder folder;
  std::ofstream(folder / "agent.yaml")
      << "agent: { name: a }\nnats: { servers: [\"tls://127.0.0.1:1\"] }\n"
         "render: { chromium: true, program: no-such-browser }\n";
  Program agent(POLLUX_BINARY, folder, {"agent", "--config", (folder / "agent.yaml").string()});
  const Finished finished = agent.wait();
  EXPECT_EQ(finished.exit_code, 78);
  EXPECT_NE(finished.err.find("there is no program no-such-browser"), std::string::npos)
      << finished.err;
}

}  // namespace
}  // namespace pollux::test

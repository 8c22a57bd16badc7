// Pages whose content scripts make, watched by the real program in a real browser.
#include "integration/running_daemon.hpp"
#include "support/behaviours.hpp"
#include "support/chromium.hpp"
#include "support/network_namespace.hpp"
#include "support/origin.hpp"
#include "support/scripted_shop.hpp"

#include <set>

#include <dirent.h>

namespace pollux::test {
namespace {

constexpr char browser[] =
    "render: { chromium: true, price: 3 }\n"
    "defaults: { min_interval: 0s, max_interval: 1s, timeout: 20s, content: { render: true } }\n";

class Render : public RunningDaemon {
 protected:
  void SetUp() override {
    POLLUX_NEEDS_CHROMIUM();
    std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
  }
  // Its browser's folder, and so its command line, lies in ours.
  void start() { RunningDaemon::start({{"TMPDIR", folder_.path().string()}}); }
  std::set<int> browser_processes() const {
    const std::string word = (folder_ / "pollux-browser-").string();
    std::set<int> found;
    DIR* const all = opendir("/proc");
    while (const dirent* entry = readdir(all)) {
      std::ifstream file(std::string("/proc/") + entry->d_name + "/cmdline");
      const std::string line{std::istreambuf_iterator<char>(file), {}};
      if (line.find(word) != std::string::npos) found.insert(std::atoi(entry->d_name));
    }
    closedir(all);
    return found;
  }
  std::string ask(const std::string& sql) {
    const std::filesystem::path aside = folder_ / "asked";
    std::filesystem::create_directories(aside);
    Program asked("/usr/bin/sqlite3", aside,
                  {"-readonly", "-cmd", ".timeout 5000", database(), sql});
    return asked.wait().out;
  }
};

TEST_F(Render, a_page_that_scripts_make_is_watched_and_its_change_told_in_words) {
  Origin origin;
  ScriptedShop shop(origin);
  configure({origin.url("/shop")}, "20", browser);
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/shop")).polls >= 2; }));
  EXPECT_EQ(progress(origin.url("/shop")).last_error, "");
  EXPECT_EQ(progress(origin.url("/shop")).changes, 0);
  shop.price = 90;
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/shop")).changes == 1; }));
  EXPECT_NE(ask("SELECT summary FROM change").find("120 → 90"), std::string::npos)
      << ask("SELECT summary FROM change");
  EXPECT_EQ(ask("SELECT words_added, words_removed FROM change"), "1|1\n");
  EXPECT_FALSE(browser_processes().empty());
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_TRUE(browser_processes().empty());
  // Each of its requests costs three.
  EXPECT_EQ(ask("SELECT sum(requests) FROM budget_minute"),
            std::to_string(3 * origin.requests("/shop")) + "\n");
}

TEST_F(Render, a_redirect_of_scripts_is_followed_and_checked_by_robots_txt) {
  Origin origin;
  origin.on("/robots.txt", serve::page("User-agent: *\nDisallow: /private\n"));
  origin.on("/open", serve::page("<script>location = '/shown'</script>", as_html));
  origin.on("/shown", serve::page("<p id=p></p><script>p.textContent = 'here'</script>", as_html));
  origin.on("/hidden", serve::page("<script>location = '/private'</script>", as_html));
  configure({origin.url("/open"), origin.url("/hidden")}, "20", browser, "obey");
  start();
  ASSERT_TRUE(eventually([&] {
    return progress(origin.url("/open")).polls >= 1 && progress(origin.url("/hidden")).polls >= 1;
  }));
  EXPECT_EQ(progress(origin.url("/open")).last_error, "");
  EXPECT_GE(origin.requests("/shown"), 1u);
  EXPECT_NE(progress(origin.url("/hidden")).last_error.find("robots"), std::string::npos)
      << progress(origin.url("/hidden")).last_error;
  EXPECT_EQ(origin.requests("/private"), 0u);
}

TEST_F(Render, nothing_is_left_of_the_browser_when_the_daemon_is_killed) {
  Origin origin;
  origin.on("/loop", serve::page("<script>for (;;);</script>", as_html));
  configure({origin.url("/loop")}, "20", browser);
  start();
  ASSERT_TRUE(eventually([&] { return origin.requests("/loop") == 1; }));
  EXPECT_FALSE(browser_processes().empty());
  (void)stop(SIGKILL);
  EXPECT_TRUE(eventually([&] { return browser_processes().empty(); }));
  // The next one tidies up after it.
  start();
  ASSERT_TRUE(eventually([&] { return origin.requests("/loop") == 2; }));
  std::size_t folders = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    folders += entry.path().filename().string().starts_with("pollux-browser-") ? 1 : 0;
  EXPECT_EQ(folders, 1u);
}

TEST_F(Render, a_stop_waits_for_no_script) {
  Origin origin;
  origin.on("/loop", serve::page("<script>for (;;);</script>", as_html));
  configure({origin.url("/loop")}, "20",
            "render: { chromium: true }\ndefaults: { timeout: 300s, content: { render: true } }\n");
  start();
  ASSERT_TRUE(eventually([&] { return origin.requests("/loop") == 1; }));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_TRUE(browser_processes().empty());
}

TEST_F(Render, the_pages_beside_it_go_on_by_curl) {
  Origin origin;
  const ScriptedShop shop(origin);
  origin.on("/plain", serve::page("plain"));
  configure(
      {"{ url: \"" + origin.url("/shop") + "\", content: { render: true } }", origin.url("/plain")},
      "50",
      "render: { chromium: true }\n"
      "defaults: { min_interval: 0s, max_interval: 1s, content: { as: auto } }\n");
  start();
  ASSERT_TRUE(eventually([&] {
    return progress(origin.url("/plain")).polls >= 5 && progress(origin.url("/shop")).polls >= 1;
  }));
  EXPECT_EQ(progress(origin.url("/shop")).last_error, "");
  EXPECT_EQ(origin.last_header("/plain", "accept-encoding"), "gzip");
}

TEST_F(Render, a_reload_that_would_need_a_browser_is_refused) {
  Origin origin;
  origin.on("/p", serve::page("p", as_html));
  configure({origin.url("/p")}, "20", "defaults: { content: { as: auto } }\n");
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/p")).polls >= 1; }));
  configure({origin.url("/p")}, "20", browser);
  daemon_->send(SIGHUP);
  EXPECT_TRUE(logged("a browser comes with a start of the daemon only"));
}

// In a network in which every address of the world is this machine: who gets out is seen.
TEST_F(Render, a_page_reaches_nothing_inside) {
  const auto network = NetworkNamespace::enter();
  if (!network) GTEST_SKIP() << "a network of its own needs root";
  ASSERT_TRUE(network->own_every_address());
  Origin outside({.address = "::"});
  Origin inside({.address = "::"});
  inside.otherwise(serve::page("secret", "Access-Control-Allow-Origin: *\r\n"));
  const std::vector<std::string> hosts = {
      "169.254.169.254", "10.0.0.1",          "192.168.1.1",     "127.0.0.1",  "localhost", "[::1]",
      "[fd00:ec2::254]", "[::ffff:10.0.0.1]", "100.100.100.200", "172.16.0.1", "0.0.0.0"};
  std::vector<std::string> pages;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::string there = inside.url_at(hosts[i], "/").substr(std::string("http:").size());
    for (const std::string& way :
         {"fetch('http:" + there + "', { mode: 'no-cors' })", "new WebSocket('ws:" + there + "')",
          "new Image().src = 'https:" + there + "'"}) {
      const std::string path = "/" + std::to_string(pages.size());
      outside.on(path, serve::page("<body><script>" + way + "</script>", as_html));
      pages.push_back(outside.url_at("93.184.215.14", path));
    }
  }
  {
    std::ofstream file(folder_ / "pollux.yaml");
    file << "budget: unlimited\ndatabase: test.db\nhosts: { delay: 0s, connections: 8, robots: "
            "ignore, probe: false }\nrender: { chromium: true, pages: 4 }\n"
            "defaults: { content: { render: true } }\npages:\n";
    for (const std::string& page : pages) file << "  - " << page << "\n";
  }
  start();
  for (const std::string& page : pages) {
    EXPECT_TRUE(eventually([&] { return progress(page).polls >= 1; })) << page;
    EXPECT_TRUE(progress(page).last_error.starts_with("address_refused"))
        << page << ": " << progress(page).last_error;
  }
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(inside.connections(), 0u);
  EXPECT_EQ(inside.requests(), 0u);
}

}  // namespace
}  // namespace pollux::test

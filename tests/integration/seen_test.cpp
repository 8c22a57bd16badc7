// What the daemon says of what it saw: failures, real intervals, redirects, cookies.
#include "integration/running_daemon.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"

#include <atomic>
#include <sstream>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <sys/stat.h>

namespace pollux::test {
namespace {

namespace json = boost::json;

class Seen : public RunningDaemon {
 protected:
  json::value pages() {
    const std::filesystem::path aside = folder_ / "aside";
    std::filesystem::create_directory(aside);
    Program asked(POLLUX_BINARY, aside, {"pages", "--json", "--database", database()});
    const Finished told = asked.wait();
    EXPECT_EQ(told.exit_code, 0) << told.err;
    return json::parse(told.out);
  }
  json::value page(const std::string& url) {
    const json::value all = pages();
    for (const json::value& row : all.as_array()) {
      if (row.at("url") == json::value(url)) return row;
    }
    ADD_FAILURE() << url << " is not listed";
    return {};
  }
  // The first line of a JSON log with this event.
  json::value event(const std::string& name, const std::string& log) {
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
      const json::value told = json::parse(line);
      if (told.as_object().contains("event") && told.at("event") == json::value(name)) return told;
    }
    ADD_FAILURE() << "no " << name << " in " << log;
    return json::object();
  }
  // In any file of the folder but those named.
  bool anywhere(const std::string& text, const std::vector<std::string>& but) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_regular_file() || std::find(but.begin(), but.end(), name) != but.end())
        continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(file), {});
      if (bytes.find(text) != std::string::npos) return true;
    }
    return false;
  }
};

TEST_F(Seen, a_page_that_fails_and_recovers_is_logged_with_its_reason_and_as_fields) {
  Origin origin;
  std::atomic<bool> broken{false};
  std::atomic<int> version{1};
  origin.on("/page", [&](Exchange& x) -> Step {
    if (broken) {
      co_await x.respond(503, "Retry-After: 1\r\n", "");
    } else {
      co_await x.respond(200, "", "version " + std::to_string(version));
    }
  });
  configure({origin.url("/page")}, "20",
            "log: { level: debug, format: json }\n"
            "defaults: { min_interval: 0s, max_interval: 1s, timeout: 5s }\n");
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/page")).polls >= 2; }));
  broken = true;
  ASSERT_TRUE(logged("\"still failing: "));
  broken = false;
  version = 2;
  ASSERT_TRUE(logged("\"recovered: "));
  ASSERT_TRUE(logged("\"changed: "));
  const std::string log = stop().err;
  const json::value failing = event("failing", log);
  EXPECT_EQ(failing.at("level"), "warn");
  EXPECT_EQ(failing.at("url"), json::value(origin.url("/page")));
  EXPECT_EQ(failing.at("status"), 503);
  EXPECT_EQ(failing.at("page_id"), 1);
  EXPECT_EQ(failing.at("error"), "HTTP 503, Retry-After 1 s");
  EXPECT_GE(event("recovered", log).at("failures").as_int64(), 2);
  const json::value changed = event("changed", log);
  EXPECT_EQ(changed.at("status"), 200);
  EXPECT_EQ(changed.at("bytes"), 9);
  EXPECT_EQ(changed.at("old_hash").as_string().size(), 64u);
  EXPECT_NE(changed.at("old_hash"), changed.at("new_hash"));
  EXPECT_EQ(event("polled", log).at("verdict"), "baseline");
}

TEST_F(Seen, shares_and_intervals_are_told_as_measured_when_limits_bind) {
  Origin origin;
  origin.on("/noise", serve::changing_page());
  std::vector<std::string> urls{origin.url("/noise")};
  for (int i = 0; i < 4; ++i) {
    const std::string path = "/quiet" + std::to_string(i);
    origin.on(path, serve::page("always"));
    urls.push_back(origin.url(path));
  }
  configure(urls, "10", "defaults: { min_interval: 400ms, timeout: 5s }\n");
  start();
  ASSERT_TRUE(eventually([&] { return progress(urls[0]).polls >= 30; }));
  ASSERT_TRUE(eventually([&] { return progress(urls[1]).polls >= 5; }));
  EXPECT_EQ(stop().exit_code, 0);
  for (const std::string& url : urls) {
    const auto arrivals = origin.arrivals(url.substr(url.rfind('/')));
    const double seen = std::chrono::duration<double>(arrivals.back() - arrivals.front()).count() /
                        static_cast<double>(arrivals.size() - 1);
    const json::value told = page(url);
    EXPECT_NEAR(told.at("measured_interval_s").to_number<double>() / seen, 1, 0.25) << url;
    EXPECT_NEAR(told.at("measured_share").to_number<double>() * seen * 10, 1, 0.25) << url;
    EXPECT_GE(told.at("poll_interval_s").to_number<double>(), 0.4);
  }
  const json::value noise = page(urls[0]), quiet = page(urls[1]);
  EXPECT_LE(noise.at("planned_share").to_number<double>(), 0.26) << "a poll in 400 ms of 10/s";
  EXPECT_EQ(noise.at("change_rate_bound"), "lower");
  EXPECT_LE(noise.at("change_rate_per_day").to_number<double>(), 86400 / 0.39);
  EXPECT_EQ(quiet.at("change_rate_bound"), "upper");
}

TEST_F(Seen, a_redirect_to_a_login_page_is_visible_everywhere) {
  Origin origin, elsewhere({.address = "127.0.0.2"});
  origin.on("/members", serve::redirect(302, elsewhere.url("/login?next=members")));
  elsewhere.on("/login", serve::page("who are you?"));
  const std::string url = origin.url("/members");
  configure({url}, "20");
  start();
  ASSERT_TRUE(logged("redirected: " + url + " is answered by " + elsewhere.url("/login") +
                     ", which looks like a login page"));
  ASSERT_TRUE(eventually([&] { return !progress(url).final_url.empty(); }));
  EXPECT_EQ(stop().exit_code, 0);
  const json::value told = page(url);
  EXPECT_EQ(told.at("final_url"), json::value(elsewhere.url("/login?next=members")));
  EXPECT_EQ(told.at("redirect_distance"), "other_host");
  EXPECT_EQ(told.at("redirects"), 1);
  EXPECT_EQ(told.at("looks_like"), "login");
  for (const std::string command : {"pages", "explain"}) {
    std::vector<std::string> words{command};
    if (command == "explain") words.push_back(url);
    words.insert(words.end(), {"--database", database()});
    const Finished said = Program(POLLUX_BINARY, folder_ / "aside", words).wait();
    EXPECT_NE(said.out.find("another host, looks like a login page"), std::string::npos)
        << said.out;
  }
}

// Sets a cookie and sends people back; shows the page to those who bring it.
Script behind_a_cookie() {
  return [](Exchange& x) -> Step {
    if (x.header("cookie").find("seen=sesame") != std::string::npos) {
      co_await x.respond(200, "", "the page");
    } else {
      co_await x.respond(302, "Set-Cookie: seen=sesame; Path=/\r\nLocation: " + x.path + "\r\n",
                         "");
    }
  };
}

TEST_F(Seen, a_cookie_that_is_set_and_asked_for_by_a_redirect_opens_the_page) {
  Origin origin;
  origin.on("/none", behind_a_cookie());
  origin.on("/session", behind_a_cookie());
  configure({origin.url("/none"), "{ url: " + origin.url("/session") + ", cookies: session }"},
            "50", "defaults: { min_interval: 0s, max_interval: 1s, timeout: 5s }\n");
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/session")).polls >= 3; }));
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/none")).errors >= 1; }));
  EXPECT_EQ(stop().exit_code, 0);
  const store::PageProgress session = progress(origin.url("/session"));
  EXPECT_EQ(session.errors, 0) << session.last_error;
  EXPECT_EQ(session.changes, 0);
  EXPECT_EQ(session.redirects, 1) << "every poll begins without it";
  EXPECT_EQ(session.final_url, "");
  EXPECT_EQ(progress(origin.url("/none")).last_error, "more than 5 redirects");
}

TEST_F(Seen, kept_cookies_survive_a_restart_in_a_private_file_and_are_nowhere_else) {
  Origin origin;
  origin.on("/keep", behind_a_cookie());
  const std::string url = origin.url("/keep");
  configure({"{ url: " + url + ", cookies: keep }"}, "20",
            "log: { level: trace }\nstorage: { backup_every: 1d }\n"
            "defaults: { min_interval: 0s, timeout: 5s }\n");
  start();
  ASSERT_TRUE(eventually([&] { return progress(url).polls >= 3; }));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(progress(url).redirects, 0) << "only the first poll had to ask for it";
  struct stat about {};
  ASSERT_EQ(::stat((database() + "-private").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
  EXPECT_TRUE(anywhere("sesame", {}));
  EXPECT_FALSE(anywhere("sesame", {"test.db-private"})) << "no table, backup or log";
  const std::size_t asked = origin.requests("/keep");
  const auto polls = progress(url).polls;
  start();
  ASSERT_TRUE(eventually([&] { return progress(url).polls >= polls + 2; }));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_LE(origin.requests("/keep"),
            asked + static_cast<std::size_t>(progress(url).polls - polls) + 1)
      << "a request a poll: nobody was sent back";
  EXPECT_EQ(progress(url).changes, 0);
}

TEST_F(Seen, an_edit_of_headers_makes_a_new_baseline_and_no_change) {
  Origin origin;
  origin.on("/page", [](Exchange& x) -> Step {
    co_await x.respond(200, "", "in " + x.header("accept-language"));
  });
  const std::string url = origin.url("/page");
  const auto in = [&](const std::string& language) {
    configure({"{ url: " + url + ", headers: { Accept-Language: " + language + " } }"}, "50",
              "defaults: { min_interval: 0s, timeout: 5s }\n");
  };
  const auto polled_in = [&](const std::string& language) {
    return eventually([&] { return origin.last_header("/page", "accept-language") == language; }) &&
           eventually(
               [&, before = progress(url).polls] { return progress(url).polls >= before + 3; });
  };
  in("de");
  start();
  ASSERT_TRUE(polled_in("de"));
  in("fr");
  daemon_->send(SIGHUP);
  ASSERT_TRUE(polled_in("fr")) << "by a reload";
  EXPECT_EQ(stop().exit_code, 0);
  in("en");
  start();
  ASSERT_TRUE(polled_in("en")) << "while no daemon ran";
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(progress(url).changes, 0);
  EXPECT_EQ(progress(url).errors, 0);
  EXPECT_FALSE(progress(url).content_hash.empty());
  start();
  ASSERT_TRUE(polled_in("en"));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(progress(url).changes, 0);
}

}  // namespace
}  // namespace pollux::test

// What counts as a change, seen through the real program: rules, noise, lies, versions.
#include "integration/running_daemon.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"

#include <atomic>

namespace pollux::test {
namespace {

constexpr char quick[] =
    "defaults: { min_interval: 0s, max_interval: 1s, timeout: 5s, content: { as: auto } }\n";

std::string counted_by(const std::string& rule) {
  return "defaults: { min_interval: 0s, max_interval: 1s, timeout: 5s, content: { " + rule +
         " } }\n";
}

std::string words(const std::string& first) {
  std::string text = "<html><head><title>A page</title></head><body><p>" + first + "</p><p>";
  for (int i = 0; i < 150; ++i) text += "word" + std::to_string(i) + " ";
  return text + "</p></body></html>";
}

std::string hexadecimal(std::uint64_t nth) {
  std::string text;
  for (std::uint64_t i = 0; i < 32; ++i) {
    text += "0123456789abcdef"[(nth * 2654435761u + i * 40503u * (nth + 7)) >> 5 & 15];
  }
  return text;
}

// Outside of the coroutines: g++ 12 frees the temporaries of a condition in one twice.
std::string shown(bool walled) {
  return walled ? "<title>Log in</title><form><input type=password></form>" : words("news");
}
std::string priced(int moment) {
  const char* price = moment == 0 ? "now 120 EUR" : moment == 1 ? "now 90 EUR" : "now n/a";
  return std::string("<title>A shop</title><p>") + price + "</p>";
}
std::string boxed(bool there) {
  return there ? "<div class=x>thing</div>" : "<div>other</div>";
}

class Content : public RunningDaemon {
 protected:
  std::string ask(const std::string& sql) {
    const std::filesystem::path aside = folder_ / "asked";
    std::filesystem::create_directories(aside);
    Program asked("/usr/bin/sqlite3", aside,
                  {"-readonly", "-cmd", ".timeout 5000", database(), sql});
    return asked.wait().out;
  }
  void lose_versions() {
    for (const char* part : {"", "-wal", "-shm"})
      std::filesystem::remove(database() + "-content" + part);
  }
  std::string health(const std::string& path) {
    return ask("SELECT health FROM page WHERE url LIKE '%" + path + "'");
  }
  std::string told(const std::vector<std::string>& arguments) {
    const std::filesystem::path aside = folder_ / "told";
    std::filesystem::create_directories(aside);
    Program asked(POLLUX_BINARY, aside, arguments);
    return asked.wait().out;
  }
};

TEST_F(Content, a_token_is_masked_and_a_true_change_is_told_in_words) {
  Origin origin;
  std::atomic<int> price{99};
  origin.on("/shop", [&](Exchange& x) -> Step {
    co_await x.respond(200, "Content-Type: text/html\r\n",
                       words("price " + std::to_string(price) + " EUR") + "<p>session id " +
                           hexadecimal(x.nth) + " end</p>");
  });
  configure({origin.url("/shop")}, "20", quick);
  start();
  ASSERT_TRUE(eventually([&] { return health("/shop") == "masked\n"; }));
  EXPECT_EQ(progress(origin.url("/shop")).changes, 0);
  price = 94;
  ASSERT_TRUE(logged("changed: "));
  EXPECT_NE(ask("SELECT summary FROM change").find("99 → 94"), std::string::npos);
  EXPECT_EQ(ask("SELECT words_added, words_removed FROM change"), "1|1\n");
  const auto before = progress(origin.url("/shop")).polls;
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/shop")).polls > before + 5; }));
  EXPECT_EQ(progress(origin.url("/shop")).changes, 1);
  EXPECT_EQ(ask("SELECT count(*) FROM mask"), "1\n");
  (void)stop();
  const std::string difference =
      told({"diff", "--database", database(), "shop", "--style", "unified"});
  EXPECT_NE(difference.find("-price 99 EUR"), std::string::npos) << difference;
  EXPECT_NE(difference.find("+price 94 EUR"), std::string::npos) << difference;
}

TEST_F(Content, a_login_wall_is_recorded_and_neither_entering_nor_leaving_it_is_a_change) {
  Origin origin;
  std::atomic<bool> walled{false};
  origin.on("/page", [&](Exchange& x) -> Step {
    const std::string body = shown(walled);
    co_await x.respond(200, "Content-Type: text/html\r\n", body);
  });
  configure({origin.url("/page")}, "20", quick);
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/page")).polls >= 2; }));
  walled = true;
  ASSERT_TRUE(eventually([&] { return health("/page") == "suspect\n"; }));
  walled = false;
  ASSERT_TRUE(eventually([&] { return health("/page") == "ok\n"; }));
  EXPECT_EQ(progress(origin.url("/page")).changes, 0);
  EXPECT_EQ(ask("SELECT reason, ended_at > seen_at FROM suspicion"), "login wall|1\n");
}

TEST_F(Content, a_page_with_a_selector_behind_a_login_wall_is_suspect) {
  Origin origin;
  std::atomic<bool> walled{false};
  origin.on("/page", [&](Exchange& x) -> Step {
    const std::string body = shown(walled);
    co_await x.respond(200, "Content-Type: text/html\r\n", body);
  });
  configure({origin.url("/page")}, "20", counted_by("select: [\"p\"]"));
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/page")).polls >= 2; }));
  walled = true;
  ASSERT_TRUE(eventually([&] { return health("/page") == "suspect\n"; }));
  const std::string told_why = told({"explain", "--database", database(), "page"});
  EXPECT_NE(told_why.find("a form to log in"), std::string::npos) << told_why;
  walled = false;
  ASSERT_TRUE(eventually([&] { return health("/page") == "ok\n"; }));
  EXPECT_EQ(progress(origin.url("/page")).changes, 0);
  EXPECT_EQ(ask("SELECT reason, ended_at > seen_at FROM suspicion"), "login wall|1\n");
}

TEST_F(Content, a_number_that_was_missing_for_a_moment_does_not_fire_again) {
  Origin origin;
  std::atomic<int> moment{0}, served{0};
  origin.on("/shop", [&](Exchange& x) -> Step {
    ++served;
    const std::string body = priced(moment);
    co_await x.respond(200, "Content-Type: text/html\r\n", body);
  });
  configure({origin.url("/shop")}, "20", counted_by("number: { below: 100 }"));
  start();
  // The third request from now on: the second has been asked, answered and judged since. And what
  // the database tells is as new as that.
  const auto polled_on = [&] {
    const int before = served;
    if (!eventually([&] { return served > before + 2; })) return false;
    const auto stored = progress(origin.url("/shop")).polls;
    return eventually([&] { return progress(origin.url("/shop")).polls > stored + 3; });
  };
  ASSERT_TRUE(polled_on());
  moment = 1;
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/shop")).changes == 1; }));
  for (const int next : {2, 1, 2, 1}) {
    moment = next;
    ASSERT_TRUE(polled_on());
  }
  EXPECT_EQ(progress(origin.url("/shop")).changes, 1);
  moment = 0;
  ASSERT_TRUE(polled_on());
  moment = 1;
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/shop")).changes == 2; }));
}

TEST_F(Content, a_selector_that_stops_matching_is_told_once_and_is_no_change) {
  Origin origin;
  std::atomic<bool> there{true};
  origin.on("/page", [&](Exchange& x) -> Step {
    const std::string body = boxed(there);
    co_await x.respond(200, "Content-Type: text/html\r\n", body);
  });
  configure({origin.url("/page")}, "20", counted_by("select: [\".x\"]"));
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/page")).polls >= 2; }));
  there = false;
  ASSERT_TRUE(eventually([&] { return health("/page") == "selector\n"; }));
  const auto before = progress(origin.url("/page")).polls;
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/page")).polls > before + 3; }));
  there = true;
  ASSERT_TRUE(eventually([&] { return health("/page") == "ok\n"; }));
  EXPECT_EQ(progress(origin.url("/page")).changes, 0);
  EXPECT_EQ(progress(origin.url("/page")).errors, 0);
  const std::string log = stop().err;
  const std::size_t first = log.find("warn  selector: ");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(log.find("warn  selector: ", first + 1), std::string::npos) << "once";
}

TEST_F(Content, editing_a_rule_of_a_thousand_pages_reports_no_change) {
  Origin origin;
  std::vector<std::string> urls;
  for (int i = 0; i < 1000; ++i) {
    const std::string path = "/page" + std::to_string(i);
    origin.on(path, serve::page(words("page"), "Content-Type: text/html\r\n"));
    urls.push_back(origin.url(path));
  }
  configure(urls, "2000", quick);
  start();
  ASSERT_TRUE(
      eventually([&] { return ask("SELECT count(*) FROM page WHERE polls > 1") == "1000\n"; }));
  configure(urls, "2000",
            "defaults: { min_interval: 0s, max_interval: 1s, timeout: 5s, content: { as: auto, "
            "select: [\"p\"] } }\n");
  daemon_->send(SIGHUP);
  ASSERT_TRUE(logged("reloaded"));
  ASSERT_TRUE(eventually([&] {
    return ask("SELECT count(DISTINCT rules_mark) || count(content_hash) FROM page") == "11000\n" &&
           ask("SELECT count(*) FROM page WHERE polls > 4") == "1000\n";
  }));
  EXPECT_EQ(ask("SELECT count(*) FROM change"), "0\n");
}

// Written by the program of that time, which had polled three pages that stay and three that differ
// now.
TEST_F(Content, a_database_of_0_1_0_makes_baselines_and_only_for_bytes_changes) {
  Origin origin;
  for (const char* path : {"/same1", "/same2", "/same3", "/gen1", "/gen2", "/gen3"}) {
    const bool same = std::string_view(path).starts_with("/same");
    origin.on(path,
              serve::page("<html><body><h1>Page " + std::string(path) + "</h1>" +
                              (same ? "" : "<p>version 2 of the words</p>") + "</body></html>",
                          "Content-Type: text/html\r\n"));
  }
  std::ifstream file(std::string(POLLUX_SOURCE_DIR) + "/tests/integration/database_of_0_1_0.sql");
  std::string sql{std::istreambuf_iterator<char>(file), {}};
  const std::string port = "@PORT@";
  for (std::size_t at = 0; (at = sql.find(port, at)) != std::string::npos;)
    sql.replace(at, port.size(), std::to_string(origin.port()));
  const std::filesystem::path aside = folder_ / "made";
  std::filesystem::create_directories(aside);
  Program made("/usr/bin/sqlite3", aside, {database(), sql});
  ASSERT_EQ(made.wait().exit_code, 0) << made.text("err");
  std::vector<std::string> urls;
  for (const char* path : {"/same1", "/same2", "/same3", "/gen1", "/gen2", "/gen3"})
    urls.push_back(origin.url(path));
  configure(urls, "50",
            quick + std::string("rules: [{ match: \"*/gen1\", content: { as: raw } }]\n"));
  start();
  ASSERT_TRUE(eventually([&] {
    return ask("SELECT count(*) FROM page WHERE polls > 14 AND content_hash <> ''") == "6\n";
  }));
  EXPECT_EQ(ask("SELECT count(*) FROM change"), "1\n");
  EXPECT_EQ(ask("SELECT url LIKE '%/gen1' FROM page WHERE changes > 0"), "1\n");
  EXPECT_EQ(ask("SELECT count(*) FROM page WHERE url LIKE '%/same%' AND changes = 0 AND "
                "content_hash <> body_hash"),
            "3\n");
  const std::string log = stop().err;
  std::size_t counted = 0;
  for (std::size_t at = 0; (at = log.find("taken as it is: ", at)) != std::string::npos; ++at)
    ++counted;
  EXPECT_EQ(counted, 2U) << log;
}

TEST_F(Content, a_lost_file_of_versions_costs_history_and_nothing_else) {
  Origin origin;
  std::atomic<int> version{1};
  origin.on("/page", [&](Exchange& x) -> Step {
    co_await x.respond(200, "Content-Type: text/html\r\n",
                       words("edition " + std::to_string(version) + " of it"));
  });
  configure({origin.url("/page")}, "20", quick);
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/page")).polls >= 2; }));
  (void)stop();
  lose_versions();
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/page")).polls >= 4; }));
  version = 2;
  ASSERT_TRUE(logged("changed: "));
  version = 3;
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/page")).changes == 2; }));
  EXPECT_EQ(ask("SELECT summary IS NULL FROM change ORDER BY id"), "1\n0\n");
}

TEST_F(Content, a_condition_that_became_true_while_its_text_was_lost_is_told) {
  Origin origin;
  std::atomic<int> moment{0};
  origin.on("/shop", [&](Exchange& x) -> Step {
    const std::string body = priced(moment);
    co_await x.respond(200, "Content-Type: text/html\r\n", body);
  });
  configure({origin.url("/shop")}, "20", counted_by("number: { below: 100 }"));
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/shop")).polls >= 2; }));
  (void)stop();
  lose_versions();
  moment = 1;
  start();
  ASSERT_TRUE(eventually([&] { return progress(origin.url("/shop")).changes == 1; }));
}

}  // namespace
}  // namespace pollux::test

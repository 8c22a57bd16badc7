// Real pages in a real browser.
#include "unit/render/rendered.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>

#include <dirent.h>
#include <unistd.h>

namespace pollux::render {
namespace {

TEST_F(RendererTest, shows_what_scripts_made) {
  POLLUX_NEEDS_CHROMIUM();
  page("/p",
       "<main id=m>loading</main><script>fetch('/data').then(r => r.text()).then(t => "
       "m.textContent = 'made of ' + t)</script>");
  origin.on("/data", serve::page("live data"));
  const Response response = render("/p");
  EXPECT_EQ(response.failure, Failure::none) << response.failure_text;
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "text/html; charset=utf-8");
  EXPECT_NE(response.body.find("made of live data"), std::string::npos) << response.body;
  EXPECT_TRUE(response.body.starts_with("<!DOCTYPE html>")) << response.body;
  EXPECT_EQ(origin.last_header("/p", "user-agent"), "pollux-test");
  EXPECT_EQ(response.final_url, origin.url("/p"));
}

// --- As Fetcher says.

TEST_F(RendererTest, asks_for_nothing_before_it_is_told_to_send) {
  POLLUX_NEEDS_CHROMIUM();
  page("/p", "here");
  sends_at_once = false;
  renderer().start(request(origin.url("/p")));
  run_until([this] { return ready.size() == 1; });
  io.restart();
  io.run_for(500ms);
  EXPECT_EQ(origin.connections(), 0u);
  renderer().send(ready.front());
  run_until_done(1);
  EXPECT_EQ(done.back().failure, Failure::none) << done.back().failure_text;
}

TEST_F(RendererTest, reports_a_redirect_and_does_not_follow_it) {
  POLLUX_NEEDS_CHROMIUM();
  origin.on("/moved", serve::redirect(301, "/there?x=1"));
  const Response response = render("/moved");
  EXPECT_EQ(response.status, 301);
  EXPECT_EQ(response.redirect_to, origin.url("/there?x=1"));
  EXPECT_EQ(origin.requests("/there"), 0u);
}

TEST_F(RendererTest, takes_a_script_that_goes_elsewhere_for_a_redirect) {
  POLLUX_NEEDS_CHROMIUM();
  page("/p", "<script>location.href = '/there'</script>");
  page("/there", "there");
  const Response response = render("/p");
  EXPECT_EQ(response.failure, Failure::none) << response.failure_text;
  EXPECT_EQ(response.status, 302);
  EXPECT_EQ(response.redirect_to, origin.url("/there"));
  EXPECT_EQ(origin.requests("/there"), 0u);
  page("/refresh", "<meta http-equiv=refresh content='0;url=/there'>");
  EXPECT_EQ(render("/refresh").redirect_to, origin.url("/there"));
  EXPECT_EQ(origin.requests("/there"), 0u);
}

// It would have to travel, and no server takes it.
TEST_F(RendererTest, a_script_that_goes_to_an_endless_url_is_an_error) {
  POLLUX_NEEDS_CHROMIUM();
  page("/p", "<script>location.href = '/' + 'a'.repeat(100000)</script>");
  const Response response = render("/p");
  EXPECT_EQ(response.failure, Failure::protocol) << response.failure_text;
  EXPECT_LT(response.failure_text.size(), 1000u);
  EXPECT_EQ(response.redirect_to, "");
}

TEST_F(RendererTest, reports_what_is_no_success_with_its_wish_to_be_left_alone) {
  POLLUX_NEEDS_CHROMIUM();
  origin.on("/busy", serve::status(503, html + "Retry-After: 120\r\n", "<script>1</script>"));
  const Response busy = render("/busy");
  EXPECT_EQ(busy.failure, Failure::none);
  EXPECT_EQ(busy.status, 503);
  EXPECT_EQ(busy.retry_after, Duration(120s));
  EXPECT_EQ(busy.body, "");
  EXPECT_EQ(render("/gone").status, 404);
}

TEST_F(RendererTest, sends_no_validators_and_reports_none) {
  POLLUX_NEEDS_CHROMIUM();
  origin.on("/p", serve::page("<p>x", html + "ETag: \"7\"\r\nCache-Control: max-age=600\r\n"));
  fetch::Request r = request(origin.url("/p"));
  r.etag = "\"7\"";
  const Response response = render(std::move(r));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.etag, "");
  EXPECT_FALSE(response.fresh_for);
  EXPECT_EQ(origin.last_header("/p", "if-none-match"), "");
}

TEST_F(RendererTest, keeps_headers_and_logins_to_the_pages_own_origin) {
  POLLUX_NEEDS_CHROMIUM();
  Origin other;
  other.on("/foreign", serve::page("f", "Access-Control-Allow-Origin: *\r\n"));
  page("/p", "<p id=p></p><script>Promise.all([fetch('/own'), fetch('" + other.url("/foreign") +
                 "')]).then(() => { p.textContent = 'both' })</script>");
  origin.on("/own", serve::page("o"));
  fetch::Request r = request(origin.url("/p"));
  r.headers = std::make_shared<fetch::HeaderLines>(
      fetch::HeaderLines{"Authorization: Bearer secret", "X-Key: 5", "Cookie: a=1; b=2"});
  const Response response = render(std::move(r));
  EXPECT_NE(response.body.find("both"), std::string::npos) << response.failure_text;
  for (const char* path : {"/p", "/own"}) {
    EXPECT_EQ(origin.last_header(path, "authorization"), "Bearer secret") << path;
    EXPECT_EQ(origin.last_header(path, "x-key"), "5") << path;
    EXPECT_EQ(origin.last_header(path, "cookie"), "a=1; b=2") << path;
  }
  EXPECT_EQ(other.requests("/foreign"), 1u);
  EXPECT_EQ(other.last_header("/foreign", "authorization"), "");
  EXPECT_EQ(other.last_header("/foreign", "x-key"), "");
}

TEST_F(RendererTest, keeps_a_jar_and_no_page_sees_that_of_another) {
  POLLUX_NEEDS_CHROMIUM();
  page("/p",
       "<p id=p></p><script>p.textContent = 'had ' + document.cookie + '.';"
       "document.cookie = 'mine=2; max-age=1000'</script>");
  fetch::Request r = request(origin.url("/p"));
  r.cookies = fetch::CookieLines{"127.0.0.1\tFALSE\t/\tFALSE\t0\tgiven\t1"};
  const Response first = render(std::move(r));
  EXPECT_NE(first.body.find("had given=1."), std::string::npos) << first.body;
  ASSERT_EQ(first.cookies.size(), 2u);
  fetch::Request again = request(origin.url("/p"));
  again.cookies = first.cookies;
  const Response second = render(std::move(again));
  EXPECT_NE(second.body.find("mine=2"), std::string::npos) << second.body;
  EXPECT_NE(render("/p").body.find("had ."), std::string::npos) << done.back().body;
}

TEST_F(RendererTest, gives_a_large_document_in_pieces_within_the_credit) {
  POLLUX_NEEDS_CHROMIUM();
  page("/large", "<p id=p></p><script>p.textContent = '\\u00e4'.repeat(300000) + 'end'</script>");
  const Response response = render("/large");
  EXPECT_GT(response.body_bytes, 600'000u);
  EXPECT_EQ(response.body.size(), response.body_bytes);
  EXPECT_NE(response.body.find("äend"), std::string::npos);
  EXPECT_GT(pieces.size(), 8u);
  for (const std::size_t size : pieces) EXPECT_LE(size, network.piece_bytes);
}

TEST_F(RendererTest, a_document_longer_than_it_may_be_is_an_error) {
  POLLUX_NEEDS_CHROMIUM();
  page("/large", "<p id=p></p><script>p.textContent = '\\u00e4'.repeat(60000)</script>");
  fetch::Request r = request(origin.url("/large"));
  r.max_body = 100'000;  // fewer characters, more bytes
  EXPECT_EQ(render(std::move(r)).failure, Failure::body_too_large);
  expect_next_is_fine();
}

TEST_F(RendererTest, ends_what_is_cancelled_at_any_stage) {
  POLLUX_NEEDS_CHROMIUM();
  page("/loop", "<script>for (;;);</script>");
  sends_at_once = false;
  renderer().start(request(origin.url("/loop")));
  renderer().start(request(origin.url("/loop")));
  run_until([this] { return ready.size() == 1; });
  renderer().send(ready.front());
  io.restart();
  io.run_for(1s);
  renderer().cancel_all();
  run_until_done(2);
  for (const Response& response : done) EXPECT_EQ(response.failure, Failure::cancelled);
  EXPECT_EQ(renderer().in_flight(), 0u);
  sends_at_once = true;
  expect_next_is_fine();
}

TEST_F(RendererTest, takes_a_page_that_never_rests_as_it_is_after_a_while) {
  POLLUX_NEEDS_CHROMIUM();
  options.wait = 2s;
  page("/busy", "<p>text</p><script>setInterval(() => fetch('/ping'), 100)</script>");
  origin.on("/ping", serve::page("pong"));
  const Response response = render("/busy");
  EXPECT_EQ(response.failure, Failure::none) << response.failure_text;
  EXPECT_NE(response.body.find("text"), std::string::npos);
}

TEST_F(RendererTest, refuses_what_is_no_document) {
  POLLUX_NEEDS_CHROMIUM();
  origin.on("/json", serve::page("{}", "Content-Type: application/json\r\n"));
  EXPECT_EQ(render("/json").failure, Failure::protocol);
  origin.on("/file", serve::page("x",
                                 "Content-Type: application/octet-stream\r\n"
                                 "Content-Disposition: attachment; filename=x.exe\r\n"));
  EXPECT_EQ(render("/file").failure, Failure::protocol);
  expect_next_is_fine();
}

TEST_F(RendererTest, classifies_what_goes_wrong_on_the_way) {
  POLLUX_NEEDS_CHROMIUM();
  lookup = [](const std::string& host) {
    if (host == "away.test") return fetch::Lookup{{}, "no such name"};
    return fetch::Lookup{{"127.0.0.1"}, {}};
  };
  origin.on("/reset", serve::reset());
  EXPECT_EQ(render("/reset").failure, Failure::connection_lost) << done.back().failure_text;
  origin.on("/silence", serve::silence());
  fetch::Request slow = request(origin.url("/silence"));
  slow.timeout = 1s;
  EXPECT_EQ(render(std::move(slow)).failure, Failure::timeout);
  EXPECT_EQ(render(request("http://away.test/")).failure, Failure::dns);
  std::uint16_t closed_port = 0;
  {
    const Origin ended;
    closed_port = ended.port();
  }
  EXPECT_EQ(render(request("http://127.0.0.1:" + std::to_string(closed_port) + "/")).failure,
            Failure::connect);
  test::Origin tls({.tls = true});
  tls.on("/p", serve::page("x", html));
  EXPECT_EQ(render(request(tls.url("/p"))).failure, Failure::tls) << done.back().failure_text;
  expect_next_is_fine();
}

// --- The browser itself.

// Processes of this machine that were started with this word.
bool is_browser(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/cmdline");
  const std::string line{std::istreambuf_iterator<char>(file), {}};
  return line.find("pollux-browser-") != std::string::npos;
}

// 0 when it is gone.
int parent_of(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_ends = line.rfind(')');
  if (name_ends == std::string::npos) return 0;
  return std::atoi(line.c_str() + std::min(name_ends + 4, line.size()));  // ") S 123"
}

// Other tests, in processes of their own, have browsers as well.
std::set<int> own_browsers() {
  std::set<int> found;
  DIR* const all = opendir("/proc");
  while (const dirent* entry = readdir(all)) {
    const int process = std::atoi(entry->d_name);
    if (process <= 0 || !is_browser(process)) continue;
    int above = process;
    while (above > 1 && above != getpid()) above = parent_of(above);
    if (above == getpid()) found.insert(process);
  }
  closedir(all);
  return found;
}

TEST_F(RendererTest, leaves_no_process_and_no_folder) {
  POLLUX_NEEDS_CHROMIUM();
  page("/p", "here");
  EXPECT_EQ(render("/p").failure, Failure::none);
  const std::set<int> with = own_browsers();
  ASSERT_FALSE(with.empty());
  std::ifstream status("/proc/" + std::to_string(*with.rbegin()) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Uid:")) {
      EXPECT_EQ(line.find("\t0\t"), std::string::npos) << "root: " << line;
    }
  }
  end();
  for (const int process : with) EXPECT_FALSE(is_browser(process)) << process;
  EXPECT_TRUE(own_browsers().empty());
}

TEST_F(RendererTest, starts_a_browser_that_was_killed_again) {
  POLLUX_NEEDS_CHROMIUM();
  page("/p", "here");
  EXPECT_EQ(render("/p").failure, Failure::none);
  const std::set<int> now = own_browsers();
  ASSERT_FALSE(now.empty());
  for (const int process : now) kill(process, SIGKILL);
  expect_next_is_fine();
}

// The next browser has it, and nobody is told twice.
TEST_F(RendererTest, a_page_that_was_ready_is_not_lost_with_its_browser) {
  POLLUX_NEEDS_CHROMIUM();
  page("/p", "here");
  sends_at_once = false;
  renderer().start(request(origin.url("/p")));
  run_until([this] { return ready.size() == 1; });
  const std::set<int> before = own_browsers();
  for (const int process : before) kill(process, SIGKILL);
  run_until([&] {  // another one is being started
    const std::set<int> now = own_browsers();
    return std::ranges::any_of(now, [&](int process) { return !before.contains(process); });
  });
  renderer().send(ready.front());
  run_until_done(1);
  EXPECT_EQ(done.back().failure, Failure::agent) << done.back().failure_text;
  EXPECT_FALSE(done.back().sent);
  EXPECT_EQ(ready.size(), 1u);
  EXPECT_EQ(origin.requests("/p"), 0u);
  sends_at_once = true;
  expect_next_is_fine();
}

TEST_F(RendererTest, shows_several_pages_at_a_time_and_who_comes_late_waits) {
  POLLUX_NEEDS_CHROMIUM();
  options.pages = 2;
  page("/p",
       "<p id=p></p><script>setTimeout(() => { p.textContent = 'in' + ' time' }, 300)</script>");
  for (int i = 0; i < 6; ++i) renderer().start(request(origin.url("/p")));
  run_until_done(6);
  for (const Response& response : done) EXPECT_EQ(response.failure, Failure::none);
  EXPECT_EQ(origin.max_concurrent() <= 2, true);
}

TEST_F(RendererTest, a_program_that_is_no_browser_is_an_error_of_its_own) {
  options.program = "/bin/true";
  const Response response = render(request("http://127.0.0.1:1/"));
  EXPECT_EQ(response.failure, Failure::internal) << response.failure_text;
  EXPECT_NE(response.failure_text.find("browser"), std::string::npos);
  options.program = "/nowhere/chromium";
  const auto made = make_renderer(io, options, network, *this);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find("install chromium-headless-shell"), std::string::npos);
}

}  // namespace
}  // namespace pollux::render

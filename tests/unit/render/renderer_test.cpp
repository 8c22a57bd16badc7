// Real pages in a real browser.
#include "pollux/render/renderer.hpp"

#include "support/behaviours.hpp"
#include "support/chromium.hpp"
#include "support/origin.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <dirent.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace pollux::render {
namespace {

using namespace std::chrono_literals;
using fetch::Failure;
using fetch::Response;
using fetch::Token;
using test::Exchange;
using test::Origin;
using test::Step;
namespace serve = test::serve;

const std::string html = "Content-Type: text/html\r\n";

class RendererTest : public testing::Test, public fetch::Handler {
 protected:
  RendererTest() {
    options.chromium = true;
    options.program = test::chromium;
    options.pages = 1;
    network.allow = {"127.0.0.1"};
  }

  fetch::Fetcher& renderer() {
    if (!renderer_) {
      auto made = make_renderer(io, options, network, *this, lookup);
      EXPECT_TRUE(made.ok());
      renderer_ = std::move(made).value();
    }
    return *renderer_;
  }
  void end() { renderer_.reset(); }

  fetch::Request request(const std::string& url) {
    fetch::Request r;
    r.token = Token{++last_token_};
    r.url = url;
    r.timeout = 20s;
    r.user_agent = "pollux-test";
    r.render = true;
    return r;
  }
  Response render(fetch::Request r) {
    renderer().start(std::move(r));
    run_until_done(done.size() + 1);
    return done.empty() ? Response{} : done.back();
  }
  Response render(const std::string& path) { return render(request(origin.url(path))); }
  void run_until_done(std::size_t wanted) {
    io.restart();
    while (done.size() < wanted && io.run_one_for(60s) > 0) {
    }
    ASSERT_GE(done.size(), wanted);
  }
  template <typename Condition>
  void run_until(Condition condition) {
    io.restart();
    const auto until = std::chrono::steady_clock::now() + 60s;
    while (!condition() && std::chrono::steady_clock::now() < until) io.run_one_for(1s);
    ASSERT_TRUE(condition());
  }
  void page(const std::string& path, const std::string& text) {
    origin.on(path, serve::page("<!DOCTYPE html><title>t</title>" + text, html));
  }
  void expect_next_is_fine() {
    page("/fine", "<p id=p></p><script>p.textContent = 'all ' + 'is well'</script>");
    const Response next = render("/fine");
    EXPECT_EQ(next.failure, Failure::none) << next.failure_text;
    EXPECT_NE(next.body.find("all is well"), std::string::npos) << next.body;
  }

  void on_ready(Token token) override {
    ready.push_back(token);
    if (sends_at_once) renderer().send(token);
  }
  void on_piece(Token token, std::string piece) override {
    pieces.push_back(piece.size());
    body += piece;
    renderer().grant(token, piece.size());
  }
  void on_done(Response response) override {
    response.body = std::exchange(body, {}) + response.body;
    done.push_back(std::move(response));
  }

  Origin origin;
  boost::asio::io_context io{1};
  Options options;
  fetch::Options network;
  fetch::Resolver::LookupFunction lookup = fetch::system_lookup;
  std::vector<Token> ready;
  std::vector<Response> done;
  std::vector<std::size_t> pieces;
  std::string body;
  bool sends_at_once = true;

 private:
  std::uint64_t last_token_ = 0;
  std::unique_ptr<fetch::Fetcher> renderer_;
};

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

// --- Hostile pages: each ends in its own way, and the next one is fine.

TEST_F(RendererTest, ends_a_page_that_loops_for_ever) {
  POLLUX_NEEDS_CHROMIUM();
  page("/loop", "<script>for (;;);</script>");
  fetch::Request r = request(origin.url("/loop"));
  r.timeout = 3s;
  EXPECT_EQ(render(std::move(r)).failure, Failure::timeout);
  expect_next_is_fine();
}

TEST_F(RendererTest, lets_no_page_reach_a_forbidden_address) {
  POLLUX_NEEDS_CHROMIUM();
  Origin forbidden({.address = "127.0.0.9"});
  forbidden.otherwise(serve::page("secret", "Access-Control-Allow-Origin: *\r\n"));
  const std::string port = std::to_string(forbidden.port());
  lookup = [](const std::string& host) {
    return fetch::Lookup{{host == "rebinds.test" ? "127.0.0.9" : "127.0.0.1"}, {}};
  };
  const std::vector<std::string> ways = {
      "fetch('http://127.0.0.9:" + port + "/', { mode: 'no-cors' })",
      "fetch('http://rebinds.test:" + port + "/')",
      "new Image().src = 'http://127.0.0.9:" + port + "/'",
      "new WebSocket('ws://127.0.0.9:" + port + "/')",
      "new WebSocket('wss://rebinds.test:" + port + "/')",
      "new EventSource('http://127.0.0.9:" + port + "/')",
      "navigator.sendBeacon('http://127.0.0.9:" + port + "/', 'x')",
      "document.body.innerHTML = '<iframe src=\"http://127.0.0.9:" + port + "/\"></iframe>'",
      "fetch('http://10.1.2.3/')",
      "fetch('http://169.254.169.254/latest/meta-data/')",
      "fetch('http://[::1]:" + port + "/')",
      "fetch('https://127.0.0.9:" + port + "/')",
      "new Worker(URL.createObjectURL(new Blob([\"fetch('http://127.0.0.9:" + port + "/')\"])))",
  };
  for (const std::string& way : ways) {
    page("/p", "<body><script>" + way + "</script>");
    const Response response = render("/p");
    EXPECT_EQ(response.failure, Failure::address_refused)
        << way << ": " << response.failure_text << response.body;
  }
  EXPECT_EQ(render(request("http://127.0.0.9:" + port + "/")).failure, Failure::address_refused);
  EXPECT_EQ(forbidden.connections(), 0u);
  expect_next_is_fine();
}

TEST_F(RendererTest, may_pass_over_refused_addresses_which_stay_refused) {
  POLLUX_NEEDS_CHROMIUM();
  Origin forbidden({.address = "127.0.0.9"});
  options.refused_addresses = Refused::skip;
  page("/p", "<p id=p></p><script>fetch('" + forbidden.url("/") +
                 "').catch(() => { p.textContent = 'was' + ' refused' })</script>");
  const Response response = render("/p");
  EXPECT_EQ(response.failure, Failure::none) << response.failure_text;
  EXPECT_NE(response.body.find("was refused"), std::string::npos);
  EXPECT_EQ(forbidden.connections(), 0u);
}

TEST_F(RendererTest, ends_a_page_that_downloads_without_end) {
  POLLUX_NEEDS_CHROMIUM();
  options.max_traffic = 4 << 20;
  page("/p", "<script>fetch('/flood').then(r => r.blob())</script>");
  origin.on("/flood", serve::repeat("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n",
                                    std::string(65536, 'x')));
  const Response response = render("/p");
  EXPECT_EQ(response.failure, Failure::rendering);
  EXPECT_NE(response.failure_text.find("max_traffic"), std::string::npos) << response.failure_text;
  expect_next_is_fine();
}

TEST_F(RendererTest, ends_a_page_that_takes_memory_without_end) {
  POLLUX_NEEDS_CHROMIUM();
  for (const std::string take :
       {"const all = []; for (;;) all.push({ a: all.length, b: 'x' + all.length })",
        "const all = []; for (;;) { const d = document.createElement('div'); "
        "d.textContent = 'x'.repeat(99999) + all.length; all.push(d) }"}) {
    page("/p", "<script>" + take + "</script>");
    const Response response = render("/p");
    EXPECT_EQ(response.failure, Failure::rendering) << take << ": " << response.failure_text;
    expect_next_is_fine();
  }
}

TEST_F(RendererTest, gives_no_page_more_memory_than_it_may_have) {
  POLLUX_NEEDS_CHROMIUM();
  options.memory = 512u << 20;
  page("/p",
       "<p id=p></p><script>const all = []; try { for (;;) { const a = new Uint8Array(16 << "
       "20); a.fill(1); all.push(a) } } catch (e) { p.textContent = 'had ' + all.length + "
       "'.' }</script>");
  const Response response = render("/p");
  const std::size_t had = response.body.find("had ");
  if (response.failure == Failure::none) {
    ASSERT_NE(had, std::string::npos) << response.body;
    EXPECT_LE(std::stoul(response.body.substr(had + 4)), 32u);
  } else {
    EXPECT_EQ(response.failure, Failure::rendering) << response.failure_text;
  }
  expect_next_is_fine();
}

TEST_F(RendererTest, ends_a_page_that_asks_for_a_thousand_things) {
  POLLUX_NEEDS_CHROMIUM();
  options.max_requests = 100;
  page("/p", "<script>for (let i = 0; i < 1000; ++i) fetch('/x?' + i)</script>");
  origin.on("/x", serve::page("x"));
  const Response response = render("/p");
  EXPECT_EQ(response.failure, Failure::rendering);
  EXPECT_NE(response.failure_text.find("max_requests"), std::string::npos) << response.failure_text;
  EXPECT_LE(origin.requests("/x"), 100u);
  expect_next_is_fine();
}

TEST_F(RendererTest, is_held_up_by_no_dialog) {
  POLLUX_NEEDS_CHROMIUM();
  page("/p",
       "<p id=p></p><script>alert('stop'); confirm('?'); prompt('!'); print();"
       "onbeforeunload = e => { e.preventDefault(); return 'no' };"
       "p.textContent = 'went' + ' on'</script>");
  const Response response = render("/p");
  EXPECT_EQ(response.failure, Failure::none) << response.failure_text;
  EXPECT_NE(response.body.find("went on"), std::string::npos);
  page("/q", "<script>for (;;) alert('again')</script>");
  fetch::Request r = request(origin.url("/q"));
  r.timeout = 3s;
  EXPECT_EQ(render(std::move(r)).failure, Failure::timeout);
  expect_next_is_fine();
}

TEST_F(RendererTest, opens_no_windows_and_saves_no_files) {
  POLLUX_NEEDS_CHROMIUM();
  origin.on("/window", serve::page("w", html));
  origin.on("/save", serve::page("x",
                                 "Content-Type: application/octet-stream\r\n"
                                 "Content-Disposition: attachment; filename=saved-by-page\r\n"));
  page("/p",
       "<p id=p></p><a id=a href='/save' download='saved-by-page'>x</a><script>"
       "for (let i = 0; i < 20; ++i) window.open('/window?' + i);"
       "const f = document.createElement('iframe'); f.src = '/save'; document.body.append(f);"
       "a.click(); p.textContent = 'still' + ' here'</script>");
  const Response response = render("/p");
  EXPECT_TRUE(response.body.find("still here") != std::string::npos ||
              response.redirect_to == origin.url("/save"))
      << response.failure_text << response.redirect_to;
  EXPECT_EQ(origin.requests("/window"), 0u);
  EXPECT_EQ(std::system("find /tmp /root -name 'saved-by-page*' 2>/dev/null | grep -q ."), 256);
  expect_next_is_fine();
}

TEST_F(RendererTest, shows_no_page_our_files) {
  POLLUX_NEEDS_CHROMIUM();
  page("/p",
       "<p id=p></p><iframe src='file:///etc/passwd'></iframe>"
       "<iframe src='view-source:http://127.0.0.1/'></iframe><object data='file:///etc/passwd'>"
       "</object><script>"
       "const say = t => p.textContent += t + ' ';"
       "fetch('file:///etc/passwd').then(r => r.text()).then(say, () => say('closed1'));"
       "try { location.href = 'file:///etc/passwd' } catch { say('closed2') };"
       "try { location.href = 'view-source:file:///etc/passwd' } catch {};"
       "try { location.href = 'chrome://version' } catch {};"
       "say('closed3')</script>");
  const Response response = render("/p");
  EXPECT_EQ(response.failure, Failure::none) << response.failure_text;
  EXPECT_NE(response.body.find("closed1"), std::string::npos) << response.body;
  EXPECT_EQ(response.body.find("root:"), std::string::npos) << response.body;
  EXPECT_EQ(response.redirect_to, "");
  EXPECT_NE(render(request("file:///etc/passwd")).failure, Failure::none);
  expect_next_is_fine();
}

TEST_F(RendererTest, an_endless_stream_of_reloads_is_one_redirect) {
  POLLUX_NEEDS_CHROMIUM();
  page("/p", "<script>location.reload()</script>");
  EXPECT_EQ(render("/p").redirect_to, origin.url("/p"));
  EXPECT_EQ(origin.requests("/p"), 1u);
}

TEST_F(RendererTest, puts_up_with_text_that_is_no_unicode) {
  POLLUX_NEEDS_CHROMIUM();
  page("/p",
       "<p id=p></p><script>p.textContent = 'half \\ud800 \\0 \\uffff of it';"
       "console.log('\\udc00'); document.title = '\\ud800'</script>");
  const Response response = render("/p");
  EXPECT_EQ(response.failure, Failure::none) << response.failure_text;
  EXPECT_NE(response.body.find("of it"), std::string::npos);
}

TEST_F(RendererTest, reads_past_a_page_that_lies_about_itself) {
  POLLUX_NEEDS_CHROMIUM();
  page("/p",
       "<p>true</p><script>Object.defineProperty(Element.prototype, 'outerHTML', { get: () => "
       "'false' }); window.TextEncoder = null; String.prototype.toWellFormed = () => 'false';"
       "Object.defineProperty(document, 'documentElement', { value: null })</script>");
  const Response response = render("/p");
  EXPECT_NE(response.body.find("<p>true</p>"), std::string::npos) << response.body;
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

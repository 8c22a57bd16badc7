// Hostile pages: each ends in its own way, and the next one is fine.
#include "unit/render/rendered.hpp"

#include <functional>
#include <map>

namespace pollux::render {
namespace {

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

}  // namespace
}  // namespace pollux::render

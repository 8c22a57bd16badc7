// Who gets in at the web server, what a start refuses, and what pages may say there.
#include "integration/web_daemon.hpp"
#include "pollux/extract/xml_walk.hpp"
#include "pollux/web/routes.hpp"
#include "support/certificate.hpp"

#include <string>

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/json/parse.hpp>
#include <sys/stat.h>

namespace pollux::test {
namespace {

using boost::asio::ip::tcp;

class WebGuard : public WebDaemon {
 protected:
  std::string secret(const char* name, const std::string& text) {
    const std::string path = folder_.write(name, text + "\n");
    ::chmod(path.c_str(), 0600);
    return path;
  }
  Finished refused_start(const std::string& listen, const std::string& web) {
    watch(listen, web, "/listed");
    start();
    return daemon_->wait();
  }
  static std::string body_of(const std::string& answer) {
    const std::size_t end = answer.find("\r\n\r\n");
    return end == answer.npos ? "" : answer.substr(end + 4);
  }
};

TEST_F(WebGuard, foreign_hosts_and_origins_and_requests_without_csrf_change_nothing) {
  serve();
  const std::string own = session(get("/api/v1/session"));
  EXPECT_EQ(status(raw("GET /api/v1/status HTTP/1.1\r\nHost: rebound.example:" + port_ +
                       "\r\nConnection: close\r\n\r\n")),
            421u);
  const std::string path = "/api/v1/pages/pause";
  EXPECT_EQ(status(post(path, pause_body(), own + "Origin: https://evil.example\r\n")), 403u);
  EXPECT_EQ(status(post(path, pause_body(), own)), 403u) << "without an Origin";
  EXPECT_EQ(status(post(path, pause_body(), origin())), 403u) << "without csrf";
  EXPECT_EQ(state(), "active");
  EXPECT_EQ(status(post(path, pause_body(), own + origin())), 200u);
  EXPECT_EQ(state(), "paused");
}

TEST_F(WebGuard, passwords_are_guessed_a_few_times_only_and_a_token_that_reads_steers_nothing) {
  serve(", password_file: " + secret("password", "correct horse") +
        ", tokens: [{ name: r, file: " + secret("reader", "read-0123456789abcdef") + " }]");
  EXPECT_EQ(status(get("/api/v1/status")), 401u);
  const std::string token = "Authorization: Bearer read-0123456789abcdef\r\n";
  EXPECT_EQ(status(get("/api/v1/status", token)), 200u);
  EXPECT_EQ(status(post("/api/v1/pages/pause", pause_body(), token)), 403u);
  EXPECT_EQ(state(), "active");
  // One more try comes back every ten seconds: a slow machine makes more of them.
  EXPECT_TRUE(eventually([&] {
    return status(post("/api/v1/session", R"({"password": "wrong"})", origin())) == 429u;
  }));
}

TEST_F(WebGuard, an_address_that_others_reach_without_password_and_tls_refuses_to_start) {
  const Finished open = refused_start("0.0.0.0:0", "");
  EXPECT_EQ(open.exit_code, 78);
  EXPECT_NE(open.err.find("pollux.yaml:8: web: others can reach 0.0.0.0, and there is no password"),
            std::string::npos)
      << open.err;
  const Finished clear =
      refused_start("[::]:0", ", password_file: " + secret("p", "correct horse"));
  EXPECT_EQ(clear.exit_code, 78);
  EXPECT_NE(
      clear.err.find("pollux.yaml:8: web: others can reach ::, and the password would travel"),
      std::string::npos)
      << clear.err;
  EXPECT_EQ(origin_.requests(), 0u);
}

TEST_F(WebGuard, a_taken_port_refuses_to_start_and_is_named) {
  const std::string taken = "127.0.0.1:" + std::to_string(origin_.port());
  const Finished refused = refused_start(taken, "");
  EXPECT_EQ(refused.exit_code, 74) << refused.err;
  EXPECT_NE(refused.err.find("cannot listen on " + taken), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("web.listen"), std::string::npos) << refused.err;
}

TEST_F(WebGuard, speaks_tls_and_nothing_else_where_it_has_a_certificate) {
  const Certificate made = make_certificate();
  serve(", tls: { certificate: " + folder_.write("cert.pem", made.pem) +
        ", key: " + secret("key.pem", made.key_pem) + " }");
  EXPECT_EQ(raw("GET /healthz HTTP/1.1\r\nHost: " + host_ + "\r\n\r\n").find("HTTP/1.1"),
            std::string::npos);
  boost::asio::ssl::context tls(boost::asio::ssl::context::tls_client);
  tls.set_verify_mode(boost::asio::ssl::verify_peer);
  tls.add_certificate_authority(boost::asio::buffer(made.pem));
  boost::asio::io_context io;
  boost::asio::ssl::stream<tcp::socket> stream(connected(io), tls);
  stream.handshake(boost::asio::ssl::stream_base::client);
  const std::string asked = "GET /api/v1/session HTTP/1.1\r\nHost: " + host_ +
                            "\r\nConnection: close\r\nOrigin: https://" + host_ + "\r\n\r\n";
  boost::asio::write(stream, boost::asio::buffer(asked));
  std::string answer;
  boost::system::error_code ignored;
  boost::asio::read(stream, boost::asio::dynamic_buffer(answer), ignored);
  EXPECT_EQ(status(answer), 200u) << answer;
  EXPECT_NE(answer.find("; Secure"), std::string::npos) << answer;
}

class NoXmlVisitor final : public extract::XmlVisitor {
 public:
  void start(std::string_view name, std::span<const extract::XmlAttribute>,
             std::uint32_t) override {
    foreign |= name == "script" || name == "svg" || name == "img";
  }
  void text(std::string_view said) override { all += said; }
  void end(std::string_view) override {}
  bool foreign = false;
  std::string all;
};

TEST_F(WebGuard, what_pages_say_is_text_in_the_api_and_the_feed_and_never_html) {
  // A hostile title, body, header and reason phrase, with a megabyte behind them.
  origin_.on("/hostile", [](Exchange& x) -> Step {
    const std::string words = "<script>alert(" + std::to_string(x.nth) +
                              ")</script><svg onload=x()><img src=x onerror=y()> \u202Etxt.exe ]]>";
    const std::string text = "<title>" + words + "</title>" + words + std::string(1u << 20, 'x');
    co_await x.send(
        "HTTP/1.1 200 <script>alert(0)</script>\r\nContent-Type: text/plain\r\nX-Evil: " + words +
        "\r\nContent-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
  });
  serve("", "/hostile");
  ASSERT_TRUE(eventually([&] {
    return get("/api/v1/changes").find("\"id\": 2") != std::string::npos;
  })) << get("/api/v1/changes");
  for (const web::Route& route : web::routes()) {
    const std::string path(route.path);
    if (std::string_view(route.method) != "GET" || path == "/events") continue;
    const bool of_a_page = path == "/pages/one" || path == "/diff" || path.starts_with("/versions");
    const std::string answer = get("/api/v1" + path + (of_a_page ? "?url=" + url_ : ""));
    const std::string head = answer.substr(0, answer.find("\r\n\r\n"));
    EXPECT_EQ(head.find("text/html"), std::string::npos) << path;
    EXPECT_NE(head.find("X-Content-Type-Options: nosniff"), std::string::npos) << path;
    EXPECT_NE(head.find("Content-Security-Policy: default-src 'none'"), std::string::npos) << path;
    if (path == "/feed.atom") continue;
    EXPECT_NE(head.find("Content-Type: application/"), std::string::npos) << path << head;
    boost::system::error_code wrong;
    boost::json::parse(body_of(answer), wrong);
    EXPECT_FALSE(wrong) << path << ": " << body_of(answer).substr(0, 300);
  }
  const std::string feed = get("/api/v1/feed.atom");
  EXPECT_NE(feed.find("Content-Type: application/atom+xml"), std::string::npos);
  NoXmlVisitor seen;
  const auto walked = extract::walk_xml(body_of(feed), seen);
  ASSERT_TRUE(walked.ok());
  EXPECT_EQ(*walked, extract::Walked::well_formed);
  EXPECT_FALSE(seen.foreign) << body_of(feed).substr(0, 2000);
  EXPECT_EQ(seen.all.find("\u202E"), std::string::npos) << seen.all.substr(0, 2000);
  EXPECT_LT(feed.size(), 1u << 20);
}

}  // namespace
}  // namespace pollux::test

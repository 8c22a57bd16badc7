// The bad-server list, item by item: TLS and HTTP/2.
#include "integration/hostile_web.hpp"
#include "support/certificate.hpp"
#include "support/http2.hpp"

namespace pollux::test {
namespace {

const std::string own_name = std::string("IP:") + "127.0.0.9";

class BadTls : public HostileWeb {
 protected:
  BadTls() { origins_.push_back(&secure_); }

  // The server shows this certificate after the first answer; the client trusts `certificates`.
  void expect_refused(const Certificate& shown, const std::string& certificates) {
    trust(certificates);
    after_a_good_answer(secure_, [this, shown] { secure_.use_certificate(shown); });
    expect_error_at(secure_.url("/bad"), "tls");
    EXPECT_EQ(secure_.requests("/bad"), 1u) << "nothing was asked after the handshake failed";
  }
  Origin secure_{Origin::Options{.tls = true, .certificate = {.names = own_name}, .address = here}};
};

TEST_F(BadTls, expired) {
  const Certificate old = make_certificate({.names = own_name, .expired = true});
  expect_refused(old, secure_.ca_pem() + old.pem);
}
TEST_F(BadTls, wrong_host) {
  const Certificate other = make_certificate({.names = "DNS:other.example,IP:127.0.0.8"});
  expect_refused(other, secure_.ca_pem() + other.pem);
}
TEST_F(BadTls, self_signed) {
  expect_refused(make_certificate({.names = own_name}), secure_.ca_pem());
}
TEST_F(BadTls, tls_1_0) {
  trust(secure_.ca_pem());
  after_a_good_answer(secure_, [this] { secure_.use_tls_1_0_only(); });
  expect_error_at(secure_.url("/bad"), "tls");
}
TEST_F(BadTls, stalled_handshake) {
  trust(secure_.ca_pem());
  after_a_good_connection(secure_, serve::silence());
  expect_error_at(secure_.url("/bad"), "timeout");
}
TEST_F(BadTls, plaintext_on_the_tls_port) {
  trust(secure_.ca_pem());
  after_a_good_connection(secure_, serve::raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"));
  expect_error_at(secure_.url("/bad"), "tls");
}

class BadHttp2 : public HostileWeb {
 protected:
  // The first request gets its page, every later one this.
  void expect_http2_error(http2::React bad, std::string_view error) {
    trust(secure_.ca_pem());
    secure_.on("*", http2::server([bad = std::move(bad)](unsigned nth, std::uint32_t stream) {
                 return nth == 1 ? http2::Reaction{http2::page(stream, content)} : bad(nth, stream);
               }));
    expect_error_at(secure_.url("/bad"), error);
  }
  // Whether curl gives up first or the time runs out depends on who is quicker.
  void expect_the_connection_was_blamed() {
    const std::string error = progress(secure_.url("/bad")).last_error;
    EXPECT_TRUE(error.starts_with("connection_lost") || error.starts_with("protocol") ||
                error.starts_with("timeout"))
        << error;
  }
  static std::string repeated(const std::string& frame) {
    std::string many;
    while (many.size() < 16000) many += frame;
    return many;
  }
  Origin secure_{Origin::Options{
      .tls = true, .certificate = {.names = own_name}, .http2 = true, .address = here}};
};

TEST_F(BadHttp2, goaway) {
  const std::string nothing_done_no_error(8, '\0');
  expect_http2_error(
      [&](unsigned, std::uint32_t) {
        return http2::Reaction{http2::frame(http2::Type::goaway, 0, 0, nothing_done_no_error)};
      },
      "protocol");
}
// What a server does now and then with a connection it has had enough of.
TEST_F(BadHttp2, goaway_on_a_kept_connection) {
  trust(secure_.ca_pem());
  const auto requests = std::make_shared<std::atomic<std::int64_t>>(0);
  secure_.on("*", http2::server([requests](unsigned nth, std::uint32_t stream) {
               ++*requests;
               // Every second request on a connection finds it ended; the one after is the retry.
               const std::string nothing_more_no_error("\0\0\0\1\0\0\0\0", 8);
               return nth % 3 == 2 ? http2::Reaction{http2::frame(http2::Type::goaway, 0, 0,
                                                                  nothing_more_no_error)}
                                   : http2::Reaction{http2::page(stream, content)};
             }));
  expect_nothing_at(secure_.url("/bad"));
  EXPECT_GT(*requests, progress(secure_.url("/bad")).polls) << "retries are requests, not polls";
}
TEST_F(BadHttp2, rst_stream) {
  const std::string internal_error("\0\0\0\2", 4);
  expect_http2_error(
      [&](unsigned, std::uint32_t stream) {
        return http2::Reaction{http2::frame(http2::Type::rst_stream, 0, stream, internal_error)};
      },
      "protocol");
}
TEST_F(BadHttp2, settings_flood) {
  expect_http2_error(
      [](unsigned, std::uint32_t) {
        return http2::Reaction{"", repeated(http2::frame(http2::Type::settings, 0, 0, ""))};
      },
      "");
  expect_the_connection_was_blamed();
}
TEST_F(BadHttp2, ping_flood) {
  expect_http2_error(
      [](unsigned, std::uint32_t) {
        return http2::Reaction{"", repeated(http2::frame(http2::Type::ping, 0, 0, "pingping"))};
      },
      "");
  expect_the_connection_was_blamed();
}

}  // namespace
}  // namespace pollux::test

#include "fetch/turn_quota.hpp"

#include "support/certificate.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <openssl/pem.h>

namespace pollux::fetch {
namespace {

template <auto free>
struct Free {
  template <typename T>
  void operator()(T* owned) const {
    free(owned);
  }
};
using Context = std::unique_ptr<SSL_CTX, Free<SSL_CTX_free>>;
using Connection = std::unique_ptr<SSL, Free<SSL_free>>;

// Both ends of a TLS connection in memory: all the server has written lies ready for the client.
class TurnQuotaTest : public testing::Test {
 protected:
  TurnQuotaTest() {
    const test::Certificate made = test::make_certificate();
    using Bio = std::unique_ptr<BIO, Free<BIO_free_all>>;
    const Bio certificate_text(BIO_new_mem_buf(made.pem.data(), -1));
    const Bio key_text(BIO_new_mem_buf(made.key_pem.data(), -1));
    const std::unique_ptr<X509, Free<X509_free>> certificate(
        PEM_read_bio_X509(certificate_text.get(), nullptr, nullptr, nullptr));
    const std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>> key(
        PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr));
    SSL_CTX_use_certificate(server_context_.get(), certificate.get());
    SSL_CTX_use_PrivateKey(server_context_.get(), key.get());
    quota_.put_on(client_context_.get());
    server_.reset(SSL_new(server_context_.get()));
    client_.reset(SSL_new(client_context_.get()));
    BIO* const to_client = BIO_new(BIO_s_mem());
    BIO* const to_server = BIO_new(BIO_s_mem());
    BIO_up_ref(to_client);
    BIO_up_ref(to_server);
    SSL_set_bio(client_.get(), to_client, to_server);
    SSL_set_bio(server_.get(), to_server, to_client);
    SSL_set_connect_state(client_.get());
    SSL_set_accept_state(server_.get());
    for (int step = 0; step < 10; ++step) {
      SSL_do_handshake(client_.get());
      SSL_do_handshake(server_.get());
    }
  }
  // What comes until the connection says that there is nothing more for now.
  std::size_t read_all() {
    std::vector<char> buffer(16384);
    std::size_t total = 0;
    int got = 0;
    while ((got = SSL_read(client_.get(), buffer.data(), static_cast<int>(buffer.size()))) > 0) {
      total += static_cast<std::size_t>(got);
    }
    EXPECT_EQ(SSL_get_error(client_.get(), got), SSL_ERROR_WANT_READ) << "it can go on later";
    return total;
  }
  void serve(std::size_t bytes) {
    const std::string data(bytes, 'x');
    ASSERT_EQ(SSL_write(server_.get(), data.data(), static_cast<int>(bytes)),
              static_cast<int>(bytes));
  }

  TurnQuota quota_;
  Context server_context_{SSL_CTX_new(TLS_server_method())};
  Context client_context_{SSL_CTX_new(TLS_client_method())};
  Connection server_, client_;
};

TEST_F(TurnQuotaTest, a_connection_gets_its_share_of_a_turn_and_the_rest_in_later_ones) {
  ASSERT_TRUE(SSL_is_init_finished(client_.get()));
  constexpr std::size_t record = 16384 + 64;
  constexpr std::size_t served = 1 << 20;
  serve(served);
  std::size_t total = 0;
  int turns = 0;
  while (total < served && turns < 100) {
    quota_.begin_turn();
    const std::size_t got = read_all();
    EXPECT_LE(got, TurnQuota::bytes_a_turn + record);
    EXPECT_EQ(read_all(), 0u) << "nothing more in the same turn";
    total += got;
    ++turns;
  }
  EXPECT_EQ(total, served);
  EXPECT_GE(turns, 7);
}

TEST_F(TurnQuotaTest, what_fits_into_a_turn_is_read_in_one) {
  quota_.begin_turn();
  serve(100'000);
  EXPECT_EQ(read_all(), 100'000u);
}

}  // namespace
}  // namespace pollux::fetch

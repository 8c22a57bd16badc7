// HTTP/2 and TLS against a server that others wrote: nginx, with a certificate made on the spot.
#include "pollux/fetch/curl_fetcher.hpp"
#include "support/certificate.hpp"
#include "support/program.hpp"
#include "support/tcp.hpp"
#include "support/temp_folder.hpp"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>

namespace pollux::test {
namespace {

namespace fs = std::filesystem;

struct Collected final : fetch::Handler {
  void on_ready(fetch::Token) override {}
  void on_piece(fetch::Token, std::string piece) override { bodies += piece; }
  void on_done(fetch::Response response) override {
    bodies += response.body;
    answers.push_back(std::move(response));
  }
  std::string bodies;
  std::vector<fetch::Response> answers;
};

class Nginx : public testing::Test {
 protected:
  void SetUp() override {
    binary_ = fs::exists("/usr/sbin/nginx") ? "/usr/sbin/nginx" : "/usr/bin/nginx";
    if (!fs::exists(binary_)) GTEST_SKIP() << "nginx is not installed";
    fs::permissions(folder_, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
    const Certificate certificate = make_certificate();
    std::ofstream(folder_ / "cert.pem") << certificate.pem;
    std::ofstream(folder_ / "key.pem") << certificate.key_pem;
    port_ = free_port();
    const std::string here = folder_.string();
    std::ofstream(folder_ / "nginx.conf")
        << "daemon off; worker_processes 1; pid " << here << "/pid; error_log " << here
        << "/error.log;\n"
        << "events { worker_connections 256; }\nhttp { log_format p '$server_protocol';\n"
        << "access_log " << here << "/access.log p; client_body_temp_path " << here
        << "; proxy_temp_path " << here << "; fastcgi_temp_path " << here << "; uwsgi_temp_path "
        << here << "; scgi_temp_path " << here << ";\nserver { listen 127.0.0.1:" << port_
        << " ssl http2; ssl_certificate " << here << "/cert.pem; ssl_certificate_key " << here
        << "/key.pem; location / { return 200 \"$request_uri\"; } } }\n";
    server_ = std::make_unique<Program>(
        binary_, folder_, std::vector<std::string>{"-p", here, "-c", here + "/nginx.conf"});
    for (int i = 0; i < 500 && !listening(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  void TearDown() override {
    if (server_) {
      server_->send(SIGTERM);
      server_->wait();
    }
  }
  static sockaddr_in address(std::uint16_t port) {
    sockaddr_in a{};
    a.sin_family = AF_INET;
    a.sin_port = htons(port);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return a;
  }
  bool listening() const {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in a = address(port_);
    const bool yes = connect(fd, reinterpret_cast<const sockaddr*>(&a), sizeof a) == 0;
    close(fd);
    return yes;
  }
  // Fetches these paths at once with the given options.
  void fetch_all(fetch::Options options, const std::vector<std::string>& paths) {
    boost::asio::io_context io{1};
    options.allow = {"127.0.0.0/8"};
    auto fetcher = fetch::make_curl_fetcher(io, options, seen_);
    ASSERT_TRUE(fetcher.ok()) << fetcher.error().message;
    std::uint64_t token = 1;
    for (const std::string& path : paths) {
      fetch::Request request;
      request.token = fetch::Token{token++};
      request.url = "https://localhost:" + std::to_string(port_) + path;
      request.send_when_ready = true;
      (*fetcher)->start(request);
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (seen_.answers.size() < paths.size() && std::chrono::steady_clock::now() < end) {
      io.run_one_for(std::chrono::milliseconds(50));
      io.restart();
    }
  }
  std::string binary_;
  TempFolder folder_;
  std::uint16_t port_ = 0;
  std::unique_ptr<Program> server_;
  Collected seen_;
};

TEST_F(Nginx, many_requests_share_http2_over_verified_tls) {
  fetch::Options options;
  options.ca_file = (folder_ / "cert.pem").string();
  std::vector<std::string> paths;
  for (int i = 0; i < 50; ++i) paths.push_back("/" + std::to_string(i));
  fetch_all(options, paths);
  ASSERT_EQ(seen_.answers.size(), 50u);
  for (const fetch::Response& answer : seen_.answers) {
    EXPECT_EQ(answer.failure, fetch::Failure::none) << answer.failure_text;
    EXPECT_EQ(answer.status, 200);
  }
  server_->send(SIGTERM);
  server_->wait();
  server_ = nullptr;
  std::ifstream log(folder_ / "access.log");
  int lines = 0;
  for (std::string protocol; std::getline(log, protocol); ++lines) EXPECT_EQ(protocol, "HTTP/2.0");
  EXPECT_EQ(lines, 50);
}

TEST_F(Nginx, a_certificate_nobody_vouches_for_is_refused) {
  fetch_all({}, {"/"});
  ASSERT_EQ(seen_.answers.size(), 1u);
  EXPECT_EQ(seen_.answers[0].failure, fetch::Failure::tls) << seen_.answers[0].failure_text;
  EXPECT_EQ(seen_.answers[0].status, 0);
}

}  // namespace
}  // namespace pollux::test

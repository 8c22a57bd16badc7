// The bad-server list, item by item: where a redirect may lead, and what goes along.
#include "integration/hostile_web.hpp"

#include <iterator>

namespace pollux::test {
namespace {

class BadRedirect : public HostileWeb {
 protected:
  void expect_refused(const std::string& target, std::string_view error) {
    expect_error(serve::redirect(302, target), error);
    EXPECT_EQ(trap_.connections(), 0u);
  }
  // The same place on the forbidden side, by another spelling of its address.
  void expect_no_way_in(const std::string& host) {
    const std::string target = "http://" + host + ":" + std::to_string(trap_.port()) + "/";
    expect_refused(target, "");
    const std::string error = progress(bad_.url("/bad")).last_error;
    EXPECT_TRUE(error.starts_with("address_refused") || error.starts_with("redirect refused"))
        << error;
  }
  // Sends `header` to its own host and not where that redirects to.
  void expect_kept_at_home(const std::string& options, const std::string& header,
                           const std::string& value) {
    Origin elsewhere{Origin::Options{.address = here}};
    origins_.push_back(&elsewhere);
    elsewhere.on("/", serve::page(content));
    page_ = options;
    expect_nothing(serve::redirect(302, elsewhere.url("/")));
    EXPECT_EQ(bad_.last_header("/bad", header), value);
    EXPECT_GE(elsewhere.requests("/"), 4u);
    EXPECT_EQ(elsewhere.last_header("/", header), "");
    origins_.pop_back();
  }
  std::string everything_written() {
    std::string all;
    for (const auto& file : std::filesystem::directory_iterator(folder_)) {
      if (file.path().extension() == ".secret" || file.path().extension() == ".yaml") continue;
      std::ifstream in(file.path(), std::ios::binary);
      all.append(std::istreambuf_iterator<char>(in), {});
    }
    return all;
  }
  Origin trap_;  // on 127.0.0.1: nobody may connect
};

TEST_F(BadRedirect, redirect_loop) {
  expect_error(serve::redirect(302, bad_.url("/bad")), "more than 5 redirects");
}
TEST_F(BadRedirect, redirect_over_21_hops) {
  bad_.otherwise([](Exchange& x) -> Step {
    const int hop = std::stoi(x.path.substr(1));
    co_await x.respond(hop < 21 ? 302 : 200, "Location: /" + std::to_string(hop + 1) + "\r\n", "");
  });
  expect_error(serve::redirect(302, "/1"), "more than 5 redirects");
  EXPECT_EQ(bad_.requests("/5"), 1u);
  EXPECT_EQ(bad_.requests("/6"), 0u);
}
TEST_F(BadRedirect, redirect_to_ftp) {
  expect_refused("ftp://127.0.0.1/x", "redirect refused");
}
TEST_F(BadRedirect, redirect_to_file) {
  expect_refused("file:///etc/passwd", "redirect refused");
}
TEST_F(BadRedirect, redirect_to_gopher) {
  expect_refused("gopher://127.0.0.1:70/x", "redirect refused");
}
TEST_F(BadRedirect, redirect_to_169_254_169_254) {
  expect_refused("http://169.254.169.254/latest/meta-data/", "address_refused");
}
TEST_F(BadRedirect, redirect_to_port_25) {
  expect_refused("http://127.0.0.9:25/", "address_refused: port 25");
}
TEST_F(BadRedirect, redirect_to_rfc_1918) {
  expect_refused("http://192.168.1.1/", "address_refused");
}
TEST_F(BadRedirect, redirect_to_100_64) {
  expect_refused("http://100.100.100.200/", "address_refused");
}
TEST_F(BadRedirect, redirect_to_fd00_ec2_254) {
  expect_refused("http://[fd00:ec2::254]/latest/", "address_refused");
}

TEST_F(BadRedirect, host_2130706433) {
  expect_no_way_in("2130706433");
}
TEST_F(BadRedirect, host_0x7f_1) {
  expect_no_way_in("0x7f.1");
}
TEST_F(BadRedirect, host_0177_0_0_1) {
  expect_no_way_in("0177.0.0.1");
}
TEST_F(BadRedirect, host_127_1) {
  expect_no_way_in("127.1");
}
TEST_F(BadRedirect, host_0) {
  expect_no_way_in("0");
}
TEST_F(BadRedirect, host_mapped_127_0_0_1) {
  expect_no_way_in("[::ffff:127.0.0.1]");
}
TEST_F(BadRedirect, backslash_before_at) {
  expect_refused("http://a\\@127.0.0.1:" + std::to_string(trap_.port()) + "/", "");
}
TEST_F(BadRedirect, userinfo) {
  expect_refused("http://user:hunter2@" + std::string(here) + "/", "redirect refused");
  EXPECT_EQ(everything_written().find("hunter2"), std::string::npos) << "redacted everywhere";
}
TEST_F(BadRedirect, idn) {
  expect_refused("http://\xe4\xbe\x8b\xe3\x81\x88.example/", "redirect refused");
}

TEST_F(BadRedirect, https_to_http) {
  Origin secure{Origin::Options{
      .tls = true, .certificate = {.names = "IP:" + std::string(here)}, .address = here}};
  origins_.push_back(&secure);
  trust(secure.ca_pem());
  bad_.on("/open", serve::page(content));
  secure.on("/bad", after_a_good_one(serve::redirect(302, bad_.url("/open"))));
  expect_error_at(secure.url("/bad"), "redirect refused: from https to http");
  EXPECT_EQ(bad_.connections(), 0u);
  origins_.pop_back();
}
TEST_F(BadRedirect, https_to_http_when_the_user_allows_it) {
  Origin secure{Origin::Options{
      .tls = true, .certificate = {.names = "IP:" + std::string(here)}, .address = here}};
  origins_.push_back(&secure);
  trust(secure.ca_pem());
  network_ += ", allow_downgrade: true";
  bad_.on("/open", serve::page(content));
  secure.on("/bad", serve::redirect(302, bad_.url("/open")));
  expect_nothing_at(secure.url("/bad"));
  origins_.pop_back();
}

TEST_F(BadRedirect, cross_host_with_authorization) {
  std::ofstream(folder_ / "login.secret") << "aladdin:opensesame\n";
  expect_kept_at_home(", auth: { basic_file: login.secret }", "authorization",
                      "Basic YWxhZGRpbjpvcGVuc2VzYW1l");
  const std::string all = everything_written();
  EXPECT_EQ(all.find("opensesame"), std::string::npos) << "neither in the database nor in the log";
  EXPECT_EQ(all.find("YWxhZGRpbjpvcGVuc2VzYW1l"), std::string::npos);
}
TEST_F(BadRedirect, cross_host_with_cookie) {
  expect_kept_at_home(", headers: { Cookie: session=1 }", "cookie", "session=1");
}
TEST_F(BadRedirect, cross_host_with_a_custom_header) {
  std::ofstream(folder_ / "key.secret") << "k-12345\n";
  expect_kept_at_home(", headers: { X-Api-Key: { file: key.secret } }", "x-api-key", "k-12345");
}

}  // namespace
}  // namespace pollux::test

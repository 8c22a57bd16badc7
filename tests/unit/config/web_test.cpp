// The section `web`: what would let strangers in is refused, with its line.
#include "loaded.hpp"

#include <algorithm>

#include <sys/stat.h>

namespace pollux::config {
namespace {

class WebSection : public testing::Test {
 protected:
  static std::string with(const std::string& web) {
    return "pages: [http://a.example/]\nweb: " + web + "\n";
  }
  static void expect_refused(const std::string& web, const std::string& part) {
    const std::string message = refused(with(web)).message;
    EXPECT_TRUE(message.starts_with("test.yaml:2: ")) << web << ": " << message;
    EXPECT_TRUE(contains(message, part)) << web << ": " << message;
  }
  std::string secret(const char* name, const std::string& text) const {
    const std::string path = folder_.write(name, text);
    ::chmod(path.c_str(), 0600);
    return path;
  }
  const TempFolder folder_;
};

TEST_F(WebSection, is_on_loopback_unless_it_says_otherwise_and_absent_without_it) {
  EXPECT_FALSE(loaded("pages: [http://a.example/]\n").config.web.has_value());
  const auto web = loaded(with("{}")).config.web;
  ASSERT_TRUE(web.has_value());
  EXPECT_EQ(web->address, "127.0.0.1");
  EXPECT_EQ(web->connections, 256u);
  EXPECT_EQ(loaded(with("{ listen: \"[::1]:99\" }")).config.web->address, "::1");
}

TEST_F(WebSection, warns_of_a_proxy_that_lets_anybody_steer) {
  const auto warned = [&](const std::string& web) {
    const Loaded read = loaded(with(web));
    return std::any_of(read.warnings.begin(), read.warnings.end(), [](const Warning& warning) {
      return warning.message.find("may steer") != std::string::npos;
    });
  };
  EXPECT_TRUE(warned("{ listen: \"127.0.0.1:8600\", behind_proxy: true }"));
  EXPECT_FALSE(warned("{ listen: \"127.0.0.1:8600\" }"));
  EXPECT_FALSE(warned("{ listen: \"127.0.0.1:8600\", behind_proxy: true, password_file: " +
                      secret("password", "correct horse\n") + " }"));
}

TEST_F(WebSection, refuses_addresses_that_others_reach_without_password_and_tls) {
  const std::string password = secret("password", "correct horse\n");
  const std::string open = "{ listen: \"0.0.0.0:1\"";
  expect_refused(open + " }", "there is no password");
  expect_refused(open + ", behind_proxy: true }", "there is no password");
  expect_refused(open + ", password_file: " + password + " }", "would travel in the open");
  const auto web =
      loaded(with(open + ", password_file: " + password + ", behind_proxy: true }")).config.web;
  EXPECT_EQ(web->password, "correct horse");
}

TEST_F(WebSection, names_what_is_wrong_with_it_and_its_line) {
  const std::string brief = secret("brief", "short\n"),
                    token = secret("token", "0123456789abcdef0\n");
  for (const char* listen : {"here", "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000", "::1:80",
                             "example.org:80", "127.0.0.1:80x"})
    expect_refused("{ listen: \"" + std::string(listen) + "\" }", "is no address and port");
  expect_refused("8600", "listen");
  expect_refused("{ password_file: " + brief + " }", "fewer than 8 characters");
  expect_refused("{ password_file: " + folder_.file("none") + " }", "web.password_file");
  for (const char* path : {"pollux", "/a//b", "/../a", "/a?b", "/<b>"})
    expect_refused("{ base_path: \"" + std::string(path) + "\" }", "web.base_path");
  expect_refused("{ connections: 7 }", "web.connections");
  expect_refused("{ connections: 10001 }", "web.connections");
  expect_refused("{ tls: { certificate: " + brief + " } }", "go together");
  expect_refused("{ tls: { certificate: " + folder_.file("none") + " } }", "cannot be read");
  expect_refused("{ hosts: [\"http://a.example\"] }", "is no name of a host");
  expect_refused("{ tokens: [{ name: a, file: " + brief + " }] }", "at least 16 characters");
  expect_refused("{ tokens: [{ name: a }] }", "needs a name and a file");
  expect_refused("{ tokens: [{ name: a, file: " + token + ", scope: all }] }", "scope");
  const std::string one = "{ name: a, file: " + token + " }";
  expect_refused("{ tokens: [" + one + ", " + one + "] }", "another one has its name");
  expect_refused("{ listne: x }", "unknown key 'listne'");
}

}  // namespace
}  // namespace pollux::config

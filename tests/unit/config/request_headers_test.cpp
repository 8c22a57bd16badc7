#include "config/request_headers.hpp"

#include "loaded.hpp"

#include <algorithm>

#include <sys/stat.h>

namespace pollux::config {
namespace {

class RequestHeaders : public testing::Test {
 protected:
  RequestHeaders() {
    write("login", "aladdin:opensesame\n");
    write("token", "t-0k3n\r\n");
  }
  void write(const std::string& name, const std::string& text) {
    ASSERT_EQ(chmod(folder_.write(name, text).c_str(), 0600), 0);
  }
  Loaded load(const std::string& text) {
    Result<Loaded> result = load_text(with_budget(text), folder_.file("f.yaml"));
    EXPECT_TRUE(result.ok()) << result.error().message;
    return result.ok() ? std::move(*result) : Loaded{};
  }
  std::string refusal(const std::string& text) {
    const Result<Loaded> result = load_text(with_budget(text), folder_.file("f.yaml"));
    EXPECT_FALSE(result.ok()) << text;
    return result.ok() ? "" : result.error().message;
  }
  static HeaderLines of(const Config& config, std::size_t page) {
    const std::uint32_t set = config.settings[config.pages[page].settings].headers;
    return set == 0 ? HeaderLines{} : *config.header_sets[set];
  }
  TempFolder folder_;
};

TEST_F(RequestHeaders, come_from_the_defaults_the_host_and_the_page_in_this_order) {
  const Config config = load(R"yaml(
defaults: { headers: { Accept-Language: en, X-A: default } }
hosts: { overrides: { "a.example": { headers: { x-a: host, X-B: host } } } }
pages:
  - https://b.example/
  - https://a.example/
  - { url: "https://a.example/own", headers: { X-B: page } }
)yaml")
                            .config;
  EXPECT_EQ(of(config, 0), (HeaderLines{"Accept-Language: en", "X-A: default"}));
  EXPECT_EQ(of(config, 1), (HeaderLines{"Accept-Language: en", "x-a: host", "X-B: host"}));
  EXPECT_EQ(of(config, 2), (HeaderLines{"Accept-Language: en", "x-a: host", "X-B: page"}));
}

TEST_F(RequestHeaders, logins_come_from_files) {
  const Config config = load(R"yaml(
hosts: { overrides: { "a.example:8443": { auth: { bearer_file: token } } } }
pages:
  - { url: "https://a.example/", auth: { basic_file: login } }
  - https://a.example:8443/
  - { url: "https://b.example/", headers: { X-Key: { file: token }, Cookie: a=b } }
)yaml")
                            .config;
  EXPECT_EQ(of(config, 0), HeaderLines{"Authorization: Basic YWxhZGRpbjpvcGVuc2VzYW1l"});
  EXPECT_EQ(of(config, 1), HeaderLines{"Authorization: Bearer t-0k3n"});
  EXPECT_EQ(of(config, 2), (HeaderLines{"X-Key: t-0k3n", "Cookie: a=b"}));
}

TEST_F(RequestHeaders, base64_has_its_padding) {
  for (const auto& [plain, coded] :
       {std::pair("a:", "YTo="), std::pair("a:b", "YTpi"), std::pair("ab:c", "YWI6Yw==")}) {
    write("login", plain);
    const Config config =
        load("pages: [{ url: 'https://a.example/', auth: { basic_file: login } }]").config;
    EXPECT_EQ(of(config, 0), HeaderLines{"Authorization: Basic " + std::string(coded)});
  }
}

TEST_F(RequestHeaders, of_the_service_manager_are_found_by_its_variable) {
  const std::string page =
      "pages: [{ url: 'https://a.example/', auth: { bearer_file: $CREDENTIALS_DIRECTORY/token } }]";
  unsetenv("CREDENTIALS_DIRECTORY");
  EXPECT_TRUE(contains(refusal(page), "LoadCredential="));
  setenv("CREDENTIALS_DIRECTORY", folder_.path().c_str(), 1);
  EXPECT_EQ(of(load(page).config, 0), HeaderLines{"Authorization: Bearer t-0k3n"});
  unsetenv("CREDENTIALS_DIRECTORY");
}

TEST_F(RequestHeaders, that_are_equal_are_kept_once) {
  std::string text = "pages:\n";
  for (int i = 0; i < 1000; ++i) {
    text +=
        "  - { url: 'https://a.example/" + std::to_string(i) + "', auth: { basic_file: login } }\n";
  }
  const Config config = load(text).config;
  EXPECT_EQ(config.header_sets.size(), 2u) << "none, and the one";
  EXPECT_EQ(config.settings.size(), 2u);
}

TEST_F(RequestHeaders, that_cannot_be_sent_are_refused_with_the_cure) {
  const auto page = [](const std::string& options) {
    return "pages: [{ url: 'https://a.example/', " + options + " }]";
  };
  EXPECT_TRUE(contains(refusal(page("headers: { Host: b }")), "comes from the URL"));
  EXPECT_TRUE(contains(refusal(page("headers: { user-agent: b }")), "user_agent"));
  EXPECT_TRUE(contains(refusal(page("headers: { 'A b': c }")), "no name of a header"));
  EXPECT_TRUE(contains(refusal(page("headers: { 'A': \"x\\r\\nB: y\" }")), "printable"));
  EXPECT_TRUE(contains(refusal(page("headers: { A: [b] }")), "file: PATH"));
  EXPECT_TRUE(contains(refusal(page("headers: { A: { path: x } }")), "file: PATH"));
  EXPECT_TRUE(contains(refusal(page("headers: x")), "f.yaml:1: 'headers'"));
  EXPECT_TRUE(contains(refusal(page("headers: { Authorization: Basic abc }")), "bearer_file"));
  EXPECT_TRUE(contains(refusal(page("auth: { basic_file: missing }")), "does not exist"));
  EXPECT_TRUE(contains(refusal(page("auth: { basic_file: token }")), "user:password"));
  EXPECT_TRUE(
      contains(refusal(page("auth: { basic_file: login, bearer_file: token }")), "not both"));
}

TEST_F(RequestHeaders, with_a_secret_that_is_no_line_are_refused_without_repeating_it) {
  write("token", "hunter2\nhunter3\n");
  const std::string message =
      refusal("pages: [{ url: 'https://a.example/', auth: { bearer_file: token } }]");
  EXPECT_TRUE(contains(message, "one line")) << message;
  EXPECT_FALSE(contains(message, "hunter")) << message;
}

TEST_F(RequestHeaders, a_login_in_place_of_a_file_is_answered_with_basic_file_and_not_repeated) {
  for (const std::string auth :
       {"user:hunter2", "[user, hunter2]", "{ basic_file: 'user:hunter2' }",
        "{ bearer_file: hunter2hunter2hunter2 }", "{ user: u, password: hunter2 }",
        "{ basic: 'user:hunter2' }"}) {
    const std::string message =
        refusal("pages: [{ url: 'https://a.example/', auth: " + auth + " }]");
    EXPECT_FALSE(contains(message, "hunter2")) << message;
    EXPECT_TRUE(contains(message, "file")) << message;
    EXPECT_TRUE(contains(auth, "_file") || contains(message, "basic_file")) << message;
  }
}

TEST_F(RequestHeaders, a_secret_that_stands_in_the_configuration_is_warned_of) {
  const Loaded loaded = load(
      "pages:\n"
      "  - url: https://a.example/\n"
      "    headers: { Accept-Language: de, X-Token: { file: token },\n"
      "      X-Api-Key: hunter2, Cookie: 'a=hunter2', X-Page: 3 }\n");
  ASSERT_EQ(loaded.warnings.size(), 2u);
  EXPECT_TRUE(contains(loaded.warnings[0].message, "f.yaml:4: headers: the value of X-Api-Key"));
  EXPECT_TRUE(contains(loaded.warnings[0].message, "X-Api-Key: { file: PATH }"));
  EXPECT_TRUE(contains(loaded.warnings[1].message, "Cookie"));
  for (const Warning& warning : loaded.warnings) {
    EXPECT_FALSE(contains(warning.message, "hunter2")) << warning.message;
  }
}

TEST_F(RequestHeaders, that_everybody_can_read_are_told_once_a_line) {
  chmod(folder_.file("login").c_str(), 0644);
  const Loaded loaded = load("pages: [{ url: 'https://a.example/', auth: { basic_file: login } }]");
  const auto told = std::count_if(
      loaded.warnings.begin(), loaded.warnings.end(),
      [](const Warning& w) { return contains(w.message, "everybody can read the secret"); });
  EXPECT_EQ(told, 1);
}

TEST_F(RequestHeaders, with_a_login_over_plain_http_are_told) {
  const auto told = [&](const std::string& url) {
    const Loaded loaded = load("pages: [{ url: '" + url + "', auth: { basic_file: login } }]");
    return std::any_of(loaded.warnings.begin(), loaded.warnings.end(), [](const Warning& w) {
      return contains(w.message, "1 page sends a login over plain http");
    });
  };
  EXPECT_TRUE(told("http://a.example/"));
  EXPECT_FALSE(told("https://a.example/"));
}

TEST_F(RequestHeaders, of_a_proxy_are_a_url_without_a_password_and_a_file) {
  const std::string page = "pages: [https://a.example/]\n";
  const Config config =
      load(page + "network: { proxy: 'socks5h://Proxy.example:1080', proxy_auth_file: login }")
          .config;
  EXPECT_EQ(config.fetch.proxy, "socks5h://proxy.example:1080");
  EXPECT_EQ(config.fetch.proxy_login, "aladdin:opensesame");
  EXPECT_EQ(load(page + "network: { proxy: 'http://[2001:db8::1]:3128/' }").config.fetch.proxy,
            "http://[2001:db8::1]:3128");
  for (const char* bad : {"proxy.example:3128", "ftp://proxy.example:21", "http://proxy.example",
                          "http://u:hunter2@proxy.example:3128", "http://proxy.example:3128/path",
                          "http://[2001:db8::1]", "socks5://proxy.example:1080"}) {
    const std::string message = refusal(page + "network: { proxy: '" + bad + "' }");
    EXPECT_TRUE(contains(message, "f.yaml:2: network.proxy")) << message;
    EXPECT_FALSE(contains(message, "hunter2")) << message;
  }
}

}  // namespace
}  // namespace pollux::config

#include "pollux/web/routes.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace pollux::web {
namespace {

TEST(Router, finds_a_route_by_method_and_path) {
  const Found found = find_route("GET", "/api/v1/status");
  ASSERT_NE(found.route, nullptr);
  EXPECT_EQ(found.route->path, "/status");
  EXPECT_EQ(find_route("HEAD", "/api/v1/status").route, found.route);
}

TEST(Router, takes_numbers_out_of_the_path) {
  const Found found = find_route("POST", "/api/v1/masks/17/accept");
  ASSERT_NE(found.route, nullptr);
  EXPECT_EQ(found.ids, (std::vector<std::int64_t>{17}));
  for (const char* wrong : {"x", "", "-1", "1x", "99999999999999999999", "%31"}) {
    EXPECT_TRUE(
        find_route("POST", "/api/v1/masks/" + std::string(wrong) + "/accept").allowed.empty())
        << wrong;
  }
}

TEST(Router, tells_which_methods_a_path_has) {
  EXPECT_EQ(find_route("DELETE", "/api/v1/status").allowed, "GET, HEAD");
  EXPECT_EQ(find_route("GET", "/api/v1/pages/remove").allowed, "POST");
  EXPECT_EQ(find_route("PUT", "/api/v1/pages").allowed, "GET, HEAD, POST");
  EXPECT_EQ(find_route("PUT", "/api/v1/pages").route, nullptr);
}

TEST(Router, knows_no_path_that_is_not_in_the_table) {
  for (const char* path : {"", "/", "/api/v1", "/api/v1/", "/api/v1/status/", "/api/v1//status",
                           "/api/v1/nothing", "/api/v2/status", "/status", "/api/v1x/status"}) {
    EXPECT_TRUE(find_route("GET", path).allowed.empty()) << path;
  }
}

TEST(Router, only_a_post_changes_something) {
  std::set<std::string> seen;
  for (const Route& route : routes()) {
    EXPECT_EQ(route.scope == Scope::steer, route.method == "POST") << route.path;
    EXPECT_FALSE(route.summary.empty()) << route.path;
    EXPECT_NE(route.answer, nullptr) << route.path;
    EXPECT_TRUE(seen.insert(std::string(route.method) + std::string(route.path)).second)
        << route.path;
  }
}

}  // namespace
}  // namespace pollux::web

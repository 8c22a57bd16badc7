#include "pollux/web/routes.hpp"
#include "support/json_schema.hpp"
#include "unit/web/control_fixture.hpp"
#include "web/operations.hpp"

#include <algorithm>
#include <set>

#include <boost/json/array.hpp>

namespace pollux::web {
namespace {

namespace json = boost::json;

class OpenApi : public ControlTest {
 protected:
  json::object description() {
    const Answer answer = get("/openapi.json");
    EXPECT_EQ(answer.status, 200u);
    return answer.body;
  }
  static std::string with_id(std::string_view path) {
    const std::size_t at = path.find("{id}");
    return at == std::string_view::npos ? std::string(path) : std::string(path.substr(0, at)) + "1";
  }
  static const json::object* operation(const json::object& all, const Route& route) {
    const json::value* path =
        all.at("paths").as_object().if_contains(std::string(api_prefix) + std::string(route.path));
    if (path == nullptr) return nullptr;
    const json::value* found =
        path->as_object().if_contains(route.method == "GET" ? "get" : "post");
    return found == nullptr ? nullptr : &found->as_object();
  }
};

TEST_F(OpenApi, every_route_is_described_and_nothing_else) {
  const json::object all = description();
  EXPECT_EQ(all.at("openapi").as_string(), "3.1.0");
  for (const Route& route : routes())
    EXPECT_NE(operation(all, route), nullptr) << route.method << ' ' << route.path;
  for (const Operation& one : operations()) {
    const bool is_route = std::ranges::any_of(routes(), [&](const Route& route) {
      return route.method == one.method && route.path == one.path;
    });
    EXPECT_TRUE(is_route) << one.method << ' ' << one.path;
  }
}

TEST_F(OpenApi, ids_of_operations_are_different) {
  const json::object all = description();
  std::set<std::string> ids;
  for (const Route& route : routes())
    ids.insert(std::string(operation(all, route)->at("operationId").as_string()));
  EXPECT_EQ(ids.size(), routes().size());
}

// A name in the query that no route knows is refused, so one that is described and refused for
// another reason than its name shows here, too.
TEST_F(OpenApi, routes_know_the_queries_that_are_described_and_no_others) {
  for (const Operation& one : operations()) {
    if (one.method != "GET" || one.media_type != "application/json") continue;
    for (const Described& value : one.query) {
      const std::string path = with_id(one.path) + "?" + std::string(value.name) + "=1";
      EXPECT_EQ(get(path).error().find("unknown"), std::string::npos) << path;
    }
    EXPECT_EQ(get(with_id(one.path) + "?nobody_knows_this=1").status, 400u) << one.path;
  }
}

TEST_F(OpenApi, answers_fit_what_is_described) {
  const json::object all = description();
  for (const Operation& one : operations()) {
    if (one.method != "GET" || one.media_type != "application/json") continue;
    if (one.path.find("{id}") != std::string_view::npos) continue;
    std::string path(one.path), query;
    for (const Described& value : one.query) {
      if (value.needed && value.name == "url") query = "?url=https://example.org/a";
    }
    const Answer answer = get(path + query);
    if (answer.status != 200) continue;  // what needs more than a list has tests of its own
    const auto found = std::ranges::find_if(routes(), [&](const Route& route) {
      return route.method == one.method && route.path == one.path;
    });
    const json::value& schema = operation(all, *found)
                                    ->at("responses")
                                    .at("200")
                                    .at("content")
                                    .at("application/json")
                                    .at("schema");
    for (const std::string& error : test::schema_errors(schema, answer.body)) {
      // Answers may have more than what clients are promised.
      if (error.find("not documented") == std::string::npos) ADD_FAILURE() << path << ": " << error;
    }
  }
}

TEST_F(OpenApi, an_error_fits_the_problem_that_is_described) {
  const json::value schema = description()
                                 .at("components")
                                 .at("responses")
                                 .at("Problem")
                                 .at("content")
                                 .at("application/json")
                                 .at("schema");
  const Answer answer = get("/pages/one?url=https://example.org/none");
  EXPECT_EQ(answer.status, 404u);
  EXPECT_EQ(test::schema_errors(schema, answer.body), std::vector<std::string>());
}

}  // namespace
}  // namespace pollux::web

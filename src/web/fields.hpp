// What a request says, read strictly: every field is asked for by its name, and what nobody asked
// for is refused, as is a value of another kind. Readers go on after a mistake; end() tells the
// first one.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/base/time.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace pollux::web {

// An object of a JSON body; an empty body is an empty object.
Result<boost::json::object> parse_body(std::string_view body);

class Fields {
 public:
  // `where` stands before the names in messages: "pages[3].". The object must outlive this.
  explicit Fields(const boost::json::object& object, std::string where = "")
      : object_(object), where_(std::move(where)) {}

  std::optional<std::string> text(std::string_view name);
  std::optional<double> number(std::string_view name);
  bool truth(std::string_view name);  // false when absent
  std::optional<std::vector<std::string>> texts(std::string_view name);
  std::vector<std::int64_t> ids(std::string_view name);
  std::optional<Duration> duration(std::string_view name);  // "2h"
  std::optional<double> rate(std::string_view name);        // 20, "300/min", "unlimited"
  const boost::json::object* object(std::string_view name);
  const boost::json::array* array(std::string_view name);
  void note(const Error& error);  // somebody else's complaint
  Status end();

 private:
  const boost::json::value* take(std::string_view name);
  void wrong(std::string_view name, const std::string& wanted);

  const boost::json::object& object_;
  std::string where_;
  std::set<std::string, std::less<>> known_ = {};
  std::optional<Error> problem_ = {};
};

// The part of a target behind "?", decoded. Each name once.
class Query {
 public:
  static Result<Query> parse(std::string_view text);
  std::string text(std::string_view name);  // empty when absent
  std::int64_t whole(std::string_view name, std::int64_t otherwise, std::int64_t most);
  void note(const Error& error);
  Status end();

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::set<std::string, std::less<>> known_;
  std::optional<Error> problem_;
};

}  // namespace pollux::web

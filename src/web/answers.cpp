#include "web/answers.hpp"

#include "pollux/report/json.hpp"

#include <boost/json/object.hpp>

namespace pollux::web {
namespace {

unsigned status_of(ExitCode code) {
  switch (code) {
    case ExitCode::usage:
    case ExitCode::bad_data:
      return 400;
    case ExitCode::configuration:
      return 422;
    case ExitCode::missing_input:
      return 404;
    case ExitCode::temporary:
    case ExitCode::unavailable:
    case ExitCode::io:
      return 503;
    default:
      return 500;
  }
}

}  // namespace

http::Response json_answer(const boost::json::value& value, unsigned status) {
  http::Response response;
  response.status = status;
  response.content_type = "application/json";
  response.headers = {{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}};
  response.body = report::json_text(value) + "\n";
  return response;
}

http::Response problem(unsigned status, const std::string& error, const std::string& cure) {
  return json_answer(boost::json::object{{"error", report::json_utf8(error)},
                                         {"cure", cure.empty() ? boost::json::value(nullptr)
                                                               : report::json_utf8(cure)}},
                     status);
}

http::Response problem(const Error& error) {
  return problem(status_of(error.exit_code), error.message);
}

http::Response refusal_of(unsigned status) {
  switch (status) {
    case 408:
      return problem(status, "the request took too long to arrive", "send it at once");
    case 413:
      return problem(status, "the body is too long", "send it in parts");
    case 431:
      return problem(status, "the header is too long", "send less of it");
    case 503:
      return problem(status, "the daemon has no room for this request, or is stopping",
                     "try again in a moment");
    case 504:
      return problem(status, "the daemon has not answered in time",
                     "look at its status before you try again: it may still do it");
    default:
      return problem(status, "this is no valid HTTP request", "write HTTP/1.1 with one Host");
  }
}

}  // namespace pollux::web

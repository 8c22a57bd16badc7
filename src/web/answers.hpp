// Answers of the API: JSON, and errors as {"error": …, "cure": …} with the right status.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/http/server.hpp"

#include <string>

#include <boost/json/value.hpp>

namespace pollux::web {

http::Response json_answer(const boost::json::value& value, unsigned status = 200);
// Without a cure: null.
http::Response problem(unsigned status, const std::string& error, const std::string& cure = "");
http::Response problem(const Error& error);  // its status by its exit code
http::Response refusal_of(unsigned status);  // of the server itself: 408, 413 …

}  // namespace pollux::web

// The OpenAPI 3.1 description of the API, made from the table of routes. Pure.
#pragma once

#include <boost/json/object.hpp>

namespace pollux::web {

boost::json::object openapi_json();

}  // namespace pollux::web

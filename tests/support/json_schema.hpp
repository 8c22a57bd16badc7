// As much of JSON Schema as our own schema uses: what does not fit is named by its path. A keyword
// that is not known here is a failure of the test, not of the data.
#pragma once

#include <string>
#include <vector>

#include <boost/json/value.hpp>

namespace pollux::test {

std::vector<std::string> schema_errors(const boost::json::value& schema,
                                       const boost::json::value& data);

}  // namespace pollux::test

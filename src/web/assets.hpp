// Files of the web page over HTTP: compressed as the browser likes it, named by their content, so
// that what has not changed is not sent again. Pure; any thread.
#pragma once

#include "pollux/http/server.hpp"
#include "web/page_files.hpp"

#include <string_view>

namespace pollux::web {

// `path` begins with '/' and is without a query; "/" is index.html. A GET or HEAD.
http::Response asset(std::span<const PageFile> files, std::string_view path,
                     const http::Request& request);

// How much an Accept-Encoding wants this coding: 0 (not at all) to 1.
double wanted(std::string_view accept_encoding, std::string_view coding);

}  // namespace pollux::web

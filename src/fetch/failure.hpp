// From curl's error codes to the failures the rest of Pollux knows.
#pragma once

#include "pollux/fetch/fetcher.hpp"

#include <string_view>

#include <curl/curl.h>

namespace pollux::fetch {

// `text` is what curl wrote to the error buffer: one code stands for several causes.
Failure classify(CURLcode code, std::string_view text);

}  // namespace pollux::fetch

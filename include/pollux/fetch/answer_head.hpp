// The head of an answer that came by another way than curl's: a browser has read it. Read with the
// same care as curl_fetcher's own. Pure but for the time of day, which serves where an answer has
// no Date.
#pragma once

#include "pollux/fetch/fetcher.hpp"

#include <string>
#include <utility>
#include <vector>

namespace pollux::fetch {

struct AnswerHead {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> fields;
};

// Fills in what the head says: status, media type, validators, redirect, Retry-After, freshness.
// Or the failure, when it is too large or cannot be.
void read_head(const AnswerHead& head, const Request& request, std::size_t max_bytes,
               Response& response);

}  // namespace pollux::fetch

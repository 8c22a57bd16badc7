#include "pollux/fetch/answer_head.hpp"

#include "fetch/describe.hpp"

#include <memory>

#include <curl/curl.h>

namespace pollux::fetch {
namespace {

std::string absolute_target(const std::string& base, const std::string& location) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl_url(), curl_url_cleanup);
  constexpr unsigned flags = CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME;
  if (!url || curl_url_set(url.get(), CURLUPART_URL, base.c_str(), 0) != CURLUE_OK ||
      curl_url_set(url.get(), CURLUPART_URL, location.c_str(), flags) != CURLUE_OK) {
    return {};
  }
  char* text = nullptr;
  if (curl_url_get(url.get(), CURLUPART_URL, &text, 0) != CURLUE_OK) return {};
  std::string target = text;
  curl_free(text);
  return target;
}

std::int64_t unix_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

void describe(HeaderFields& headers, const Request& request, Response& response) {
  const int status = headers.status();
  response.etag = std::move(headers.etag());
  response.last_modified = std::move(headers.last_modified());
  response.content_type = std::move(headers.content_type());
  response.challenge = std::move(headers.challenge());
  if (request.wants_modified && is_success(status)) {
    response.modified_ago =
        parse_modified_ago(response.last_modified, headers.date(), unix_seconds());
  }
  if (status / 100 == 3 && status != 304 && !headers.location().empty()) {
    response.redirect_to = absolute_target(request.url, headers.location());
  }
  if ((status == 429 || status == 503) && !headers.retry_after().empty()) {
    // An unreadable wish to be left alone is one, too.
    response.retry_after = parse_retry_after(headers.retry_after(), headers.date(), unix_seconds())
                               .value_or(std::chrono::seconds(1));
  }
  const FreshnessFields freshness = headers.freshness();
  if ((is_success(status) || status == 304) && freshness.any()) {
    response.fresh_for = parse_freshness(freshness, unix_seconds());
  }
}

void read_head(const AnswerHead& head, const Request& request, std::size_t max_bytes,
               Response& response) {
  HeaderFields fields;
  fields.reset(max_bytes);
  auto verdict = fields.add("HTTP/1.1 " + std::to_string(head.status) + " \r\n");
  for (const auto& [name, value] : head.fields) {
    if (verdict == HeaderFields::Verdict::ok) verdict = fields.add(name + ": " + value + "\r\n");
  }
  if (verdict == HeaderFields::Verdict::ok) verdict = fields.add("\r\n");
  if (verdict == HeaderFields::Verdict::too_large) {
    response.failure = Failure::headers_too_large;
    response.failure_text = "the headers are too large";
  } else if (verdict == HeaderFields::Verdict::malformed) {
    response.failure = Failure::protocol;
    response.failure_text = "the headers are malformed";
  } else {
    response.status = head.status;
    describe(fields, request, response);
  }
}

}  // namespace pollux::fetch

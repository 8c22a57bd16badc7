#include "agent/trusted_answer.hpp"

#include "pollux/base/text.hpp"

#include <algorithm>

namespace pollux::agent {
namespace {

constexpr std::size_t longest_kept = 1024;  // of a header
// As a fetcher here says it. What is beyond could not be added to a moment, or not be stored.
constexpr Duration shortest_retry = std::chrono::seconds(1), longest_retry = std::chrono::hours(24);
constexpr Duration longest_past = std::chrono::hours(24 * 366 * 100);
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;

// As the fetcher here would keep it: it goes into requests and onto terminals.
void keep_printable(std::string& field) {
  const bool fits = field.size() <= longest_kept &&
                    std::ranges::all_of(field, [](char c) { return c >= 0x20 && c < 0x7f; });
  if (!fits) field.clear();
}

bool has_control(const std::string& text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

// A line of a cookie file; its fields have tabs between them.
bool is_cookie_line(const std::string& line) {
  return std::ranges::none_of(line, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

bool within(const std::optional<Duration>& span, Duration least, Duration most) {
  return !span || (*span >= least && *span <= most);
}

}  // namespace

std::optional<fetch::Response> trusted_answer(Result result, const fetch::Request& request,
                                              fetch::Token token) {
  fetch::Response answer = std::move(result.response);
  const bool whole = answer.failure == fetch::Failure::none;
  // Nobody asked it to cancel, and what is the agent's own fault is none of the page's.
  if (answer.failure == fetch::Failure::agent || answer.failure == fetch::Failure::cancelled)
    return {};
  if (whole && (answer.status < 100 || answer.status > 599)) return {};
  if (has_control(answer.final_url) || has_control(answer.redirect_to)) return {};
  if (!std::ranges::all_of(answer.cookies, is_cookie_line)) return {};
  if (answer.body_bytes > most_bytes || !within(answer.modified_ago, -longest_past, longest_past) ||
      !within(answer.fresh_for, Duration::zero(), longest_past) ||
      !within(answer.retry_after, shortest_retry, longest_retry))
    return {};
  keep_printable(answer.etag);
  keep_printable(answer.last_modified);
  keep_printable(answer.content_type);
  keep_printable(answer.challenge);
  answer.failure_text = printable(answer.failure_text, longest_kept);
  answer.token = token;
  answer.sent = true;

  const bool success = whole && fetch::is_success(answer.status);
  if (!success) {
    if (result.aside) return {};
    answer.body_hash.reset();
    return answer;
  }
  // A page's is hashed there, a text comes as it is.
  if (request.cut_body == answer.body_hash.has_value()) return {};
  // Only what is kept of a page can have been put aside.
  if (result.aside && (result.content != Content::extracted || !request.keep_in)) return {};
  if (result.content == Content::none) return answer;
  std::optional<std::string> body = take_body(result);
  if (!body) return {};
  if (request.cut_body) {
    if (result.content != Content::bytes) return {};
    answer.body = std::move(*body);
  } else if (request.keep_in) {
    answer.kept_body =
        std::make_shared<CountedBytes>(request.keep_in, static_cast<ByteRoom::Name>(token));
    answer.kept_body->add(std::move(*body));
    answer.extracted = result.content == Content::extracted;
  }
  return answer;
}

}  // namespace pollux::agent

#include "agent/trusted_answer.hpp"

#include "pollux/base/text.hpp"

#include <algorithm>
#include <string_view>

namespace pollux::agent {
namespace {

constexpr std::size_t longest_kept = 1024;  // of a header
constexpr Duration shortest_retry_after = std::chrono::seconds(1);
constexpr Duration longest_retry_after = std::chrono::hours(24);
constexpr Duration year = std::chrono::hours(24 * 366);

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

// As far as the fetcher here would say it (fetcher.hpp), and no longer than it was away.
void keep_plausible(fetch::Response& answer, Duration away) {
  if (answer.retry_after)
    answer.retry_after = std::clamp(*answer.retry_after, shortest_retry_after, longest_retry_after);
  if (answer.fresh_for) answer.fresh_for = std::clamp(*answer.fresh_for, Duration::zero(), year);
  if (answer.modified_ago)
    answer.modified_ago = std::clamp(*answer.modified_ago, Duration::zero(), 100 * year);
  answer.elapsed = std::min(answer.elapsed, away);
  answer.exchange = std::min(answer.exchange, away);
  answer.rested = std::min(answer.rested, away);
}

}  // namespace

std::optional<fetch::Response> trusted_answer(Result result, const fetch::Request& request,
                                              fetch::Token token, Duration away) {
  fetch::Response answer = std::move(result.response);
  const bool whole = answer.failure == fetch::Failure::none;
  // Nobody asked it to cancel, and what is the agent's own fault is none of the page's.
  if (answer.failure == fetch::Failure::agent || answer.failure == fetch::Failure::cancelled)
    return {};
  if (whole && (answer.status < 100 || answer.status > 599)) return {};
  if (has_control(answer.final_url) || has_control(answer.redirect_to)) return {};
  if (!std::ranges::all_of(answer.cookies, is_cookie_line)) return {};
  keep_plausible(answer, away);
  keep_printable(answer.etag);
  keep_printable(answer.last_modified);
  keep_printable(answer.content_type);
  keep_printable(answer.challenge);
  answer.failure_text = printable(answer.failure_text, longest_kept);
  // Its own file says what it may reach, whatever the brain's allows.
  if (answer.failure == fetch::Failure::address_refused)
    answer.failure_text += ", in the agent's configuration";
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
  if (!request.cut_body && answer.body_bytes > request.max_body) return {};
  if (result.content == Content::none) return answer;
  if (result.content == Content::bytes && result.size > request.max_body) return {};
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

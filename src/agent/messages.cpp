#include "agent/messages.hpp"

#include "pollux/base/bytes.hpp"

#include <algorithm>

#include <zstd.h>

namespace pollux::agent {
namespace {

constexpr std::size_t longest_url = 64u << 10;
constexpr std::size_t longest_field = 8u << 10;  // of an answer, and of a header
constexpr std::size_t longest_rules = 128u << 10;
constexpr std::size_t most_lines = 1024;  // headers or cookies
constexpr std::size_t longest_version = 64;
constexpr std::size_t largest_body = 40u << 20;
constexpr std::size_t worth_squeezing = 256;
constexpr int squeeze_level = 3;
constexpr Duration longest_wait = std::chrono::hours(24 * 366);

// A span that may be waited for.
template <typename Bytes, typename Span>
void span(Bytes& bytes, Span& value) {
  bytes.time(value);
  if constexpr (requires { bytes.fail(); }) {
    if (value < Duration::zero() || value > longest_wait) bytes.fail();
  }
}

template <typename Bytes, typename Lines>
void lines(Bytes& bytes, Lines& all) {
  bytes.list(all, most_lines, [&](auto& line) { bytes.text(line, longest_field); });
}

template <typename Bytes, typename Hash>
void maybe_hash(Bytes& bytes, Hash& hash) {
  bytes.maybe(hash, [&](auto& value) { bytes.hash(value); });
}

template <typename Bytes>
void header_lines(Bytes& bytes, const std::shared_ptr<const fetch::HeaderLines>& headers) {
  static const fetch::HeaderLines none;
  lines(bytes, headers ? *headers : none);
}
void header_lines(ByteReader& bytes, std::shared_ptr<const fetch::HeaderLines>& headers) {
  fetch::HeaderLines read;
  lines(bytes, read);
  if (!read.empty()) headers = std::make_shared<const fetch::HeaderLines>(std::move(read));
}

// At least one.
template <typename Bytes, typename Number>
void price(Bytes& bytes, Number& value) {
  bytes.number(value, most_price);
  if constexpr (requires { bytes.fail(); }) {
    if (value == 0) bytes.fail();
  }
}

template <typename Bytes, typename Request>
void request(Bytes& bytes, Request& wanted) {
  bytes.text(wanted.url, longest_url);
  bytes.text(wanted.etag, longest_field);
  bytes.text(wanted.last_modified, longest_field);
  span(bytes, wanted.timeout);
  bytes.number(wanted.max_body);
  bytes.text(wanted.user_agent, longest_field);
  bytes.flag(wanted.fresh_connection);
  bytes.flag(wanted.cut_body);
  bytes.flag(wanted.wants_modified);
  bytes.flag(wanted.render);
  price(bytes, wanted.price);
  header_lines(bytes, wanted.headers);
  bytes.maybe(wanted.cookies, [&](auto& jar) { lines(bytes, jar); });
}

template <typename Bytes, typename Remote>
void remote(Bytes& bytes, Remote& wanted) {
  bytes.choice(wanted.wish, fetch::Remote::Wish::bytes);
  bytes.text(wanted.rules, longest_rules);
  maybe_hash(bytes, wanted.known_body);
  maybe_hash(bytes, wanted.known_content);
  bytes.flag(wanted.wants_whole);
}

template <typename Bytes, typename Response>
void response(Bytes& bytes, Response& answer) {
  bytes.choice(answer.failure, fetch::Failure::agent);
  bytes.text(answer.failure_text, longest_field);
  std::uint32_t status = static_cast<std::uint32_t>(answer.status);
  bytes.number(status, 999);
  if constexpr (requires { bytes.fail(); }) answer.status = static_cast<int>(status);
  bytes.text(answer.etag, longest_field);
  bytes.text(answer.last_modified, longest_field);
  bytes.maybe(answer.modified_ago, [&](auto& value) { bytes.time(value); });
  bytes.text(answer.content_type, longest_field);
  bytes.text(answer.challenge, longest_field);
  bytes.text(answer.final_url, longest_url);
  bytes.text(answer.redirect_to, longest_url);
  bytes.maybe(answer.retry_after, [&](auto& value) { span(bytes, value); });
  bytes.maybe(answer.fresh_for, [&](auto& value) { bytes.time(value); });
  bytes.number(answer.body_bytes);
  bytes.flag(answer.until_close);
  maybe_hash(bytes, answer.body_hash);
  lines(bytes, answer.cookies);
  span(bytes, answer.rested);
  span(bytes, answer.elapsed);
  span(bytes, answer.exchange);
  bytes.flag(answer.new_connection);
  bytes.flag(answer.reused_connection);
}

template <typename Bytes, typename Message>
void ask(Bytes& bytes, Message& message) {
  bytes.number(message.instance);
  bytes.number(message.brain);
  bytes.number(message.id);
  bytes.number(message.slots, most_slots);
  bytes.number(message.in_use);
  bytes.number(message.foreign);
  bytes.flag(message.secrets);
  bytes.flag(message.leaving);
  bytes.text(message.version, longest_version);
  auto& lease = message.lease;
  bytes.number(lease.id);
  bytes.number(lease.knows);
  bytes.number(lease.epoch);
  bytes.number(lease.held);
  bytes.real(lease.rate);
  bytes.flag(lease.leaving);
  bytes.number(message.renders, most_renders);
}

template <typename Bytes, typename Message>
void answer(Bytes& bytes, Message& message) {
  bytes.number(message.brain);
  bytes.flag(message.refused);
  bytes.list(message.taken, most_results_at_once, [&](auto& id) { bytes.number(id); });
  bytes.maybe(message.grant, [&](auto& grant) {
    bytes.number(grant.epoch);
    bytes.number(grant.ask);
    bytes.real(grant.rate);
    span(bytes, grant.lasts);
    bytes.flag(grant.hello);
  });
  bytes.flag(message.unlimited);
  bytes.list(message.wants, most_results_at_once, [&](auto& id) { bytes.number(id); });
}

template <typename Bytes, typename Message>
void polls(Bytes& bytes, Message& message) {
  bytes.number(message.brain);
  bytes.number(message.ask);
  span(bytes, message.ttl);
  bytes.list(message.polls, most_polls_at_once, [&](auto& poll) {
    bytes.number(poll.id);
    request(bytes, poll.request);
    remote(bytes, poll.remote);
    bytes.flag(poll.hash_first);
  });
}

template <typename Bytes, typename Message>
void results(Bytes& bytes, Message& message) {
  bytes.number(message.instance);
  bytes.number(message.brain);
  bytes.list(message.results, most_results_at_once, [&](auto& result) {
    bytes.number(result.id);
    bytes.choice(result.fate, Fate::gone);
    // A response says nothing of content that comes after it.
    if (result.fate == Fate::done || result.fate == Fate::unused) {
      span(bytes, result.here);
      response(bytes, result.response);
      bytes.choice(result.content, Content::extracted);
      bytes.maybe(result.aside, [&](auto& aside) {
        bytes.hash(aside.hash);
        bytes.number(aside.bytes, largest_body);
      });
    }
    bytes.number(result.size, largest_body);
    bytes.flag(result.squeezed);
    bytes.text(result.body, largest_body);
  });
}

template <typename Bytes, typename Message>
void part(Bytes& bytes, Message& message) {
  bytes.number(message.instance);
  bytes.number(message.brain);
  bytes.number(message.id);
  bytes.number(message.number, longest_result / part_bytes);
  bytes.number(message.count, longest_result / part_bytes);
  bytes.text(message.bytes, part_bytes);
}

enum class Kind : std::uint8_t { ask = 1, answer, polls, results, part };

template <typename Message, typename List>
std::string encode_as(Kind kind, const Message& message, List list) {
  ByteWriter bytes;
  bytes.number(protocol);
  bytes.number(static_cast<std::uint64_t>(kind));
  list(bytes, message);
  return bytes.take();
}

template <typename Message, typename List>
std::optional<Message> decode_as(Kind kind, std::string_view text, List list) {
  ByteReader bytes(text);
  std::uint8_t version = 0, which = 0;
  bytes.number(version);
  bytes.number(which);
  if (!bytes.ok() || version != protocol || which != static_cast<std::uint8_t>(kind)) return {};
  std::optional<Message> message(std::in_place);
  list(bytes, *message);
  if (!bytes.at_end()) message.reset();
  return message;
}

constexpr auto as_ask = [](auto& bytes, auto& message) { ask(bytes, message); };
constexpr auto as_answer = [](auto& bytes, auto& message) { answer(bytes, message); };
constexpr auto as_polls = [](auto& bytes, auto& message) { polls(bytes, message); };
constexpr auto as_results = [](auto& bytes, auto& message) { results(bytes, message); };
constexpr auto as_part = [](auto& bytes, auto& message) { part(bytes, message); };

}  // namespace

std::string encode(const Ask& message) {
  return encode_as(Kind::ask, message, as_ask);
}
std::string encode(const Answer& message) {
  return encode_as(Kind::answer, message, as_answer);
}
std::string encode(const Polls& message) {
  return encode_as(Kind::polls, message, as_polls);
}
std::string encode(const Results& message) {
  return encode_as(Kind::results, message, as_results);
}
std::string encode(const Part& message) {
  return encode_as(Kind::part, message, as_part);
}

std::optional<Ask> decode_ask(std::string_view bytes) {
  return decode_as<Ask>(Kind::ask, bytes, as_ask);
}
std::optional<Answer> decode_answer(std::string_view bytes) {
  return decode_as<Answer>(Kind::answer, bytes, as_answer);
}
std::optional<Polls> decode_polls(std::string_view bytes) {
  return decode_as<Polls>(Kind::polls, bytes, as_polls);
}
std::optional<Results> decode_results(std::string_view bytes) {
  return decode_as<Results>(Kind::results, bytes, as_results);
}
std::optional<Part> decode_part(std::string_view bytes) {
  std::optional<Part> read = decode_as<Part>(Kind::part, bytes, as_part);
  if (read && (read->count == 0 || read->number >= read->count)) read.reset();
  return read;
}

std::uint8_t version_of(std::string_view bytes) {
  return bytes.empty() ? 0 : static_cast<std::uint8_t>(bytes.front());
}

void put_body(Result& result, std::string body) {
  result.size = body.size();
  result.squeezed = false;
  if (body.size() >= worth_squeezing) {
    std::string squeezed(ZSTD_compressBound(body.size()), '\0');
    const std::size_t size =
        ZSTD_compress(squeezed.data(), squeezed.size(), body.data(), body.size(), squeeze_level);
    if (ZSTD_isError(size) == 0 && size < body.size()) {
      squeezed.resize(size);
      squeezed.shrink_to_fit();
      body = std::move(squeezed);
      result.squeezed = true;
    }
  }
  result.body = std::move(body);
}

std::optional<std::string> take_body(Result& result) {
  std::string bytes = std::exchange(result.body, {});
  if (!result.squeezed) return bytes.size() == result.size ? std::optional(bytes) : std::nullopt;
  if (result.size > largest_body) return {};
  std::string body(result.size, '\0');
  const std::size_t size = ZSTD_decompress(body.data(), body.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size) != 0 || size != body.size()) return {};
  return body;
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= 40 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

std::string instance_text(std::uint64_t instance) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; instance >>= 4) text[i] = digits[instance & 15];
  return text;
}

std::vector<std::string_view> words_of(std::string_view subject) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= subject.size() && words.size() < 6;) {
    const std::size_t end = std::min(subject.find('.', begin), subject.size());
    words.push_back(subject.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::optional<std::uint64_t> batch_of(std::string_view word) {
  std::uint64_t number = 0;
  for (const char c : word.substr(0, 19)) {
    if (c < '0' || c > '9') return {};
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return number;
}

}  // namespace pollux::agent

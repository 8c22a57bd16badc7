#include "engine/page_noise.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

namespace pollux::engine {
namespace {

// Fields are told apart by spaces, each a letter and numbers: "n1790000000000 v1a2b3c4d,3".
using Numbers = std::array<std::int64_t, 6>;

std::int64_t unix_ms(WallTime at) {
  return at.time_since_epoch().count();
}

// Polls since the one with this number; none: never, or longer ago than anybody asks.
std::optional<std::uint32_t> ago(const PageRecord& page, std::uint32_t poll) {
  if (poll == 0 || poll > page.polls || page.polls - poll > KnownVersions::window)
    return std::nullopt;
  return page.polls - poll;
}

// Without a text it would be taken for the same.
bool is_plain(const PageRecord& page) {
  return !page.held && page.suspect_mark == 0 && !page.noisy && !page.aside && !page.unmasked &&
         !page.rewritten && page.undecided_since == WallTime{} && !ago(page, page.flapped) &&
         !ago(page, page.returned) && page.earlier.empty(page.polls) &&
         !(page.has_hash && page.trust.seen_other_than(page.hash)) &&
         page.trust.is_plain(is_mostly_unchanged(page));
}

class Text {
 public:
  void add(char name, std::initializer_list<std::int64_t> numbers) {
    if (!text_.empty()) text_ += ' ';
    text_ += name;
    bool first = true;
    for (const std::int64_t number : numbers) {
      if (!first) text_ += ',';
      text_ += std::to_string(number);
      first = false;
    }
  }
  void add_poll(char name, const PageRecord& page, std::uint32_t poll) {
    if (const auto polls = ago(page, poll)) add(name, {*polls});
  }
  void add_time(char name, WallTime at) {
    if (at != WallTime{}) add(name, {unix_ms(at)});
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// How many could be read.
std::size_t read(std::string_view text, Numbers& numbers) {
  std::size_t count = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (count < numbers.size() && at != end) {
    const auto [stop, problem] = std::from_chars(at, end, numbers[count]);
    if (problem != std::errc{}) break;
    ++count;
    if (stop == end || *stop != ',') break;
    at = stop + 1;
  }
  return count;
}

std::uint32_t poll_before(const PageRecord& page, std::int64_t polls_ago) {
  return page.polls - static_cast<std::uint32_t>(
                          std::clamp<std::int64_t>(polls_ago, 0, std::int64_t{page.polls}));
}

void restore_field(PageRecord& page, char name, std::span<const std::int64_t> numbers) {
  const auto time = [&] { return WallTime(std::chrono::milliseconds(numbers[0])); };
  if (name == 'm') page.unmasked = true;
  if (name == 'w') page.rewritten = true;
  if (numbers.empty()) return;
  switch (name) {
    case 't':
      if (numbers.size() == 6) page.trust.restore(numbers.first<6>());
      break;
    case 'v':
      if (numbers.size() == 2)
        page.earlier.restore(static_cast<std::uint32_t>(numbers[0]), poll_before(page, numbers[1]));
      break;
    case 'f':
      page.flapped = poll_before(page, numbers[0]);
      break;
    case 'r':
      page.returned = poll_before(page, numbers[0]);
      break;
    case 'd':
      page.differed_at = poll_before(page, numbers[0]);
      break;
    case 'n':
      page.noisy = true;
      page.noisy_since = time();
      break;
    case 'a':
      page.aside = true;
      page.noisy_since = time();
      break;
    case 's':
      page.suspect_mark = static_cast<std::uint32_t>(numbers[0]);
      break;
    case 'h':
      page.held = numbers[0] != 0;
      break;
    case 'u':
      page.undecided_since = time();
      break;
    case 'c':
      page.twins_at = time();
      break;
    default:
      break;
  }
}

}  // namespace

std::string noise_text(const PageRecord& page) {
  if (is_plain(page)) return {};
  Text text;
  const auto& [mark, seen, known, agreements, credit, wavers] = page.trust.memory();
  text.add('t', {mark, seen, known, agreements, credit, wavers});
  page.earlier.for_each(page.polls, [&](std::uint32_t version, std::uint32_t last_seen) {
    text.add('v', {version, page.polls - last_seen});
  });
  text.add_poll('f', page, page.flapped);
  text.add_poll('r', page, page.returned);
  text.add_poll('d', page, page.differed_at);
  if (page.noisy) text.add_time('n', page.noisy_since);
  if (page.aside) text.add_time('a', page.noisy_since);
  text.add_time('u', page.undecided_since);
  text.add_time('c', page.twins_at);
  if (page.suspect_mark != 0) text.add('s', {page.suspect_mark});
  if (page.held) text.add('h', {*page.held});
  if (page.unmasked) text.add('m', {});
  if (page.rewritten) text.add('w', {});
  return text.take();
}

void restore_noise(PageRecord& page, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    Numbers numbers{};
    const std::size_t count = end > 0 ? read(text.substr(1, end - 1), numbers) : 0;
    if (end > 0) restore_field(page, text[0], std::span(numbers).first(count));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace pollux::engine

// A robots.txt, and behind the last line the path it is asked about.
#include "pollux/robots_txt/robots_txt.hpp"

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollux;
  const std::string_view text = fuzz::text(data, size);
  const std::size_t line = text.rfind('\n');
  const std::string url =
      "https://example.org/" + std::string(line < text.size() ? text.substr(line + 1) : "");
  const robots_txt::Excerpt excerpt = robots_txt::read_robots_txt(text, "pollux");
  for (const char c : excerpt.rules) fuzz::check(c == '\n' || (c >= 0x20 && c < 0x7f), "ASCII");
  fuzz::check(
      robots_txt::read_robots_txt("User-agent: *\n" + excerpt.rules, "x").rules == excerpt.rules,
      "an excerpt reads back to itself");
  if (excerpt.crawl_delay) {
    fuzz::check(*excerpt.crawl_delay >= Duration::zero(), "not negative");
    fuzz::check(*excerpt.crawl_delay <= std::chrono::hours(24), "at most a day");
  }
  robots_txt::allows(excerpt.rules, url);
  return 0;
}

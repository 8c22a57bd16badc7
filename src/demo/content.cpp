#include "demo/content.hpp"

#include "pollux/base/rng.hpp"

#include <array>
#include <cstdio>
#include <string_view>

namespace pollux::demo {
namespace {

constexpr std::array<std::string_view, 12> subjects{
    "The harbour office", "A night train",   "The village bakery", "Our weather station",
    "The city library",   "A small museum",  "The football club",  "The river ferry",
    "A market stall",     "The observatory", "The school choir",   "An old lighthouse"};
constexpr std::array<std::string_view, 12> verbs{
    "announces", "postpones",  "opens", "repairs",     "counts", "sells out of",
    "looks for", "celebrates", "moves", "photographs", "lends",  "weighs"};
constexpr std::array<std::string_view, 12> objects{
    "a new timetable",      "its oldest boat",  "four hundred lanterns", "the spring concert",
    "fresh cinnamon rolls", "a lost umbrella",  "the meteor shower",     "a second-hand organ",
    "warm winter coats",    "the harvest fair", "a map of the hills",    "three rare stamps"};

constexpr std::uint64_t news_shown = 64;
constexpr std::string_view about =
    "<p>This page belongs to the demo site of Pollux. Whatever happens in the town is told here in "
    "a sentence, the latest on top, and what is old goes at the bottom. Some pages tell many "
    "things every minute, most of them hardly any, and the number of a page says nothing about "
    "it. The editors work by day and by night and thank everybody who writes to them.</p>\n";

// The n-th thing that happened there, from 1.
std::string sentence(PageNumber page, std::uint64_t n) {
  // Never seed 0, which would mean a random text.
  Rng rng((std::uint64_t{number(page)} << 32) + n);
  std::string text = "<p>";
  text += subjects[rng.below(subjects.size())];
  text += ' ';
  text += verbs[rng.below(verbs.size())];
  text += ' ';
  text += objects[rng.below(objects.size())];
  return text + ".</p>\n";
}

}  // namespace

std::string page_html(PageNumber page, std::uint64_t changes, WallTime changed_at,
                      const NoiseParts& noise) {
  const std::string title = "Demo page " + std::to_string(number(page));
  std::string html = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>";
  html += title + "</title>\n" + noise.head + "<h1" + noise.attribute + ">" + title + "</h1>\n";
  html += noise.top + "<p>Version " + std::to_string(changes + 1);
  html += ", " + http_date(changed_at) + "</p>\n";
  for (std::uint64_t i = 0; i < news_shown; ++i) html += sentence(page, changes + news_shown - i);
  html += about;
  html += noise.bottom;
  html += "<p><a href=\"/" + noise.link_query + "\">All pages</a></p>\n</html>\n";
  return html;
}

std::string index_html(std::size_t pages) {
  std::string html =
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Pollux demo "
      "site</title>\n<h1>Pollux demo site</h1>\n<p>";
  for (std::size_t i = 1; i <= pages; ++i) {
    const std::string n = std::to_string(i);
    html += "<a href=\"/page/" + n + "\">" + n + "</a>\n";
  }
  html += "</p>\n</html>\n";
  return html;
}

std::string http_date(WallTime t) {
  using namespace std::chrono;
  static constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const sys_days day = floor<std::chrono::days>(t);
  const year_month_day date(day);
  const hh_mm_ss time(floor<seconds>(t - day));
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT",
                days[weekday(day).c_encoding()], static_cast<unsigned>(date.day()),
                months[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()));
  return text.data();
}

}  // namespace pollux::demo

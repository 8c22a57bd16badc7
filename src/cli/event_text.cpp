#include "cli/event_text.hpp"

#include "cli/steering.hpp"
#include "pollux/base/text.hpp"

#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

// "08:30:00", of the day that every line is of.
std::string clock_of(const boost::json::object& data) {
  const std::string at = words_in(data, "at");
  return at.size() >= 19 ? printable(at.substr(11, 8)) : "";
}

std::string page_of(const boost::json::object& data) {
  const std::string name = words_in(data, "name");
  return name.empty() ? printable_url(words_in(data, "url")) : printable(name, 200);
}

}  // namespace

EventText event_text(const DaemonEvent& event) {
  using Mood = EventText::Mood;
  const boost::json::object& data = event.data;
  EventText text{clock_of(data), printable(event.what, 20), page_of(data), "", Mood::neutral};
  if (event.what == "gap") {
    text.what = fmt::format("{} events were missed: they came too fast to be shown",
                            count_in(data, "missed"));
    text.mood = Mood::warning;
  } else if (event.what == "change") {
    text.what = printable(words_in(data, "summary"), 500);
    text.mood = Mood::notable;
  } else if (event.what == "health") {
    const std::string health = printable(words_in(data, "health"), 40);
    const std::string reason = printable(words_in(data, "reason"), 300);
    text.what = health + (reason.empty() ? "" : ": " + reason);
    text.mood = health == "ok" ? Mood::good : Mood::bad;
  } else {
    const std::string why = printable(words_in(data, "why"), 300);
    text.what = fmt::format("{}, {} ms{}", outcome_in(data), count_in(data, "ms"),
                            why.empty() ? "" : "; " + why);
  }
  return text;
}

}  // namespace pollux::cli

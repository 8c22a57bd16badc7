#include "cli/top_parts.hpp"

#include "cli/output.hpp"
#include "cli/steering.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"
#include "pollux/report/diff.hpp"
#include "pollux/report/text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t bar_width = 20;
constexpr std::size_t spark_minutes = 30;
constexpr std::array<std::string_view, 8> levels = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::optional<double> number_in(const json::object& object, const char* name) {
  const json::value* value = object.if_contains(name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->to_number<double>();
}

json::object object_in(const json::object& object, const char* name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_object() ? value->get_object() : json::object();
}

std::string bar_of(double part) {
  const auto full = static_cast<std::size_t>(std::clamp(part, 0.0, 1.0) * bar_width + 0.5);
  std::string text;
  for (std::size_t i = 0; i < bar_width; ++i) text += i < full ? "█" : "░";
  return text;
}

// Of the last minutes, the oldest first.
std::vector<std::int64_t> minutes_of(const json::object& status, const char* name) {
  std::vector<std::int64_t> numbers;
  const json::value* minutes = status.if_contains("minutes");
  if (minutes == nullptr || !minutes->is_array()) return numbers;
  for (const json::value& minute : minutes->get_array()) {
    if (numbers.size() == spark_minutes) break;
    if (minute.is_object()) numbers.push_back(count_in(minute.get_object(), name));
  }
  std::ranges::reverse(numbers);
  return numbers;
}

std::string spark_of(const std::vector<std::int64_t>& numbers) {
  const std::int64_t most = numbers.empty() ? 0 : std::ranges::max(numbers);
  std::string text;
  for (const std::int64_t number : numbers) {
    const auto level = most > 0 ? static_cast<std::size_t>(number * 7 / most) : 0;
    text += levels[std::min(level, levels.size() - 1)];
  }
  return text;
}

TopLine budget_line(const json::object& status) {
  const std::optional<double> budget = number_in(status, "budget");
  TopLine line{{"Budget   ", TopStyle::bold},
               {fmt::format("{:<9}", budget ? format_rate(*budget) : "no limit")}};
  if (const std::optional<double> used = number_in(status, "budget_used")) {
    line.push_back({bar_of(*used), TopStyle::good});
    line.push_back({fmt::format(" {:.1f} % used", *used * 100)});
  }
  const json::object fetches = object_in(status, "fetches");
  if (const auto out = number_in(fetches, "fetches_out"))
    line.push_back(
        {fmt::format(", {:.0f} {} out", *out, *out == 1 ? "fetch" : "fetches"), TopStyle::dim});
  if (const auto stretch = number_in(status, "max_interval_stretch"); stretch && *stretch > 1.01)
    line.push_back(
        {fmt::format(", max_interval x{}", report::number_text(*stretch)), TopStyle::warning});
  return line;
}

TopLine pages_line(const json::object& status) {
  const json::object pages = object_in(status, "pages");
  TopLine line{{"Pages    ", TopStyle::bold},
               {fmt::format("{} on {}", count_in(pages, "active"),
                            count_of(count_in(pages, "hosts"), "host"))}};
  if (const auto paused = count_in(pages, "paused"); paused > 0)
    line.push_back({fmt::format(", {} paused", paused)});
  if (const auto failing = count_in(pages, "failing"); failing > 0)
    line.push_back({fmt::format(", {} failing", failing), TopStyle::bad});
  const json::object told = object_in(status, "deliveries");
  const auto sent = count_in(told, "sent"), waiting = count_in(told, "waiting"),
             dead = count_in(told, "dead");
  if (sent + waiting + dead > 0) {
    line.push_back({fmt::format("   Told {} sent, {} waiting", sent, waiting)});
    if (dead > 0) line.push_back({fmt::format(", {} given up", dead), TopStyle::bad});
  }
  return line;
}

TopLine changes_line(const json::object& status) {
  for (const auto& [name, title] :
       {std::pair("alert", "ALERT    "), std::pair("reload_refused", "RELOAD   refused: ")}) {
    if (const std::string text = words_in(status, name); !text.empty())
      return {{title, TopStyle::bad}, {printable(text), TopStyle::bad}};
  }
  const std::vector<std::int64_t> minutes = minutes_of(status, "changes");
  std::int64_t lately = 0;
  for (const std::int64_t number : minutes) lately += number;
  return {
      {"Changes  ", TopStyle::bold},
      {fmt::format("{} in {} polls, {} in {} min ", count_in(status, "changes"),
                   count_in(status, "polls"), lately, std::max<std::size_t>(minutes.size(), 1))},
      {spark_of(minutes), TopStyle::good}};
}

// "2026-11-18T10:00:00.000Z", as far as seconds go.
std::optional<WallTime> time_in(const json::object& object, const char* name) {
  const std::string text = words_in(object, name);
  std::tm parts{};
  if (text.size() < 19 || strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr)
    return std::nullopt;
  return WallTime(std::chrono::seconds(timegm(&parts)));
}

struct AsciiGlyph {
  std::string_view glyph;
  char ascii;
};
constexpr AsciiGlyph glyphs[] = {
    {"█", '#'}, {"░", '.'}, {"▁", '_'}, {"▂", '.'}, {"▃", ':'}, {"▄", '-'}, {"▅", '='},
    {"▆", '+'}, {"▇", '*'}, {"─", '-'}, {"▸", '>'}, {"…", '~'}, {"⋯", '~'}, {"→", '>'},
    {"—", '-'}, {"−", '-'}, {"×", 'x'}, {"·", '-'}, {"“", '"'}, {"”", '"'}, {"’", '\''}};

}  // namespace

TopLine title_line(const TopModel& model, std::size_t width, WallTime now) {
  const json::object& status = model.shown().status;
  const std::string clock = " " + format_time(now).substr(11, 8) + " UTC ";
  std::string text = " pollux";
  if (!model.connected()) {
    text += model.ever_connected() ? ": the daemon has gone; trying to reach it again"
                                   : ": looking for the daemon";
  } else {
    if (const std::string version = words_in(status, "version"); !version.empty())
      text += " " + printable(version, 40);
    if (const auto since = time_in(status, "started_at"))
      text += ", running for " +
              format_duration(std::max(std::chrono::floor<std::chrono::seconds>(now - *since),
                                       std::chrono::seconds(0)));
    if (const auto pid = count_in(status, "pid"); pid > 0) text += fmt::format(", pid {}", pid);
    if (const std::string policy = words_in(status, "policy"); !policy.empty())
      text += ", " + printable(policy, 40);
  }
  const std::size_t room = width - std::min(width, clock.size());
  text = shortened(text, room);
  text.append(room - std::min(room, display_width(text)), ' ');
  return {{text + clock, model.connected() ? TopStyle::title : TopStyle::bad}};
}

std::vector<TopLine> figure_lines(const TopModel& model, std::size_t width) {
  const json::object& status = model.shown().status;
  if (!model.connected() && !model.ever_connected()) {
    std::vector<TopLine> lines =
        wrapped_lines({{{printable(model.trouble(), 2000), TopStyle::warning}}}, width);
    lines.resize(3);
    return lines;
  }
  std::vector<TopLine> lines{budget_line(status), pages_line(status), changes_line(status)};
  if (!model.connected() && !model.trouble().empty())
    lines.back() = {{printable(model.trouble(), 2000), TopStyle::bad}};
  return lines;
}

std::vector<std::string> list_lines(const TopList& list, std::size_t width) {
  Table table(list.table);
  table.drop_idle();
  static_cast<void>(table.fit(width));
  const std::string text = table.text(width);
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  if (lines.empty()) lines.emplace_back();
  return lines;
}

std::string empty_text(TopTab tab, bool filtered) {
  const std::string hint = filtered ? " that fits the filter (Esc drops it)" : "";
  switch (tab) {
    case TopTab::pages:
      return filtered ? "No page" + hint + "." : "No page is watched yet: pollux add URL";
    case TopTab::changes:
      return "No change was found yet" + hint + ".";
    case TopTab::hosts:
      return "No host fails" + (filtered ? std::string(" among those that fit the filter") : "") +
             ".";
    case TopTab::access_points:
      return "None is configured: every poll leaves by the default route.";
    case TopTab::notifications:
      return "Nothing waits to be told, and nothing was given up.";
  }
  return "";
}

std::vector<TopLine> help_lines() {
  static constexpr std::pair<const char*, const char*> keys[] = {
      {"1 … 5, Tab", "pages, changes, failing hosts, access points, notifications"},
      {"Up, Down, j, k", "choose a row; Page up, Page down, Home, End"},
      {"s, S", "sort pages by share, changes, last change, errors, next poll, URL"},
      {"/", "filter pages and changes by a part of the URL; Esc drops it"},
      {"d, Enter", "what changed: at the chosen change, or at the page's last one"},
      {"w", "why the page has its share, and how far it is trusted"},
      {"n", "poll the page now, in its host's turn"},
      {"p", "pause the page, or poll it again"},
      {"r", "mark the change as read (pollux changes --unread)"},
      {"t", "try the notification again"},
      {"Space", "hold the screen; in a text: the next page"},
      {"q", "quit; in a text: back"},
  };
  std::vector<TopLine> lines{{}, {{"Keys", TopStyle::bold}}};
  for (const auto& [key, what] : keys)
    lines.push_back({{fmt::format("  {:<16}", key), TopStyle::good}, {what}});
  lines.push_back({});
  lines.push_back(
      {{"  Failing pages are red, unread changes bold. Times are UTC. SHARE is the planned",
        TopStyle::dim}});
  lines.push_back({{"  part of the budget, GOT what the page really had of it in the last hour.",
                    TopStyle::dim}});
  return lines;
}

std::vector<TopLine> diff_lines(std::string_view old_text, std::string_view new_text) {
  constexpr std::size_t most_lines = 5000, most_bytes = 512u << 10;  // wrapped for every drawing
  if (report::looks_binary(old_text) || report::looks_binary(new_text))
    return {
        {{"No text: " + format_bytes(old_text.size()) + " → " + format_bytes(new_text.size())}}};
  std::vector<TopLine> lines;
  std::size_t room = most_bytes;
  bool cut = false;
  for (const report::WordLine& word_line : report::word_lines(old_text, new_text)) {
    cut = cut || lines.size() == most_lines;
    if (cut) break;
    TopLine line;
    if (word_line.folded > 0)
      line.push_back(
          {"⋯ " + count_of(static_cast<std::int64_t>(word_line.folded), "line") + " as before",
           TopStyle::dim});
    for (const report::Span& span : word_line.spans) {
      const std::string text(beginning_of(span.text, room));
      room -= text.size();
      cut = text.size() < span.text.size();
      // Marks, too: not every terminal has colours, nor has everybody.
      if (span.edit == diff::Edit::keep) line.push_back({text});
      if (span.edit == diff::Edit::remove) line.push_back({"[-" + text + "-]", TopStyle::bad});
      if (span.edit == diff::Edit::add) line.push_back({"{+" + text + "+}", TopStyle::good});
      if (cut) break;
    }
    lines.push_back(std::move(line));
  }
  if (cut) lines.push_back({{"… the rest: pollux diff", TopStyle::dim}});
  return lines;
}

std::vector<TopLine> wrapped_lines(const std::vector<TopLine>& lines, std::size_t width,
                                   std::size_t hang) {
  std::vector<TopLine> out;
  if (hang + 20 > width) hang = 0;
  const auto next_line = [&] {
    out.emplace_back();
    if (hang > 0) out.back().push_back({std::string(hang, ' ')});
    return hang;
  };
  for (const TopLine& line : lines) {
    out.emplace_back();
    std::size_t used = 0;
    for (const TopSpan& span : line) {
      for (std::string_view rest = span.text; !rest.empty();) {
        std::size_t bytes = fitting(rest, width - std::min(used, width));
        if (bytes == 0 && used > hang) {
          used = next_line();
          continue;
        }
        bytes = std::max<std::size_t>(bytes, 1);
        // Between words, where one begins in the second half of the line.
        if (bytes < rest.size()) {
          const std::size_t space = rest.substr(0, bytes).rfind(' ');
          if (space != std::string_view::npos && used + space > width / 2) bytes = space + 1;
        }
        out.back().push_back({std::string(rest.substr(0, bytes)), span.style});
        used += display_width(rest.substr(0, bytes));
        rest.remove_prefix(bytes);
        if (!rest.empty()) {
          used = next_line();
        }
      }
    }
  }
  return out;
}

std::string as_ascii(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto lead = static_cast<unsigned char>(text.front());
    if (lead < 0x80) {
      out += text.front();
      text.remove_prefix(1);
      continue;
    }
    const auto found = std::ranges::find_if(
        glyphs, [&](const AsciiGlyph& one) { return text.starts_with(one.glyph); });
    if (found != std::end(glyphs)) {
      out += found->ascii;
      text.remove_prefix(found->glyph.size());
      continue;
    }
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    const std::string_view character = text.substr(0, length);
    out.append(display_width(character), '?');
    text.remove_prefix(character.size());
  }
  return out;
}

}  // namespace pollux::cli

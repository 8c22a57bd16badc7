#include "cli/top_view.hpp"

#include "cli/event_text.hpp"
#include "cli/output.hpp"
#include "cli/steering.hpp"
#include "cli/top_parts.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

namespace pollux::cli {
namespace {

// Rows that are no list: the title, the figures, the tabs, the heads of list and strip, the keys.
constexpr std::size_t fixed_rows = 9;

std::string rule_text(std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < width; ++i) text += "─";
  return text;
}

TopStyle style_of(EventText::Mood mood) {
  switch (mood) {
    case EventText::Mood::neutral:
      return TopStyle::dim;
    case EventText::Mood::good:
    case EventText::Mood::notable:
      return TopStyle::good;
    case EventText::Mood::bad:
      return TopStyle::bad;
    case EventText::Mood::warning:
      return TopStyle::warning;
  }
  return TopStyle::plain;
}

TopLine event_line(const DaemonEvent& event, std::size_t width) {
  const EventText text = event_text(event);
  const std::string head = text.clock + " ", kind = fmt::format("{:<7}", text.kind);
  const std::size_t taken = display_width(head) + display_width(kind);
  const std::size_t room = width > taken + 20 ? width - taken : 20;
  // The page gets half of the room, or what the words leave.
  const std::size_t words = display_width(text.what);
  const std::size_t for_page = std::max(room / 2, room - std::min(room, words + 2));
  const std::string page = shortened_middle(text.page, for_page);
  const TopStyle style = text.mood == EventText::Mood::neutral ? TopStyle::dim : TopStyle::plain;
  return {{head, TopStyle::dim},
          {kind, style_of(text.mood)},
          {page + (page.empty() ? "" : "  ") + text.what, style}};
}

TopLine tab_line(const TopModel& model, std::size_t width) {
  TopLine line;
  const bool narrow = width < 74;
  for (std::size_t i = 0; i < top_tabs; ++i) {
    const auto tab = static_cast<TopTab>(i);
    const TopList& list = model.shown().list(tab);
    std::string title = tab_title(tab);
    if (narrow) title = title.substr(0, 7);
    std::string text = fmt::format(" {} {}", i + 1, title);
    const bool counted = tab == TopTab::hosts || tab == TopTab::notifications;
    if (counted && !list.rows.empty()) text += fmt::format(" ({})", list.rows.size());
    const bool alarm = tab == TopTab::hosts && !list.rows.empty();
    line.push_back({text + " ", tab == model.tab() ? TopStyle::chosen
                                : alarm            ? TopStyle::bad
                                                   : TopStyle::plain});
  }
  return line;
}

std::string list_note(const TopModel& model) {
  std::string note;
  if (model.tab() == TopTab::pages) note = "by " + order_title(model.choice().order);
  if (!model.choice().filter.empty())
    note += (note.empty() ? "" : ", ") + ("filter: " + printable(model.choice().filter, 60));
  if (model.held()) note += (note.empty() ? "" : ", ") + std::string("held (Space goes on)");
  return note;
}

TopStyle row_style(const TopRow& row) {
  if (row.failing) return TopStyle::bad;
  if (row.unread) return TopStyle::bold;
  return row.paused ? TopStyle::dim : TopStyle::plain;
}

void add_list(std::vector<TopLine>& out, TopModel& model, const TopCanvas& canvas,
              std::size_t rows) {
  const TopList& list = model.shown().list(model.tab());
  model.visible(rows);
  if (list.rows.empty()) {
    const bool filtered = !model.choice().filter.empty();
    out.push_back({});
    out.push_back({{"  " + empty_text(model.tab(), filtered), TopStyle::dim}});
    for (std::size_t i = 1; i < rows; ++i) out.push_back({});
    return;
  }
  const std::vector<std::string> lines = list_lines(list, canvas.width - 2);
  out.push_back({{"  " + lines.front(), TopStyle::dim}});
  const std::size_t count = list.rows.size();
  const std::size_t chosen = std::min(model.chosen(), count - 1);
  // The chosen row is on the screen, in the middle of a long list.
  const std::size_t last_first = count > rows ? count - rows : 0;
  const std::size_t first = std::min(last_first, chosen - std::min(chosen, rows / 2));
  for (std::size_t i = first; i < first + rows; ++i) {
    if (i >= count || i + 1 >= lines.size()) {
      out.push_back({});
      continue;
    }
    const bool here = i == chosen;
    std::string text = (here ? "▸ " : "  ") + lines[i + 1];
    if (here) text.append(canvas.width - std::min(canvas.width, display_width(text)), ' ');
    out.push_back({{std::move(text), here ? TopStyle::chosen : row_style(list.rows[i])}});
  }
}

TopLine bottom_line(const TopModel& model, const char* keys) {
  if (const auto& typed = model.typed())
    return {{"Filter by a part of the URL: ", TopStyle::bold}, {printable(*typed) + "_"}};
  if (!model.message().empty())
    return {{printable(model.message(), 2000),
             model.message_is_bad() ? TopStyle::bad : TopStyle::good}};
  return {{keys, TopStyle::dim}};
}

void draw_lists(std::vector<TopLine>& out, TopModel& model, const TopCanvas& canvas) {
  const std::size_t room = canvas.height > fixed_rows ? canvas.height - fixed_rows : 0;
  const std::size_t strip = std::clamp<std::size_t>(room / 3, room > 4 ? 2 : 0, 14);
  for (TopLine& line : figure_lines(model, canvas.width)) out.push_back(std::move(line));
  const std::string note = list_note(model);
  out.push_back(tab_line(model, canvas.width));
  const std::string head = note.empty() ? "" : "─ " + note + " ";
  out.push_back(
      {{shortened(head, canvas.width), TopStyle::bold},
       {rule_text(canvas.width - std::min(canvas.width, display_width(head))), TopStyle::dim}});
  add_list(out, model, canvas, room > strip ? room - strip : 1);
  out.push_back(
      {{"─ last polls and changes ", TopStyle::bold},
       {rule_text(canvas.width - std::min<std::size_t>(canvas.width, 25)), TopStyle::dim}});
  const std::vector<DaemonEvent> feed = model.feed(strip);
  for (const DaemonEvent& event : feed) out.push_back(event_line(event, canvas.width));
  for (std::size_t i = feed.size(); i < strip; ++i) out.push_back({});
  const char* keys =
      canvas.width >= 80
          ? "s sort  / filter  d diff  w why  n poll now  p pause  Space hold  ? help  q quit"
      : canvas.width >= 60 ? "s sort  / filter  d diff  n poll  p pause  ? help  q quit"
                           : "s sort  / filter  ? help  q quit";
  out.push_back(bottom_line(model, keys));
}

void draw_text(std::vector<TopLine>& out, TopModel& model, const TopCanvas& canvas) {
  const std::vector<TopLine> lines =
      wrapped_lines(model.text().lines, canvas.width, model.text().hang);
  const std::size_t rows = canvas.height > 3 ? canvas.height - 3 : 1;
  model.visible(rows);
  model.scroll_to_at_most(lines.size() > rows ? lines.size() - rows : 0);
  const std::size_t first = model.scrolled(), end = std::min(lines.size(), first + rows);
  out.push_back({{shortened_middle(model.text().title, canvas.width), TopStyle::bold}});
  out.insert(out.end(), lines.begin() + static_cast<std::ptrdiff_t>(first),
             lines.begin() + static_cast<std::ptrdiff_t>(end));
  out.resize(canvas.height - 1);
  out.push_back(bottom_line(model, ""));
  if (out.back().front().text.empty())
    out.back() = {{fmt::format("lines {} to {} of {}   arrows and Space scroll   q back",
                               std::min(first + 1, lines.size()), end, lines.size()),
                   TopStyle::dim}};
}

void draw_help(std::vector<TopLine>& out, const TopCanvas& canvas) {
  for (TopLine& line : help_lines()) out.push_back(std::move(line));
  out.resize(std::max<std::size_t>(out.size(), canvas.height - 1));
  out.resize(canvas.height - 1);
  out.push_back({{"any key goes back", TopStyle::dim}});
}

// No wider than the screen, and in its characters.
void cut(TopLine& line, const TopCanvas& canvas) {
  std::size_t used = 0;
  for (TopSpan& span : line) {
    if (!canvas.unicode) span.text = as_ascii(span.text);
    const std::size_t room = canvas.width - std::min(used, canvas.width);
    if (display_width(span.text) > room)
      span.text = canvas.unicode ? shortened(span.text, room) : span.text.substr(0, room);
    used += display_width(span.text);
  }
}

}  // namespace

std::vector<TopLine> draw(TopModel& model, const TopCanvas& wanted, WallTime now) {
  // Whoever makes the window this small sees the beginning.
  const TopCanvas canvas{std::max<std::size_t>(wanted.width, 40),
                         std::max<std::size_t>(wanted.height, 12), wanted.unicode};
  std::vector<TopLine> out{title_line(model, canvas.width, now)};
  switch (model.view()) {
    case TopModel::View::lists:
      draw_lists(out, model, canvas);
      break;
    case TopModel::View::text:
      draw_text(out, model, canvas);
      break;
    case TopModel::View::help:
      draw_help(out, canvas);
      break;
  }
  // In a low window the keys stay.
  if (out.size() > wanted.height && wanted.height > 0)
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(wanted.height) - 1, out.end() - 1);
  out.resize(wanted.height);
  for (TopLine& line : out) cut(line, {wanted.width, wanted.height, wanted.unicode});
  return out;
}

std::string print_once(const TopSnapshot& snapshot, const TopCanvas& canvas) {
  constexpr std::size_t most_rows = 10;
  TopModel model;
  model.take(snapshot);
  std::vector<TopLine> out{title_line(model, canvas.width, snapshot.at)};
  for (TopLine& line : figure_lines(model, canvas.width)) out.push_back(std::move(line));
  for (std::size_t i = 0; i < top_tabs; ++i) {
    const auto tab = static_cast<TopTab>(i);
    const TopList& list = snapshot.list(tab);
    out.push_back({});
    out.push_back({{tab_title(tab) + (tab == TopTab::pages ? " by share" : "")}});
    if (list.rows.empty()) {
      out.push_back({{"  " + empty_text(tab, false)}});
      continue;
    }
    const std::vector<std::string> lines = list_lines(list, canvas.width - 2);
    for (std::size_t row = 0; row < std::min(lines.size(), most_rows + 1); ++row)
      out.push_back({{"  " + lines[row]}});
  }
  std::string text;
  for (TopLine& line : out) {
    cut(line, canvas);
    std::string plain;
    for (const TopSpan& span : line) plain += span.text;
    plain.erase(plain.find_last_not_of(' ') + 1);
    text += plain + "\n";
  }
  return text;
}

}  // namespace pollux::cli

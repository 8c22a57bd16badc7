#include "pollux/demo/view.hpp"

#include "demo/cells.hpp"
#include "pollux/base/text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>

namespace pollux::demo {
namespace {

constexpr std::size_t label_cells = 24;  // "uniform would have found"
constexpr std::size_t number_cells = 9;
constexpr std::size_t remark_cells = 17;  // behind the bars

std::string_view role_mark(Role role) {
  switch (role) {
    case Role::slow:
      return " slow";
    case Role::moved:
      return " moved";
    case Role::flaky:
      return " flaky";
    case Role::broken:
      return " broken";
    case Role::resetting:
      return " resets";
    case Role::plain:
      break;
  }
  return "";
}

// Safe to paste into a shell.
std::string quoted(const std::string& path) {
  const auto harmless = [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("/._-+=:,@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!path.empty() && std::all_of(path.begin(), path.end(), harmless)) return path;
  std::string text = "'";
  for (const char c : path) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// Found per second at `cells` moments between the start and now, each over the few seconds before
// it, for a smooth line.
std::vector<double> speeds(const Progress& progress, std::uint64_t Tally::*sum, std::size_t cells) {
  const std::vector<Tally>& line = progress.timeline;
  const auto before = [&](double t) -> const Tally& {
    auto after = std::upper_bound(line.begin(), line.end(), t,
                                  [](double a, const Tally& b) { return a < b.at; });
    return after == line.begin() ? line.front() : *std::prev(after);
  };
  const double cell_seconds = progress.seconds / static_cast<double>(cells);
  const double window = std::max(3.0, cell_seconds);
  std::vector<double> result;
  for (std::size_t i = 1; i <= cells; ++i) {
    const double t = cell_seconds * static_cast<double>(i);
    if (t > progress.now().at + 0.5 * cell_seconds) break;
    const Tally &from = before(t - window), &to = before(t);
    const double passed = to.at - from.at;
    result.push_back(passed > 0 ? static_cast<double>(to.*sum - from.*sum) / passed : 0);
  }
  return result;
}

std::string noise_text(const Progress& progress) {
  return grouped(progress.noisy) + " pages differ at every look: noise masked on " +
         grouped(progress.masked) + ", useless changes reported: " + grouped(progress.useless);
}

class Painter {
 public:
  Painter(const Progress& progress, const Canvas& canvas) : p_(progress), c_(canvas) {}

  std::vector<std::string> take() && { return std::move(lines_); }
  std::size_t rows_left() const {
    return c_.height > lines_.size() + 1 ? c_.height - 1 - lines_.size() : 0;
  }
  Line line() const {
    Line l(c_.width, c_.colour);
    l.add(" ");
    return l;
  }
  void put(Line& l) {
    if (rows_left() > 0) lines_.push_back(l.take());
  }
  void blank() {
    if (rows_left() > 0) lines_.emplace_back();
  }

  void title() {
    Line l = line();
    l.add("Pollux demo", Style::bold);
    l.add("  " + grouped(p_.pages) + " pages on " + std::to_string(p_.hosts) + " hosts, budget " +
          shortest(p_.budget) + " requests/s");
    put(l);
  }

  void time_left() {
    const double left = std::max(0.0, p_.seconds - p_.now().at);
    const std::string text = "  " + fixed(std::ceil(left), 0) + " s left";
    Line l = line();
    const std::size_t cells = l.room() > text.size() + 1 ? l.room() - text.size() - 1 : 0;
    const double part = p_.seconds > 0 ? std::min(1.0, p_.now().at / p_.seconds) : 1;
    const auto done = static_cast<std::size_t>(std::lround(part * static_cast<double>(cells)));
    l.add(repeat(c_.unicode ? "━" : "=", done), Style::ours);
    l.add(repeat(c_.unicode ? "─" : "-", cells - done), Style::dim);
    l.add(text);
    put(l);
  }

  void requests() {
    const double speed = p_.recent_requests_per_second();
    count("requests", p_.now().requests, p_.budget > 0 ? speed / p_.budget : 0, Style::dim,
          fixed(speed, 1) + "/s of " + shortest(p_.budget) + "/s");
  }

  void counts() {
    const Tally& now = p_.now();
    const auto most = static_cast<double>(std::max({now.made, now.found, std::uint64_t{1}}));
    const auto part = [most](std::uint64_t value) { return static_cast<double>(value) / most; };
    const auto advantage = p_.advantage();
    count("changes the site made", now.made, part(now.made), Style::dim, "");
    count("Pollux found", now.found, part(now.found), Style::ours,
          advantage ? fixed(*advantage, 2) + (c_.unicode ? " × uniform" : " x uniform") : "");
    count("uniform would have found", now.uniform, part(now.uniform), Style::theirs, "");
  }

  // Instead of the counts, while nothing can have been found.
  void first_looks() {
    const auto all = static_cast<double>(std::max<std::size_t>(p_.pages, 1));
    const std::string of_all = "of " + grouped(p_.pages);
    count("changes the site made", p_.now().made, 1, Style::dim, "");
    count("pages seen once", p_.visits.once, static_cast<double>(p_.visits.once) / all, Style::ours,
          of_all);
    count("pages seen again", p_.visits.twice, static_cast<double>(p_.visits.twice) / all,
          Style::ours, of_all);
  }

  // Instead of the curves.
  void why_nothing_is_found() {
    for (const char* text : {"Every page is new. Its first poll records what is there; from the",
                             "second on a change is found, and its rate and share are learnt."}) {
      Line l = line();
      l.add(text);
      put(l);
    }
  }

  // How far the shares have parted from uniform ones.
  void top_share() {
    Line l = line();
    l.left("the top " + grouped(p_.top_pages()) + " pages get", label_cells);
    l.right(fixed(100 * p_.top_share, 0) + " %", number_cells, Style::bold).add("  ");
    const std::size_t cells = l.room() > remark_cells ? l.room() - remark_cells : 0;
    l.add(bar(p_.top_share, cells, c_.unicode), Style::ours);
    const double even = static_cast<double>(p_.top_pages()) /
                        static_cast<double>(std::max<std::size_t>(p_.pages, 1));
    l.add("  uniform: " + fixed(100 * even, 0) + " %");
    put(l);
  }

  void noise() {
    if (p_.noisy == 0) return;
    Line l = line();
    l.add(noise_text(p_));
    put(l);
  }

  void curves() {
    constexpr std::size_t margin = label_cells + 9;  // and the last value behind the line
    if (c_.width <= margin) return;
    const std::size_t cells =
        std::min(c_.width - margin, static_cast<std::size_t>(std::max(8.0, p_.seconds)));
    const auto ours = speeds(p_, &Tally::found, cells), theirs = speeds(p_, &Tally::uniform, cells);
    double top = 1;
    for (const double v : ours) top = std::max(top, v);
    for (const double v : theirs) top = std::max(top, v);
    curve("found per second", ours, top, Style::ours);
    curve("  by uniform", theirs, top, Style::theirs);
  }

  void table(std::size_t rows) {
    constexpr std::size_t page_cells = 17, rate_cells = 9, percent_cells = 9, count_cells = 8;
    constexpr std::size_t other = page_cells + 2 * rate_cells + percent_cells + 2 * count_cells + 4;
    const std::size_t bar_cells = c_.width > other ? c_.width - other : 0;
    Line head = line();
    head.left("page", page_cells, Style::dim).right("true/s", rate_cells, Style::dim);
    head.right("learnt/s", rate_cells, Style::dim).right("share", percent_cells, Style::dim);
    head.add("  ").left("", bar_cells).right("polls", count_cells, Style::dim);
    head.right("found", count_cells, Style::dim);
    put(head);
    double top = 0;
    for (const WatchedPage& page : p_.watched) top = std::max(top, page.share);
    for (std::size_t i = 0; i < std::min(rows, p_.watched.size()); ++i) {
      const WatchedPage& page = p_.watched[i];
      Line l = line();
      const std::string name = "/page/" + std::to_string(number(page.page));
      l.add(name);
      l.left(role_mark(page.role), page_cells - name.size(), Style::dim);
      l.right(rate_text(page.true_rate), rate_cells);
      l.right(page.learnt_rate ? rate_text(*page.learnt_rate) : "-", rate_cells);
      l.right(fixed(100 * page.share, 1) + " %", percent_cells).add("  ");
      l.left(bar(top > 0 ? page.share / top : 0, bar_cells, c_.unicode), bar_cells, Style::ours);
      l.right(grouped(static_cast<std::uint64_t>(page.polls)), count_cells);
      l.right(grouped(static_cast<std::uint64_t>(page.changes)), count_cells);
      put(l);
    }
  }

  void foot() {
    Line l = line();
    const std::string shown = p_.web_url.empty() ? "" : "Look: " + p_.web_url + "  ";
    l.add(shown + "Ctrl-C ends it. The site: " + p_.site_url + ", " +
              grouped(static_cast<std::uint64_t>(p_.failing)) +
              (p_.failing == 1 ? " page fails" : " pages fail") + " now.",
          Style::dim);
    put(l);
  }

 private:
  static std::string repeat(std::string_view text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
  }

  void count(std::string_view label, std::uint64_t value, double part, Style style,
             const std::string& remark) {
    Line l = line();
    l.left(label, label_cells).right(grouped(value), number_cells, Style::bold).add("  ");
    const std::size_t cells = l.room() > remark_cells ? l.room() - remark_cells : 0;
    l.add(bar(part, cells, c_.unicode), style);
    if (!remark.empty()) l.add("  ").add(remark, Style::bold);
    put(l);
  }

  void curve(std::string_view label, const std::vector<double>& values, double top, Style style) {
    Line l = line();
    l.left(label, label_cells + 2).add(sparkline(values, top, c_.unicode), style);
    if (!values.empty()) l.add(' ' + fixed(values.back(), 0));
    put(l);
  }

  const Progress& p_;
  const Canvas& c_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> draw(const Progress& progress, const Canvas& canvas) {
  Painter painter(progress, canvas);
  painter.title();
  painter.time_left();
  painter.blank();
  painter.requests();
  const bool early = !progress.anything_found();
  if (early) {
    painter.first_looks();
  } else {
    painter.counts();
  }
  painter.blank();
  painter.top_share();
  if (early) {
    painter.why_nothing_is_found();
  } else {
    painter.curves();
    painter.noise();
  }
  painter.blank();
  constexpr std::size_t head_and_foot = 3;
  if (painter.rows_left() > head_and_foot) painter.table(painter.rows_left() - head_and_foot);
  painter.blank();
  painter.foot();
  return std::move(painter).take();
}

std::string plain_line(const Progress& progress) {
  const Tally& now = progress.now();
  std::string text = fixed(now.at, 0) + " s: " + grouped(now.requests) + " requests (" +
                     fixed(progress.recent_requests_per_second(), 1) + "/s of " +
                     shortest(progress.budget) + "/s), the site changed " + grouped(now.made) +
                     " times, found " + grouped(now.found) + ", uniform would have found " +
                     grouped(now.uniform);
  if (const auto advantage = progress.advantage()) text += " (x " + fixed(*advantage, 2) + ")";
  if (!progress.anything_found()) {
    text += "; seen " + grouped(progress.visits.once) + " of " + grouped(progress.pages) +
            " pages, " + grouped(progress.visits.twice) + " of them again";
  }
  if (progress.noisy > 0) text += "; " + noise_text(progress);
  return text;
}

std::string summary(const Progress& progress, const Canvas& canvas) {
  Canvas endless = canvas;
  endless.height = 1000;
  Painter painter(progress, endless);
  Line title = painter.line();
  title.add("Pollux demo", Style::bold);
  title.add("  " + fixed(progress.now().at, 0) + " s, " + grouped(progress.pages) + " pages, " +
            grouped(progress.now().requests) + " requests");
  painter.put(title);
  painter.blank();
  painter.counts();
  painter.noise();
  painter.blank();
  Line head = painter.line();
  head.add("The pages that got the most polls", Style::bold);
  painter.put(head);
  painter.table(10);
  painter.blank();
  std::string text;
  for (const std::string& line : std::move(painter).take()) text += line + '\n';
  const std::string database = quoted(progress.database);
  text += " All of it is in " + printable(progress.database) + ". Look into it with\n";
  text += "   pollux pages --database " + database + "\n";
  text += "   pollux changes --database " + database + "\n";
  text += "   sqlite3 -readonly -box " + database + " 'select * from page_report limit 10'\n";
  return text;
}

}  // namespace pollux::demo

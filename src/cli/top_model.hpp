// What `pollux top` knows and shows, without a terminal: what came from the daemon, where the user
// is in it, and what a key does. Pure; one thread.
#pragma once

#include "cli/daemon_events.hpp"
#include "pollux/base/time.hpp"
#include "pollux/report/table.hpp"
#include "pollux/store/reader.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace pollux::cli {

enum class TopTab { pages, changes, hosts, access_points, notifications };
inline constexpr std::size_t top_tabs = 5;
std::string tab_title(TopTab tab);

enum class TopStyle { plain, bold, dim, good, bad, warning, title, chosen };
struct TopSpan {
  std::string text;  // printable
  TopStyle style = TopStyle::plain;
  bool operator==(const TopSpan&) const = default;
};
using TopLine = std::vector<TopSpan>;

// What a line of a list stands for.
struct TopRow {
  std::string url = {};                   // of the page; empty: it is about none
  std::int64_t id = 0;                    // of a change or a notification
  std::optional<WallTime> found_at = {};  // of a change
  bool paused = false, failing = false, unread = false;
};
struct TopList {
  report::Table table = {};
  std::vector<TopRow> rows = {};  // one for each of the table
  boost::json::array json = {};   // the same for programs
};

struct TopSnapshot {
  WallTime at{};
  boost::json::object status = {};  // as GET /status
  std::array<TopList, top_tabs> lists = {};
  TopList& list(TopTab tab) { return lists[static_cast<std::size_t>(tab)]; }
  const TopList& list(TopTab tab) const { return lists[static_cast<std::size_t>(tab)]; }
};

// What is read of the daemon, by the user's choice.
struct TopChoice {
  store::PageOrder order = store::PageOrder::share;
  std::string filter = {};  // part of the URL
  bool operator==(const TopChoice&) const = default;
};
std::string order_title(store::PageOrder order);

// What is to be done for the user, by whoever speaks with the daemon.
struct TopWish {
  enum class What { pause, resume, poll, read, retry, diff, why };
  What what = What::diff;
  std::string url = {};
  std::int64_t id = 0;
  std::optional<WallTime> found_at = {};  // of a change; else the last one is meant
};

// A long text to scroll in: a difference, an explanation.
struct TopText {
  std::string title;
  std::vector<TopLine> lines;
  std::size_t hang = 0;  // columns that the rest of a long line is indented by
};

struct TopKey {
  enum class What {
    none,
    character,
    up,
    down,
    left,
    right,
    page_up,
    page_down,
    home,
    end,
    enter,
    escape,
    backspace,
    tab,
    back_tab
  };
  What what = What::none;
  std::string text = {};  // the character, in UTF-8
};

class TopModel {
 public:
  enum class View { lists, text, help };

  // From the daemon. `take` leaves the chosen row chosen, wherever it stands now.
  void take(TopSnapshot snapshot);
  void take(const DaemonEvent& event);
  void open(TopText text);
  void tell(std::string message, bool bad = false);
  void lost(std::string why);  // there is no daemon at present

  // What the user wants of the daemon; nothing: it only concerns the screen.
  std::optional<TopWish> press(const TopKey& key);
  // Rows of the list on the screen: what a page of it is. Told by whoever draws.
  void visible(std::size_t rows) { page_ = rows > 0 ? rows : 1; }

  bool quit() const { return quit_; }
  bool held() const { return held_; }
  bool connected() const { return connected_; }
  bool ever_connected() const { return ever_; }
  const std::string& trouble() const { return trouble_; }
  const TopSnapshot& shown() const { return snapshot_; }
  const TopChoice& choice() const { return choice_; }
  View view() const { return view_; }
  TopTab tab() const { return tab_; }
  std::size_t chosen() const { return chosen_[static_cast<std::size_t>(tab_)]; }
  const TopText& text() const { return text_; }
  std::size_t scrolled() const { return scroll_; }
  // Whoever wraps the text knows how far it goes.
  void scroll_to_at_most(std::size_t last) { scroll_ = scroll_ < last ? scroll_ : last; }
  const std::string& message() const { return message_; }
  bool message_is_bad() const { return message_bad_; }
  const std::optional<std::string>& typed() const { return typed_; }  // of a filter, as yet
  // The last events, the oldest first; polls leave room for what is rarer.
  std::vector<DaemonEvent> feed(std::size_t most) const;

 private:
  const TopRow* row() const;
  std::optional<TopWish> press_in_list(const TopKey& key);
  void press_in_text(const TopKey& key);
  void press_in_filter(const TopKey& key);
  std::optional<TopWish> letter(char c);
  std::optional<TopWish> about_page(TopWish::What what);
  bool move(const TopKey& key, std::size_t& at, std::size_t count) const;
  void show_tab(std::size_t index);

  struct Numbered {
    std::uint64_t number = 0;
    DaemonEvent event;
  };
  static constexpr std::size_t most_events = 100;  // of each kind
  static void keep(std::deque<Numbered>& ring, Numbered event);

  TopSnapshot snapshot_ = {};
  std::optional<TopSnapshot> waiting_ = {};  // came while the screen was held
  std::deque<Numbered> polls_ = {}, rare_ = {};
  std::uint64_t events_ = 0;
  bool connected_ = false, ever_ = false, quit_ = false, held_ = false;
  std::string trouble_ = {};
  TopChoice choice_ = {};
  View view_ = View::lists;
  TopTab tab_ = TopTab::pages;
  std::array<std::size_t, top_tabs> chosen_ = {};
  TopText text_ = {};
  std::size_t scroll_ = 0, page_ = 10;
  std::string message_ = {};
  bool message_bad_ = false;
  std::optional<std::string> typed_ = {};
};

}  // namespace pollux::cli

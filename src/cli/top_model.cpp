#include "cli/top_model.hpp"

#include <algorithm>
#include <utility>

namespace pollux::cli {
namespace {

using store::PageOrder;

constexpr std::pair<PageOrder, const char*> orders[] = {
    {PageOrder::share, "share"},
    {PageOrder::changes, "changes"},
    {PageOrder::last_changed, "last change"},
    {PageOrder::errors, "errors"},
    {PageOrder::next_due, "next poll"},
    {PageOrder::url, "URL"},
};

PageOrder next_order(PageOrder order, bool back) {
  const auto size = std::size(orders);
  const auto found = std::ranges::find(orders, order, &std::pair<PageOrder, const char*>::first);
  const auto at = static_cast<std::size_t>(found - std::begin(orders));
  return orders[(at + (back ? size - 1 : 1)) % size].first;
}

bool same_row(const TopRow& left, const TopRow& right) {
  return left.url == right.url && left.id == right.id;
}

// The last character of UTF-8 text.
void drop_character(std::string& text) {
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.back());
    text.pop_back();
    if ((byte & 0xC0) != 0x80) return;
  }
}

constexpr std::size_t longest_filter = 200;

}  // namespace

std::string tab_title(TopTab tab) {
  switch (tab) {
    case TopTab::pages:
      return "Pages";
    case TopTab::changes:
      return "Changes";
    case TopTab::hosts:
      return "Failing hosts";
    case TopTab::access_points:
      return "Access points";
    case TopTab::notifications:
      return "Notifications";
  }
  return "";
}

std::string order_title(PageOrder order) {
  return std::ranges::find(orders, order, &std::pair<PageOrder, const char*>::first)->second;
}

void TopModel::take(TopSnapshot snapshot) {
  if (!connected_ && ever_) tell("connected again");
  connected_ = ever_ = true;
  trouble_.clear();
  if (held_) {
    waiting_ = std::move(snapshot);
    return;
  }
  for (std::size_t i = 0; i < top_tabs; ++i) {
    const std::vector<TopRow>& before = snapshot_.lists[i].rows;
    const std::vector<TopRow>& now = snapshot.lists[i].rows;
    std::size_t& at = chosen_[i];
    // Who stands at the top wants to see the top.
    if (at > 0 && at < before.size()) {
      const auto found = std::ranges::find_if(
          now, [&](const TopRow& candidate) { return same_row(candidate, before[at]); });
      if (found != now.end()) at = static_cast<std::size_t>(found - now.begin());
    }
    at = std::min(at, now.empty() ? 0 : now.size() - 1);
  }
  snapshot_ = std::move(snapshot);
}

void TopModel::keep(std::deque<Numbered>& ring, Numbered event) {
  ring.push_back(std::move(event));
  if (ring.size() > most_events) ring.pop_front();
}

void TopModel::take(const DaemonEvent& event) {
  if (held_) return;
  keep(event.what == "poll" ? polls_ : rare_, {++events_, event});
}

std::vector<DaemonEvent> TopModel::feed(std::size_t most) const {
  const std::size_t rare =
      std::min(rare_.size(), std::max((most + 1) / 2, most - std::min(most, polls_.size())));
  const std::size_t polls = std::min(polls_.size(), most - std::min(most, rare));
  std::vector<const Numbered*> chosen;
  for (std::size_t i = rare_.size() - rare; i < rare_.size(); ++i) chosen.push_back(&rare_[i]);
  for (std::size_t i = polls_.size() - polls; i < polls_.size(); ++i) chosen.push_back(&polls_[i]);
  std::ranges::sort(chosen, {}, [](const Numbered* one) { return one->number; });
  std::vector<DaemonEvent> events;
  for (const Numbered* one : chosen) events.push_back(one->event);
  return events;
}

void TopModel::open(TopText text) {
  text_ = std::move(text);
  scroll_ = 0;
  view_ = View::text;
  message_.clear();
}

void TopModel::tell(std::string message, bool bad) {
  message_ = std::move(message);
  message_bad_ = bad;
}

void TopModel::lost(std::string why) {
  connected_ = false;
  trouble_ = std::move(why);
}

const TopRow* TopModel::row() const {
  const std::vector<TopRow>& rows = snapshot_.list(tab_).rows;
  return chosen() < rows.size() ? &rows[chosen()] : nullptr;
}

bool TopModel::move(const TopKey& key, std::size_t& at, std::size_t count) const {
  using What = TopKey::What;
  const std::size_t last = count > 0 ? count - 1 : 0;
  const bool letter = key.what == What::character;
  if (key.what == What::up || (letter && key.text == "k"))
    return at -= std::min<std::size_t>(at, 1), true;
  if (key.what == What::down || (letter && key.text == "j"))
    return at = std::min(at + 1, last), true;
  if (key.what == What::page_up) return at -= std::min(at, page_), true;
  if (key.what == What::page_down) return at = std::min(at + page_, last), true;
  if (key.what == What::home || (letter && key.text == "g")) return at = 0, true;
  if (key.what == What::end || (letter && key.text == "G")) return at = last, true;
  return false;
}

void TopModel::show_tab(std::size_t index) {
  tab_ = static_cast<TopTab>(index % top_tabs);
  message_.clear();
}

std::optional<TopWish> TopModel::press(const TopKey& key) {
  if (key.what == TopKey::What::none) return std::nullopt;
  if (typed_) return press_in_filter(key), std::nullopt;
  if (view_ == View::help) {
    view_ = View::lists;
    return std::nullopt;
  }
  if (view_ == View::text) return press_in_text(key), std::nullopt;
  return press_in_list(key);
}

void TopModel::press_in_filter(const TopKey& key) {
  using What = TopKey::What;
  if (key.what == What::character && typed_->size() < longest_filter) *typed_ += key.text;
  if (key.what == What::backspace) drop_character(*typed_);
  if (key.what == What::enter) choice_.filter = *typed_;
  if (key.what == What::enter || key.what == What::escape) typed_.reset();
}

void TopModel::press_in_text(const TopKey& key) {
  const bool leaves = key.what == TopKey::What::escape || key.what == TopKey::What::left ||
                      key.what == TopKey::What::backspace ||
                      (key.what == TopKey::What::character && (key.text == "q" || key.text == "d"));
  if (leaves) {
    view_ = View::lists;
    return;
  }
  if (key.what == TopKey::What::character && key.text == " ") {
    scroll_ += page_;
    return;
  }
  // What is too far is brought back when it is drawn.
  constexpr std::size_t endless = 1u << 20;
  move(key, scroll_, endless);
}

std::optional<TopWish> TopModel::press_in_list(const TopKey& key) {
  using What = TopKey::What;
  const auto index = static_cast<std::size_t>(tab_);
  if (move(key, chosen_[index], snapshot_.list(tab_).rows.size()))
    return message_.clear(), std::nullopt;
  switch (key.what) {
    case What::tab:
    case What::right:
      show_tab(index + 1);
      return std::nullopt;
    case What::back_tab:
    case What::left:
      show_tab(index + top_tabs - 1);
      return std::nullopt;
    case What::enter:
      return about_page(TopWish::What::diff);
    case What::escape:
      choice_.filter.clear();
      message_.clear();
      return std::nullopt;
    case What::character:
      return key.text.size() == 1 ? letter(key.text.front()) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<TopWish> TopModel::about_page(TopWish::What what) {
  const TopRow* at = row();
  if (at == nullptr || at->url.empty()) {
    tell("choose a page first: 1 or 2, then the arrows", true);
    return std::nullopt;
  }
  if (!connected_ && what != TopWish::What::diff && what != TopWish::What::why) {
    tell("there is no daemon to ask at present", true);
    return std::nullopt;
  }
  return TopWish{what, at->url, at->id, at->found_at};
}

std::optional<TopWish> TopModel::letter(char c) {
  message_.clear();
  if (c >= '1' && c < '1' + static_cast<int>(top_tabs)) {
    show_tab(static_cast<std::size_t>(c - '1'));
    return std::nullopt;
  }
  const TopRow* at = row();
  switch (c) {
    case 'q':
      quit_ = true;
      break;
    case '?':
    case 'h':
      view_ = View::help;
      break;
    case 's':
    case 'S':
      choice_.order = next_order(choice_.order, c == 'S');
      show_tab(static_cast<std::size_t>(TopTab::pages));
      chosen_[0] = 0;
      tell("pages by " + order_title(choice_.order));
      break;
    case '/':
      typed_ = choice_.filter;
      break;
    case ' ':
      held_ = !held_;
      if (!held_ && waiting_) take(*std::exchange(waiting_, std::nullopt));
      break;
    case 'd':
    case 'o':
      return about_page(TopWish::What::diff);
    case 'w':
      return about_page(TopWish::What::why);
    case 'n':
      return about_page(TopWish::What::poll);
    case 'p':
      return about_page(at != nullptr && at->paused ? TopWish::What::resume : TopWish::What::pause);
    case 'r':
      if (tab_ == TopTab::changes) return about_page(TopWish::What::read);
      tell("only changes can be marked as read: 2 shows them", true);
      break;
    case 't':
      if (tab_ == TopTab::notifications && at != nullptr)
        return TopWish{TopWish::What::retry, at->url, at->id, {}};
      tell("only notifications can be tried again: 5 shows them", true);
      break;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace pollux::cli

#include "engine/page_masks.hpp"

#include <algorithm>

namespace pollux::engine {
namespace {

constexpr auto told_every = std::chrono::minutes(1);
constexpr int most_times = 255;

std::uint8_t counted(int times) {
  return static_cast<std::uint8_t>(std::min(times, most_times));
}

// A number of views may stand still for as long as it likes: it says what it is.
std::uint8_t still_of(extract::TokenKind kind) {
  if (kind == extract::TokenKind::count) return most_times;
  return extract::is_of_lines(kind) ? PageMasks::still_lines : PageMasks::still;
}

}  // namespace

void PageMasks::Sight::add(const extract::Alternative& shown) {
  if (shown.mark == 0) return;
  std::erase(alternatives, shown);
  if (alternatives.size() == most_alternatives) alternatives.erase(alternatives.begin());
  alternatives.push_back(shown);
}

// What has stood for a while and ticked on is given longer the next time.
void PageMasks::Sight::see(const extract::Shown& shown, WallTime now) {
  unmatched = shown.mark == 0 ? counted(unmatched + 1) : std::uint8_t{0};
  if (shown.mark == 0) return;
  add(shown.lines);
  if (shown.mark == mark) {
    times = counted(times + 1);
    return;
  }
  if (times > 1) wanted = std::max(wanted, counted(std::min(times * still, most_times - 1)));
  mark = shown.mark;
  stays = shown.stays;
  times = 1;
  since = now;
}

bool PageMasks::Sight::stands(WallTime now) const {
  const Duration least =
      stays > std::chrono::seconds(0) ? Duration(still_clock_for) : Duration(still_for);
  return !accepted && mark != 0 && wanted < most_times && times + 1 >= wanted &&
         now - since >= std::max<Duration>(least, still * stays);
}

void PageMasks::add(const Masks& masks, PageId page, WallTime now,
                    std::vector<store::MaskRow>& rows, const std::vector<std::uint32_t>& hidden,
                    const std::vector<Alternatives>& alternatives) {
  Masks all = state_ ? *state_->masks : Masks{};
  std::vector<Sight> sights = state_ ? std::move(state_->sights) : std::vector<Sight>{};
  for (std::size_t i = 0; i < masks.size(); ++i) {
    const extract::Mask& mask = masks[i];
    if (all.size() >= most || std::ranges::find(all, mask) != all.end() || is_refused(mask))
      continue;
    all.push_back(mask);
    sights.push_back({.before = i < hidden.size() ? hidden[i] : 0,
                      .wanted = still_of(mask.kind),
                      .alternatives = {}});
    if (i < alternatives.size()) {
      for (const extract::Alternative& one : alternatives[i]) sights.back().add(one);
    }
    rows.push_back({.page = page, .mask = extract::to_text(mask), .at = now});
  }
  if (all.empty()) return;
  keep(std::move(all), std::move(sights));
  state_->told = now;
}

PageMasks::State& PageMasks::state() {
  if (!state_) state_ = std::make_unique<State>();
  return *state_;
}

void PageMasks::keep(Masks masks, std::vector<Sight> sights) {
  if (masks.empty() && !refused()) return state_.reset();
  state().sights = std::move(sights);
  state_->masks = std::make_shared<const Masks>(std::move(masks));
}

bool PageMasks::is_refused(const extract::Mask& mask) const {
  const std::shared_ptr<const Masks> those = refused();
  return those && std::ranges::any_of(*those, [&](const extract::Mask& other) {
           return hide_the_same(other, mask);
         });
}

void PageMasks::restore(const KnownMasks& masks, WallTime now) {
  for (const KnownMask& known : masks) {
    if (known.state == store::MaskRow::State::refused) {
      refuse(known.mask);
    } else if (known.state == store::MaskRow::State::accepted) {
      accept(known.mask, now);
    } else {
      restore(Masks{known.mask}, now);
    }
  }
}

void PageMasks::accept(const extract::Mask& mask, WallTime now) {
  if (is_refused(mask)) {
    Masks others = *state_->refused;
    std::erase(others, mask);
    state_->refused = others.empty() ? nullptr : std::make_shared<const Masks>(std::move(others));
  }
  restore(Masks{mask}, now);
  if (!state_) return;
  const auto at = std::ranges::find(*state_->masks, mask);
  if (at != state_->masks->end())
    state_->sights[static_cast<std::size_t>(at - state_->masks->begin())].accepted = true;
}

void PageMasks::refuse(const extract::Mask& mask) {
  if (is_refused(mask)) return;
  Masks all = refused() ? *refused() : Masks{};
  if (all.size() >= most) all.erase(all.begin());
  all.push_back(mask);
  state().refused = std::make_shared<const Masks>(std::move(all));
  const auto at = std::ranges::find(*state_->masks, mask);
  if (at == state_->masks->end()) return;
  const auto position = at - state_->masks->begin();
  Masks left = *state_->masks;
  left.erase(left.begin() + position);
  std::vector<Sight> sights = std::move(state_->sights);
  sights.erase(sights.begin() + position);
  keep(std::move(left), std::move(sights));
}

std::vector<Standing> PageMasks::standing(WallTime now) const {
  std::vector<Standing> marks;
  if (!state_) return marks;
  for (std::size_t i = 0; i < state_->sights.size(); ++i) {
    if (!state_->sights[i].stands(now)) continue;
    marks.resize(state_->sights.size());
    marks[i] = {state_->sights[i].mark, state_->sights[i].before};
  }
  return marks;
}

std::vector<Alternatives> PageMasks::alternatives() const {
  std::vector<Alternatives> all;
  if (!state_) return all;
  for (const Sight& sight : state_->sights) all.push_back(sight.alternatives);
  return all;
}

void PageMasks::note_same() {
  if (!state_) return;
  for (Sight& sight : state_->sights) {
    if (sight.mark != 0) sight.times = counted(sight.times + 1);
  }
}

bool PageMasks::note(const Look& look, PageId page, WallTime now, std::vector<store::MaskRow>& rows,
                     bool anew) {
  const std::size_t count = look.masks_shown.size();
  if (!state_ || count != state_->masks->size()) return false;
  const bool tell = now - state_->told >= told_every;
  if (tell) state_->told = now;
  Masks left;
  std::vector<Sight> sights;
  bool any_ended = false, any_moved = false;
  for (std::size_t i = 0; i < count; ++i) {
    using What = store::MaskRow::What;
    const extract::Mask& mask = (*state_->masks)[i];
    Sight& sight = state_->sights[i];
    sight.see(look.masks_shown[i], now);
    const bool ended = !sight.accepted && i < look.masks_ended.size() && look.masks_ended[i];
    const bool dropped = !sight.accepted && sight.unmatched >= (anew ? 1 : most_unmatched);
    any_ended = any_ended || ended;
    if (ended || dropped || (tell && sight.unmatched == 0)) {
      const What what = ended ? What::expired : dropped ? What::dropped : What::matched;
      rows.push_back({.page = page, .mask = extract::to_text(mask), .at = now, .what = what});
    }
    if (ended || dropped) continue;
    const bool moved =
        !sight.accepted && i < look.masks_moved.size() && look.masks_moved[i].has_value();
    left.push_back(moved ? *look.masks_moved[i] : mask);
    sights.push_back(sight);
    if (!moved) continue;
    any_moved = true;
    rows.push_back(
        {.page = page, .mask = extract::to_text(mask), .at = now, .what = What::dropped});
    rows.push_back({.page = page, .mask = extract::to_text(left.back()), .at = now});
  }
  if (left.size() < count || any_moved) {
    keep(std::move(left), std::move(sights));
  } else {
    state_->sights = std::move(sights);
  }
  return any_ended;
}

}  // namespace pollux::engine

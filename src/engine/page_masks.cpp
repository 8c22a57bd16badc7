#include "engine/page_masks.hpp"

#include <algorithm>

namespace pollux::engine {
namespace {

constexpr auto told_every = std::chrono::hours(1);

}  // namespace

void PageMasks::add(const Masks& masks, PageId page, WallTime now,
                    std::vector<store::MaskRow>& rows) {
  Masks all = state_ ? *state_->masks : Masks{};
  for (const extract::Mask& mask : masks) {
    if (all.size() >= most || std::ranges::find(all, mask) != all.end()) continue;
    all.push_back(mask);
    rows.push_back({.page = page, .mask = extract::to_text(mask), .at = now});
  }
  if (all.empty()) return;
  if (!state_) state_ = std::make_unique<State>();
  state_->unmatched.resize(all.size());
  state_->masks = std::make_shared<const Masks>(std::move(all));
  state_->told = now;
}

void PageMasks::note(const std::vector<bool>& matched, PageId page, WallTime now,
                     std::vector<store::MaskRow>& rows) {
  if (!state_ || matched.size() != state_->masks->size()) return;
  const bool tell = now - state_->told >= told_every;
  if (tell) state_->told = now;
  Masks left;
  std::vector<std::uint8_t> unmatched;
  for (std::size_t i = 0; i < matched.size(); ++i) {
    const extract::Mask& mask = (*state_->masks)[i];
    const auto missed =
        static_cast<std::uint8_t>(matched[i] ? 0 : std::min(state_->unmatched[i] + 1, 255));
    const bool drop = missed >= most_unmatched;
    if (drop || (tell && matched[i])) {
      rows.push_back(
          {.page = page,
           .mask = extract::to_text(mask),
           .at = now,
           .what = drop ? store::MaskRow::What::dropped : store::MaskRow::What::matched});
    }
    if (drop) continue;
    left.push_back(mask);
    unmatched.push_back(missed);
  }
  if (left.empty()) return clear();
  state_->unmatched = std::move(unmatched);
  if (left.size() < matched.size()) state_->masks = std::make_shared<const Masks>(std::move(left));
}

}  // namespace pollux::engine

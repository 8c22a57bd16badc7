// The masks of one page. A page that has none costs a pointer. Threading: the engine's thread; the
// list itself is shared with those who apply it.
#pragma once

#include "engine/look.hpp"
#include "pollux/base/time.hpp"
#include "pollux/store/rows.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pollux::engine {

class PageMasks {
 public:
  static constexpr std::size_t most = 64;
  static constexpr std::uint8_t most_unmatched = 20;  // looks; then it is dropped

  bool empty() const { return !state_; }
  std::size_t size() const { return state_ ? state_->masks->size() : 0; }
  std::shared_ptr<const Masks> list() const { return state_ ? state_->masks : nullptr; }

  // Those that are new are added to `rows`.
  void add(const Masks& masks, PageId page, WallTime now, std::vector<store::MaskRow>& rows);
  // After a look, `matched` for each of list(): drops those that have not matched for long.
  void note(const std::vector<bool>& matched, PageId page, WallTime now,
            std::vector<store::MaskRow>& rows);
  void clear() { state_.reset(); }

 private:
  struct State {
    std::shared_ptr<const Masks> masks;
    std::vector<std::uint8_t> unmatched;  // looks in a row, for each
    WallTime told{};                      // when it was last written that they match
  };
  std::unique_ptr<State> state_;
};

}  // namespace pollux::engine

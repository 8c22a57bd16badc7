// The masks of one page. A mask ends when it fits nowhere any more, or when what it hides has
// stopped ticking: what stands still is no noise, and its next difference may be news. A page that
// has none costs a pointer. One that people have accepted stays for ever; one that they have
// refused is not learnt again. Threading: the engine's thread; the list itself is shared with those
// who apply it.
#pragma once

#include "engine/look.hpp"
#include "pollux/base/time.hpp"
#include "pollux/store/rows.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pollux::engine {

// A mask as it is stored: learnt, or judged by people.
struct KnownMask {
  extract::Mask mask;
  store::MaskRow::State state = store::MaskRow::State::learnt;
};
using KnownMasks = std::vector<KnownMask>;

// Of the same place: a counter may be found as a number that differs at every look, too.
inline bool hide_the_same(const extract::Mask& a, const extract::Mask& b) {
  const auto kind_of = [](const extract::Mask& mask) {
    return mask.kind == extract::TokenKind::count ? extract::TokenKind::number : mask.kind;
  };
  return kind_of(a) == kind_of(b) && a.before == b.before && a.after == b.after;
}

class PageMasks {
 public:
  static constexpr std::size_t most = 64;
  static constexpr std::uint8_t most_unmatched = 20;  // looks; then it is dropped
  // Polls in a row that see the same in its place; then it ends. Of lines more: one of two at
  // random is there ten times in a row once in a thousand polls, sixteen times once in 65 000.
  static constexpr std::uint8_t still = 3, still_lines = 16;
  // And so long: the looks that made it lay no further apart, and all of them differed.
  static constexpr auto still_for = longest_moment;
  // Of what runs with the clock: a page from a cache is made now and then.
  static constexpr auto still_clock_for = std::chrono::hours(1);
  static constexpr std::size_t most_alternatives = 8;  // of a mask of lines

  bool empty() const { return size() == 0; }
  std::size_t size() const { return state_ ? state_->masks->size() : 0; }
  std::shared_ptr<const Masks> list() const { return empty() ? nullptr : state_->masks; }
  std::shared_ptr<const Masks> refused() const { return state_ ? state_->refused : nullptr; }

  // Those that are new are added to `rows`. `hidden` and `alternatives`: for each, what stood
  // there; see Look.
  void add(const Masks& masks, PageId page, WallTime now, std::vector<store::MaskRow>& rows,
           const std::vector<std::uint32_t>& hidden = {},
           const std::vector<Alternatives>& alternatives = {});
  // Those that are in the table already.
  void restore(const Masks& masks, WallTime now) {
    std::vector<store::MaskRow> known;
    add(masks, {}, now, known);
  }
  void restore(const KnownMasks& masks, WallTime now);
  // What people think of one; it need not be in use. Those beyond `most` are not taken.
  void accept(const extract::Mask& mask, WallTime now);
  void refuse(const extract::Mask& mask);
  // For each of list(), what has stood there for so long that a poll which sees it once more ends
  // the mask. Empty: all of them tick.
  std::vector<Standing> standing(WallTime now) const;
  // For each of list(); not kept over a restart.
  std::vector<Alternatives> alternatives() const;
  // After a look: drops those that have not matched for long, and those that have ended. False:
  // none has ended. `anew`: under other rules than before; what fits nowhere then has gone with
  // what was removed.
  bool note(const Look& look, PageId page, WallTime now, std::vector<store::MaskRow>& rows,
            bool anew = false);
  // A poll saw what the one before it saw.
  void note_same();

 private:
  // What was seen in the place of a mask.
  struct Sight {
    WallTime since{};
    std::chrono::seconds stays{0};
    std::uint32_t mark = 0;      // 0: nothing yet
    std::uint32_t before = 0;    // of what was there before; 0: not known
    std::uint8_t times = 0;      // polls in a row that saw it
    std::uint8_t wanted = 0;     // so many before it counts as standing still
    std::uint8_t unmatched = 0;  // looks in a row
    bool accepted = false;       // by people: it does not end
    Alternatives alternatives;   // of lines: the last ones, the newest last
    void add(const extract::Alternative& shown);
    void see(const extract::Shown& shown, WallTime now);
    bool stands(WallTime now) const;
  };
  struct State {
    std::shared_ptr<const Masks> masks = std::make_shared<const Masks>();
    std::shared_ptr<const Masks> refused;  // by people; null: none
    std::vector<Sight> sights;             // for each
    WallTime told{};                       // when it was last written that they match
  };
  bool is_refused(const extract::Mask& mask) const;
  void keep(Masks masks, std::vector<Sight> sights);
  State& state();

  std::unique_ptr<State> state_;
};

}  // namespace pollux::engine

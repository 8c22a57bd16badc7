// What a detection thread finds out about a body whose bytes are not the ones known: what is kept
// of it, whether that differs from what was believed, in which words, and what speaks against
// believing it. Pure but for the texts that are looked up. Any thread.
#pragma once

#include "engine/shared_text.hpp"
#include "pollux/base/byte_room.hpp"
#include "pollux/base/ids.hpp"
#include "pollux/base/time.hpp"
#include "pollux/detect/digest.hpp"
#include "pollux/extract/extract.hpp"
#include "pollux/extract/masks.hpp"
#include "pollux/extract/suspicion.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pollux::engine {

class KnownTexts;

// Why a request was made. All but the first belong to the poll of the first, and are few.
enum class LookReason : std::uint8_t {
  poll,
  cut_short,  // nothing said that the first body was whole
  lie,        // a 304 to validators of content that is gone
  suspect,    // the first answer may not have been the page
  twin,       // the page may differ at every look: does it differ now?
  confirm     // does a third look say what two have said?
};

// Looks that lie further apart show two moments, not one.
constexpr auto longest_moment = std::chrono::seconds(10);

using Masks = std::vector<extract::Mask>;

// Its looks start a program, and may take ten seconds.
bool needs_program(const extract::CompiledRules& rules);

// What a host has answered to a path that cannot exist.
struct MissingAnswer {
  std::string body, content_type;
};

// What has stood for long in the place of a mask. Seen once more it ends the mask.
struct Standing {
  std::uint32_t mark = 0;    // of extract::Shown; 0: it ticks
  std::uint32_t before = 0;  // of what stood there before it was masked; 0: not known
};

// What has stood in the place of a mask of lines. None of other masks.
using Alternatives = std::vector<extract::Alternative>;

// What a poll saw, and when it was first seen.
struct SeenContent {
  detect::Hash hash{};
  WallTime at{};
};

struct LookTask {
  LookReason reason = LookReason::poll;
  HostSlot host{};  // of the page
  std::string url;  // of the page
  WallTime now{};   // when the body came
  std::string final_url, content_type, challenge;
  std::string body;
  std::shared_ptr<CountedBytes> bytes;     // in pieces: `body` is made of them; may be null
  bool extracted = false;                  // elsewhere: the body is an extract::Remote, ...
  std::optional<detect::Hash> left_there;  // ... and content with this hash was left there, ...
  std::shared_ptr<CountedBytes> brought;   // ... until it came
  extract::SharedRules rules;
  std::shared_ptr<const Masks> masks;          // of the page; may be null
  std::shared_ptr<const Masks> masks_of_host;  // see HostMasks; may be null
  std::shared_ptr<const Masks> refused;        // of the page, by people; may be null
  std::vector<Standing> standing;          // for each of them, if any stands still; see PageMasks
  std::vector<Alternatives> alternatives;  // for each of them; see PageMasks
  std::optional<detect::Hash> known;       // the content that was last believed
  std::optional<bool> held;                // the page's conditions, in that content; may be unknown
  std::string traits_before, final_before;
  extract::As kept_before = extract::As::automatic;  // what it was; automatic: not known
  bool moments_apart = true;                         // from the looks before this one
  std::shared_ptr<const MissingAnswer> missing;  // of its host; null: not known, or says nothing
  std::vector<SharedText> texts;                 // of the looks before this one in the same poll
  std::vector<SeenContent> doubted;  // what the polls before this one saw and did not believe
  bool aside = false;  // marks in what was believed stand for places set aside: see common_text
  int status = 0;      // of the answer
  bool wants_diff = false;  // somebody wants to be told what differs
  std::size_t size() const { return bytes ? bytes->size() : body.size(); }
};

enum class Noise : std::uint8_t {
  none,         // nothing was asked
  twins_agree,  // what differs from before is news
  perhaps,      // two looks differ, and perhaps it has just changed: a third shall tell
  masked,       // masks were found: `new_masks`
  unexplained   // looks moments apart differ, and no masks make them equal
};

struct Look {
  bool dropped = false;                     // we stop: nothing is known, and nothing else is set
  std::unique_ptr<LookTask> wants_program;  // it could not be done without; nothing else is set
  std::unique_ptr<LookTask> wants_content;  // likewise, without what was left elsewhere
  // Content from elsewhere that differs was among the texts that are known; nothing: there is none.
  std::optional<bool> content_known;
  std::optional<extract::Failure> failure;  // nothing else is set then, but perhaps a suspicion
  detect::Hash hash{};                      // of `text`
  std::string text;                         // kept, masks applied
  extract::As as = extract::As::raw;
  bool readable = true;  // text, not bytes: a version is worth keeping
  std::string traits;    // see extract::Traits; what is remembered of them
  std::optional<extract::Suspicion> suspicion;
  bool lost_end = false;  // it has no end, and had one before: perhaps it was cut short
  bool another = false;   // hardly anything is left of what was believed, and nothing tells why
  std::vector<extract::Shown> masks_shown;  // for each of the task's masks
  // Likewise, or empty: it is applied no more. Nothing differs then but what masks have hidden.
  std::vector<bool> masks_ended;
  // Likewise, or empty: what stands beside it has changed, and this is where it is now.
  std::vector<std::optional<extract::Mask>> masks_moved;
  Noise noise = Noise::none;
  Masks new_masks;
  std::vector<std::uint32_t> hidden;  // for each of them: the mark of what was believed there
  std::vector<Alternatives> new_alternatives;  // likewise: what the looks have shown there
  bool aside = false;                          // places of `text` are set aside: see common_text
  bool newly_aside = false;                    // looks moments apart have told so
  bool lost_aside = false;     // one of the places that were set aside is not there as it was
  bool same = false;           // as what was believed, with new masks applied to both
  bool only_tokens = false;    // nothing differs but random tokens
  bool significant = true;     // by the rules
  bool has_condition = false;  // a rule says what is news: then nothing else does
  // What becomes true must have been false before: each content is compared with the one before it.
  bool base_follows = false;
  std::optional<bool> holds = {};  // see extract::holds
  bool grown = false;              // words were added and hardly any went: see diff::is_growth
  std::string significance;        // why, or why not
  bool base_known = false;         // the two below are known
  std::int64_t words_added = 0, words_removed = 0;
  std::string summary;
  std::string diff;                    // bounded; only where it is wanted and counts
  std::shared_ptr<CountedBytes> room;  // counts `text`; may be null
};

// `children`: null: they may start.
Look look(LookTask task, KnownTexts& texts, extract::Children* children = nullptr);

}  // namespace pollux::engine

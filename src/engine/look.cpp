#include "engine/look.hpp"

#include "engine/known_texts.hpp"
#include "engine/page_masks.hpp"
#include "engine/page_traits.hpp"
#include "pollux/diff/diff.hpp"
#include "pollux/extract/common_text.hpp"
#include "pollux/extract/packed.hpp"
#include "pollux/extract/significance.hpp"
#include "pollux/notify/excerpt.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

namespace pollux::engine {
namespace {

constexpr auto longest = std::chrono::milliseconds(950);  // with what is left to do, a second
constexpr auto longest_program = std::chrono::seconds(10);
constexpr auto longest_filter = std::chrono::seconds(5);  // jq has to start first
// Tokens take ten times the memory of their text.
constexpr std::size_t largest_for_masks = 1u << 20;
constexpr std::size_t largest_to_compare = 1u << 20;  // as a whole, word by word
constexpr std::size_t versions_for_masks = 2;         // besides the one that came
constexpr std::size_t versions_for_counters = 8;      // there may be news between two steps
constexpr std::size_t most_tokens = 64;               // that may differ and nothing else
constexpr std::size_t bytes_around = 200;             // a token: its neighbours

detect::Hash hash_of(std::string_view text) {
  detect::Digest digest;
  digest.update(text);
  return digest.finish();
}

extract::Limits limits_for(const extract::Rules& rules, extract::Children* children) {
  extract::Limits limits;
  limits.children = children;
  const bool filters = extract::starts_program(rules);
  limits.deadline = std::chrono::steady_clock::now() + (!rules.pipe.empty() ? longest_program
                                                        : filters           ? longest_filter
                                                                            : longest);
  return limits;
}

class Looking {
 public:
  Looking(LookTask task, KnownTexts& texts, extract::Children* children)
      : task_(std::move(task)), texts_(texts), children_(children) {
    const extract::Rules& rules = extract::rules_of(*task_.rules);
    look_.has_condition = rules.alert || rules.number;
  }

  Look run() {
    if (task_.extracted) return run_remote();
    auto extracted = extract::extract({task_.body, task_.content_type}, *task_.rules,
                                      limits_for(extract::rules_of(*task_.rules), children_));
    if (children_ != nullptr && children_->wanted) {
      look_.wants_program = std::make_unique<LookTask>(std::move(task_));
      return std::move(look_);
    }
    no_bytes_ = task_.body.empty();
    const std::string whole = is_seen_anew() ? whole_text() : std::string();
    return judge_content(std::move(extracted), whole);
  }

 private:
  using Extracted = std::variant<extract::Kept, extract::Failure>;

  // An agent has extracted it. What it was told before a reload, or of a content that is known no
  // more, says nothing.
  Look run_remote() {
    std::optional<extract::Remote> remote = extract::unpack_extraction(task_.body);
    const extract::Rules& rules = extract::rules_of(*task_.rules);
    if (!remote || remote->rules != extract::fingerprint(rules) || (remote->same && !task_.known)) {
      look_.dropped = true;
      return std::move(look_);
    }
    if (!remote->same) return run_differing(std::move(*remote));
    const extract::Kept& kept = std::get<extract::Kept>(remote->found);
    note_kind(kept);
    look_.hash = *task_.known;
    look_.same = true;
    return std::move(look_);
  }

  // Content that was left elsewhere and is known here need not come.
  Look run_differing(extract::Remote remote) {
    auto* kept = std::get_if<extract::Kept>(&remote.found);
    if (task_.left_there && kept == nullptr) {
      look_.dropped = true;
      return std::move(look_);
    }
    if (task_.brought) {
      kept->content = task_.brought->join();
    } else if (task_.left_there) {
      std::optional<std::string> text = texts_.find(task_.url, detect::to_hex(*task_.left_there));
      if (!text) {
        look_.wants_content = std::make_unique<LookTask>(std::move(task_));
        return std::move(look_);
      }
      look_.content_known = true;
      kept->content = std::move(*text);
    } else if (kept != nullptr) {
      look_.content_known = is_known(kept->content);
    }
    return judge_content(std::move(remote.found), remote.whole.value_or(std::string()));
  }
  // What masks leave is what is known of a page that has some, so what came with them is not.
  bool is_known(const std::string& content) {
    if (task_.masks && !task_.masks->empty()) return false;
    return texts_.find(task_.url, detect::to_hex(hash_of(content))).has_value();
  }

  void note_kind(const extract::Kept& kept) {
    look_.as = kept.as;
    look_.readable = !kept.encoding.empty() || kept.as != extract::As::raw;
    look_.traits = remembered(kept.traits);
  }

  Look judge_content(Extracted extracted, const std::string& whole) {
    std::string().swap(task_.body);  // the rest takes memory, too
    if (auto* failure = std::get_if<extract::Failure>(&extracted)) {
      if (failure->kind == extract::Failure::Kind::selector) suspect_wall(failure->traits);
      look_.failure = std::move(*failure);
      return std::move(look_);
    }
    extract::Kept& kept = std::get<extract::Kept>(extracted);
    if (const char* expected = lost_kind(kept.as)) {
      look_.failure = {extract::Failure::Kind::not_readable,
                       std::string("no ") + expected + ", which it was before"};
      return std::move(look_);
    }
    note_kind(kept);
    apply_masks(kept.content);
    std::string().swap(kept.content);
    if (!task_.known) {
      suspect_anew(kept.traits, whole);
      look_.holds = extract::holds(*task_.rules, look_.text);
    } else if (!look_.masks_ended.empty()) {
      if (!look_.same) tell_from_known();
    } else if (!look_.same || is_compared()) {
      compare(kept.traits);
    }
    if (look_.readable) texts_.remember(detect::to_hex(look_.hash), look_.text);
    return std::move(look_);
  }

  void apply_masks(const std::string& text) {
    static const Masks none;
    extract::Masked masked = extract::apply(task_.masks ? *task_.masks : none, text);
    if (move_masks(masked)) masked = extract::apply(*task_.masks, text);
    const Masks& masks = task_.masks ? *task_.masks : none;
    look_.masks_shown = std::move(masked.shown);
    look_.text = without_places_aside(std::move(masked.text));
    look_.hash = hash_of(look_.text);
    look_.same = task_.known == look_.hash;
    if (look_.same && !is_compared()) end_masks(masks, text);
  }

  // As what was believed has them.
  std::string without_places_aside(std::string text) {
    if (!task_.aside || !task_.known || !look_.readable || text.size() > largest_for_masks)
      return text;
    const auto base = texts_.find(task_.url, detect::to_hex(*task_.known));
    look_.lost_aside = !base;
    if (!base) return text;
    std::string compared = extract::set_aside(*base, text);
    look_.aside = compared != text;
    look_.lost_aside = extract::count_aside(compared) < extract::count_aside(*base);
    return compared;
  }

  // News beside a place of noise takes its neighbours from it. What is known to stand there tells
  // where the place is now, and the news is seen for what it is.
  bool move_masks(const extract::Masked& masked) {
    std::vector<std::optional<extract::Mask>> found(masked.shown.size());
    Masks masks;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (masked.shown[i].mark == 0 && i < task_.alternatives.size())
        found[i] = extract::moved((*task_.masks)[i], task_.alternatives[i], masked.text);
      // Another one is there already: this one stays lost.
      if (found[i] && std::ranges::find(*task_.masks, *found[i]) != task_.masks->end())
        found[i].reset();
      masks.push_back(found[i].value_or((*task_.masks)[i]));
    }
    if (std::ranges::none_of(found, [](const auto& mask) { return mask.has_value(); }))
      return false;
    task_.masks = std::make_shared<const Masks>(std::move(masks));
    look_.masks_moved = std::move(found);
    return true;
  }

  // What stands still is no noise: it is shown, and compared, from now on. Where words stand that
  // were not there before they were masked, it is news: one of two versions has won. That a counter
  // has ticked is none.
  void end_masks(const Masks& masks, const std::string& text) {
    std::vector<bool> ended(masks.size());
    Masks left;
    for (std::size_t i = 0; i < masks.size(); ++i) {
      const Standing standing = i < task_.standing.size() ? task_.standing[i] : Standing{};
      ended[i] = standing.mark != 0 && standing.mark == look_.masks_shown[i].mark;
      if (!ended[i]) left.push_back(masks[i]);
      if (ended[i] && masks[i].kind == extract::TokenKind::lines && standing.before != 0 &&
          standing.before != standing.mark)
        look_.same = false;
    }
    if (left.size() == masks.size()) return;
    look_.text = without_places_aside(extract::apply(left, text).text);
    look_.hash = hash_of(look_.text);
    look_.masks_ended = std::move(ended);
  }

  // With looks moments before.
  bool is_compared() const {
    return (task_.reason == LookReason::twin || task_.reason == LookReason::confirm) &&
           task_.moments_apart;
  }

  // Data that no longer parse, or a page of words in their place, are a server in trouble. Null:
  // it is what it was, or the rules say what it is.
  const char* lost_kind(extract::As now) const {
    if (extract::rules_of(*task_.rules).as != extract::As::automatic) return nullptr;
    if (now == task_.kept_before) return nullptr;
    if (task_.kept_before == extract::As::json) return "JSON";
    return task_.kept_before == extract::As::feed ? "feed" : nullptr;
  }

  void compare(const extract::Traits& traits) {
    std::optional<std::string> base;
    if (look_.readable) base = texts_.find(task_.url, detect::to_hex(*task_.known));
    if (base && !look_.same) take_masks_of_host(base);
    if (look_.same && !is_compared()) return;
    std::vector<diff::Piece> pieces;
    if (base && !look_.same) pieces = diff::words(*base, look_.text);
    suspect(traits, base ? *base : std::string_view(), pieces);
    find_noise(base);
    if (look_.same) return;
    if (base && look_.noise == Noise::masked) pieces = diff::words(*base, look_.text);
    tell(base, pieces);
  }

  void judge(const extract::Significance& significance) {
    look_.significant = significance.significant;
    look_.significance = significance.reason;
    look_.holds = significance.holds;
    look_.base_follows = significance.base_follows;
  }

  void tell_from_known() {
    const auto base = texts_.find(task_.url, detect::to_hex(*task_.known));
    tell(base, base ? diff::words(*base, look_.text) : std::vector<diff::Piece>());
  }

  // `pieces`: how the base and the text differ.
  void tell(const std::optional<std::string>& base, const std::vector<diff::Piece>& pieces) {
    if (!base) return judge(extract::significance_alone(*task_.rules, task_.held, look_.text));
    look_.base_known = true;
    judge(extract::significance(*task_.rules, *base, look_.text, pieces));
    const diff::Counts counts = diff::count(pieces);
    look_.words_added = static_cast<std::int64_t>(counts.words_added);
    look_.words_removed = static_cast<std::int64_t>(counts.words_removed);
    if (std::max(counts.words_added, counts.words_removed) <= most_tokens) {
      const diff::Excerpts differing = diff::excerpts(pieces, bytes_around);
      look_.only_tokens = only_tokens_differ(differing.old_text, differing.new_text);
    }
    look_.grown = diff::is_growth(*base, look_.text);
    look_.summary = extract::readable(
        diff::summary(*base, look_.text, pieces, diff::form_of(extract::name_of(look_.as))));
    if (task_.wants_diff && look_.significant) look_.diff = notify::excerpt(*base, look_.text);
  }

  void suspect(const extract::Traits& traits, std::string_view base,
               std::span<const diff::Piece> pieces) {
    suspect_if(traits, base, [&] { return extract::is_another(look_.text, base, pieces); });
  }
  template <typename IsAnother>
  void suspect_if(const extract::Traits& traits, std::string_view base, IsAnother is_another) {
    const std::optional<extract::Traits> before = traits_of(task_.traits_before);
    const extract::Traits shown = as_remembered(traits);
    const auto ends = [](const extract::Traits& one) {
      return std::ranges::find(one.markers, extract::end_of_html) != one.markers.end();
    };
    look_.lost_end = before && ends(*before) && !ends(shown);
    const extract::Sighting now{.asked_url = task_.url,
                                .final_url = task_.final_url,
                                .challenge_header = task_.challenge,
                                .traits = &shown,
                                .content = look_.text,
                                .status = task_.status,
                                .html = task_.content_type.find("html") != std::string::npos,
                                .empty = no_bytes_};
    if (!before) {
      look_.suspicion = extract::suspicion_at_first_sight(now);
      return;
    }
    const extract::Sighting then{task_.url, task_.final_before, {}, &*before, base};
    const bool another = look_.text.size() <= largest_to_compare &&
                         base.size() <= largest_to_compare && is_another();
    look_.suspicion = extract::suspicion(now, then, another ? missing_text() : std::string());
    look_.another = another && !look_.suspicion;
  }

  // It was believed before, by other rules or in answer to another question.
  bool is_seen_anew() const {
    return !task_.known && !task_.traits_before.empty() &&
           extract::rules_of(*task_.rules).pipe.empty();
  }
  // What would be kept without rules.
  std::string whole_text() {
    static const extract::SharedRules no_rules = extract::compile({}).value();
    auto extracted = extract::extract({task_.body, task_.content_type}, *no_rules,
                                      limits_for(extract::Rules(), children_));
    auto* kept = std::get_if<extract::Kept>(&extracted);
    return kept != nullptr ? std::move(kept->content) : std::string();
  }
  // Other rules keep something else. But what was kept by the old ones is still somewhere in it, if
  // it is the same page.
  void suspect_anew(const extract::Traits& traits, const std::string& whole) {
    std::vector<KnownTexts::Version> last;
    if (is_seen_anew()) last = texts_.last(task_.url, 1);
    const std::string_view base = last.empty() ? std::string_view() : last.back().text;
    suspect_if(traits, base, [&] { return !base.empty() && extract::is_gone(base, whole); });
  }

  // Behind a wall `select` matches nothing, and nothing is wrong with it. A collapse alone says no
  // more than that.
  void suspect_wall(const extract::Traits& traits) {
    std::optional<std::string> base;
    if (task_.known) base = texts_.find(task_.url, detect::to_hex(*task_.known));
    const std::string_view before = base ? *base : std::string_view();
    suspect(traits, before, diff::words(before, look_.text));
    if (look_.suspicion == extract::Suspicion::collapse) look_.suspicion.reset();
    look_.another = false;
  }

  // What the page's rules keep of the host's answer for pages it does not have.
  std::string missing_text() const {
    if (!task_.missing) return {};
    auto extracted =
        extract::extract({task_.missing->body, task_.missing->content_type}, *task_.rules,
                         limits_for(extract::rules_of(*task_.rules), children_));
    auto* kept = std::get_if<extract::Kept>(&extracted);
    return kept != nullptr ? std::move(kept->content) : std::string();
  }

  // What differs moments apart is noise. What differs from version to version is noise only where
  // it is a date, a time or an age that runs with the clock; however many polls found nothing in
  // between: "3 minutes ago" stays for a minute. What differs from poll to poll and did not stay
  // long enough to be believed is noise only where it is a token.
  void find_noise(std::optional<std::string>& base) {
    if (look_.has_condition) return;  // it looks at what stands there, masked or not
    if (is_compared()) {
      compare_looks(base);
    } else if (base && std::max(base->size(), look_.text.size()) <= largest_for_masks) {
      find_times(base);
      if (look_.noise == Noise::none) find_tokens(base);
      if (look_.noise == Noise::none) find_counters(base);
    }
  }

  void compare_looks(std::optional<std::string>& base) {
    const std::vector<SharedText>& earlier = task_.texts;
    if (std::ranges::all_of(earlier, [&](const auto& text) { return *text == look_.text; })) {
      // A token that nobody reads may come from a cache: then the next polls tell.
      look_.noise =
          base && only_tokens_differ(*base, look_.text) ? Noise::perhaps : Noise::twins_agree;
      return;
    }
    // Whether it was another a moment ago because it changed, only another look can tell.
    if (task_.reason == LookReason::twin) {
      look_.noise = Noise::perhaps;
      return;
    }
    if (!look_.readable || look_.text.size() > largest_for_masks ||
        earlier.back()->size() > largest_for_masks) {
      look_.noise = Noise::unexplained;
      return;
    }
    std::vector<std::string_view> looks(earlier.size());
    std::ranges::transform(earlier, looks.begin(),
                           [](const SharedText& text) { return std::string_view(*text); });
    looks.push_back(look_.text);
    extract::Noise noise = explain(looks, base);
    if (noise.explained && has_room(noise.masks)) {
      adopt(std::move(noise.masks), base);
    } else if (!set_places_aside(looks, base)) {
      // Two that agree beside another one: that may have changed just then.
      const bool open = std::ranges::adjacent_find(looks) != looks.end();
      look_.noise = open ? Noise::perhaps : Noise::unexplained;
    }
  }

  // What no mask may hide, a price, or none can: news is in what the looks have in common. What
  // people have refused to have masked is not passed over in another way.
  bool set_places_aside(std::span<const std::string_view> looks, std::optional<std::string>& base) {
    if (!base || base->size() > largest_for_masks || (task_.refused && !task_.refused->empty()))
      return false;
    std::vector<std::string_view> before{*base};
    const std::vector<KnownTexts::Version> doubted = doubted_texts();
    for (const KnownTexts::Version& poll : doubted) before.push_back(poll.text);
    const extract::CommonText common = extract::common_text(looks, before);
    if (!common.text) {
      if (common.open) look_.noise = Noise::perhaps;
      return common.open;
    }
    look_.noise = Noise::masked;
    look_.aside = look_.newly_aside = true;
    look_.text = extract::set_aside(*base, *common.text);
    look_.hash = hash_of(look_.text);
    base = extract::set_aside(look_.text, *base);
    look_.same = *base == look_.text;
    return true;
  }

  // What the last polls saw and did not believe, as far as it is remembered.
  std::vector<KnownTexts::Version> doubted_texts() {
    std::vector<KnownTexts::Version> texts;
    for (const SeenContent& seen : task_.doubted) {
      std::optional<std::string> text = texts_.find(task_.url, detect::to_hex(seen.hash));
      if (text && text->size() <= largest_for_masks) texts.push_back({std::move(*text), seen.at});
    }
    return texts;
  }

  // With what was believed and what the last polls saw.
  extract::Noise explain(std::span<const std::string_view> looks,
                         const std::optional<std::string>& base) {
    const std::vector<KnownTexts::Version> doubted = doubted_texts();
    std::vector<extract::Earlier> before;
    if (base && base->size() <= largest_for_masks) before.push_back({*base, seen_at(*base)});
    for (const KnownTexts::Version& poll : doubted) before.push_back({poll.text, poll.seen_at});
    return extract::find_twin_masks(looks, false, before, task_.now);
  }

  // When what was believed was first seen; nothing if that is not known.
  WallTime seen_at(const std::string& base) {
    const std::vector<KnownTexts::Version> last = texts_.last(task_.url, 1);
    return !last.empty() && last.back().text == base ? last.back().seen_at : WallTime{};
  }

  static bool only_tokens_differ(std::string_view before, std::string_view now) {
    if (std::max(before.size(), now.size()) > largest_for_masks) return false;
    const std::string_view texts[] = {before, now};
    return before != now && extract::find_masks(texts, extract::Looks::polls, true).explained;
  }

  // A token that was another one at three polls in a row.
  void find_tokens(std::optional<std::string>& base) {
    const std::vector<KnownTexts::Version> earlier = doubted_texts();
    if (earlier.size() < versions_for_masks) return;
    std::vector<std::string_view> looks;
    for (const KnownTexts::Version& poll : earlier) looks.push_back(poll.text);
    looks.push_back(look_.text);
    extract::Noise noise = extract::find_masks(looks, extract::Looks::polls, true);
    if (noise.explained && has_room(noise.masks)) adopt(std::move(noise.masks), base);
  }

  // Versions that are older than some of the masks are compared as if they had been there.
  void find_times(std::optional<std::string>& base) {
    if (!extract::may_differ_in_times_only(*base, look_.text)) return;
    std::vector<KnownTexts::Version> earlier = texts_.last(task_.url, versions_for_masks);
    for (KnownTexts::Version& version : earlier) {
      if (version.text.size() > largest_for_masks) return;
      if (task_.masks) version.text = extract::apply(*task_.masks, version.text).text;
    }
    // What lies before the last one may differ in more.
    for (std::size_t first = 0; first < earlier.size() && look_.noise == Noise::none; ++first) {
      adopt_from(std::span(earlier).subspan(first), extract::Looks::versions, true, base);
    }
  }

  // Views and likes that go on more slowly than looks follow each other. Where there is little
  // beside them, somebody has chosen them.
  void find_counters(std::optional<std::string>& base) {
    constexpr std::size_t fewest_words = 25;
    if (!extract::may_differ_in_numbers_only(*base, look_.text)) return;
    if (diff::count_words(look_.text) < fewest_words) return;
    std::vector<KnownTexts::Version> earlier = texts_.last(task_.url, versions_for_counters);
    if (earlier.empty()) earlier.resize(1);
    earlier.back().text = *base;
    for (std::size_t first = earlier.size(); first-- > 0 && look_.noise == Noise::none;) {
      if (earlier[first].text.size() > largest_for_masks) return;
      if (first + 1 < earlier.size() && task_.masks)
        earlier[first].text = extract::apply(*task_.masks, earlier[first].text).text;
      adopt_from(std::span(earlier).subspan(first), extract::Looks::counts, false, base);
    }
  }

  // The masks that explain how these versions and the text of now differ, if there are any.
  void adopt_from(std::span<const KnownTexts::Version> earlier, extract::Looks kind,
                  bool numbers_count, std::optional<std::string>& base) {
    std::vector<std::string_view> looks;
    std::vector<WallTime> seen;
    for (const KnownTexts::Version& version : earlier) {
      looks.push_back(version.text);
      seen.push_back(version.seen_at);
    }
    looks.push_back(look_.text);
    seen.push_back(task_.now);
    extract::Noise noise = extract::find_masks(looks, kind, numbers_count, seen);
    if (noise.explained && has_room(noise.masks)) adopt(std::move(noise.masks), base);
  }

  // By people, who want to hear of what stands there.
  bool is_refused(const extract::Mask& mask) const {
    return task_.refused && std::ranges::any_of(*task_.refused, [&](const extract::Mask& other) {
             return hide_the_same(other, mask);
           });
  }

  // All or none: with some of them the looks would still differ.
  bool has_room(const Masks& masks) const {
    const std::size_t known = (task_.masks ? task_.masks->size() : 0) + look_.new_masks.size();
    return !masks.empty() && known + masks.size() <= PageMasks::most &&
           std::ranges::none_of(masks, [&](const extract::Mask& mask) { return is_refused(mask); });
  }

  void adopt(Masks masks, std::optional<std::string>& base) {
    look_.noise = Noise::masked;
    take(std::move(masks), base);
  }

  // Where nothing else differs, the page need not be looked at again.
  void take_masks_of_host(std::optional<std::string>& base) {
    if (!task_.masks_of_host || look_.has_condition) return;
    if (std::max(base->size(), look_.text.size()) > largest_for_masks) return;
    const extract::Masked before = extract::apply(*task_.masks_of_host, *base),
                          now = extract::apply(*task_.masks_of_host, look_.text);
    Masks differing;
    for (std::size_t i = 0; i < now.shown.size(); ++i) {
      if (before.shown[i].mark != 0 && now.shown[i].mark != 0 &&
          before.shown[i].mark != now.shown[i].mark)
        differing.push_back((*task_.masks_of_host)[i]);
    }
    if (has_room(differing)) take(std::move(differing), base);
  }

  void take(Masks masks, std::optional<std::string>& base) {
    const std::size_t known = look_.new_masks.size();
    look_.new_masks.insert(look_.new_masks.end(), masks.begin(), masks.end());
    look_.new_alternatives.resize(look_.new_masks.size());
    for (const SharedText& text : task_.texts)
      note_alternatives(extract::apply(masks, *text), known);
    extract::Masked now = extract::apply(masks, look_.text);
    note_alternatives(now, known);
    look_.text = std::move(now.text);
    look_.hash = hash_of(look_.text);
    if (!base) return;
    extract::Masked before = extract::apply(masks, *base);
    note_alternatives(before, known);
    for (const extract::Shown& shown : before.shown) look_.hidden.push_back(shown.mark);
    base = std::move(before.text);
    look_.same = *base == look_.text;
  }

  // `first`: the new mask that the first of them is.
  void note_alternatives(const extract::Masked& masked, std::size_t first) {
    for (std::size_t i = 0; i < masked.shown.size(); ++i) {
      if (masked.shown[i].lines.mark != 0)
        look_.new_alternatives[first + i].push_back(masked.shown[i].lines);
    }
  }

  LookTask task_;
  bool no_bytes_ = false;  // the body had none
  KnownTexts& texts_;
  extract::Children* children_;
  Look look_;
};

}  // namespace

bool needs_program(const extract::CompiledRules& rules) {
  return extract::starts_program(extract::rules_of(rules));
}

Look look(LookTask task, KnownTexts& texts, extract::Children* children) {
  const std::shared_ptr<CountedBytes> bytes = task.bytes;
  if (bytes && task.body.empty()) task.body = bytes->join();
  Look found = Looking(std::move(task), texts, children).run();
  if (bytes && !found.wants_program && !found.wants_content) {
    bytes->leave(found.text.size());
    found.room = bytes;
  }
  return found;
}

}  // namespace pollux::engine

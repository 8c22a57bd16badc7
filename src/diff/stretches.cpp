#include "diff/stretches.hpp"

#include "diff/tokens.hpp"
#include "pollux/base/keyed_hash.hpp"
#include "pollux/diff/diff.hpp"

#include <algorithm>

namespace pollux::diff {
namespace {

// Words or lines of both sides that are compared one by one: about 100 bytes of memory each.
constexpr std::size_t most_tokens = 500'000;
// An equal stretch ends where its content says, so that both texts are cut at the same places.
constexpr std::size_t shortest = 64, longest = 256;
constexpr std::uint64_t one_in = 8;
// Fixed: where the cuts lie shows in what is told.
constexpr HashKey key_of_cuts{0x9e3779b97f4a7c15ULL, 0xc2b2ae3d27d4eb4fULL};

struct Ends {
  std::size_t head = 0, tail = 0;
};
std::size_t equal_head(std::string_view a, std::string_view b) {
  const auto most = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.begin() + most, b.begin()).first -
                                  a.begin());
}
std::size_t equal_tail(std::string_view a, std::string_view b) {
  const auto most = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  return static_cast<std::size_t>(std::mismatch(a.rbegin(), a.rbegin() + most, b.rbegin()).first -
                                  a.rbegin());
}
// Cut so that no word (no line) is.
Ends equal_ends(std::string_view a, std::string_view b, Grain grain) {
  const auto ends_token = [grain](char c) {
    return grain == Grain::lines ? c == '\n' : is_space(c);
  };
  Ends ends{equal_head(a, b), 0};
  while (ends.head > 0 && !ends_token(a[ends.head - 1])) --ends.head;
  a.remove_prefix(ends.head);
  b.remove_prefix(ends.head);
  ends.tail = equal_tail(a, b);
  const auto begins_token = [&](std::string_view text) {
    return ends.tail == text.size() || ends_token(text[text.size() - ends.tail - 1]);
  };
  const auto begins_with_space = [&] { return is_space(a[a.size() - ends.tail]); };
  while (ends.tail > 0 &&
         !(grain == Grain::words ? begins_with_space() : begins_token(a) && begins_token(b))) {
    --ends.tail;
  }
  return ends;
}

// Goes through the words or the lines of a text.
class TokenReader {
 public:
  TokenReader(std::string_view text, Grain grain) : text_(text), grain_(grain), words_(text) {}
  std::size_t first() const { return grain_ == Grain::lines ? 0 : words_.first(); }
  std::size_t end_of(std::size_t at) {
    return grain_ == Grain::lines ? std::min(text_.find('\n', at), text_.size())
                                  : words_.end_of(at);
  }
  std::size_t after(std::size_t end) const {
    return grain_ == Grain::lines ? std::min(end + 1, text_.size()) : words_.after(end);
  }

 private:
  std::string_view text_;
  Grain grain_;
  WordReader words_;
};

bool has_too_many_tokens(std::string_view a, std::string_view b, Grain grain) {
  if (a.size() + b.size() <= most_tokens) return false;
  std::size_t count = 0;
  for (const std::string_view text : {a, b}) {
    TokenReader reader(text, grain);
    for (std::size_t at = reader.first(); at < text.size() && count <= most_tokens; ++count)
      at = reader.after(reader.end_of(at));
  }
  return count > most_tokens;
}

struct Parts {
  std::vector<std::uint32_t> ends;  // each begins where the one before ends
  std::vector<std::uint32_t> ids;
  std::size_t begin(std::size_t part) const { return part == 0 ? 0 : ends[part - 1]; }
};
Parts parts_of(std::string_view text, Grain grain, Interner& interner) {
  Parts parts;
  TokenReader reader(text, grain);
  std::size_t begin = 0, at = reader.first();
  const auto end_part = [&] {
    parts.ends.push_back(static_cast<std::uint32_t>(at));
    parts.ids.push_back(interner.id(text.substr(begin, at - begin)));
    begin = at;
  };
  while (at < text.size()) {
    // Nothing ends before it has its shortest size.
    if (at < begin + shortest - 1) at = reader.after(std::min(begin + shortest - 1, text.size()));
    if (at == text.size()) break;
    const std::size_t end = reader.end_of(at);
    const std::uint64_t hash = keyed_hash(text.substr(at, end - at), key_of_cuts);
    at = reader.after(end);
    const std::size_t size = at - begin;
    if (size >= longest || (size >= shortest && hash % one_in == 0)) end_part();
  }
  if (begin < at) end_part();
  return parts;
}

// What lies between parts that both have.
void cut_at_equal_parts(const Stretch& whole, std::string_view a, std::string_view b, Grain grain,
                        std::vector<Stretch>& found) {
  Interner interner((a.size() + b.size()) / (2 * shortest));
  const Parts before = parts_of(a, grain, interner), after = parts_of(b, grain, interner);
  std::size_t old_part = 0, new_part = 0;
  const auto differ_up_to = [&](std::size_t old_until, std::size_t new_until) {
    if (old_part == old_until && new_part == new_until) return;
    const std::size_t old_begin = before.begin(old_part), new_begin = after.begin(new_part);
    const std::size_t old_end = before.begin(old_until), new_end = after.begin(new_until);
    found.push_back({whole.old_begin + old_begin, whole.old_begin + old_end,
                     whole.new_begin + new_begin, whole.new_begin + new_end,
                     has_too_many_tokens(a.substr(old_begin, old_end - old_begin),
                                         b.substr(new_begin, new_end - new_begin), grain)});
  };
  for (const Common& run : align(before.ids, after.ids)) {
    differ_up_to(run.old_at, run.new_at);
    old_part = run.old_at + run.length;
    new_part = run.new_at + run.length;
  }
  differ_up_to(before.ids.size(), after.ids.size());
}

}  // namespace

std::vector<Stretch> stretches(std::string_view old_text, std::string_view new_text, Grain grain) {
  std::vector<Stretch> found;
  if (old_text == new_text) return found;
  const Ends ends = equal_ends(old_text, new_text, grain);
  Stretch whole{ends.head, old_text.size() - ends.tail, ends.head, new_text.size() - ends.tail};
  const std::string_view old_part = old_text.substr(ends.head, whole.old_end - ends.head);
  const std::string_view new_part = new_text.substr(ends.head, whole.new_end - ends.head);
  if (std::max(old_part.size(), new_part.size()) > UINT32_MAX) {
    whole.too_large = true;
    found.push_back(whole);
  } else if (has_too_many_tokens(old_part, new_part, grain)) {
    cut_at_equal_parts(whole, old_part, new_part, grain, found);
  } else {
    found.push_back(whole);
  }
  return found;
}

}  // namespace pollux::diff

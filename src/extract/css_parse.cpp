#include "extract/ascii.hpp"
#include "extract/css_reader.hpp"
#include "extract/css_selector.hpp"
#include "pollux/base/text.hpp"

#include <array>
#include <utility>

namespace pollux::extract {
namespace {

using Kind = CssSimple::Kind;
using Operator = CssSimple::Operator;

constexpr std::size_t longest_selector = 4'096;
constexpr int deepest = 16;  // of :is(:not(…))
constexpr int largest_number = 1'000'000;

struct Simple {
  std::string_view name;
  Kind kind;
};
constexpr std::array<Simple, 11> plain_classes = {{{"root", Kind::root},
                                                   {"scope", Kind::root},  // of a whole document
                                                   {"empty", Kind::empty},
                                                   {"only-child", Kind::only_child},
                                                   {"only-of-type", Kind::only_of_type},
                                                   {"checked", Kind::checked},
                                                   {"disabled", Kind::disabled},
                                                   {"enabled", Kind::enabled},
                                                   {"required", Kind::required},
                                                   {"optional", Kind::optional},
                                                   {"any-link", Kind::link}}};

struct Nth {
  std::string_view name;
  bool from_end, of_type;
};
constexpr std::array<Nth, 4> nth_classes = {{{"nth-child", false, false},
                                             {"nth-last-child", true, false},
                                             {"nth-of-type", false, true},
                                             {"nth-last-of-type", true, true}}};
constexpr std::array<Nth, 4> ends = {{{"first-child", false, false},
                                      {"last-child", true, false},
                                      {"first-of-type", false, true},
                                      {"last-of-type", true, true}}};

// Those that a selector may name; a document has no element that is one.
constexpr std::array<std::string_view, 10> pseudo_elements = {
    "before", "after",     "first-line", "first-letter", "marker",
    "cue",    "selection", "backdrop",   "placeholder",  "file-selector-button"};
constexpr std::size_t with_one_colon = 4;  // the first of them

template <typename Table>
const typename Table::value_type* find(const Table& table, std::string_view name) {
  for (const auto& entry : table)
    if (entry.name == name) return &entry;
  return nullptr;
}

std::string lower_case(std::string text) {
  for (char& c : text) c = lower(c);
  return text;
}

// Every function leaves error_ set where it fails; the first error stays.
class Parser {
 public:
  explicit Parser(std::string_view text) : in_(text) {}

  Result<std::shared_ptr<const CssSelector::List>> run() {
    auto parsed = list(false);
    if (!failed() && !in_.at_end()) unexpected();
    if (failed()) return Error{error_};
    return parsed;
  }

 private:
  using List = std::shared_ptr<const CssSelector::List>;

  bool failed() const { return !error_.empty(); }
  void fail(const std::string& what, std::size_t at) {
    if (!failed()) error_ = what + " at " + std::to_string(at + 1);
  }
  void unexpected() {
    if (in_.at_end()) return fail("the selector ends too early", in_.position());
    fail("unexpected \"" + printable(std::string_view(&current(), 1)) + "\"", in_.position());
  }
  const char& current() {
    current_ = in_.peek();
    return current_;
  }

  List list(bool relative) {
    auto out = std::make_shared<CssSelector::List>();
    do {
      out->complexes.push_back(complex(relative));
    } while (!failed() && in_.take(','));
    return out;
  }

  // Empty inside :is() and :where(), which then match nothing.
  List argument(bool relative, bool may_be_empty) {
    if (++depth_ > deepest) fail("selectors nested too deeply", in_.position());
    in_.skip_space();
    List out = may_be_empty && in_.peek() == ')' ? std::make_shared<CssSelector::List>()
               : failed()                        ? nullptr
                                                 : list(relative);
    --depth_;
    return out;
  }

  bool combinator(CssCombinator& out) {
    if (in_.take('>'))
      out = CssCombinator::child;
    else if (in_.take('+'))
      out = CssCombinator::next;
    else if (in_.take('~'))
      out = CssCombinator::subsequent;
    else
      return false;
    return true;
  }

  CssComplex complex(bool relative) {
    CssComplex out;
    in_.skip_space();
    CssCombinator before = CssCombinator::descendant;
    if (relative && combinator(before)) in_.skip_space();
    while (!failed()) {
      if (out.compounds.size() == most_compounds) fail("more than 64 parts", in_.position());
      out.combinators.push_back(before);
      out.compounds.push_back(compound());
      const bool space = in_.skip_space();
      before = CssCombinator::descendant;
      if (combinator(before)) {
        in_.skip_space();
      } else if (in_.at_end() || in_.peek() == ',' || in_.peek() == ')') {
        break;
      } else if (!space) {
        unexpected();
      }
    }
    return out;
  }

  CssCompound compound() {
    CssCompound out;
    const std::size_t start = in_.position();
    type(out);
    while (!failed()) {
      if (in_.position() != start) in_.skip_comments();
      const char c = in_.peek();
      if (c == '#')
        named(out, Kind::id);
      else if (c == '.')
        named(out, Kind::class_name);
      else if (c == '[')
        attribute(out);
      else if (c == ':')
        pseudo(out);
      else
        break;
    }
    if (!failed() && in_.position() == start) unexpected();
    return out;
  }

  // name, *, and with a namespace *|name, |name. Prefixes have no meaning without style sheets.
  void type(CssCompound& out) {
    const std::size_t start = in_.position();
    bool found = in_.take('*');
    std::optional<std::string> name;
    if (!found) name = in_.identifier();
    if (in_.peek() == '|' && in_.peek(1) != '=') {
      if (name) return fail("a namespace prefix is not known", start);
      if (!found) out.simples.emplace_back();  // without a namespace: nothing in HTML is
      in_.take('|');
      found = in_.take('*');
      if (!found && !(name = in_.identifier())) return unexpected();
    }
    if (!name) return;
    CssSimple& simple = out.simples.emplace_back();
    simple.kind = Kind::type;
    simple.name = lower_case(*name);
  }

  void named(CssCompound& out, Kind kind) {
    in_.take(in_.peek());
    CssSimple simple;
    simple.kind = kind;
    std::optional<std::string> name = in_.identifier();
    if (!name) return unexpected();
    simple.name = std::move(*name);
    out.simples.push_back(std::move(simple));
  }

  void attribute(CssCompound& out) {
    in_.take('[');
    in_.skip_space();
    CssSimple simple;
    simple.kind = Kind::attribute;
    const std::size_t start = in_.position();
    if (in_.peek() == '*' && in_.peek(1) == '|') {
      in_.take('*');
      in_.take('|');
      simple.any_namespace = true;
    } else if (in_.peek() == '|') {
      in_.take('|');
    }
    std::optional<std::string> name = in_.identifier();
    if (!name) return unexpected();
    if (in_.peek() == '|' && in_.peek(1) != '=')
      return fail("a namespace prefix is not known", start);
    simple.name = std::move(*name);
    in_.skip_space();
    if (in_.peek() != ']') comparison(simple);
    if (failed()) return;
    if (!in_.take(']')) return unexpected();
    out.simples.push_back(std::move(simple));
  }

  void comparison(CssSimple& simple) {
    static constexpr std::array<std::pair<char, Operator>, 5> signs = {{{'~', Operator::word},
                                                                        {'|', Operator::dash},
                                                                        {'^', Operator::prefix},
                                                                        {'$', Operator::suffix},
                                                                        {'*', Operator::contains}}};
    simple.op = Operator::equals;
    for (const auto& [sign, op] : signs)
      if (in_.take(sign)) simple.op = op;
    if (!in_.take('=')) return unexpected();
    in_.skip_space();
    const std::size_t start = in_.position();
    const bool quoted = in_.peek() == '"' || in_.peek() == '\'';
    std::optional<std::string> value = quoted ? in_.string() : in_.identifier();
    if (!value && quoted) return fail("a string without an end", start);
    if (!value) return unexpected();
    simple.value = std::move(*value);
    in_.skip_space();
    if (!in_.at_identifier()) return;
    const std::size_t flag = in_.position();
    const std::string letters = lower_case(*in_.identifier());
    if (letters == "i")
      simple.letters = CssSimple::Case::ignored;
    else if (letters == "s")
      simple.letters = CssSimple::Case::kept;
    else
      return fail("unknown flag " + printable(letters), flag);
    in_.skip_space();
  }

  void pseudo(CssCompound& out) {
    const std::size_t start = in_.position();
    in_.take(':');
    const bool element = in_.take(':');
    const std::optional<std::string> written = in_.identifier();
    if (!written) return unexpected();
    const std::string name = lower_case(*written);
    const bool call = in_.take('(');
    const std::string shown = (element ? "::" : ":") + printable(*written) + (call ? "()" : "");
    for (std::size_t i = 0; !call && i < (element ? pseudo_elements.size() : with_one_colon); ++i) {
      if (pseudo_elements[i] != name) continue;
      out.simples.emplace_back();
      return;
    }
    if (element) return fail("unknown pseudo-element " + shown, start);
    CssSimple simple;
    if (!(call ? with_argument(simple, name) : without_argument(simple, name)))
      return fail("unknown pseudo-class " + shown, start);
    if (failed()) return;
    if (call) {
      in_.skip_space();
      if (!in_.take(')')) return unexpected();
    }
    out.simples.push_back(std::move(simple));
  }

  // Whether the name is known.
  bool without_argument(CssSimple& simple, std::string_view name) {
    if (const Simple* plain = find(plain_classes, name)) {
      simple.kind = plain->kind;
      return true;
    }
    if (name == "link") {  // nobody has visited any
      simple.kind = Kind::link;
      return true;
    }
    const Nth* end = find(ends, name);
    if (end == nullptr) return false;
    simple.kind = Kind::nth;
    simple.from_end = end->from_end;
    simple.of_type = end->of_type;
    simple.offset = 1;
    return true;
  }

  bool with_argument(CssSimple& simple, std::string_view name) {
    if (name == "is" || name == "where" || name == "not" || name == "has") {
      simple.kind = name == "not" ? Kind::is_not : name == "has" ? Kind::has : Kind::is;
      if (simple.kind == Kind::has && in_has_) fail("a :has() inside a :has()", in_.position());
      const bool outer = std::exchange(in_has_, in_has_ || simple.kind == Kind::has);
      simple.list = argument(simple.kind == Kind::has, simple.kind == Kind::is);
      in_has_ = outer;
      return true;
    }
    if (name == "lang") {
      simple.kind = Kind::language;
      languages(simple);
      return true;
    }
    const Nth* nth_class = find(nth_classes, name);
    if (nth_class == nullptr) return false;
    simple.kind = Kind::nth;
    simple.from_end = nth_class->from_end;
    simple.of_type = nth_class->of_type;
    nth(simple);
    return true;
  }

  void languages(CssSimple& simple) {
    do {
      in_.skip_space();
      const std::size_t start = in_.position();
      const bool quoted = in_.peek() == '"' || in_.peek() == '\'';
      const std::optional<std::string> range = quoted ? in_.string() : in_.identifier();
      if (!range || range->empty() || range->find('*') != std::string::npos)
        return fail("no language", start);
      simple.languages.push_back(*range);
      in_.skip_space();
    } while (in_.take(','));
  }

  // `odd`, `even`, `7`, `2n+1`, `-n + 3`; for children also `of` and selectors.
  void nth(CssSimple& simple) {
    in_.skip_space();
    const std::size_t start = in_.position();
    if (word("odd")) {
      simple.step = 2;
      simple.offset = 1;
    } else if (word("even")) {
      simple.step = 2;
    } else if (!formula(simple)) {
      return fail("no number of an element", start);
    }
    const bool space = in_.skip_space();
    if (simple.of_type || !space || !word("of")) return;
    simple.list = argument(false, false);
  }

  bool word(std::string_view expected) {
    const std::size_t start = in_.position();
    const std::optional<std::string> found = in_.identifier();
    if (found && lower_case(*found) == expected) return true;
    in_.back_to(start);
    return false;
  }

  bool formula(CssSimple& simple) {
    const bool minus = in_.peek() == '-';
    if (!in_.take('-')) in_.take('+');
    std::optional<int> first = number();
    if (lower(in_.peek()) != 'n') {
      if (!first) return false;
      simple.offset = minus ? -*first : *first;
      return true;
    }
    in_.take(in_.peek());
    simple.step = (minus ? -1 : 1) * first.value_or(1);
    const std::size_t behind = in_.position();
    in_.skip_space();
    const bool less = in_.peek() == '-';
    if (less || in_.peek() == '+') {
      in_.take(in_.peek());
      in_.skip_space();
      const std::optional<int> second = number();
      if (!second) return false;
      simple.offset = less ? -*second : *second;
      return true;
    }
    in_.back_to(behind);
    return true;
  }

  std::optional<int> number() {
    if (in_.peek() < '0' || in_.peek() > '9') return std::nullopt;
    int value = 0;
    while (in_.peek() >= '0' && in_.peek() <= '9') {
      value = std::min(value * 10 + (in_.peek() - '0'), largest_number);
      in_.take(in_.peek());
    }
    return value;
  }

  CssReader in_;
  std::string error_;
  char current_ = 0;
  int depth_ = 0;
  bool in_has_ = false;
};

}  // namespace

Result<std::shared_ptr<const CssSelector::List>> parse_css(std::string_view text) {
  if (text.size() > longest_selector) return Error{"longer than 4 096 characters"};
  return Parser(text).run();
}

}  // namespace pollux::extract

#include "extract/json.hpp"

#include "extract/bounds.hpp"
#include "extract/json_number.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include <boost/json/basic_parser_impl.hpp>

namespace pollux::extract {
namespace {

// A value here takes a fraction of what an HTML node does.
constexpr std::size_t values_for_a_node = 5;

// Values in the order of the text, each with the place behind its last descendant.
struct Value {
  enum class Kind : std::uint8_t { object, array, string, number, literal };
  Kind kind = Kind::literal;
  bool has_key = false;
  std::uint32_t end = 0;
  std::uint32_t key = 0, key_size = 0;    // in the characters
  std::uint32_t text = 0, text_size = 0;  // of strings unescaped, of numbers as written
};

struct Values {
  std::vector<Value> all;
  std::string characters;
  std::string_view key(const Value& v) const {
    return std::string_view(characters).substr(v.key, v.key_size);
  }
  std::string_view text(const Value& v) const {
    return std::string_view(characters).substr(v.text, v.text_size);
  }
};

// The handler of Boost.JSON's parser. A false stops it.
struct Builder {
  static constexpr std::size_t max_object_size = ~std::size_t{0}, max_array_size = ~std::size_t{0},
                               max_key_size = ~std::size_t{0}, max_string_size = ~std::size_t{0};
  using Code = boost::json::error_code;
  using Text = boost::json::string_view;

  std::size_t most_values = 0;
  bool too_many = false;
  Values values;
  std::vector<std::uint32_t> open;
  std::uint32_t part = 0;  // where the text that is being read begins
  bool in_part = false;
  std::uint32_t key = 0, key_size = 0;
  bool has_key = false;

  void begin_part() {
    if (!in_part) part = static_cast<std::uint32_t>(values.characters.size());
    in_part = true;
  }
  bool more(Text text) {
    begin_part();
    values.characters.append(text.data(), text.size());
    return true;
  }
  std::uint32_t end_part(Text text) {
    more(text);
    in_part = false;
    return static_cast<std::uint32_t>(values.characters.size()) - part;
  }
  bool add(Value::Kind kind, std::uint32_t text_at, std::uint32_t text_size) {
    if (values.all.size() >= most_values) {
      too_many = true;
      return false;
    }
    const auto index = static_cast<std::uint32_t>(values.all.size());
    values.all.push_back({.kind = kind,
                          .has_key = has_key,
                          .end = index + 1,
                          .key = key,
                          .key_size = key_size,
                          .text = text_at,
                          .text_size = text_size});
    has_key = false;
    return true;
  }
  bool add_text(Value::Kind kind, Text text) {
    const std::uint32_t size = end_part(text);
    return add(kind, part, size);
  }
  bool begin(Value::Kind kind) {
    open.push_back(static_cast<std::uint32_t>(values.all.size()));
    return add(kind, 0, 0);
  }
  bool end() {
    values.all[open.back()].end = static_cast<std::uint32_t>(values.all.size());
    open.pop_back();
    return true;
  }

  static bool on_document_begin(Code&) { return true; }
  static bool on_document_end(Code&) { return true; }
  bool on_object_begin(Code& code) { return begin(Value::Kind::object) || stop(code); }
  bool on_object_end(std::size_t, Code&) { return end(); }
  bool on_array_begin(Code& code) { return begin(Value::Kind::array) || stop(code); }
  bool on_array_end(std::size_t, Code&) { return end(); }
  bool on_key_part(Text text, std::size_t, Code&) { return more(text); }
  bool on_key(Text text, std::size_t, Code&) {
    key_size = end_part(text);
    key = part;
    has_key = true;
    return true;
  }
  bool on_string_part(Text text, std::size_t, Code&) { return more(text); }
  bool on_string(Text text, std::size_t, Code& code) {
    return add_text(Value::Kind::string, text) || stop(code);
  }
  bool on_number_part(Text text, Code&) { return more(text); }
  bool on_int64(std::int64_t, Text text, Code& code) { return number(text, code); }
  bool on_uint64(std::uint64_t, Text text, Code& code) { return number(text, code); }
  bool on_double(double, Text text, Code& code) { return number(text, code); }
  bool on_bool(bool value, Code& code) { return literal(value ? "true" : "false", code); }
  bool on_null(Code& code) { return literal("null", code); }
  static bool on_comment_part(Text, Code&) { return true; }
  static bool on_comment(Text, Code&) { return true; }

  bool number(Text text, Code& code) { return add_text(Value::Kind::number, text) || stop(code); }
  bool literal(Text text, Code& code) { return add_text(Value::Kind::literal, text) || stop(code); }
  static bool stop(Code& code) {
    code = boost::json::error::array_too_large;
    return false;
  }
};

void append_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
      out += escape.data();
    } else {
      out += c;
    }
  }
  out += '"';
}

class Writer {
 public:
  Writer(const Values& values, const Limits& limits) : values_(values), limits_(limits) {}

  // False: more than may be kept, or out of time. As deep as the parser allowed.
  bool write(std::uint32_t index, std::size_t depth) {
    const Value& value = values_.all[index];
    if (out_.size() > limits_.max_kept) return fail(too_long_to_keep(limits_));
    if (++written_ % 1024 == 0 && extract::out_of_time(limits_)) return fail(took_too_long());
    switch (value.kind) {
      case Value::Kind::string:
        append_string(out_, values_.text(value));
        return true;
      case Value::Kind::literal:
        out_ += values_.text(value);
        return true;
      case Value::Kind::number:
        out_ += canonical_number(values_.text(value));
        return true;
      case Value::Kind::array:
      case Value::Kind::object:
        break;
    }
    return write_members(value, members_of(index), depth);
  }
  void line_feed() { out_ += '\n'; }
  std::string& out() { return out_; }
  const TooComplex& problem() const { return problem_; }

 private:
  bool fail(TooComplex why) {
    problem_ = std::move(why);
    return false;
  }
  void new_line(std::size_t depth) {
    out_ += '\n';
    out_.append(depth * 2, ' ');
  }
  std::vector<std::uint32_t> members_of(std::uint32_t index) const {
    const Value& value = values_.all[index];
    std::vector<std::uint32_t> members;
    for (std::uint32_t at = index + 1; at < value.end; at = values_.all[at].end)
      members.push_back(at);
    if (value.kind != Value::Kind::object) return members;
    const auto key = [this](std::uint32_t i) { return values_.key(values_.all[i]); };
    std::stable_sort(members.begin(), members.end(),
                     [&key](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    std::vector<std::uint32_t> last_of_each;
    for (const std::uint32_t member : members) {
      if (!last_of_each.empty() && key(last_of_each.back()) == key(member)) last_of_each.pop_back();
      last_of_each.push_back(member);
    }
    return last_of_each;
  }
  bool write_members(const Value& value, const std::vector<std::uint32_t>& members,
                     std::size_t depth) {
    const bool object = value.kind == Value::Kind::object;
    out_ += object ? '{' : '[';
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i > 0) out_ += ',';
      new_line(depth + 1);
      if (object) {
        append_string(out_, values_.key(values_.all[members[i]]));
        out_ += ": ";
      }
      if (!write(members[i], depth + 1)) return false;
    }
    if (!members.empty()) new_line(depth);
    out_ += object ? '}' : ']';
    return true;
  }

  const Values& values_;
  const Limits& limits_;
  std::string out_;
  TooComplex problem_;
  std::size_t written_ = 0;
};

using Parsed = std::variant<Values, NoJson, TooComplex>;

// One document of the text; `taken` says where it ends.
Parsed parse(std::string_view utf8, const Limits& limits, std::size_t* taken) {
  if (utf8.size() > UINT32_MAX) return more_than(UINT32_MAX, "bytes");
  boost::json::parse_options options;
  options.max_depth = limits.max_depth;
  boost::json::basic_parser<Builder> parser(options);
  Builder& builder = parser.handler();
  builder.most_values = limits.max_nodes * values_for_a_node;
  boost::json::error_code code;
  std::size_t read = parser.write_some(false, utf8.data(), utf8.size(), code);
  if (builder.too_many) return more_than(builder.most_values, "values");
  if (code == boost::json::error::too_deep) return deeper_than(limits.max_depth);
  if (!code && taken == nullptr) {
    const std::size_t rest = utf8.find_first_not_of(" \t\n\r", read);
    if (rest != std::string_view::npos) {
      read = rest;
      code = boost::json::error::extra_data;
    }
  }
  if (code) return NoJson{code.message() + " at byte " + std::to_string(read)};
  if (taken != nullptr) *taken = read;
  return std::move(builder.values);
}

}  // namespace

std::variant<std::string, NoJson, TooComplex> canonical_json(std::string_view utf8,
                                                             const Limits& limits) {
  Parsed parsed = parse(utf8, limits, nullptr);
  if (auto* no_json = std::get_if<NoJson>(&parsed)) return std::move(*no_json);
  if (auto* too_complex = std::get_if<TooComplex>(&parsed)) return std::move(*too_complex);
  Writer writer(std::get<Values>(parsed), limits);
  if (!writer.write(0, 0)) return writer.problem();
  return std::move(writer.out());
}

std::variant<std::monostate, NoJson, TooComplex> check_json(std::string_view utf8,
                                                            const Limits& limits) {
  Parsed parsed = parse(utf8, limits, nullptr);
  if (auto* no_json = std::get_if<NoJson>(&parsed)) return std::move(*no_json);
  if (auto* too_complex = std::get_if<TooComplex>(&parsed)) return std::move(*too_complex);
  return std::monostate();
}

std::variant<JsonResults, NoJson, TooComplex> json_results(std::string_view arrays,
                                                           const Limits& limits) {
  JsonResults results;
  for (;;) {
    arrays.remove_prefix(std::min(arrays.find_first_not_of(" \t\n\r"), arrays.size()));
    if (arrays.empty()) return results;
    std::size_t taken = 0;
    Parsed parsed = parse(arrays, limits, &taken);
    if (auto* no_json = std::get_if<NoJson>(&parsed)) return std::move(*no_json);
    if (auto* too_complex = std::get_if<TooComplex>(&parsed)) return std::move(*too_complex);
    arrays.remove_prefix(taken);
    const Values& values = std::get<Values>(parsed);
    std::size_t count = 0;
    for (std::uint32_t at = 1; at < values.all[0].end; at = values.all[at].end, ++count) {
      Writer writer(values, limits);
      if (!writer.write(at, 0)) return writer.problem();
      if (!results.text.empty()) results.text += '\n';
      results.text += writer.out();
      if (results.text.size() > limits.max_kept) return too_long_to_keep(limits);
    }
    results.counts.push_back(count);
  }
}

}  // namespace pollux::extract

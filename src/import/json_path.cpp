#include "import/json_path.hpp"

#include "import/words.hpp"

#include <algorithm>
#include <vector>

namespace pollux::import {
namespace {

bool is_name_character(char c) {
  return is_letter_or_digit(c) || c == '_' || c == '-' || static_cast<unsigned char>(c) >= 0x80;
}

std::string quoted_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// One step after the other, from left to right.
class JsonPath {
 public:
  explicit JsonPath(std::string_view path) : path_(path) {}

  std::optional<std::string> run() {
    if (path_.starts_with('$')) at_ = 1;
    if (at_ == 0 && !path_.empty() && is_name_character(path_[0])) {
      if (!take_name(false)) return std::nullopt;
    }
    while (at_ < path_.size()) {
      if (!step()) return std::nullopt;
    }
    std::string joined;
    for (const std::string& part : parts_) joined += (joined.empty() ? "" : " | ") + part;
    return joined.empty() ? "." : joined;
  }

 private:
  bool starts(std::string_view what) const { return path_.substr(at_).starts_with(what); }

  bool step() {
    const bool anywhere = starts("..");
    if (anywhere) {
      at_ += 2;
    } else if (starts(".")) {
      ++at_;
    } else if (!starts("[")) {
      return false;
    }
    if (starts("[")) return take_bracket(anywhere);
    if (starts("*")) {
      ++at_;
      add(anywhere ? ".. | .[]?" : ".[]?");
      return true;
    }
    return take_name(anywhere);
  }
  bool take_name(bool anywhere) {
    const std::size_t start = at_;
    while (at_ < path_.size() && is_name_character(path_[at_])) ++at_;
    if (at_ == start) return false;
    add_name(path_.substr(start, at_ - start), anywhere);
    return true;
  }
  bool take_bracket(bool anywhere) {
    const std::size_t end = path_.find(']', at_);
    if (end == path_.npos) return false;
    const std::string_view inner = trimmed(path_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    const bool quoted = inner.size() >= 2 && (inner.front() == '\'' || inner.front() == '"') &&
                        inner.back() == inner.front();
    if (quoted) {
      const std::string_view name = inner.substr(1, inner.size() - 2);
      if (name.find(inner.front()) != name.npos) return false;  // a union
      add_name(name, anywhere);
    } else if (inner == "*") {
      add(anywhere ? ".. | .[]?" : ".[]?");
    } else if (!anywhere && is_index(inner)) {
      add(".[" + std::string(inner) + "]?");
    } else {
      return false;
    }
    return true;
  }
  static bool is_index(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && text.size() < 10 && std::all_of(text.begin(), text.end(), is_digit);
  }
  // An object without the name has no such value; jq would call it null.
  void add_name(std::string_view name, bool anywhere) {
    const std::string key = quoted_name(name);
    add((anywhere ? ".. | objects | select(has(" : "objects | select(has(") + key + ")) | .[" +
        key + "]");
  }
  void add(std::string part) { parts_.push_back(std::move(part)); }

  std::string_view path_;
  std::size_t at_ = 0;
  std::vector<std::string> parts_;
};

}  // namespace

std::optional<std::string> jq_of_json_path(std::string_view path) {
  return JsonPath(trimmed(path)).run();
}

}  // namespace pollux::import

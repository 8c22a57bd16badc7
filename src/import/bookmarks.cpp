// Bookmarks as all browsers export them: HTML from the days of Netscape, <H3> names the folder that
// the next <DL> holds, <A HREF> is a bookmark. Read tag by tag, for the lines and for files of any
// length; nothing in it needs a tree.
#include "import/readers.hpp"
#include "import/words.hpp"
#include "pollux/base/text.hpp"

#include <charconv>
#include <optional>

namespace pollux::import {
namespace {

constexpr std::size_t deepest_folder = 256;
constexpr std::size_t longest_text = 16u << 10;

void append_character(std::string& out, std::uint32_t code) {
  if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) code = 0xFFFD;
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6);
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3F));
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

// The references that browsers write; others stay as they are.
std::string without_references(std::string_view text) {
  constexpr std::pair<std::string_view, char> named[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}, {"nbsp", ' '}};
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = text[i] == '&' ? text.substr(0, i + 12).find(';', i) : text.npos;
    if (end == text.npos) {
      out += text[i];
      continue;
    }
    std::string_view name = text.substr(i + 1, end - i - 1);
    std::optional<std::uint32_t> code;
    for (const auto& [word, character] : named) {
      if (name == word) code = static_cast<unsigned char>(character);
    }
    if (name.starts_with('#')) {
      const bool hexadecimal = name.size() > 1 && lower(name[1]) == 'x';
      name.remove_prefix(hexadecimal ? 2 : 1);
      std::uint32_t number = 0;
      const char* const last = name.data() + name.size();
      const auto [stop, problem] =
          std::from_chars(name.data(), last, number, hexadecimal ? 16 : 10);
      if (problem == std::errc{} && stop == last) code = number;
    }
    if (!code) {
      out += text[i];
      continue;
    }
    append_character(out, *code);
    i = end;
  }
  return out;
}

class BookmarkReader {
 public:
  BookmarkReader(const TextFile& file, Collector& out) : file_(file), out_(out), text_(file.text) {}

  void read() {
    while (at_ < text_.size()) {
      const std::size_t tag = std::min(text_.find('<', at_), text_.size());
      take_text(text_.substr(at_, tag - at_));
      if (tag == text_.size()) break;
      at_ = tag;
      if (text_.substr(at_).starts_with("<!--")) {
        skip_to(text_.find("-->", at_));
      } else {
        take_tag();
      }
    }
    finish_bookmark();
  }

 private:
  void count_lines(std::string_view part) {
    line_ += static_cast<std::uint32_t>(std::count(part.begin(), part.end(), '\n'));
  }
  void skip_to(std::size_t end) {
    const std::size_t to = std::min(end, text_.size());
    count_lines(text_.substr(at_, to - at_));
    at_ = to;
  }
  void take_text(std::string_view part) {
    count_lines(part);
    if ((in_folder_name_ || bookmark_) && words_.size() + part.size() <= longest_text)
      words_ += part;
  }
  // Whatever stands between < and >, quoted > included.
  void take_tag() {
    const std::uint32_t line = line_;
    const std::size_t start = at_ + 1;
    std::size_t end = start;
    for (char quote = 0; end < text_.size() && (quote != 0 || text_[end] != '>'); ++end) {
      const char c = text_[end];
      if (quote == 0 && (c == '"' || c == '\'') && end > start && text_[end - 1] == '=') {
        quote = c;
      } else if (quote == c) {
        quote = 0;
      }
    }
    const std::string_view tag = text_.substr(start, end - start);
    skip_to(std::min(end + 1, text_.size()));
    const std::size_t name_end = std::min(tag.find_first_of(" \t\r\n"), tag.size());
    const std::string name = lowered(tag.substr(0, name_end));
    if (name == "h3") {
      begin_words();
      in_folder_name_ = true;
    } else if (name == "/h3") {
      folder_ = without_references(words_);
      in_folder_name_ = false;
    } else if (name == "dl") {
      finish_bookmark();
      ++depth_;
      if (depth_ <= deepest_folder) folders_.push_back(std::exchange(folder_, ""));
    } else if (name == "/dl") {
      finish_bookmark();
      if (depth_ > 0 && depth_ <= deepest_folder) folders_.pop_back();
      if (depth_ > 0) --depth_;
    } else if (name == "a") {
      begin_words();
      bookmark_ = Bookmark{attribute(tag, "href"), attribute(tag, "tags"), line};
    } else if (name == "/a" || name == "dt") {
      finish_bookmark();
    }
  }
  void begin_words() {
    finish_bookmark();
    words_.clear();
  }
  // The value of NAME="…"; empty: there is none.
  static std::string attribute(std::string_view tag, std::string_view wanted) {
    const std::string lowered_tag = lowered(tag);
    for (std::size_t at = lowered_tag.find(wanted); at != std::string::npos;
         at = lowered_tag.find(wanted, at + 1)) {
      std::size_t from = at + wanted.size();
      if (at == 0 || !is_blank(tag[at - 1]) || from >= tag.size() || tag[from] != '=') continue;
      ++from;
      const bool quoted = from < tag.size() && (tag[from] == '"' || tag[from] == '\'');
      const std::size_t end =
          quoted ? tag.find(tag[from], from + 1) : tag.find_first_of(" \t\r\n", from);
      if (quoted) ++from;
      return without_references(tag.substr(from, std::min(end, tag.size()) - from));
    }
    return "";
  }
  void finish_bookmark() {
    if (!bookmark_) return;
    const Bookmark bookmark = *std::exchange(bookmark_, std::nullopt);
    const Place place{file_.name, bookmark.line};
    std::optional<Page> page = out_.page(bookmark.url, place);
    if (!page) return;
    Collector::set_name(*page, without_references(words_));
    for (const std::string& folder : folders_) Collector::add_tag(*page, folder);
    Collector::add_tags(*page, bookmark.tags);
    out_.add(std::move(*page), place);
  }

  struct Bookmark {
    std::string url, tags;
    std::uint32_t line = 0;
  };
  const TextFile& file_;
  Collector& out_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::size_t depth_ = 0;
  std::vector<std::string> folders_;  // the outermost has no name
  std::string folder_, words_;
  bool in_folder_name_ = false;
  std::optional<Bookmark> bookmark_;
};

}  // namespace

void read_bookmarks(const TextFile& file, Collector& out) {
  BookmarkReader(file, out).read();
}

}  // namespace pollux::import

#include "config/document.hpp"

#include "config/message.hpp"
#include "pollux/base/text.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include <spdlog/fmt/fmt.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

namespace pollux::config {
namespace {

constexpr std::size_t deepest = 32;

// An exception: nothing else leaves yaml-cpp's parser early.
struct DocumentError {
  std::uint32_t line;
  std::string message;
};

std::uint32_t line_of(const YAML::Mark& mark) {
  return mark.line < 0 ? 1 : static_cast<std::uint32_t>(mark.line) + 1;
}

// yaml-cpp complains in its own terms; these say what to do.
std::string_view cure_of(std::string_view complaint) {
  const auto has = [&](std::string_view part) {
    return complaint.find(part) != std::string_view::npos;
  };
  if (has("anchor") || has("alias")) {
    return "; anchors (&) and aliases (*) are not supported, write the value out or quote it";
  }
  if (has("end of sequence flow")) return "; a closing ']' or a ',' is missing";
  if (has("end of map flow")) return "; a closing '}' or a ',' is missing";
  if (has("illegal map value")) return "; quote a value that holds ': '";
  if (has("end of map not found") || has("end of sequence not found")) {
    return "; check the indentation: keys of one section start in one column";
  }
  if (has("unknown token")) return "; quote a value that starts with @, ` or %";
  if (has("EOF in scalar")) return "; a closing quote is missing";
  return "; check the quotes, brackets and indentation";
}

// yaml-cpp takes the end of the file for a closing quote; a missing one would swallow keys.
bool quote_is_closed(std::string_view text) {
  const char quote = text.empty() ? ' ' : text.front();
  if (quote != '"' && quote != '\'') return true;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '"' || i + 1 == text.size() || text[i + 1] != quote) return true;
      ++i;  // '' stands for one
    }
  }
  return false;
}

}  // namespace

class DocumentBuilder final : public YAML::EventHandler {
 public:
  explicit DocumentBuilder(Document& out) : cells_(out.cells_), characters_(out.characters_) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!cells_.empty()) {
      throw DocumentError{
          line_of(mark),
          "a second document starts here; keep one, and start the keys of one section in one "
          "column"};
    }
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(mark, Kind::null, "", anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_anchor(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const std::uint32_t index = add(mark, Kind::scalar, tag, anchor);
    cells_[index].text_start = static_cast<std::uint32_t>(characters_.size());
    cells_[index].text_size = static_cast<std::uint32_t>(value.size());
    characters_ += value;  // files are at most 1 GiB, so offsets fit
    if (tag == "!") last_quoted_ = mark;
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, add(mark, Kind::list, tag, anchor));
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, add(mark, Kind::mapping, tag, anchor));
  }
  void OnMapEnd() override {
    refuse_duplicate_keys(open_.back().index);
    open_.pop_back();
  }

  void check_last_quote(std::string_view text) const {
    const auto start = static_cast<std::size_t>(std::max(0, last_quoted_.pos));
    if (start < text.size() && !quote_is_closed(text.substr(start))) {
      throw DocumentError{line_of(last_quoted_), "a quote is opened and not closed; close it"};
    }
  }

 private:
  struct Open {
    std::uint32_t index;
    std::uint32_t last_child = Document::none;
    bool key_next = true;  // of a mapping: keys and values alternate
  };

  [[noreturn]] static void refuse_anchor(const YAML::Mark& mark) {
    throw DocumentError{
        line_of(mark),
        "anchors (&) and aliases (*) are not supported; write the value out, or quote it"};
  }

  std::uint32_t add(const YAML::Mark& mark, Kind kind, const std::string& tag,
                    YAML::anchor_t anchor) {
    if (anchor != 0) refuse_anchor(mark);
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw DocumentError{line_of(mark),
                          "tags (!) are not supported; remove it, or quote the value"};
    }
    const auto index = static_cast<std::uint32_t>(cells_.size());
    Document::Cell cell;
    cell.line = line_of(mark);
    cell.kind = kind;
    cells_.push_back(cell);
    if (!open_.empty()) append_to_parent(index);
    return index;
  }

  void append_to_parent(std::uint32_t index) {
    Open& parent = open_.back();
    if (parent.last_child == Document::none) {
      cells_[parent.index].first_child = index;
    } else {
      cells_[parent.last_child].next = index;
    }
    parent.last_child = index;
    if (cells_[parent.index].kind != Kind::mapping) return;
    const Kind kind = cells_[index].kind;
    if (parent.key_next && kind != Kind::scalar) {
      throw DocumentError{cells_[index].line,
                          fmt::format("a key is {}; keys are plain words", kind_name(kind))};
    }
    parent.key_next = !parent.key_next;
  }

  void open(const YAML::Mark& mark, std::uint32_t index) {
    if (open_.size() >= deepest) {
      throw DocumentError{
          line_of(mark),
          fmt::format("more than {} levels deep; no key needs more than 4", deepest)};
    }
    open_.push_back({index});
  }

  std::string_view text(std::uint32_t index) const {
    return std::string_view(characters_).substr(cells_[index].text_start, cells_[index].text_size);
  }

  void refuse_duplicate_keys(std::uint32_t mapping) const {
    std::vector<std::uint32_t> keys;
    for (std::uint32_t key = cells_[mapping].first_child; key != Document::none;
         key = cells_[cells_[key].next].next) {
      keys.push_back(key);
    }
    std::sort(keys.begin(), keys.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(text(a), a) < std::pair(text(b), b);
    });
    const auto twice =
        std::adjacent_find(keys.begin(), keys.end(),
                           [&](std::uint32_t a, std::uint32_t b) { return text(a) == text(b); });
    if (twice == keys.end()) return;
    throw DocumentError{
        cells_[twice[1]].line,
        fmt::format("the key '{}' stands here for the second time, first in line {}; "
                    "keep one of them",
                    printable(text(twice[0]), 60), cells_[twice[0]].line)};
  }

  std::vector<Document::Cell>& cells_;
  std::string& characters_;
  std::vector<Open> open_;
  YAML::Mark last_quoted_ = YAML::Mark::null_mark();
};

Result<Document> Document::parse(std::string text, const std::string& file, ExitCode code) {
  Document document;
  try {
    std::istringstream in(std::move(text));
    YAML::Parser parser(in);
    DocumentBuilder builder(document);
    while (parser.HandleNextDocument(builder)) {
    }
    builder.check_last_quote(in.view());
  } catch (const DocumentError& error) {
    return Error{at(file, error.line, error.message), code};
  } catch (const YAML::DeepRecursion& problem) {
    return Error{
        at(file, line_of(problem.mark), "nested too deeply; no key needs more than 4 levels"),
        code};
  } catch (const YAML::Exception& problem) {
    return Error{
        at(file, line_of(problem.mark),
           fmt::format("not valid YAML: {}{}", printable(problem.msg, 120), cure_of(problem.msg))),
        code};
  }
  if (document.cells_.empty()) document.cells_.emplace_back();
  return document;
}

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::null:
      return "empty";
    case Kind::scalar:
      return "a single value";
    case Kind::list:
      return "a list";
    case Kind::mapping:
      return "a mapping";
  }
  return "";
}

Kind Node::kind() const {
  return document_->cells_[index_].kind;
}
std::uint32_t Node::line() const {
  return document_->cells_[index_].line;
}
std::string_view Node::text() const {
  const Document::Cell& cell = document_->cells_[index_];
  return std::string_view(document_->characters_).substr(cell.text_start, cell.text_size);
}
Node::Iterator& Node::Iterator::operator++() {
  index_ = document_->cells_[index_].next;
  return *this;
}
Node::Iterator Node::begin() const {
  return {*document_, document_->cells_[index_].first_child};
}
Node::Iterator Node::end() const {
  return {*document_, Document::none};
}

}  // namespace pollux::config

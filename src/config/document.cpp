#include "pollux/config/document.hpp"

#include "config/foreign_file.hpp"
#include "config/indentation.hpp"
#include "config/message.hpp"
#include "config/problems.hpp"
#include "config/text_file.hpp"
#include "pollux/base/text.hpp"

#include <algorithm>
#include <istream>
#include <streambuf>
#include <unordered_set>
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
// What aliases may stand for, all told: enough for a set of headers at every page of a long list,
// too little for one that multiplies itself.
constexpr std::uint64_t most_values = 1'000'000;
constexpr std::uint64_t most_values_per_value = 50;

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
    return "; an alias (*name) needs an anchor (&name) above it; quote a value that starts with * "
           "or &";
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

// Reads a text where it is; a stringstream would copy it.
struct TextBuffer final : std::streambuf {
  explicit TextBuffer(std::string& text) {
    setg(text.data(), text.data(), text.data() + text.size());
  }
};

}  // namespace

class DocumentBuilder final : public YAML::EventHandler {
 public:
  DocumentBuilder(Document& out, std::string_view source, const std::string& file, ExitCode code,
                  Problems* problems)
      : cells_(out.cells_),
        characters_(out.characters_),
        source_(source),
        file_(file),
        code_(code),
        problems_(problems) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    start_ = mark;
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
  // An alias shares what is below the value it names: it costs one cell, whatever that holds.
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Anchor named = anchor < anchors_.size() ? anchors_[anchor] : Anchor{};
    if (named.values == 0) {
      throw DocumentError{line_of(mark), "an alias (*) stands inside what it names; write it out"};
    }
    const std::uint32_t index = add(mark, cells_[named.cell].kind, "", 0);
    cells_[index].text_start = cells_[named.cell].text_start;
    cells_[index].text_size = cells_[named.cell].text_size;
    cells_[index].first_child = cells_[named.cell].first_child;
    count_values(mark, named.values - 1);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const std::uint32_t index = add(mark, Kind::scalar, tag, anchor);
    cells_[index].text_start = static_cast<std::uint32_t>(characters_.size());
    cells_[index].text_size = static_cast<std::uint32_t>(value.size());
    characters_ += value;  // files are at most 1 GiB, so offsets fit
    if (tag == "!") last_quoted_ = mark;
    const auto start = static_cast<std::size_t>(std::max(0, mark.pos));
    if (tag == "?" && source_.substr(std::min(start, source_.size()), value.size()) != value) {
      folds_ = true;
    }
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, add(mark, Kind::list, tag, anchor), anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, add(mark, Kind::mapping, tag, anchor), anchor);
  }
  void OnMapEnd() override {
    refuse_duplicate_keys(open_.back().index);
    merge(open_.back().index);
    close();
  }

  const YAML::Mark& start() const { return start_; }

  // Whether a value without quotes goes on over several lines. That is YAML, but rarely meant.
  bool folds() const { return folds_; }

  void check_last_quote(std::string_view text) const {
    const auto start = static_cast<std::size_t>(std::max(0, last_quoted_.pos));
    if (start < text.size() && !quote_is_closed(text.substr(start))) {
      throw DocumentError{line_of(last_quoted_), "a quote is opened and not closed; close it"};
    }
  }

 private:
  struct Open {
    std::uint32_t index;
    std::uint64_t values_before;
    YAML::anchor_t anchor;
    std::uint32_t last_child = Document::none;
    bool key_next = true;  // of a mapping: keys and values alternate
  };
  struct Anchor {
    std::uint32_t cell = 0;
    std::uint64_t values = 0;  // with all that its own aliases stand for; 0: it is not complete
  };

  std::uint32_t add(const YAML::Mark& mark, Kind kind, const std::string& tag,
                    YAML::anchor_t anchor) {
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw DocumentError{line_of(mark),
                          "tags (!) are not supported; remove it, or quote the value"};
    }
    const auto index = static_cast<std::uint32_t>(cells_.size());
    Document::Cell cell;
    cell.line = line_of(mark);
    cell.kind = kind;
    cells_.push_back(cell);
    ++values_;
    ++written_;
    if (anchor != 0) {
      if (anchors_.size() <= anchor) anchors_.resize(anchor + 1);
      anchors_[anchor] = {index, kind == Kind::null || kind == Kind::scalar ? 1u : 0u};
    }
    if (!open_.empty()) append_to_parent(index);
    return index;
  }

  void count_values(const YAML::Mark& mark, std::uint64_t more) {
    values_ += more;
    if (values_ <= std::max<std::uint64_t>(most_values, most_values_per_value * written_)) return;
    throw DocumentError{line_of(mark),
                        fmt::format("the aliases (*) up to here stand for more than {} values; "
                                    "write out what is needed",
                                    most_values)};
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

  void open(const YAML::Mark& mark, std::uint32_t index, YAML::anchor_t anchor) {
    if (open_.size() >= deepest) {
      throw DocumentError{
          line_of(mark),
          fmt::format("more than {} levels deep; no key needs more than 6", deepest)};
    }
    open_.push_back({index, values_ - 1, anchor});
  }

  void close() {
    const Open& closed = open_.back();
    if (closed.anchor != 0) anchors_[closed.anchor].values = values_ - closed.values_before;
    open_.pop_back();
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
    const DocumentError error{
        cells_[twice[1]].line,
        fmt::format("the key '{}' stands here for the second time, first in line {}; "
                    "keep one of them",
                    printable(text(twice[0]), 60), cells_[twice[0]].line)};
    if (problems_ == nullptr) throw DocumentError(error);
    problems_->add({at(file_, error.line, error.message), code_});
  }

  using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // keys and values
  Pairs pairs(std::uint32_t mapping) const {
    Pairs pairs;
    for (std::uint32_t key = cells_[mapping].first_child; key != Document::none;
         key = cells_[pairs.back().second].next) {
      pairs.emplace_back(key, cells_[key].next);
    }
    return pairs;
  }

  // "<<: *name" (YAML's merge key): the keys of that mapping, or of a list of them, where they are
  // not written here. Of several the first counts.
  void merge(std::uint32_t mapping) {
    Pairs own = pairs(mapping);
    const auto merges = std::find_if(own.begin(), own.end(),
                                     [&](const auto& pair) { return text(pair.first) == "<<"; });
    if (merges == own.end()) return;
    const std::uint32_t sources = merges->second;
    own.erase(merges);
    std::unordered_set<std::string_view> known;
    for (const auto& [key, value] : own) known.insert(text(key));
    if (cells_[sources].kind == Kind::list) {
      for (std::uint32_t at = cells_[sources].first_child; at != Document::none;
           at = cells_[at].next) {
        add_missing(at, own, known);
      }
    } else {
      add_missing(sources, own, known);
    }
    std::uint32_t* link = &cells_[mapping].first_child;
    for (const auto& [key, value] : own) {
      *link = key;
      cells_[key].next = value;
      link = &cells_[value].next;
    }
    *link = Document::none;
  }

  void add_missing(std::uint32_t source, Pairs& own, std::unordered_set<std::string_view>& known) {
    if (cells_[source].kind != Kind::mapping) {
      throw DocumentError{cells_[source].line,
                          fmt::format("'<<' is {}; it takes the alias (*name) of a mapping",
                                      kind_name(cells_[source].kind))};
    }
    for (const auto& [key, value] : pairs(source)) {
      if (!known.insert(text(key)).second) continue;
      // Copies: each has a neighbour of its own, and shares what is below it.
      const std::uint32_t key_copy = copy(key);
      own.emplace_back(key_copy, copy(value));
    }
  }

  std::uint32_t copy(std::uint32_t cell) {
    cells_.push_back(Document::Cell(cells_[cell]));
    return static_cast<std::uint32_t>(cells_.size() - 1);
  }

  std::vector<Document::Cell>& cells_;
  std::string& characters_;
  std::string_view source_;
  const std::string& file_;
  ExitCode code_;
  Problems* problems_;
  std::vector<Open> open_;
  std::vector<Anchor> anchors_;
  std::uint64_t written_ = 0;  // values in the file
  std::uint64_t values_ = 0;   // those, and what aliases stand for
  bool folds_ = false;
  YAML::Mark last_quoted_ = YAML::Mark::null_mark();
  YAML::Mark start_ = YAML::Mark::null_mark();
};

namespace {

// What a parser says of a file that is not YAML as it should be, in words that help more if we have
// them: it is another program's file, or a line starts in the wrong column.
Error unreadable(std::string_view text, const std::string& file, ExitCode code,
                 const DocumentError& error) {
  if (const auto foreign = foreign_file(text, file)) return {at(file, 1, *foreign), code};
  const auto misplaced = find_misplaced_line(text);
  // A line further down is not what the parser stumbled over.
  if (misplaced && misplaced->line <= error.line + 1)
    return {at(file, misplaced->line, misplaced->message), code};
  return {at(file, error.line, error.message), code};
}

}  // namespace

Result<Document> Document::parse(std::string text, const std::string& file, ExitCode code,
                                 Problems* problems) {
  Document document;
  try {
    TextBuffer buffer(text);
    std::istream in(&buffer);
    YAML::Parser parser(in);
    DocumentBuilder builder(document, text, file, code, problems);
    while (parser.HandleNextDocument(builder)) {
    }
    builder.check_last_quote(text);
    if (const auto misplaced = builder.folds() ? find_misplaced_line(text) : std::nullopt)
      return Error{at(file, misplaced->line, misplaced->message), code};
  } catch (const DocumentError& error) {
    return unreadable(text, file, code, error);
  } catch (const YAML::DeepRecursion& problem) {
    return Error{
        at(file, line_of(problem.mark), "nested too deeply; no key needs more than 6 levels"),
        code};
  } catch (const YAML::Exception& problem) {
    return unreadable(
        text, file, code,
        {line_of(problem.mark),
         fmt::format("not valid YAML: {}{}", printable(problem.msg, 120), cure_of(problem.msg))});
  }
  if (document.cells_.empty()) document.cells_.emplace_back();
  return document;
}

Result<std::vector<Document>> Document::parse_all(std::string text, const std::string& file,
                                                  ExitCode code,
                                                  std::vector<std::string>& remarks) {
  if (Status status = accept_text(text, file, Tabs::allow, code); !status) return status.error();
  std::vector<Document> documents;
  Problems problems;
  try {
    TextBuffer buffer(text);
    std::istream in(&buffer);
    YAML::Parser parser(in);
    for (int behind = -1;;) {
      Document document;
      DocumentBuilder builder(document, text, file, code, &problems);
      if (!parser.HandleNextDocument(builder)) break;
      // yaml-cpp makes documents without end of a token that fits nowhere.
      if (builder.start().pos <= behind) {
        throw DocumentError{line_of(builder.start()),
                            "not valid YAML; check the quotes, brackets and indentation"};
      }
      behind = builder.start().pos;
      builder.check_last_quote(text);
      if (!document.cells_.empty()) documents.push_back(std::move(document));
    }
  } catch (const DocumentError& error) {
    return Error{at(file, error.line, error.message), code};
  } catch (const YAML::DeepRecursion& problem) {
    return Error{at(file, line_of(problem.mark), "nested too deeply"), code};
  } catch (const YAML::Exception& problem) {
    return Error{
        at(file, line_of(problem.mark),
           fmt::format("not valid YAML: {}{}", printable(problem.msg, 120), cure_of(problem.msg))),
        code};
  }
  if (problems.any()) remarks = problems.lines();
  return documents;
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

// A YAML document as a compact tree with line numbers. Built from yaml-cpp's events instead of its
// nodes: a list of a million pages costs tens of bytes per value, and what could hurt (depth,
// duplicate keys, tags, several documents) is refused while reading. Aliases share what they name,
// so their values may be reached by several ways; what they stand for all told is bounded. This is
// the one way to read YAML, for files of ours and for those that people bring along.
#pragma once

#include "pollux/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::config {

class Document;
class Problems;

enum class Kind : std::uint8_t { null, scalar, list, mapping };
std::string_view kind_name(Kind kind);  // "a list", for messages

// A value inside a Document, which it must not outlive. In a mapping the children are key, value,
// key, value …; the keys are scalars, none twice.
class Node {
 public:
  Node(const Document& document, std::uint32_t index) : document_(&document), index_(index) {}
  Kind kind() const;
  std::uint32_t line() const;  // from 1
  std::string_view text() const;

  class Iterator {
   public:
    Iterator(const Document& document, std::uint32_t index) : document_(&document), index_(index) {}
    Node operator*() const { return {*document_, index_}; }
    Iterator& operator++();
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const Document* document_;
    std::uint32_t index_;
  };
  Iterator begin() const;
  Iterator end() const;

 private:
  const Document* document_;
  std::uint32_t index_;
};

class Document {
 public:
  // Errors are "FILE:LINE: …" with the given exit code. An empty text gives a null root. Keys that
  // stand twice are added to `problems` and reading goes on; without it they are refused.
  static Result<Document> parse(std::string text, const std::string& file, ExitCode code,
                                Problems* problems = nullptr);
  // A file of several documents, parted by "---", as another program wrote it. Errors as above; of
  // a key that stands twice the first counts, and a line in `remarks` tells of it.
  static Result<std::vector<Document>> parse_all(std::string text, const std::string& file,
                                                 ExitCode code, std::vector<std::string>& remarks);
  Node root() const { return {*this, 0}; }

 private:
  friend class Node;
  friend class DocumentBuilder;
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Cell {
    std::uint32_t line = 1;
    std::uint32_t text_start = 0;
    std::uint32_t text_size = 0;
    std::uint32_t first_child = none;
    std::uint32_t next = none;
    Kind kind = Kind::null;
  };
  std::vector<Cell> cells_;
  std::string characters_;  // of all scalars
};

}  // namespace pollux::config

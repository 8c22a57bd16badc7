// MyHTML within bounds: a tree of its nodes, or why it was given up. One document per parser, one
// thread.
#pragma once

#include "pollux/extract/limits.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <myhtml/tree.h>

namespace pollux::extract {

class HtmlParser {
 public:
  explicit HtmlParser(const Limits& limits);
  HtmlParser(const HtmlParser&) = delete;
  HtmlParser& operator=(const HtmlParser&) = delete;
  ~HtmlParser();

  // Nothing: the tree is whole. `utf8` must outlive it.
  std::optional<TooComplex> parse(std::string_view utf8);

  myhtml_tree_t* tree() const { return tree_; }
  std::size_t nodes() const { return nodes_; }  // comments and the doctype included
  bool quirks() const { return tree_->compat_mode == MyHTML_TREE_COMPAT_MODE_QUIRKS; }

 private:
  static void* before_token(myhtml_tree_t* tree, myhtml_token_node_t* token, void* parser);
  static void inserted(myhtml_tree_t* tree, myhtml_tree_node_t* node, void* parser);
  static void removed(myhtml_tree_t* tree, myhtml_tree_node_t* node, void* parser);

  void look_at(myhtml_token_node_t& token);
  void find_quirks();
  void check_bounds();
  void check_clock();
  void give_up(std::string reason);
  std::size_t bytes();

  const Limits& limits_;
  myhtml_t* myhtml_ = nullptr;
  myhtml_tree_t* tree_ = nullptr;
  std::size_t nodes_ = 0, tokens_ = 0;
  std::size_t text_chunks_ = 0,
              text_bytes_ = 0;  // of MyHTML's strings, as far as they were counted
  bool quirks_known_ = false;
  bool in_unfinished_tag_ = false;  // the document has ended in one
  std::string without_growing_;     // the document, where it had to be changed
  std::optional<TooComplex> given_up_;
};

}  // namespace pollux::extract

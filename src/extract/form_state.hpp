// What a browser would show of a form before anybody touched it: checked, disabled, required.
#pragma once

#include "pollux/extract/html_tree.hpp"

#include <vector>

namespace pollux::extract {

class FormState {
 public:
  explicit FormState(const HtmlTree& tree) : tree_(tree) {}

  bool checked(NodeIndex element);
  bool disabled(NodeIndex element);
  bool enabled(NodeIndex element);
  bool required(NodeIndex element) const;
  bool optional(NodeIndex element) const;

 private:
  void find_checked();
  void find_radio_buttons();
  void find_options();
  void find_disabled();
  bool is_first_legend(NodeIndex i) const;
  bool is_disabled_itself(NodeIndex i) const;  // or by its group
  bool can_be_disabled(NodeIndex element) const;
  NodeIndex form_of(NodeIndex element) const;

  const HtmlTree& tree_;
  std::vector<bool> checked_, disabled_;  // empty until asked for
};

}  // namespace pollux::extract

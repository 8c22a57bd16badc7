#include "extract/form_state.hpp"

#include "extract/ascii.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace pollux::extract {
namespace {

bool is_html(const HtmlTree& tree, NodeIndex i, std::string_view name) {
  const Node& node = tree[i];
  return node.kind == Node::Kind::element && node.space == Node::Space::html && node.name == name;
}

bool is_one_of(const HtmlTree& tree, NodeIndex i, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return is_html(tree, i, name); });
}

bool has_type(const HtmlTree& tree, NodeIndex input, std::string_view type) {
  const Attribute* attribute = tree.attribute(input, "type");
  return attribute != nullptr && same_letters(attribute->value, type);
}

// A drop-down list shows one option even if none is chosen.
bool is_drop_down(const HtmlTree& tree, NodeIndex select) {
  if (tree.attribute(select, "multiple") != nullptr) return false;
  const Attribute* size = tree.attribute(select, "size");
  if (size == nullptr) return true;
  std::size_t at = 0, number = 0;
  const std::string_view text = size->value;
  while (at < text.size() && is_space(text[at])) ++at;
  if (at < text.size() && text[at] == '+') ++at;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && number < 2; ++at)
    number = number * 10 + static_cast<std::size_t>(text[at] - '0');
  return number < 2;
}

}  // namespace

bool FormState::checked(NodeIndex element) {
  if (checked_.empty()) find_checked();
  return checked_[element];
}

void FormState::find_checked() {
  checked_.resize(tree_.nodes().size());
  for (NodeIndex i = 1; i < tree_.nodes().size(); ++i) {
    if (is_html(tree_, i, "input") && has_type(tree_, i, "checkbox"))
      checked_[i] = tree_.attribute(i, "checked") != nullptr;
    if (is_html(tree_, i, "option")) checked_[i] = tree_.attribute(i, "selected") != nullptr;
  }
  find_radio_buttons();
  find_options();
}

NodeIndex FormState::form_of(NodeIndex element) const {
  NodeIndex at = tree_[element].parent;
  while (at != no_node && !is_html(tree_, at, "form")) at = tree_[at].parent;
  return at;
}

// Of those with one name in one form the last one counts.
void FormState::find_radio_buttons() {
  std::map<std::pair<NodeIndex, std::string_view>, NodeIndex> last;
  for (NodeIndex i = 1; i < tree_.nodes().size(); ++i) {
    if (!is_html(tree_, i, "input") || !has_type(tree_, i, "radio") ||
        tree_.attribute(i, "checked") == nullptr)
      continue;
    checked_[i] = true;
    const Attribute* name = tree_.attribute(i, "name");
    if (name == nullptr || name->value.empty()) continue;
    const auto [other, is_first] = last.try_emplace({form_of(i), name->value}, i);
    if (is_first) continue;
    checked_[other->second] = false;
    other->second = i;
  }
}

void FormState::find_options() {
  for (NodeIndex select = 1; select < tree_.nodes().size(); ++select) {
    if (!is_html(tree_, select, "select")) continue;
    NodeIndex chosen = no_node, first = no_node;
    const bool one = tree_.attribute(select, "multiple") == nullptr;
    for (NodeIndex i = select + 1; i < tree_[select].end; ++i) {
      if (!is_html(tree_, i, "option")) continue;
      if (checked_[i] && one) {
        if (chosen != no_node) checked_[chosen] = false;
        chosen = i;
      }
      if (first == no_node && !is_disabled_itself(i)) first = i;
    }
    if (chosen == no_node && first != no_node && is_drop_down(tree_, select))
      checked_[first] = true;
  }
}

bool FormState::can_be_disabled(NodeIndex element) const {
  return is_one_of(tree_, element,
                   {"button", "input", "select", "textarea", "fieldset", "optgroup", "option"});
}

bool FormState::disabled(NodeIndex element) {
  if (disabled_.empty()) find_disabled();
  return disabled_[element];
}

bool FormState::enabled(NodeIndex element) {
  return can_be_disabled(element) && !disabled(element);
}

// A disabled fieldset disables what is in it but for its first legend; a select its options.
void FormState::find_disabled() {
  const auto& nodes = tree_.nodes();
  disabled_.resize(nodes.size());
  std::vector<bool> in_fieldset(nodes.size()), in_select(nodes.size());
  for (NodeIndex i = 1; i < nodes.size(); ++i) {
    const NodeIndex parent = nodes[i].parent;
    in_fieldset[i] = in_fieldset[parent] || (is_html(tree_, parent, "fieldset") &&
                                             disabled_[parent] && !is_first_legend(i));
    in_select[i] = is_html(tree_, parent, "select") ? disabled_[parent] : in_select[parent];
    if (!can_be_disabled(i)) continue;
    const bool option = is_html(tree_, i, "option"), group = is_html(tree_, i, "optgroup");
    disabled_[i] = is_disabled_itself(i) || (option || group ? in_select[i] : in_fieldset[i]);
  }
}

bool FormState::is_first_legend(NodeIndex i) const {
  if (!is_html(tree_, i, "legend")) return false;
  NodeIndex before = tree_[i].previous_element;
  while (before != no_node && !is_html(tree_, before, "legend"))
    before = tree_[before].previous_element;
  return before == no_node;
}

bool FormState::is_disabled_itself(NodeIndex i) const {
  const NodeIndex parent = tree_[i].parent;
  return tree_.attribute(i, "disabled") != nullptr ||
         (is_html(tree_, i, "option") && is_html(tree_, parent, "optgroup") &&
          tree_.attribute(parent, "disabled") != nullptr);
}

bool FormState::required(NodeIndex element) const {
  return is_one_of(tree_, element, {"input", "select", "textarea"}) && !optional(element);
}

bool FormState::optional(NodeIndex element) const {
  if (is_html(tree_, element, "button")) return true;
  if (!is_one_of(tree_, element, {"input", "select", "textarea"})) return false;
  static constexpr std::array<std::string_view, 7> never = {"hidden", "range", "color", "submit",
                                                            "image",  "reset", "button"};
  const Attribute* type = tree_.attribute(element, "type");
  if (type != nullptr && is_html(tree_, element, "input") &&
      std::any_of(never.begin(), never.end(),
                  [&](std::string_view name) { return same_letters(name, type->value); }))
    return true;
  return tree_.attribute(element, "required") == nullptr;
}

}  // namespace pollux::extract

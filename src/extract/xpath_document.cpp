#include "extract/xpath_document.hpp"

#include "extract/bounds.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <libxml/tree.h>
#include <libxml/valid.h>
#include <libxml/xpath.h>

namespace pollux::extract {
namespace {

// Beside the flat tree and the document itself, below 128 MB in all.
constexpr std::size_t most_document_bytes = std::size_t{48} << 20U;

const xmlChar* c_string(const std::string& text) {
  return reinterpret_cast<const xmlChar*>(text.c_str());
}

void* number(std::size_t value) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a number where libxml2 has room for a pointer
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(value));
}

// xmlAddChild would look for the last one and join neighbouring texts.
void append_child(xmlNode* parent, xmlNode* child) {
  child->parent = parent;
  child->prev = parent->last;
  (parent->last == nullptr ? parent->children : parent->last->next) = child;
  parent->last = child;
}

// By hand: xmlNewProp looks for the last one, and takes "&" in a value for a reference.
bool append_attributes(const HtmlTree& tree, NodeIndex index, xmlDoc* document, xmlNode* element) {
  const Attribute* const attributes = tree.attributes_of(index);
  xmlAttr* last = nullptr;
  for (std::uint32_t i = 0; i < tree[index].attributes; ++i) {
    const std::string name(attributes[i].name);
    xmlAttr* const attribute = xmlNewDocProp(document, c_string(name), nullptr);
    if (attribute == nullptr) return false;
    attribute->parent = element;
    attribute->prev = last;
    (last == nullptr ? element->properties : last->next) = attribute;
    last = attribute;
    const std::string value(attributes[i].value);
    xmlNode* const text = xmlNewDocText(document, c_string(value));
    if (text == nullptr) return false;
    append_child(reinterpret_cast<xmlNode*>(attribute), text);
    if (name == "id" && !value.empty()) xmlAddID(nullptr, document, c_string(value), attribute);
  }
  return true;
}

xmlNode* new_node(const Node& node, xmlDoc* document) {
  if (node.kind == Node::Kind::text) {
    if (node.name.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      return nullptr;
    return xmlNewDocTextLen(document, reinterpret_cast<const xmlChar*>(node.name.data()),
                            static_cast<int>(node.name.size()));
  }
  return xmlNewDocNode(document, nullptr, c_string(std::string(node.name)), nullptr);
}

// What libxml2 takes for an element or a text, and for its attributes, with what the allocator
// adds.
std::size_t bytes_of(const HtmlTree& tree, NodeIndex index) {
  constexpr std::size_t allocated = 32;  // of a name, or around a text
  std::size_t bytes = sizeof(xmlNode) + allocated;
  if (tree[index].kind == Node::Kind::text) return bytes + tree[index].name.size();
  const Attribute* const attributes = tree.attributes_of(index);
  for (std::uint32_t i = 0; i < tree[index].attributes; ++i)
    bytes += sizeof(xmlAttr) + sizeof(xmlNode) + 2 * allocated + attributes[i].value.size();
  return bytes;
}

// The next node in document order below `top`; null: there is none.
template <typename XmlNode>
XmlNode* next_of(XmlNode* at, const void* top) {
  if (at->type == XML_ELEMENT_NODE && at->children != nullptr) return at->children;
  while (at->next == nullptr) {
    at = at->parent;
    if (at == nullptr || at == top) return nullptr;
  }
  return at->next;
}

}  // namespace

std::variant<XmlDocument, TooComplex> xml_of(const HtmlTree& tree, const Limits& limits) {
  prepare_libxml();
  XmlDocument document(xmlNewDoc(reinterpret_cast<const xmlChar*>("1.0")));
  const std::vector<Node>& nodes = tree.nodes();
  std::vector<xmlNode*> made(nodes.size(), nullptr);
  std::size_t attributes = 0, bytes = 0;
  if (!document) return TooComplex{"out of memory"};
  made[0] = reinterpret_cast<xmlNode*>(document.get());
  for (NodeIndex i = 1; i < nodes.size(); ++i) {
    xmlNode* const parent = made[nodes[i].parent];
    if (nodes[i].in_template || parent == nullptr) continue;
    attributes += nodes[i].attributes;
    if (attributes > limits.max_nodes) return more_than(limits.max_nodes, "attributes");
    bytes += bytes_of(tree, i);
    if (bytes > most_document_bytes) return TooComplex{"needs more than 48 MiB to be searched"};
    if (i % 1024 == 0 && out_of_time(limits)) return took_too_long();
    // XML has one root and no text beside it; HTML5 has that as well.
    xmlNode* const node = new_node(nodes[i], document.get());
    if (node == nullptr) return TooComplex{"out of memory"};
    node->_private = number(i + 1);
    append_child(parent, node);
    made[i] = node;
    if (nodes[i].kind == Node::Kind::element && !append_attributes(tree, i, document.get(), node))
      return TooComplex{"out of memory"};
  }
  xmlXPathOrderDocElems(document.get());
  return document;
}

void make_searchable(_xmlDoc& document) {
  std::size_t count = 0;
  for (xmlNode* at = document.children; at != nullptr; at = next_of(at, &document)) {
    at->_private = number(++count + 1);
    if (at->type == XML_ELEMENT_NODE && at->ns != nullptr && at->ns->prefix == nullptr)
      at->ns = nullptr;
  }
  xmlXPathOrderDocElems(&document);
}

void remove_nodes(_xmlDoc& document, std::vector<std::size_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  std::vector<xmlNode*> unwanted;
  for (xmlNode* at = document.children; at != nullptr; at = next_of(at, &document)) {
    const auto own = static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(at->_private));
    if (std::binary_search(numbers.begin(), numbers.end(), own)) unwanted.push_back(at);
  }
  // From the last one on: those below another come behind it.
  for (auto at = unwanted.rbegin(); at != unwanted.rend(); ++at) {
    xmlUnlinkNode(*at);
    xmlFreeNode(*at);
  }
}

Extents extents_of(const _xmlDoc& document) {
  Extents extents;
  for (const xmlNode* at = document.children; at != nullptr; at = next_of(at, &document)) {
    ++extents.nodes;
    if (at->type == XML_TEXT_NODE || at->type == XML_CDATA_SECTION_NODE) {
      extents.text += static_cast<std::size_t>(std::max(0, xmlStrlen(at->content)));
    } else if (at->type == XML_ELEMENT_NODE) {
      for (const xmlAttr* i = at->properties; i != nullptr; i = i->next) ++extents.nodes;
      if (at->children == nullptr) {
        std::size_t depth = 0;
        for (const xmlNode* up = at; up != nullptr; up = up->parent) ++depth;
        extents.depth = std::max(extents.depth, depth);
      }
    }
  }
  return extents;
}

}  // namespace pollux::extract

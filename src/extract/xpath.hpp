// XPath 1.0 by libxml2, on an HTML tree or an XML document. libxml2 cannot be interrupted, and its
// node sets take quadratic time: small documents are searched under a bound on its steps, and what
// is large or goes beyond it in a child process that ends at the deadline.
#pragma once

#include "extract/xml.hpp"
#include "pollux/base/result.hpp"
#include "pollux/extract/html_tree.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pollux::extract {

// What can be known without a document: the syntax.
Status check_xpath(const std::string& expression);

struct Found {
  // Of an HTML tree: the node, or the element whose attribute it is. Of XML: its place. no_node: a
  // string or number.
  NodeIndex node = no_node;
  std::optional<std::string> value;  // none: the node itself
  bool attribute = false;
};

struct XPathFailure {
  std::string reason;  // "Undefined namespace prefix", "took too long"
  bool too_complex = false;
};

class XPathDocument {
 public:
  static std::variant<XPathDocument, TooComplex> of(const HtmlTree& tree, const Limits& limits);
  // Names without a prefix mean elements of the default namespace, too; prefixes are the document's
  // own.
  static std::variant<XPathDocument, Unreadable, TooComplex> of_xml(std::string_view utf8,
                                                                    const Limits& limits);

  // In document order, each once.
  std::variant<std::vector<Found>, XPathFailure> find(const std::string& expression,
                                                      const Limits& limits) const;

  // Takes these nodes out; of XML only. Attributes stay.
  void remove(const std::vector<Found>& nodes);

 private:
  XPathDocument(XmlDocument document, bool html);
  XmlDocument document_;
  bool html_;
  unsigned long steps_ = 0;  // that may be taken in this process; 0: none
  std::size_t text_bytes_ = 0;
};

}  // namespace pollux::extract

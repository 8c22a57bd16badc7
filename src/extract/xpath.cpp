#include "extract/xpath.hpp"

#include "extract/bounds.hpp"
#include "extract/xpath_document.hpp"
#include "pollux/base/text.hpp"
#include "pollux/extract/program.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include <libxml/tree.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

namespace pollux::extract {
namespace {

constexpr std::size_t longest_expression = 4096;
constexpr auto longest_search = std::chrono::seconds(10);
// A step may compare with every node of a set, or build the text of the whole document: about half
// a second of each.
constexpr std::size_t comparisons = 500'000'000, bytes_built = 5'000'000'000,
                      texts_built = 500'000'000;
// Fewer steps a node than this are not worth a try.
constexpr std::size_t steps_a_node = 4;
constexpr unsigned long steps_to_check = 1'000'000;
// An expression may build the text of the document as often as it has a function with a short name.
constexpr std::size_t shortest_function = 8;
constexpr std::size_t memory_of_search = std::size_t{32} << 20U;

struct FreeContext {
  void operator()(xmlXPathContext* context) const { xmlXPathFreeContext(context); }
};
struct FreeExpression {
  void operator()(xmlXPathCompExpr* expression) const { xmlXPathFreeCompExpr(expression); }
};
struct FreeObject {
  void operator()(xmlXPathObject* object) const { xmlXPathFreeObject(object); }
};

// The first error of this thread's libxml2. A handler of the context's own is not told the message.
struct Complaint {
  int code = 0;
  std::string message;
};
extern "C" void hear(void* to, xmlErrorPtr error) {
  auto* const complaint = static_cast<Complaint*>(to);
  if (complaint->code != 0 || error == nullptr) return;
  complaint->code = error->code;
  if (error->message != nullptr) {
    std::string_view text = error->message;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
    complaint->message = printable(text, 200);
  }
}
class Ear {
 public:
  explicit Ear(Complaint& complaint) { xmlSetStructuredErrorFunc(&complaint, hear); }
  Ear(const Ear&) = delete;
  Ear& operator=(const Ear&) = delete;
  ~Ear() { prepare_libxml(); }
};
constexpr int code_of(xmlXPathError error) {
  return int{XML_XPATH_EXPRESSION_OK} + int{error};
}

std::size_t number_of(const xmlNode* node) {
  return static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(node->_private));
}

// The first declaration of each prefix, from the root down.
void register_prefixes(xmlXPathContext* context, const xmlDoc* document) {
  std::size_t looked_at = 0;
  const xmlNode* at = xmlDocGetRootElement(const_cast<xmlDoc*>(document));
  for (; at != nullptr && looked_at < 64; at = at->children, ++looked_at) {
    while (at != nullptr && at->type != XML_ELEMENT_NODE) at = at->next;
    if (at == nullptr) return;
    for (const xmlNs* ns = at->nsDef; ns != nullptr; ns = ns->next) {
      if (ns->prefix != nullptr && xmlXPathNsLookup(context, ns->prefix) == nullptr)
        xmlXPathRegisterNs(context, ns->prefix, ns->href);
    }
  }
}

Found found(const xmlNode* node, bool html) {
  if (node->type == XML_ATTRIBUTE_NODE) {
    const std::size_t owner = node->parent == nullptr ? 0 : number_of(node->parent);
    return {static_cast<NodeIndex>(owner == 0 ? 0 : owner - 1), text_of(node), true};
  }
  const std::size_t place = node->type == XML_DOCUMENT_NODE ? 1 : number_of(node);
  Found result{static_cast<NodeIndex>(place == 0 ? 0 : place - 1), std::nullopt, false};
  if (html) return result;
  if (node->type == XML_DOCUMENT_NODE) {
    const xmlNode* const root =
        xmlDocGetRootElement(reinterpret_cast<xmlDoc*>(const_cast<xmlNode*>(node)));
    result.value = root == nullptr ? "" : text_of(root);
  } else if (node->type == XML_COMMENT_NODE || node->type == XML_PI_NODE) {
    result.value = node->content == nullptr ? "" : reinterpret_cast<const char*>(node->content);
  } else {
    result.value = text_of(node);
  }
  return result;
}

using Search = std::variant<std::vector<Found>, XPathFailure>;

Search results_of(xmlXPathObject& object, bool html) {
  std::vector<Found> results;
  switch (object.type) {
    case XPATH_NODESET: {
      if (object.nodesetval == nullptr) return results;
      xmlXPathNodeSetSort(object.nodesetval);
      for (int i = 0; i < object.nodesetval->nodeNr; ++i) {
        const xmlNode* const node = object.nodesetval->nodeTab[i];
        if (node->type != XML_NAMESPACE_DECL) results.push_back(found(node, html));
      }
      return results;
    }
    case XPATH_STRING:
    case XPATH_NUMBER:
    case XPATH_BOOLEAN: {
      xmlChar* const text = xmlXPathCastToString(&object);
      results.push_back(
          {no_node, text == nullptr ? "" : reinterpret_cast<const char*>(text), false});
      xmlFree(text);
      return results;
    }
    default:
      return XPathFailure{"a result that is no node, text or number", false};
  }
}

// All that takes a lock of libxml2's is done when this is made, so that a child may run it.
class Prepared {
 public:
  Prepared(const xmlDoc* document, bool html, const std::string& expression)
      : html_(html), context_(xmlXPathNewContext(const_cast<xmlDoc*>(document))) {
    if (!context_) return;
    const Ear ear(complaint_);
    if (!html) register_prefixes(context_.get(), document);
    compiled_.reset(
        xmlXPathCtxtCompile(context_.get(), reinterpret_cast<const xmlChar*>(expression.c_str())));
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  const Complaint& complaint() const { return complaint_; }
  // 0: as many steps as it takes.
  Search run(unsigned long steps) {
    if (!compiled_) return XPathFailure{complaint_.message, false};
    complaint_ = {};
    const Ear ear(complaint_);
    context_->opLimit = steps;
    context_->opCount = 0;
    const std::unique_ptr<xmlXPathObject, FreeObject> object(
        xmlXPathCompiledEval(compiled_.get(), context_.get()));
    if (complaint_.code == code_of(XPATH_OP_LIMIT_EXCEEDED))
      return XPathFailure{"took too long", true};
    if (!object)
      return XPathFailure{complaint_.message.empty() ? "no result" : complaint_.message, false};
    return results_of(*object, html_);
  }

 private:
  bool html_;
  Complaint complaint_;
  std::unique_ptr<xmlXPathContext, FreeContext> context_;
  std::unique_ptr<xmlXPathCompExpr, FreeExpression> compiled_;
};

// What a child tells: numbers and texts one after another.
class Packer {
 public:
  void add(std::uint32_t number) {
    text_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void add(std::string_view piece) {
    add(static_cast<std::uint32_t>(piece.size()));
    text_ += piece;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view text) : text_(text) {}
  bool read(std::uint32_t& number) {
    if (text_.size() < sizeof number) return false;
    std::memcpy(&number, text_.data(), sizeof number);
    text_.remove_prefix(sizeof number);
    return true;
  }
  bool read(std::string& piece) {
    std::uint32_t size = 0;
    if (!read(size) || size > text_.size()) return false;
    piece = text_.substr(0, size);
    text_.remove_prefix(size);
    return true;
  }
  bool empty() const { return text_.empty(); }

 private:
  std::string_view text_;
};

enum Word : std::uint32_t {
  packed_failure,
  packed_complex_failure,
  packed_node,
  packed_value,
  packed_attribute
};

std::string packed(const Search& result) {
  Packer packer;
  if (const auto* failed = std::get_if<XPathFailure>(&result)) {
    packer.add(failed->too_complex ? packed_complex_failure : packed_failure);
    packer.add(std::string_view(failed->reason));
    return packer.take();
  }
  for (const Found& item : std::get<std::vector<Found>>(result)) {
    packer.add(item.attribute ? packed_attribute : item.value ? packed_value : packed_node);
    packer.add(item.node);
    if (item.value) packer.add(std::string_view(*item.value));
  }
  return packer.take();
}

Search unpacked(std::string_view text) {
  const XPathFailure cut{"a result that is cut off", true};
  Unpacker unpacker(text);
  std::vector<Found> results;
  while (!unpacker.empty()) {
    std::uint32_t word = 0;
    if (!unpacker.read(word)) return cut;
    if (word == packed_failure || word == packed_complex_failure) {
      XPathFailure failed{"", word == packed_complex_failure};
      return unpacker.read(failed.reason) ? failed : cut;
    }
    Found item;
    if (!unpacker.read(item.node)) return cut;
    item.attribute = word == packed_attribute;
    if (word != packed_node && !unpacker.read(item.value.emplace())) return cut;
    results.push_back(std::move(item));
  }
  return results;
}

}  // namespace

Status check_xpath(const std::string& expression) {
  const auto problem = [&expression](const std::string& what) {
    return Error{what + " in \"" + printable(expression, 200) + "\"", ExitCode::configuration};
  };
  if (expression.size() > longest_expression)
    return problem("more than " + std::to_string(longest_expression) + " characters");
  if (expression.find('\0') != std::string::npos) return problem("a NUL");
  // An empty document shows functions that nobody knows, too, where it comes to them.
  prepare_libxml();
  const XmlDocument empty(xmlNewDoc(reinterpret_cast<const xmlChar*>("1.0")));
  if (!empty) return problem("out of memory");
  Prepared prepared(empty.get(), true, expression);
  const Search result = prepared.run(steps_to_check);
  const auto* failed = std::get_if<XPathFailure>(&result);
  // Prefixes are those of the document.
  if (failed == nullptr || prepared.complaint().code == code_of(XPATH_UNDEF_PREFIX_ERROR))
    return success();
  return problem(failed->reason.empty() ? "no XPath" : failed->reason);
}

XPathDocument::XPathDocument(XmlDocument document, bool html)
    : document_(std::move(document)), html_(html) {
  const Extents extents = extents_of(*document_);
  const std::size_t nodes = std::max<std::size_t>(extents.nodes, 1);
  const std::size_t steps =
      std::min(comparisons / nodes, bytes_built / std::max<std::size_t>(extents.text, 1));
  const bool small = steps >= steps_a_node * nodes &&
                     extents.text * std::max<std::size_t>(extents.depth, 1) <= texts_built;
  steps_ = small ? steps : 0;
  text_bytes_ = extents.text;
}

std::variant<XPathDocument, TooComplex> XPathDocument::of(const HtmlTree& tree,
                                                          const Limits& limits) {
  auto made = xml_of(tree, limits);
  if (auto* too_complex = std::get_if<TooComplex>(&made)) return std::move(*too_complex);
  return XPathDocument(std::move(std::get<XmlDocument>(made)), true);
}

std::variant<XPathDocument, Unreadable, TooComplex> XPathDocument::of_xml(std::string_view utf8,
                                                                          const Limits& limits) {
  auto parsed = parse_xml(utf8, limits);
  if (auto* unreadable = std::get_if<Unreadable>(&parsed)) return std::move(*unreadable);
  if (auto* too_complex = std::get_if<TooComplex>(&parsed)) return std::move(*too_complex);
  make_searchable(*std::get<XmlDocument>(parsed));
  return XPathDocument(std::move(std::get<XmlDocument>(parsed)), false);
}

void XPathDocument::remove(const std::vector<Found>& nodes) {
  std::vector<std::size_t> numbers;
  for (const Found& found : nodes) {
    if (found.node != no_node && !found.attribute) numbers.push_back(std::size_t{found.node} + 1);
  }
  remove_nodes(*document_, std::move(numbers));
}

std::variant<std::vector<Found>, XPathFailure> XPathDocument::find(const std::string& expression,
                                                                   const Limits& limits) const {
  prepare_libxml();
  Prepared prepared(document_.get(), html_, expression);
  const std::size_t texts = expression.size() / shortest_function + 1;
  if (steps_ > 0 && texts * text_bytes_ <= memory_of_search) {
    Search result = prepared.run(steps_);
    const auto* failed = std::get_if<XPathFailure>(&result);
    if (failed == nullptr || !failed->too_complex) return result;
  }
  const auto deadline =
      std::min(limits.deadline, std::chrono::steady_clock::now() + longest_search);
  const ProgramEnd end = run_in_child([&prepared] { return packed(prepared.run(0)); },
                                      {.deadline = deadline,
                                       .memory = memory_of_search,
                                       .max_output = 2 * limits.max_kept,
                                       .children = limits.children});
  if (end.ok()) return unpacked(end.output);
  if (end.how == ProgramEnd::How::out_of_time) return XPathFailure{"took too long", true};
  if (end.how == ProgramEnd::How::too_much_output)
    return XPathFailure{too_long_to_keep(limits).reason, true};
  return XPathFailure{"the search " + describe(end), true};
}

}  // namespace pollux::extract

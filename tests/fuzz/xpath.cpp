// An expression, a line feed, and a document that is searched as HTML and as XML.
#include "extract/xpath.hpp"

#include "extract/encoding.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using namespace pollux::extract;

void check(const std::variant<std::vector<Found>, XPathFailure>& result, std::size_t nodes) {
  const auto* found = std::get_if<std::vector<Found>>(&result);
  if (found == nullptr) return;
  NodeIndex last = 0;
  for (const Found& item : *found) {
    pollux::fuzz::check(item.node == no_node || item.node < nodes, "a node of the document");
    pollux::fuzz::check(item.node >= last, "in document order");
    last = item.node;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = decode(pollux::fuzz::text(data, size), utf_8);
  const std::size_t line = std::min(text.find('\n'), text.size());
  const std::string expression = text.substr(0, line);
  const std::string document = text.substr(std::min(line + 1, text.size()));
  const auto status = check_xpath(expression);
  if (!status) {
    pollux::fuzz::check(pollux::fuzz::is_inert(status.error().message), "one line");
    return 0;
  }
  Limits limits;
  limits.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  const auto tree = HtmlTree::parse(document, limits);
  if (const auto* html = std::get_if<HtmlTree>(&tree)) {
    const auto made = XPathDocument::of(*html, limits);
    if (const auto* searched = std::get_if<XPathDocument>(&made))
      check(searched->find(expression, limits), html->nodes().size());
  }
  auto made = XPathDocument::of_xml(document, limits);
  if (auto* searched = std::get_if<XPathDocument>(&made)) {
    const auto found = searched->find(expression, limits);
    check(found, no_node);
    if (const auto* nodes = std::get_if<std::vector<Found>>(&found)) {
      searched->remove(*nodes);
      static_cast<void>(searched->find(expression, limits));
    }
  }
  return 0;
}

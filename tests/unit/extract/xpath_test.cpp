#include "extract/xpath.hpp"

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

using namespace std::chrono_literals;

HtmlTree tree_of(std::string_view html) {
  auto parsed = HtmlTree::parse(html, {});
  return std::move(std::get<HtmlTree>(parsed));
}

std::string told(const HtmlTree* tree, const XPathDocument& document, const std::string& expression,
                 const Limits& limits = {}) {
  const auto found = document.find(expression, limits);
  if (const auto* failed = std::get_if<XPathFailure>(&found))
    return (failed->too_complex ? "too complex: " : "failed: ") + failed->reason;
  std::string out;
  for (const Found& item : std::get<std::vector<Found>>(found)) {
    if (!out.empty()) out += ' ';
    if (item.value) {
      out += "'" + *item.value + "'";
    } else {
      out += (*tree)[item.node].name;
    }
  }
  return out;
}
std::string in_html(std::string_view html, const std::string& expression,
                    const Limits& limits = {}) {
  const HtmlTree tree = tree_of(html);
  auto document = XPathDocument::of(tree, limits);
  if (const auto* too = std::get_if<TooComplex>(&document)) return "too complex: " + too->reason;
  return told(&tree, std::get<XPathDocument>(document), expression, limits);
}
std::string in_xml(std::string_view xml, const std::string& expression) {
  const auto document = XPathDocument::of_xml(xml, {});
  if (const auto* no = std::get_if<Unreadable>(&document)) return "unreadable: " + no->reason;
  return told(nullptr, std::get<XPathDocument>(document), expression);
}

TEST(XPath, finds_elements_attributes_and_texts_in_document_order) {
  const char* page = "<h2 id=a>one</h2><p>x</p><h2>two</h2><h2 id='b&amp;c'>three</h2>";
  EXPECT_EQ(in_html(page, "//h2[@id]"), "h2 h2");
  EXPECT_EQ(in_html(page, "//h2/@id"), "'a' 'b&c'");
  EXPECT_EQ(in_html(page, "//h2/text()"), "one two three");
  EXPECT_EQ(in_html(page, "(//h2)[last()] | //p | //h2[1]"), "h2 p h2");
  EXPECT_EQ(in_html(page, "id('a')/following-sibling::p"), "p");
}

TEST(XPath, gives_strings_numbers_and_truth) {
  const char* page = "<p>one</p><p>two</p>";
  EXPECT_EQ(in_html(page, "string(//p[2])"), "'two'");
  EXPECT_EQ(in_html(page, "count(//p)"), "'2'");
  EXPECT_EQ(in_html(page, "//p = 'two'"), "'true'");
  EXPECT_EQ(in_html(page, "//q"), "");
}

TEST(XPath, the_tree_is_that_of_browsers) {
  EXPECT_EQ(in_html("<table><tr><td>x", "/html/body/table/tbody/tr/td"), "td");
  EXPECT_EQ(in_html("<svg><linearGradient/></svg>", "//linearGradient"), "linearGradient");
  EXPECT_EQ(in_html("<template><b>x</b></template><b>y</b>", "//b/text()"), "y");
  EXPECT_EQ(in_html("<p>x", "/"), "") << "the document has no name, but is found";
}

TEST(XPath, what_is_wrong_at_any_document_is_said_at_once) {
  EXPECT_TRUE(check_xpath("//h2[@id]"));
  for (const char* wrong : {"//", "//a[", "foo(", "//a]", "", "@@"}) {
    const Status status = check_xpath(wrong);
    ASSERT_FALSE(status) << wrong;
    EXPECT_TRUE(status.error().message.ends_with(" in \"" + std::string(wrong) + "\""));
  }
  EXPECT_FALSE(check_xpath(std::string(5000, '(')));
  EXPECT_FALSE(check_xpath(std::string("//a\0b", 5)));
}

TEST(XPath, what_is_wrong_at_this_document_is_told) {
  EXPECT_EQ(in_html("<p>x", "//p[foo()]"), "failed: Unregistered function");
  EXPECT_EQ(in_html("<p>x", "//svg:p"), "failed: Undefined namespace prefix");
  EXPECT_EQ(in_html("<p>x", "$x"), "failed: Undefined variable");
}

TEST(XPath, many_attributes_of_one_element_are_no_trouble) {
  std::string page = "<p";
  for (int i = 0; i < 500; ++i) page += " a" + std::to_string(i) + "=1";
  EXPECT_EQ(in_html(page + ">x", "count(//p/@*)"), "'500'");
}

TEST(XPath, a_large_document_is_searched_in_a_child) {
  std::string page;
  for (int i = 0; i < 30'000; ++i) page += "<p class=a>x</p>";
  EXPECT_EQ(in_html(page, "count(//p)"), "'30000'");
  EXPECT_EQ(in_html(page, "//p[30000]/@class"), "'a'");
  EXPECT_EQ(in_html(page, "//p[29999]"), "p");
  EXPECT_EQ(in_html(page, "//p[foo()]"), "failed: Unregistered function");
}

TEST(XPath, a_search_without_end_is_ended) {
  std::string page;
  for (int i = 0; i < 400; ++i) page += "<div>";
  for (int i = 0; i < 20'000; ++i) page += "<p>x</p>";
  Limits limits;
  limits.deadline = std::chrono::steady_clock::now() + 2s;
  const HtmlTree tree = tree_of(page);
  const auto document = XPathDocument::of(tree, {});
  EXPECT_EQ(told(&tree, std::get<XPathDocument>(document),
                 "count(//*[count(//p/ancestor::*/descendant::*) > 1])", limits),
            "too complex: took too long");
}

TEST(XPath, a_small_document_can_be_searched_without_end_too) {
  std::string page;
  for (int i = 0; i < 200; ++i) page += "<div><p>x</p>";
  Limits limits;
  limits.deadline = std::chrono::steady_clock::now() + 2s;
  const HtmlTree tree = tree_of(page);
  const auto document = XPathDocument::of(tree, {});
  EXPECT_EQ(told(&tree, std::get<XPathDocument>(document),
                 "count(//*[count(//*[count(//*[count(//*) > 1]) > 1]) > 1])", limits),
            "too complex: took too long");
}

TEST(XPath, xml_is_searched_by_names_without_their_namespace) {
  const char* sitemap =
      "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:x='y'><url><loc>a</loc>"
      "<x:image>i</x:image></url><url><loc>b</loc></url></urlset>";
  EXPECT_EQ(in_xml(sitemap, "//loc"), "'a' 'b'");
  EXPECT_EQ(in_xml(sitemap, "//x:image"), "'i'");
  EXPECT_EQ(in_xml(sitemap, "//image"), "");
  EXPECT_EQ(in_xml(sitemap, "/"), "'aib'");
}

TEST(XPath, xml_with_entities_of_its_own_is_refused) {
  EXPECT_EQ(in_xml("<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "//a"),
            "unreadable: it declares a document type of its own");
}

TEST(XPath, nodes_can_be_taken_out_of_xml) {
  auto made = XPathDocument::of_xml("<a><b>1<c>2</c></b><d e='5'>3</d><c>4</c></a>", {});
  auto& document = std::get<XPathDocument>(made);
  const auto found = document.find("//c | //b | //d/@e", {});
  document.remove(std::get<std::vector<Found>>(found));
  EXPECT_EQ(told(nullptr, document, "//text()"), "'3'");
  EXPECT_EQ(told(nullptr, document, "//@e"), "'5'") << "attributes stay";
}

}  // namespace
}  // namespace pollux::extract

#include "pollux/extract/html_tree.hpp"

#include <string>
#include <variant>

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

HtmlTree tree_of(std::string_view html) {
  auto parsed = HtmlTree::parse(html, Limits{});
  if (const auto* refused = std::get_if<TooComplex>(&parsed)) ADD_FAILURE() << refused->reason;
  return std::get<HtmlTree>(std::move(parsed));
}

// `div[p["one"] br]`, from the body on.
std::string shape(const HtmlTree& tree, NodeIndex i) {
  if (tree[i].kind == Node::Kind::text) return '"' + std::string(tree[i].name) + '"';
  std::string out(tree[i].name);
  std::string below;
  for (NodeIndex child = i + 1; child < tree[i].end; child = tree[child].end)
    below += (below.empty() ? "" : " ") + shape(tree, child);
  return below.empty() ? out : out + "[" + below + "]";
}
NodeIndex find(const HtmlTree& tree, std::string_view name) {
  for (NodeIndex i = 1; i < tree.nodes().size(); ++i)
    if (tree[i].kind == Node::Kind::element && tree[i].name == name) return i;
  return no_node;
}
std::string body(std::string_view html) {
  const HtmlTree tree = tree_of("<!DOCTYPE html>" + std::string(html));
  return shape(tree, find(tree, "body"));
}

std::string repeated(std::string_view piece, std::size_t size) {
  std::string out;
  out.reserve(size + piece.size());
  while (out.size() < size) out += piece;
  return out;
}
std::string numbered(std::string_view before, std::string_view behind, std::size_t size) {
  std::string out;
  for (int i = 0; out.size() < size; ++i)
    out.append(before).append(std::to_string(i)).append(behind);
  return out;
}

// Why it was given up; empty: it was not.
std::string refusal(std::string_view html, Limits limits = {}) {
  limits.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto parsed = HtmlTree::parse(html, limits);
  if (const auto* refused = std::get_if<TooComplex>(&parsed)) return refused->reason;
  EXPECT_LE(std::get<HtmlTree>(parsed).nodes().size(), limits.max_nodes + 1);
  return "";
}

TEST(HtmlTree, nothing_is_a_document_with_head_and_body) {
  for (const std::string_view html : {"", "\n", "\xef\xbb\xbf"}) {
    const HtmlTree tree = tree_of(html);
    EXPECT_EQ(tree.nodes().size(), 4U);
    EXPECT_EQ(tree[0].kind, Node::Kind::document);
    EXPECT_EQ(shape(tree, 1), "html[head body]");
    EXPECT_TRUE(tree.quirks());
  }
}

TEST(HtmlTree, nodes_are_in_document_order_and_know_their_place) {
  const HtmlTree tree = tree_of("<ul><li>a</li>x<li>b</li></ul><p>c");
  const NodeIndex list = find(tree, "ul"), first = find(tree, "li");
  const NodeIndex second = tree[first].next_element;
  EXPECT_EQ(tree[first].parent, list);
  EXPECT_EQ(tree[first].previous_element, no_node);
  EXPECT_EQ(tree[second].previous_element, first);
  EXPECT_EQ(tree[second].next_element, no_node);
  EXPECT_EQ(second, tree[first].end + 1) << "a text stands between them";
  EXPECT_EQ(tree[second].end, tree[list].end);
  EXPECT_EQ(tree[list].next_element, find(tree, "p"));
  EXPECT_EQ(tree[0].end, tree.nodes().size());
}

TEST(HtmlTree, what_is_not_closed_is_closed_as_in_a_browser) {
  EXPECT_EQ(body("<p>1<p>2<ul><li>3<li>4"), "body[p[\"1\"] p[\"2\"] ul[li[\"3\"] li[\"4\"]]]");
  EXPECT_EQ(body("<b>1<i>2</b>3</i>"), "body[b[\"1\" i[\"2\"]] i[\"3\"]]");
  EXPECT_EQ(body("<table>a<td>b"), "body[\"a\" table[tbody[tr[td[\"b\"]]]]]");
  EXPECT_EQ(body("x</p></br></div>"), "body[\"x\" p br]");
  EXPECT_EQ(body("<a>1<a>2"), "body[a[\"1\"] a[\"2\"]]");
}

TEST(HtmlTree, comments_and_doctypes_are_left_out) {
  EXPECT_EQ(body("<!-- x -->1<!-- y -->2<?z?>"), "body[\"1\" \"2\"]");
}

TEST(HtmlTree, a_tag_that_the_end_cuts_short_is_dropped) {
  const std::string whole = body("<p>1<b>2</b>3");
  for (const char* cut : {"<a", "<a ", "<a hr", "<a href", "<a href =", "<a href=x", "<a href='x y",
                          "<a href=\"x&am", "<a href=\"x\"", "<a/", "</p", "</p ", "<br x="})
    EXPECT_EQ(body(std::string("<p>1<b>2</b>3") + cut), whole) << cut;
  EXPECT_EQ(body("<p>1<b>2</b>3<"), body("<p>1<b>2</b>3&lt; "));
  EXPECT_EQ(body("<p>1<textarea>2</texta"), body("<p>1<textarea>2&lt;/texta"));
  EXPECT_EQ(body("<html la"), body(""));
}

TEST(HtmlTree, of_attributes_with_one_name_the_first_counts) {
  const HtmlTree tree = tree_of("<p ID=a id=b Class='x &amp; y' checked>");
  const NodeIndex p = find(tree, "p");
  EXPECT_EQ(tree[p].attributes, 3U);
  ASSERT_NE(tree.attribute(p, "id"), nullptr);
  EXPECT_EQ(tree.attribute(p, "id")->value, "a");
  EXPECT_EQ(tree.attribute(p, "class")->value, "x & y");
  EXPECT_EQ(tree.attribute(p, "checked")->value, "");
  EXPECT_EQ(tree.attribute(p, "name"), nullptr);
  const HtmlTree many = tree_of("<p" + numbered(" a", "=1", 500) + numbered(" a", "=2", 500) + ">");
  const NodeIndex all = find(many, "p");
  EXPECT_EQ(many.attribute(all, "a7")->value, "1");
  EXPECT_EQ(many.attribute(all, "a70")->value, "1");
  EXPECT_LT(many[all].attributes, 100U);
}

TEST(HtmlTree, what_is_below_a_template_says_so) {
  const HtmlTree tree = tree_of("<template><p><a>x</a></p></template><p>y");
  const NodeIndex inside = find(tree, "p");
  EXPECT_FALSE(tree[find(tree, "template")].in_template);
  EXPECT_TRUE(tree[inside].in_template);
  EXPECT_TRUE(tree[find(tree, "a")].in_template);
  EXPECT_FALSE(tree[tree[find(tree, "template")].end].in_template);
}

TEST(HtmlTree, foreign_elements_have_their_namespace_and_prefixes) {
  const HtmlTree tree = tree_of("<svg><a xlink:href=x xml:lang=de></a><foreignObject><p>");
  EXPECT_EQ(tree[find(tree, "svg")].space, Node::Space::svg);
  EXPECT_EQ(tree[find(tree, "p")].space, Node::Space::html);
  EXPECT_NE(tree.attribute(find(tree, "a"), "xlink:href"), nullptr);
  EXPECT_NE(tree.attribute(find(tree, "a"), "xml:lang"), nullptr);
}

TEST(HtmlTree, the_doctype_decides_on_quirks) {
  EXPECT_FALSE(tree_of("<!doctype HTML>").quirks());
  EXPECT_FALSE(
      tree_of("<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"x\">").quirks());
  EXPECT_TRUE(tree_of("<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 3.2 Final//EN\">").quirks());
  EXPECT_TRUE(
      tree_of("<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">").quirks());
  EXPECT_TRUE(tree_of("<!DOCTYPE x>").quirks());
  EXPECT_TRUE(tree_of("<p>").quirks());
  EXPECT_EQ(body("<p><table>"), "body[p table]");
  const HtmlTree quirky = tree_of("<p><table>");
  EXPECT_EQ(shape(quirky, find(quirky, "body")), "body[p[table]]");
}

TEST(HtmlTree, a_tree_can_be_moved) {
  HtmlTree tree = tree_of("<p>one");
  const HtmlTree other = std::move(tree);
  EXPECT_EQ(shape(other, find(other, "p")), "p[\"one\"]");
}

TEST(HtmlTree, nul_and_growing_references_are_read) {
  EXPECT_EQ(body(std::string("a\0b&nGt;&nLt;<p title='\0'>", 26)),
            "body[\"ab\u226b\u20d2\u226a\u20d2\" p]");
  EXPECT_EQ(shape(tree_of(std::string(100, '\0')), 1), "html[head body]");
}

// A document that is read in pieces is the same, wherever a piece ends.
TEST(HtmlTree, where_a_piece_ends_changes_nothing) {
  const std::string text =
      "<p class=\"a b\">x &amp; y<!-- c --><b>z</b><script>if (a < b) '</p>';</script>"
      "<textarea></text</textarea><a href='?a=1&amp;b=2'>w</a></p><svg><![CDATA[ > ]]></svg>";
  const std::string one = body(text);
  const std::string inner = one.substr(5, one.size() - 6);
  for (std::size_t shift = 0; shift < 200; ++shift) {
    const std::string found = body("<i>" + std::string(16'300 - shift, 'x') + "</i>" + text);
    EXPECT_EQ(found.substr(found.size() - inner.size() - 1), inner + "]") << shift;
  }
}

TEST(HtmlTree, a_document_of_many_pieces_is_whole) {
  const std::string_view piece = "<p class=a>some <b>words</b> &eacute;</p>\n";
  const std::string html = repeated(piece, 500'000);
  const HtmlTree tree = tree_of(html);
  std::size_t paragraphs = 0, texts = 0;
  for (const Node& node : tree.nodes()) {
    if (node.name == "p") ++paragraphs;
    if (node.name == " \u00e9") ++texts;
  }
  EXPECT_EQ(paragraphs, html.size() / piece.size());
  EXPECT_EQ(texts, paragraphs);
}

// Bounds.

TEST(HtmlTree, too_many_nodes_are_refused) {
  EXPECT_EQ(refusal(repeated("<br>", 10 << 20)), "more than 200 000 nodes");
  EXPECT_EQ(refusal(repeated("</br>", 2'500'000)), "more than 200 000 nodes");
  EXPECT_EQ(refusal(repeated("<!---->", 2 << 20)), "more than 200 000 nodes");
  Limits few;
  few.max_nodes = 10;
  EXPECT_EQ(refusal("<p>1<p>2<p>3<p>4<p>5", few), "more than 10 nodes");
  EXPECT_EQ(refusal("<p>1<p>2<p>3", few), "");
}

TEST(HtmlTree, too_deep_a_tree_is_refused) {
  for (const std::string_view tag :
       {"<div>", "<b>", "<svg>", "<math><mi>", "<template>", "<table><td>", "<ul><li>"})
    EXPECT_EQ(refusal(repeated(tag, 1 << 20)), "deeper than 512 elements") << tag;
  EXPECT_EQ(refusal(numbered("<b id=", ">", 500'000)), "deeper than 512 elements");
  EXPECT_EQ(refusal(repeated("<div>", 5 * 500)), "") << "html and body are two more";
  EXPECT_EQ(refusal(repeated("<div>", 5 * 511)), "deeper than 512 elements");
}

TEST(HtmlTree, too_many_attributes_are_refused) {
  EXPECT_EQ(refusal(numbered("<html a", "=1>", 700'000)),
            "more than 1 000 attributes on an element");
  EXPECT_EQ(refusal(numbered("<body a", "=1>", 700'000)),
            "more than 1 000 attributes on an element");
  EXPECT_EQ(refusal("<p" + numbered(" a", "=1", 100'000) + ">"),
            "more than 1 000 attributes on an element");
  EXPECT_EQ(refusal("<p" + numbered(" a", "=1", 10 << 20) + ">"),
            "needs more than 64 MiB to be parsed");
  EXPECT_EQ(refusal("<p " + repeated("a ", 10 << 20)), "needs more than 64 MiB to be parsed");
}

TEST(HtmlTree, few_bytes_that_make_many_nodes_are_refused) {
  std::string open = "<div>";
  for (int i = 0; i < 400; ++i) open += "<b id=" + std::to_string(i) + " title=0123456789>";
  EXPECT_NE(refusal(open + "</div>" + repeated("<p>x</p>", 1 << 20)), "");
  EXPECT_NE(refusal(repeated("<table><td><b>x<table><tr><i></table>", 10 << 20)), "");
  EXPECT_NE(refusal("<table>" + repeated("a<tr>", 10 << 20)), "");
  EXPECT_NE(refusal("<svg>" + repeated("<![CDATA[x]]>", 10 << 20)), "");
  EXPECT_NE(refusal(repeated("a</x>", 10 << 20)), "");
  EXPECT_EQ(refusal(numbered("</x", ">", 1 << 20)), "more than 5 000 names of elements");
}

TEST(HtmlTree, long_texts_and_broken_tags_are_read) {
  const std::string nuls(1 << 20, '\0');
  EXPECT_EQ(refusal(nuls), "");
  EXPECT_EQ(refusal("<title>" + nuls), "");
  EXPECT_EQ(refusal(repeated("&nGt;", 1 << 20)), "");
  EXPECT_EQ(refusal("<a title='" + std::string(10 << 20, 'x') + "'>"), "");
  EXPECT_EQ(refusal("<" + std::string(10 << 20, 'x') + ">"), "");
  EXPECT_EQ(refusal("<!--" + std::string(10 << 20, '-')), "");
  for (const std::string_view piece : {"<", "</", "&", "< a", ">", "\r", "<![CDATA["})
    EXPECT_EQ(refusal(repeated(piece, 1 << 20)), "") << piece;
}

TEST(HtmlTree, a_deadline_that_is_over_ends_it) {
  Limits limits;
  limits.deadline = std::chrono::steady_clock::now();
  const auto parsed = HtmlTree::parse("<p>x", limits);
  ASSERT_TRUE(std::holds_alternative<TooComplex>(parsed));
  EXPECT_EQ(std::get<TooComplex>(parsed).reason, "took too long");
}

}  // namespace
}  // namespace pollux::extract

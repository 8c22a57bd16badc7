#include "pollux/extract/visible_text.hpp"

#include "pollux/extract/css.hpp"

#include <string>
#include <variant>

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

struct Page {
  explicit Page(std::string_view html)
      : tree(std::get<HtmlTree>(HtmlTree::parse("<!DOCTYPE html>" + std::string(html), Limits{}))) {
  }

  std::vector<NodeIndex> select(std::string_view selector) const {
    auto found = CssSelector::parse(selector)->match(tree, Limits{});
    return std::get<0>(std::move(found));
  }
  std::vector<bool> remove(std::string_view selector) const {
    std::vector<bool> out(tree.nodes().size());
    for (const NodeIndex i : select(selector)) out[i] = true;
    return out;
  }

  HtmlTree tree;
};

std::string text(std::string_view html, std::string_view selector = "html") {
  const Page page(html);
  return visible_text(page.tree, page.select(selector), {});
}
std::string html_of(std::string_view html, std::string_view selector = "body") {
  const Page page(html);
  return markup(page.tree, page.select(selector), {});
}

TEST(VisibleText, a_block_is_a_line_and_space_is_folded) {
  EXPECT_EQ(text("<h1> One\n  two </h1><p>th<b>ree</b> four<div>five</div>six"),
            "One two\nthree four\nfive\nsix");
  EXPECT_EQ(text("a&nbsp;\t b<br>c<br><br>d<p></p><p> </p>e"), "a b\nc\nd\ne");
}

TEST(VisibleText, the_document_itself_can_be_the_root) {
  const Page page("<title>T</title><p>x");
  const std::vector<NodeIndex> roots = {0};
  EXPECT_EQ(visible_text(page.tree, roots, {}), "T\nx");
}

TEST(VisibleText, its_words_are_counted_without_it) {
  const auto count = [](std::string_view html) { return visible_words(Page(html).tree); };
  EXPECT_EQ(count(""), 0u);
  EXPECT_EQ(count("<h1> One\n  two </h1><p>th<b>ree</b> four<div>five</div>six"), 6u);
  EXPECT_EQ(count("a&nbsp;b<br>c<pre>d e\n f&nbsp;g</pre>h<pre>i </pre>j"), 9u);
  EXPECT_EQ(count("<title>T</title><script>no no</script><p hidden>no</p><a href=x>y</a>z"), 3u);
  EXPECT_EQ(count("<table><tr><td>a<td>b</table><img alt='c d'><input type=checkbox>"), 6u);
}

TEST(VisibleText, what_nobody_sees_is_left_out) {
  EXPECT_EQ(
      text("<head><title>Title</title><style>s</style><script>j</script></head><body>a<script>b"
           "</script><style>c</style><template>d</template><noscript>e</noscript><p hidden>f</p>"
           "<iframe>g</iframe><datalist><option>h</datalist>i<!-- j -->"),
      "Title\nai");
}

TEST(VisibleText, a_root_is_taken_even_if_nobody_sees_it) {
  EXPECT_EQ(text("<script type=a>{\"x\": 1}</script>", "script"), "{\"x\": 1}");
  EXPECT_EQ(text("<p hidden>x", "p"), "x");
  EXPECT_EQ(text("<meta name=price content='12 €'>", "meta"), "12 €");
}

TEST(VisibleText, a_link_keeps_its_target) {
  EXPECT_EQ(text("see <a href=' /x?a=1&amp;b=2\n'>this</a>, <a name=n>not that</a>"),
            "see this </x?a=1&b=2>, not that");
  EXPECT_EQ(text("<a href=/y><img alt=Logo></a>"), "Logo </y>");
}

TEST(VisibleText, images_and_fields_show_their_text) {
  EXPECT_EQ(text("a<img src=x alt='an image'>b<img src=y>c"), "a an image b c");
  EXPECT_EQ(text("<input value=v><input type=hidden value=h><input type=password value=p>"
                 "<input type=checkbox checked> yes <input type=radio> no<textarea>t\n u</textarea>"
                 "<button>Buy</button><button>Sell</button>"),
            "v [x] yes [_] no t\n u Buy Sell");
}

TEST(VisibleText, list_items_options_and_cells_keep_apart) {
  EXPECT_EQ(text("<ul><li>1<li>2<ul><li>3</ul></ul>"), "1\n2\n3");
  EXPECT_EQ(text("<select><option>S<option>M</select>"), "S\nM");
  EXPECT_EQ(text("<table><tr><th>a<th>b<tr><td>1<td>2<tr><td><td>3</table>"), "a | b\n1 | 2\n| 3");
}

TEST(VisibleText, preformatted_text_keeps_its_lines) {
  EXPECT_EQ(text("<p>a</p><pre>\n  b\n\n    c  d\n</pre>e  f"), "a\n  b\n\n    c  d\ne f");
}

TEST(VisibleText, roots_in_each_other_are_taken_once) {
  EXPECT_EQ(text("<div>a<div>b</div></div><div>c</div>", "div"), "a\nb\nc");
  EXPECT_EQ(text("<b>a</b><b>b</b>", "b"), "a\nb") << "each root has a line of its own";
}

TEST(VisibleText, what_is_removed_is_gone_with_all_below) {
  const Page page("<div>a<p class=x>b<i>c</i></p>d</div>");
  EXPECT_EQ(visible_text(page.tree, page.select("div"), page.remove(".x")), "a\nd");
  EXPECT_EQ(visible_text(page.tree, page.select("div"), page.remove("i")), "a\nb\nd");
  EXPECT_EQ(visible_text(page.tree, page.select("div"), page.remove("div")), "");
  EXPECT_EQ(markup(page.tree, page.select("div"), page.remove(".x")), "<div>ad</div>");
}

TEST(VisibleText, there_may_be_nothing) {
  EXPECT_EQ(text(""), "");
  EXPECT_EQ(text("<p>x", "b"), "");
}

TEST(Markup, attributes_are_sorted_and_texts_escaped) {
  EXPECT_EQ(html_of("<p title='a \"b\" &amp; <c>' class=x>1 &lt; 2  &amp;<br>3", "p"),
            "<p class=\"x\" title=\"a &quot;b&quot; &amp; <c>\">1 &lt; 2  &amp;<br>3</p>");
  EXPECT_EQ(html_of("<script>a < b && c</script>", "script"), "<script>a < b && c</script>");
  EXPECT_EQ(html_of("<b>1</b><b>2</b>", "b"), "<b>1</b>\n<b>2</b>");
}

TEST(Markup, it_parses_to_the_same_again) {
  const std::string_view html =
      "<p id=a>x<b>y</b><img "
      "src=z><table><tbody><tr><td>1</td></tr></tbody></table><ul><li>2</li></ul>";
  const std::string once = html_of(html);
  EXPECT_EQ(html_of(once), once);
}

TEST(Markup, a_tree_as_deep_as_allowed_needs_no_stack) {
  std::string html;
  for (int i = 0; i < 500; ++i) html += "<div>";
  EXPECT_EQ(html_of(html).size(), 500 * 11 + 13);
  EXPECT_EQ(text(html + "x"), "x");
}

}  // namespace
}  // namespace pollux::extract

// OPML and bookmarks: trees of folders.
#include "imported.hpp"

namespace pollux::import {
namespace {

using Texts = std::vector<std::string>;

TEST(ImportOpml, feeds_are_pages_and_folders_are_tags) {
  const Imported list = imported(
      "<?xml version=\"1.0\"?>\n<opml version=\"2.0\"><head><title>Feeds</title></head><body>\n"
      "<outline text=\"Tech &amp; more\">\n"
      "  <outline text=\"Deeper\"><outline type=\"rss\" text=\"A blog\" title=\"A blog!\"\n"
      "     xmlUrl=\"https://a.example/feed?x=1&amp;y=2\" "
      "htmlUrl=\"https://a.example/\"/></outline>\n"
      "</outline>\n"
      "<outline type=\"rss\" text=\"B\" xmlUrl=\"https://b.example/rss\" category=\"x,/y/z\"/>\n"
      "<outline type=\"link\" text=\"C\" url=\"https://c.example/\"/>\n"
      "<outline type=\"rss\" text=\"D\" xmlUrl=\"feed://d.example/\"/>\n"
      "</body></opml>\n");
  EXPECT_EQ(list.format, Format::opml);
  ASSERT_EQ(list.pages.size(), 3u) << all_of(list.left_out);
  EXPECT_EQ(list.pages[0].url, "https://a.example/feed?x=1&y=2");
  EXPECT_EQ(list.pages[0].name, "A blog!");
  EXPECT_EQ(list.pages[0].tags, (Texts{"Tech & more", "Deeper"}));
  EXPECT_EQ(list.pages[1].tags, (Texts{"x", "/y/z"}));
  EXPECT_EQ(list.pages[2].url, "https://c.example/");
  EXPECT_EQ(list.left_out.kept.front().line, 9u) << all_of(list.left_out);
  expect_same_when_loaded(list);
}

TEST(ImportOpml, what_is_none_is_refused) {
  EXPECT_TRUE(contains(refused("<urlset/>", Format::opml).message, "there is no <opml>"));
  std::string deep = "<opml><body>";
  for (int i = 0; i < 10'000; ++i) deep += "<outline text='x'>";
  EXPECT_TRUE(contains(refused(deep, Format::opml).message, "deeper than"));
}

const std::string bookmarks =
    "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n"
    "<META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; charset=UTF-8\">\n"
    "<TITLE>Bookmarks</TITLE><H1>Bookmarks Menu</H1>\n"
    "<DL><p>\n"
    "    <DT><H3 ADD_DATE=\"1\">Caf\xC3\xA9s &amp; bars</H3>\n"
    "    <DL><p>\n"
    "        <DT><A HREF=\"https://a.example/?x=1&amp;y=&quot;z&quot;\" ICON=\"data:,>\""
    " TAGS=\"old,new\">A &lt;place&gt; &#x263A;</A>\n"
    "        <DD>a description\n"
    "        <DT><H3>Inner</H3>\n"
    "        <DL><p>\n"
    "            <DT><A HREF='https://b.example/'>B</A>\n"
    "        </DL><p>\n"
    "    </DL><p>\n"
    "    <DT><A HREF=\"javascript:alert(1)\">no page</A>\n"
    "    <HR>\n"
    "    <DT><A HREF=\"https://c.example/\">https://c.example/</A>\n"
    "</DL><p>\n";

TEST(ImportBookmarks, folders_become_tags) {
  const Imported list = imported(bookmarks);
  EXPECT_EQ(list.format, Format::bookmarks);
  ASSERT_EQ(list.pages.size(), 3u) << all_of(list.left_out);
  EXPECT_EQ(list.pages[0].url, "https://a.example/?x=1&y=%22z%22") << "quotes in a URL";
  EXPECT_EQ(list.pages[0].name, "A <place> \xE2\x98\xBA");
  EXPECT_EQ(list.pages[0].tags, (Texts{"Caf\xC3\xA9s & bars", "old", "new"}));
  EXPECT_EQ(list.pages[1].tags, (Texts{"Caf\xC3\xA9s & bars", "Inner"}));
  EXPECT_EQ(list.pages[2].tags, Texts{});
  EXPECT_EQ(list.pages[2].name, "");
  EXPECT_TRUE(has_note(list.left_out, 14, "javascript:alert(1)")) << all_of(list.left_out);
  expect_same_when_loaded(list);
}

TEST(ImportBookmarks, any_depth_and_any_damage_ends) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<DL><DT><H3>x</H3>";
  const Imported list = imported(deep + "<A HREF=https://a.example/>", Format::bookmarks);
  EXPECT_EQ(list.pages.size(), 1u);
  EXPECT_EQ(list.pages[0].tags, Texts{"x"});
  for (std::size_t cut = 0; cut < bookmarks.size(); ++cut) {
    static_cast<void>(imported(bookmarks.substr(0, cut), Format::bookmarks));
  }
}

}  // namespace
}  // namespace pollux::import

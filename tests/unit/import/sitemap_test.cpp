#include "imported.hpp"

#include <zlib.h>

namespace pollux::import {
namespace {

using Texts = std::vector<std::string>;

std::string gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

const std::string map =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"\n"
    "        xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\">\n"
    "  <url><loc> https://shop.example/a?x=1&amp;y=2 </loc><changefreq>daily</changefreq></url>\n"
    "  <url>\n    <loc><![CDATA[https://shop.example/b]]></loc>\n"
    "    <image:image><image:loc>https://cdn.example/b.png</image:loc></image:image>\n  </url>\n"
    "  <url><loc>/relative</loc></url>\n"
    "</urlset>\n";

TEST(ImportSitemap, takes_the_pages_and_not_their_images) {
  const Imported list = imported(map);
  EXPECT_EQ(list.format, Format::sitemap);
  EXPECT_EQ(urls_of(list), (Texts{"https://shop.example/a?x=1&y=2", "https://shop.example/b"}));
  EXPECT_TRUE(has_note(list.left_out, 9, "/relative")) << all_of(list.left_out);
  EXPECT_TRUE(has_note(list.left_out, 0, "changefreq and priority"));
  expect_same_when_loaded(list);
}

TEST(ImportSitemap, gzip_is_undone) {
  EXPECT_EQ(imported(gzip(map)).pages.size(), 2u);
  const Error cut = refused(gzip(map).substr(0, 60));
  EXPECT_TRUE(contains(cut.message, "cut short")) << cut.message;
  std::string broken = gzip(map);
  broken[30] = static_cast<char>(~broken[30]);
  EXPECT_TRUE(contains(refused(broken).message, "gzip that is"));
}

TEST(ImportSitemap, an_index_names_the_sitemaps_that_are_not_there) {
  const std::string index =
      "<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
      "<sitemap><loc>https://shop.example/maps/one.xml.gz</loc></sitemap>"
      "<sitemap><loc>https://shop.example/maps/two.xml?v=2</loc></sitemap></sitemapindex>";
  EXPECT_EQ(imported(index).further, (Texts{"https://shop.example/maps/one.xml.gz",
                                            "https://shop.example/maps/two.xml?v=2"}));
  const std::vector<File> files = {{"maps/index.xml", index}, {"maps/one.xml.gz", gzip(map)}};
  const Result<Imported> list = import_files(files, Format::automatic);
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->pages.size(), 2u);
  EXPECT_EQ(list->further, (Texts{"https://shop.example/maps/two.xml?v=2"}));
}

TEST(ImportSitemap, a_broken_neighbour_costs_only_itself) {
  const std::vector<File> files = {
      {"index.xml",
       "<sitemapindex><sitemap><loc>https://a.example/one.xml</loc></sitemap>"
       "<sitemap><loc>https://a.example/two.xml</loc></sitemap></sitemapindex>"},
      {"one.xml",
       "<urlset><url>"
       "<loc>https://a.example/</loc"},
      {"two.xml", map}};
  const Result<Imported> list = import_files(files, Format::automatic);
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->pages.size(), 2u);
  EXPECT_EQ(list->left_out.kept.front().file, "one.xml");
}

TEST(ImportSitemap, what_is_none_is_refused_with_its_line) {
  EXPECT_TRUE(contains(refused("<html></html>", Format::sitemap).message, "no sitemap"));
  const Error broken = refused("<urlset>\n<url>\n<loc a=b>x</loc></url></urlset>");
  EXPECT_TRUE(contains(broken.message, "in line 3")) << broken.message;
}

TEST(ImportSitemap, entities_of_its_own_are_refused) {
  const Error error = refused(
      "<!DOCTYPE urlset [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\">]>"
      "<urlset><url><loc>https://a.example/&b;</loc></url></urlset>",
      Format::sitemap);
  EXPECT_TRUE(contains(error.message, "document type of its own")) << error.message;
}

TEST(ImportSitemap, one_of_the_longest_that_are_allowed_is_read) {
  std::string text = "<urlset>\n";
  for (int i = 0; i < 50'000; ++i) {
    text += "<url><loc>https://shop.example/item/" + std::to_string(i) +
            "</loc><lastmod>2026-11-01</lastmod></url>\n";
  }
  const Imported list = imported(text + "<url><loc>x</loc></url></urlset>");
  EXPECT_EQ(list.pages.size(), 50'000u);
  EXPECT_TRUE(has_note(list.left_out, 50'002, "x")) << all_of(list.left_out);
}

}  // namespace
}  // namespace pollux::import

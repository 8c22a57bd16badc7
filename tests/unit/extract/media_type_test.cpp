#include "extract/media_type.hpp"

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

TEST(MediaType, is_lower_case_and_without_parameters) {
  const MediaType media = parse_media_type(" Text/HTML ; Charset=\"UTF-8\"; x=y");
  EXPECT_EQ(media.type, "text/html");
  EXPECT_EQ(media.charset, "UTF-8");
  EXPECT_EQ(parse_media_type("text/html;charset=a;charset=b").charset, "a");
  EXPECT_EQ(parse_media_type("text/html; x=\"a;charset=b\"").charset, "");
}

TEST(MediaType, placeholders_are_none) {
  for (const char* none : {"", "*/*", "unknown/unknown", "nonsense", ";charset=x"})
    EXPECT_EQ(parse_media_type(none).type, "") << none;
  EXPECT_EQ(parse_media_type(";charset=x").charset, "x");
}

TEST(MediaType, is_sniffed_where_the_server_says_nothing) {
  EXPECT_EQ(sniff_media_type("\n <!DOCTYPE html>\n<p>x"), "text/html");
  EXPECT_EQ(sniff_media_type("<HTML>"), "text/html");
  EXPECT_EQ(sniff_media_type("<!-- x -->"), "text/html");
  EXPECT_EQ(sniff_media_type("<?xml version='1.0'?><html xmlns='x'>"), "text/html");
  EXPECT_EQ(sniff_media_type("<?xml version='1.0'?><!-- x --><rss version='2.0'>"),
            "application/rss+xml");
  EXPECT_EQ(sniff_media_type("<feed xmlns='x'>"), "application/atom+xml");
  EXPECT_EQ(sniff_media_type("<rdf:RDF>"), "application/rdf+xml");
  EXPECT_EQ(sniff_media_type("<?xml version='1.0'?><urlset>"), "text/xml");
  EXPECT_EQ(sniff_media_type(" {\"a\": 1}\n"), "application/json");
  EXPECT_EQ(sniff_media_type("[1, 2]"), "application/json");
  EXPECT_EQ(sniff_media_type("{ x }"), "text/plain");
  EXPECT_EQ(sniff_media_type("Hello"), "text/plain");
  EXPECT_EQ(sniff_media_type(""), "text/plain");
  EXPECT_EQ(sniff_media_type("%PDF-1.7"), "application/pdf");
  EXPECT_EQ(sniff_media_type(std::string_view("\x7F"
                                              "ELF\0\1",
                                              6)),
            "application/octet-stream");
  EXPECT_EQ(sniff_media_type(std::string_view("\xFF\xFE<\0h\0t\0m\0l\0>\0", 14)), "text/html");
  EXPECT_EQ(sniff_media_type("\xFF\xFE=\xD8\x01\xDE"), "text/plain") << "no byte of it is its text";
}

TEST(MediaType, says_how_a_document_is_read) {
  EXPECT_EQ(shape_of("application/xhtml+xml"), Shape::html);
  EXPECT_EQ(shape_of("application/ld+json"), Shape::json);
  EXPECT_EQ(shape_of("application/atom+xml"), Shape::xml);
  EXPECT_EQ(shape_of("text/csv"), Shape::text);
  EXPECT_EQ(shape_of("image/png"), Shape::other);
}

}  // namespace
}  // namespace pollux::extract

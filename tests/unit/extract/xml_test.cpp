#include "extract/xml.hpp"

#include "extract/xml_scan.hpp"

#include <gtest/gtest.h>
#include <libxml/tree.h>

namespace pollux::extract {
namespace {

std::string outcome(std::string_view text, const Limits& limits = {}) {
  const auto parsed = parse_xml(text, limits);
  if (const auto* no = std::get_if<Unreadable>(&parsed)) return "unreadable: " + no->reason;
  if (const auto* too = std::get_if<TooComplex>(&parsed)) return "too complex: " + too->reason;
  return text_of(xmlDocGetRootElement(std::get<XmlDocument>(parsed).get()));
}
std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Xml, the_text_below_a_node_is_joined) {
  EXPECT_EQ(outcome("<a>x<b>y<![CDATA[<z>]]></b><!-- no --><?no no?>&amp;&#233;</a>"), "xy<z>&é");
}

TEST(Xml, an_encoding_it_declares_is_not_believed) {
  EXPECT_EQ(outcome("<?xml version='1.0' encoding='koi8-r'?><a>é</a>"), "é");
}

TEST(Xml, bare_ampersands_and_unknown_entities_are_passed_over) {
  EXPECT_EQ(outcome("<a>x & y</a>").substr(0, 2), "x ");
  EXPECT_EQ(outcome("<a>x&nbsp;y</a>"), "xy");
}

TEST(Xml, entities_are_refused_however_they_are_declared) {
  const std::string laughs =
      "<!DOCTYPE l [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">"
      "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\">]><l>&c;</l>";
  EXPECT_EQ(outcome(laughs), "unreadable: it declares a document type of its own");
  EXPECT_EQ(outcome("<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><r>&x;</r>"),
            "unreadable: it declares a document type of its own");
  EXPECT_EQ(outcome("<!DOCTYPE r SYSTEM \"[\" [<!ENTITY % x SYSTEM 'http://x/'> %x;]><r/>"),
            "unreadable: it declares a document type of its own");
  EXPECT_EQ(outcome("<r><!ENTITY x 'y'>&x;</r>"),
            "unreadable: a declaration outside a document type at byte 3");
}

TEST(Xml, a_document_type_elsewhere_is_not_loaded) {
  EXPECT_EQ(outcome("<!DOCTYPE rss PUBLIC \"-//x\" \"file:///etc/passwd\"><rss>x</rss>"), "x");
}

TEST(Xml, tags_must_be_well_formed) {
  for (const char* text : {"",
                           "x",
                           "<",
                           "<a",
                           "<a b>",
                           "<a b=c>",
                           "<a b='<'>",
                           "<a b='x'c='y'>",
                           "<a 'b'>",
                           "< a>",
                           "</",
                           "<!-- ",
                           "<![CDATA[",
                           "<?x",
                           "<!DOCTYPE a",
                           "<a b=\"x>",
                           "<1a/>",
                           "</>",
                           "<?xml a><b>?><c/>",
                           "<!DOCTYPE a \"x\"><a/>",
                           "<!DOCTYPE a PUBLIC \"x\"><a/>",
                           "<!DOCTYPE a SYSTEM \"<\"><a/>"}) {
    EXPECT_TRUE(outcome(text).starts_with("unreadable: ")) << text << " → " << outcome(text);
  }
}

TEST(Xml, characters_that_xml_does_not_have_are_blanks) {
  EXPECT_EQ(outcome(std::string("<a>x\0y\x01<![CDATA[z\x02]]></a>", 25)), "x y z ");
}

TEST(Xml, what_would_take_libxml2_long_is_refused) {
  EXPECT_EQ(outcome(repeated("<a>", 300) + repeated("</a>", 300)), "too complex: deeper than 256");
  EXPECT_EQ(outcome("<a>" + repeated("<b/>", 200'001) + "</a>"),
            "too complex: more than 200 000 nodes");
  std::string attributes = "<a";
  std::string prefixes = "<a";
  for (int i = 0; i < 300; ++i) {
    attributes += " a" + std::to_string(i) + "=''";
    prefixes += (i % 2 == 0 ? " xmlns:a" : "'><b xmlns:a") + std::to_string(i) + "='x";
  }
  EXPECT_EQ(outcome(attributes + "/>"), "too complex: more than 256 attributes of one tag");
  std::string nested;
  for (int i = 0; i < 200; ++i)
    nested += "<a xmlns:p" + std::to_string(i) + "='x' xmlns:q" + std::to_string(i) + "='x'>";
  EXPECT_EQ(outcome(nested + repeated("</a>", 200)), "too complex: more than 256 prefixes");
}

TEST(Xml, prefixes_are_counted_where_they_hold) {
  EXPECT_EQ(outcome("<a>" + repeated("<b xmlns='x' xmlns:y='z'>.</b>", 1000) + "</a>"),
            std::string(1000, '.'));
}

TEST(Xml, the_root_is_found_behind_what_may_precede_it) {
  EXPECT_EQ(root_of("\n<?xml version='1.0'?>\n<!-- <a> --><!DOCTYPE x><b:rss>"), "rss");
  EXPECT_EQ(root_of("<rss"), "rss");
  EXPECT_EQ(root_of("text <rss>"), "");
  EXPECT_EQ(root_of("<!DOCTYPE x [ <a> ]><b>"), "");
  EXPECT_EQ(root_of("{\"a\": \"<rss>\"}"), "");
}

TEST(Xml, ends_on_any_cut) {
  const std::string text =
      "<?xml version='1.0'?><!DOCTYPE a SYSTEM \"x\"><!-- c --><a b='c'><![CDATA[x]]>y<d/></a>";
  for (std::size_t size = 0; size < text.size(); ++size) outcome(text.substr(0, size));
  EXPECT_EQ(outcome(text), "xy");
}

}  // namespace
}  // namespace pollux::extract

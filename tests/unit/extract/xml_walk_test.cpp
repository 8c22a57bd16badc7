#include "pollux/extract/xml_walk.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

// What is visited, in one line.
class Story final : public XmlVisitor {
 public:
  std::string text_;
  void start(std::string_view name, std::span<const XmlAttribute> attributes,
             std::uint32_t line) override {
    text_ += "<" + std::string(name) + "@" + std::to_string(line);
    for (const XmlAttribute& one : attributes)
      text_ += " " + std::string(one.name) + "=" + std::string(one.value);
    text_ += ">";
  }
  void text(std::string_view text) override { text_ += text; }
  void end(std::string_view name) override { text_ += "</" + std::string(name) + ">"; }
};

TEST(XmlWalk, visits_elements_with_their_lines_and_without_prefixes) {
  Story story;
  const auto walked = walk_xml(
      "<?xml version='1.0'?>\n<a xmlns:p='urn:x'>\n<p:b c='1&amp;2' "
      "p:d='&lt;&#38;'/>t&amp;<![CDATA[<u>]]></a>",
      story);
  ASSERT_TRUE(walked.ok()) << walked.error().message;
  EXPECT_EQ(*walked, Walked::well_formed);
  EXPECT_EQ(story.text_, "<a@2>\n<b@3 c=1&2 d=<&></b>t&<u></a>");
}

TEST(XmlWalk, lines_beyond_what_a_tree_can_count_are_right) {
  Story story;
  ASSERT_TRUE(walk_xml("<a>" + std::string(100'000, '\n') + "<b/></a>", story).ok());
  EXPECT_NE(story.text_.find("<b@100001>"), std::string::npos);
}

TEST(XmlWalk, a_bare_ampersand_is_passed_over_and_told) {
  Story story;
  const auto walked = walk_xml("<a><b>x & y</b><c/></a>", story);
  ASSERT_TRUE(walked.ok());
  EXPECT_EQ(*walked, Walked::with_errors);
  EXPECT_NE(story.text_.find("<c@1>"), std::string::npos) << story.text_;
}

TEST(XmlWalk, what_is_beyond_its_bounds_is_refused_before_anything_is_visited) {
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "<a>";
  for (const std::string& text :
       {deep, std::string("<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>"),
        std::string("<a>\n<b c=></a>"), std::string("no XML"), std::string()}) {
    Story story;
    const auto walked = walk_xml(text, story);
    ASSERT_FALSE(walked.ok()) << text.substr(0, 60);
    EXPECT_EQ(walked.error().exit_code, ExitCode::bad_data);
    EXPECT_EQ(story.text_, "");
  }
  Story story;
  EXPECT_NE(walk_xml("<a>\n<b c=></a>", story).error().message.find("in line 2"),
            std::string::npos);
}

TEST(XmlWalk, the_root_is_known_by_its_name) {
  EXPECT_EQ(xml_root("<!-- x --><p:opml>"), "opml");
  EXPECT_EQ(xml_root("hello"), "");
}

}  // namespace
}  // namespace pollux::extract

#include "extract/feed.hpp"

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

std::string entries(std::string_view text, const Limits& limits = {}) {
  const auto result = feed_entries(text, limits);
  if (const auto* no = std::get_if<Unreadable>(&result)) return "unreadable: " + no->reason;
  if (const auto* too = std::get_if<TooComplex>(&result)) return "too complex: " + too->reason;
  return std::get<std::string>(result);
}

TEST(Feed, rss_becomes_its_items) {
  EXPECT_EQ(entries(R"(<?xml version="1.0"?><rss version="2.0"><channel><title>All</title>
    <lastBuildDate>Mon, 01 Jan 2024 00:00:00 GMT</lastBuildDate><ttl>5</ttl><generator>g</generator>
    <item><title>One &amp;
       two</title><link>https://x/1</link><guid>https://x/1</guid>
      <pubDate>Tue, 02 Jan 2024</pubDate>
      <description>&lt;p&gt;Hello &lt;b&gt;you&lt;/b&gt;&lt;p&gt;again</description></item>
    <item><title>Three</title><guid isPermaLink="false">g3</guid></item>
    </channel></rss>)"),
            "One & two\nhttps://x/1\npublished: Tue, 02 Jan 2024\nHello you\nagain\n"
            "\nThree\nid: g3\n");
}

TEST(Feed, what_is_said_of_the_whole_feed_is_left_out) {
  const auto feed = [](const char* built) {
    return "<rss><channel><title>t</title><lastBuildDate>" + std::string(built) +
           "</lastBuildDate><item><title>x</title></item></channel></rss>";
  };
  EXPECT_EQ(entries(feed("1")), entries(feed("2")));
}

TEST(Feed, atom_becomes_its_entries) {
  EXPECT_EQ(
      entries(R"(<feed xmlns="http://www.w3.org/2005/Atom"><title>f</title><updated>u</updated>
    <entry><title type="html">a &amp;lt; b</title><link rel="self" href="s"/>
      <link href="https://x/a"/><id>urn:1</id><updated>2024-02-02</updated>
      <published>2024-01-01</published><summary>short</summary>
      <content type="xhtml"><div xmlns="x"><p>One<br/>two</p><p><a href="y">z</a></p></div></content>
    </entry></feed>)"),
      "a < b\nhttps://x/a\nid: urn:1\npublished: 2024-01-01\nOne\ntwo\nz <y>\n");
}

TEST(Feed, rdf_becomes_its_items) {
  EXPECT_EQ(entries(R"(<rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/" xmlns:dc="d">
    <channel><title>c</title></channel>
    <item rdf:about="x"><title>T</title><link>L</link><dc:date>D</dc:date>
    <description>S</description></item></rdf:RDF>)"),
            "T\nL\npublished: D\nS\n");
}

TEST(Feed, the_whole_text_replaces_the_summary) {
  EXPECT_EQ(
      entries("<rss xmlns:content='c'><channel><item><description>s</description>"
              "<content:encoded><![CDATA[<p>all</p>]]></content:encoded></item></channel></rss>"),
      "all\n");
}

TEST(Feed, elements_of_others_do_not_count) {
  EXPECT_EQ(
      entries("<rss xmlns:media='m' xmlns:itunes='i'><channel><item><media:title>m</media:title>"
              "<title>t</title><itunes:summary>s</itunes:summary></item></channel></rss>"),
      "t\n");
}

TEST(Feed, an_empty_feed_is_empty) {
  EXPECT_EQ(entries("<rss><channel/></rss>"), "");
}

TEST(Feed, what_is_none_is_said) {
  EXPECT_EQ(entries("<html><p>x</p></html>"),
            "unreadable: its root is neither rss nor feed nor RDF");
  EXPECT_EQ(entries("<rss><channel><item"), "unreadable: no end of the tag at byte 14");
  EXPECT_TRUE(entries("{}").starts_with("unreadable: "));
}

TEST(Feed, entities_of_its_own_are_refused) {
  EXPECT_EQ(entries("<!DOCTYPE rss [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><rss><channel><item>"
                    "<title>&x;</title></item></channel></rss>"),
            "unreadable: it declares a document type of its own");
}

TEST(Feed, more_than_may_be_kept_is_refused) {
  std::string feed = "<rss><channel>";
  for (int i = 0; i < 100; ++i) feed += "<item><title>" + std::string(100, 'x') + "</title></item>";
  EXPECT_EQ(entries(feed + "</channel></rss>", {.max_kept = 1000}),
            "too complex: more than 1 000 bytes to keep");
}

}  // namespace
}  // namespace pollux::extract

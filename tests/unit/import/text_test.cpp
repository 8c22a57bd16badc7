#include "imported.hpp"

namespace pollux::import {
namespace {

using Texts = std::vector<std::string>;

TEST(ImportText, takes_one_url_a_line) {
  const Imported list = imported(
      "# my pages\nhttps://a.example/\n\n  http://b.example/x#part   # why\r\n"
      "- https://c.example/?q=1\n");
  EXPECT_EQ(list.format, Format::text);
  EXPECT_EQ(urls_of(list),
            (Texts{"https://a.example/", "http://b.example/x", "https://c.example/?q=1"}));
  EXPECT_EQ(list.left_out.count, 0u) << all_of(list.left_out);
  expect_same_when_loaded(list);
}

TEST(ImportText, a_bad_line_is_named_and_the_rest_goes_on) {
  const Imported list = imported(
      "https://a.example/\nftp://b.example/\nhello\nhttps://c.example:99999/\nhttps://d.example/ "
      "Some title\n");
  EXPECT_EQ(urls_of(list), (Texts{"https://a.example/", "https://d.example/"}));
  EXPECT_EQ(list.left_out.count, 4u);
  EXPECT_TRUE(has_note(list.left_out, 2, "ftp://b.example/")) << all_of(list.left_out);
  EXPECT_TRUE(has_note(list.left_out, 3, "hello"));
  EXPECT_TRUE(has_note(list.left_out, 4, "c.example"));
  EXPECT_TRUE(has_note(list.left_out, 5, "behind the URL: Some title"));
}

TEST(ImportText, a_missing_scheme_is_added_and_told) {
  const Imported list = imported("example.org/news\nwww.example.net\n");
  EXPECT_EQ(urls_of(list), (Texts{"https://example.org/news", "https://www.example.net/"}));
  EXPECT_TRUE(has_note(list.changed, 1, "https:// was added")) << all_of(list.changed);
  EXPECT_EQ(list.changed.count, 2u);
}

TEST(ImportText, a_url_that_stands_twice_is_taken_once_and_told) {
  const Imported list = imported("https://a.example\nHTTPS://A.example/\n");
  EXPECT_EQ(list.pages.size(), 1u);
  EXPECT_TRUE(has_note(list.left_out, 2, "it stands twice"));
}

TEST(ImportText, a_login_in_a_url_becomes_a_secret_and_is_never_told) {
  const Imported list = imported("https://anna:p%40ss@a.example/x\nhttps://anna@b.example/\n");
  ASSERT_EQ(list.pages.size(), 2u);
  EXPECT_EQ(list.pages[0].url, "https://a.example/x");
  EXPECT_EQ(list.pages[0].login, "anna:p@ss");
  EXPECT_EQ(list.pages[1].login, "anna:");
  const std::vector<Secret> secrets = secrets_of(list);
  ASSERT_EQ(secrets.size(), 2u);
  EXPECT_EQ(secrets[0], (Secret{"a.example-login", "anna:p@ss"}));
  EXPECT_FALSE(contains(pages_yaml(list, {}, "x"), "anna"));
  EXPECT_FALSE(contains(all_of(list.changed) + all_of(list.left_out), "p@ss"));
  const config::Config config = loaded(list);
  ASSERT_EQ(config.pages.size(), 2u);
  const auto& lines = *config.header_sets[config.settings[config.pages[0].settings].headers];
  EXPECT_EQ(lines, (config::HeaderLines{"Authorization: Basic YW5uYTpwQHNz"}));
}

TEST(ImportText, whatever_the_editor_left_is_read) {
  EXPECT_EQ(urls_of(imported("\xEF\xBB\xBFhttps://a.example/\r\n")), Texts{"https://a.example/"});
  const std::string utf16("\xFF\xFEh\0t\0t\0p\0:\0/\0/\0a\0.\0d\0e\0/\0\n\0", 28);
  const Imported wide = imported(utf16);
  EXPECT_EQ(urls_of(wide), Texts{"http://a.de/"});
  EXPECT_TRUE(has_note(wide.changed, 0, "read as UTF-16LE"));
  const Imported latin = imported("# caf\xE9\nhttps://a.example/\n");
  EXPECT_EQ(latin.pages.size(), 1u);
  EXPECT_TRUE(has_note(latin.changed, 0, "read as windows-1252"));
}

TEST(ImportText, what_is_no_list_is_said_to_be_none) {
  const Error bytes =
      refused(std::string("\x7F"
                          "ELF\0\0\nhttps://a.example/\n",
                          27));
  EXPECT_TRUE(contains(bytes.message, "no text")) << bytes.message;
  const Error ours = refused("# From x\npages:\n  - url: https://a.example/\n");
  EXPECT_TRUE(contains(ours.message, "pages_file")) << ours.message;
}

TEST(ImportText, a_list_of_urls_alone_is_written_as_one) {
  const std::string yaml = pages_yaml(imported("https://a.example/\n"), {}, "From x");
  EXPECT_EQ(yaml, "# From x\n- https://a.example/\n");
}

TEST(ImportText, a_heading_cannot_forge_a_line) {
  const std::string yaml = pages_yaml(imported("https://a.example/\n"), {}, "x\n- https://evil/");
  EXPECT_EQ(std::count(yaml.begin(), yaml.end(), '\n'), 2);
}

}  // namespace
}  // namespace pollux::import

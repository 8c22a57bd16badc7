#include "config/foreign_file.hpp"

#include "loaded.hpp"

namespace pollux::config {
namespace {

const std::string urlwatch =
    "name: news\nurl: https://example.org/news\nfilter:\n  - html2text\n---\n"
    "name: prices\nnavigate: 'https://example.org/prices'\n";
const std::string changedetection =
    R"({"note": "x", "watching": {"9ab": {"url": "https://example.org/", "tag": ""}},)"
    R"( "settings": {"headers": {}}})";

TEST(ForeignFile, of_urlwatch_is_known_by_name_and_the_import_is_named) {
  for (const std::string& text : {urlwatch, std::string("url: https://example.org/\n")}) {
    const std::string message = refused(text).message;
    EXPECT_TRUE(contains(message, "test.yaml:1: this is a list of jobs for urlwatch")) << message;
    EXPECT_TRUE(contains(message, "`pollux import test.yaml --out pages.yaml`")) << message;
    EXPECT_TRUE(contains(message, "pages_file: pages.yaml")) << message;
  }
  EXPECT_TRUE(contains(refused("display:\n  diff: true\nreport:\n  text: {}\n").message,
                       "these are the settings of urlwatch"));
}

TEST(ForeignFile, of_changedetection_io_is_known_by_name_and_the_import_is_named) {
  const std::string message = refused(changedetection).message;
  EXPECT_TRUE(contains(message, "test.yaml:1: this is a file of changedetection.io")) << message;
  EXPECT_TRUE(contains(message, "`pollux import test.yaml --out pages.yaml`")) << message;
}

TEST(ForeignFile, as_a_pages_file_is_known_too) {
  const TempFolder folder;
  folder.write("urls.yaml", urlwatch);
  folder.write("url-watches.json", changedetection);
  const auto jobs = load(folder.write("a.yaml", "budget: 1\npages_file: urls.yaml\n"));
  ASSERT_FALSE(jobs.ok());
  EXPECT_TRUE(contains(jobs.error().message, "urls.yaml:1: this is a list of jobs for urlwatch"));
  EXPECT_EQ(jobs.error().exit_code, ExitCode::bad_data);
  const auto watches = load(folder.write("b.yaml", "budget: 1\npages_file: url-watches.json\n"));
  ASSERT_FALSE(watches.ok());
  EXPECT_TRUE(contains(watches.error().message,
                       "b.yaml:2: pages_file: this is a file of "
                       "changedetection.io"))
      << watches.error().message;
}

TEST(ForeignFile, is_none_of_ours) {
  EXPECT_FALSE(foreign_file("budget: 1\nurl: x\n", "f"));
  EXPECT_FALSE(foreign_file("pages:\n  - url: http://a.example/\n", "f"));
  EXPECT_FALSE(foreign_file("- url: http://a.example/\n", "f"));
  EXPECT_FALSE(foreign_file(R"({"budget": 1, "pages": [{"url": "http://a.example/"}]})", "f"));
}

}  // namespace
}  // namespace pollux::config

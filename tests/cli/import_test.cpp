// `pollux import` as a user runs it: files in, a list that the daemon reads and a report out.
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace pollux::cli {
namespace {

namespace fs = std::filesystem;

class ImportCommand : public testing::Test {
 protected:
  test::Finished run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "import");
    return test::Program(POLLUX_BINARY, output_, std::move(arguments)).wait();
  }
  static std::string text_of(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // What `pollux check` says of a configuration with this list.
  test::Finished checked(const std::string& list) {
    const std::string config = folder_.write(
        "pollux.yaml", "budget: 10\npages_file: " + list + "\nhosts: { delay: 100ms }\n");
    return test::Program(POLLUX_BINARY, output_, {"check", "--config", config}).wait();
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  test::TempFolder folder_, output_;
};

TEST_F(ImportCommand, a_list_of_urlwatch_becomes_one_that_the_daemon_reads) {
  const std::string jobs = folder_.write(
      "jobs.yaml",
      "name: News\nurl: https://example.org/news\nfilter:\n  - css: main\n  - html2text\n"
      "  - shellpipe: secret-command\nheaders:\n  Authorization: Bearer t0ps3cret\n---\n"
      "url: https://anna:pa55@example.net/\n");
  const std::string list = folder_.file("pages.yaml");
  const test::Finished done = run({jobs, "--out", list});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(has(done.out, "(urlwatch): 2 pages, 1 with a name, 2 with rules")) << done.out;
  EXPECT_TRUE(has(done.out, "jobs.yaml:6: https://example.org/news: shellpipe: commands are not"))
      << done.out;
  EXPECT_TRUE(has(done.out, "secret in pages-secrets/example.org-authorization")) << done.out;
  EXPECT_TRUE(has(done.out, "pages_file: pages.yaml"));
  for (const char* const secret : {"t0ps3cret", "pa55", "secret-command"}) {
    EXPECT_FALSE(has(done.out + done.err, secret)) << secret;
    EXPECT_FALSE(has(text_of(list), secret)) << secret;
  }
  struct stat info {};
  const fs::path secrets = folder_ / "pages-secrets";
  EXPECT_EQ(text_of(secrets / "example.org-authorization"), "Bearer t0ps3cret\n");
  EXPECT_EQ(text_of(secrets / "example.net-login"), "anna:pa55\n");
  ASSERT_EQ(::stat((secrets / "example.net-login").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat(secrets.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  const test::Finished check = checked("pages.yaml");
  EXPECT_EQ(check.exit_code, 0) << check.err << text_of(list);
  EXPECT_TRUE(has(check.out, "2 pages on 2 hosts")) << check.out;
  EXPECT_FALSE(has(check.out, "secret")) << "their files are not readable by all: " << check.out;
}

TEST_F(ImportCommand, a_link_in_the_place_of_the_folder_of_secrets_is_not_followed) {
  const std::string jobs =
      folder_.write("jobs.yaml", "url: https://a.example/\ncookies: {sid: t0ps3cret}\n");
  const fs::path elsewhere = folder_ / "elsewhere";
  fs::create_directory(elsewhere);
  fs::create_directory_symlink(elsewhere, folder_ / "pages-secrets");
  const test::Finished done = run({jobs, "--out", folder_.file("pages.yaml")});
  EXPECT_EQ(done.exit_code, 73) << done.out;
  EXPECT_TRUE(has(done.err, "pages-secrets: a link or a file stands there")) << done.err;
  EXPECT_TRUE(fs::is_empty(elsewhere));
}

TEST_F(ImportCommand, without_a_file_for_it_the_list_is_printed_and_secrets_are_not) {
  const std::string jobs =
      folder_.write("jobs.yaml", "url: https://a.example/\ncookies: {sid: t0ps3cret}\n");
  const test::Finished done = run({jobs});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(has(done.out, "url: https://a.example/")) << done.out;
  EXPECT_TRUE(has(done.err, "not written: 1 secret; with --out FILE")) << done.err;
  EXPECT_FALSE(has(done.out + done.err, "t0ps3cret"));
  folder_.write("pages.yaml", done.out);
  EXPECT_EQ(checked("pages.yaml").exit_code, 0);
}

TEST_F(ImportCommand, nothing_is_overwritten) {
  const std::string list = folder_.write("urls.yaml", "url: https://a.example/\n");
  const test::Finished done = run({list, "--out", list});
  EXPECT_EQ(done.exit_code, 73) << done.out;
  EXPECT_TRUE(has(done.err, "it exists; choose another name")) << done.err;
  EXPECT_EQ(text_of(list), "url: https://a.example/\n");
  EXPECT_EQ(run({list, "--out", folder_.file("list.txt")}).exit_code, 64);
}

TEST_F(ImportCommand, what_cannot_be_read_has_an_exit_code_of_its_own) {
  EXPECT_EQ(run({folder_.file("missing")}).exit_code, 66);
  EXPECT_EQ(run({folder_.string()}).exit_code, 66) << "no folder of changedetection.io";
  const test::Finished nothing = run({folder_.write("a.txt", "no url\n")});
  EXPECT_EQ(nothing.exit_code, 65);
  EXPECT_TRUE(has(nothing.err, "a.txt:1: no")) << nothing.err;
  EXPECT_TRUE(has(nothing.err, "there is no page in it")) << nothing.err;
  EXPECT_EQ(run({folder_.write("b.json", "{"), "--format", "changedetection"}).exit_code, 65);
  EXPECT_EQ(run({folder_.file("a.txt"), "--format", "nonsense"}).exit_code, 64);
}

TEST_F(ImportCommand, the_report_is_json_where_that_is_asked_for) {
  const std::string file =
      folder_.write("url-watches.json",
                    R"({"watching": {"u": {"url": "https://a.example/", "title": "A", "proxy": "x",
          "notification_urls": ["slack://T0KEN/a"], "time_between_check": {"hours": 2}}}})");
  const test::Finished done = run({file, "--json", "--out", folder_.file("l.yaml")});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const boost::json::object report = boost::json::parse(done.out).as_object();
  EXPECT_EQ(report.at("format"), "changedetection");
  EXPECT_EQ(report.at("pages").to_number<int>(), 1);
  EXPECT_EQ(report.at("with_intervals").to_number<int>(), 1);
  EXPECT_EQ(report.at("not_taken_count").to_number<int>(), 1);
  const boost::json::object& note = report.at("not_taken").at(0).as_object();
  EXPECT_EQ(note.at("url"), "https://a.example/");
  EXPECT_EQ(note.at("line").to_number<int>(), 1);
  EXPECT_EQ(report.at("notifications").at(0).at("service"), "slack");
  EXPECT_EQ(report.at("notifications").at(0).at("file"), "l-secrets/notify-slack");
  EXPECT_EQ(text_of(folder_ / "l-secrets" / "notify-slack"), "slack://T0KEN/a\n");
  EXPECT_FALSE(has(done.out, "T0KEN"));
  const test::Finished only_report = run({file, "--json"});
  EXPECT_EQ(boost::json::parse(only_report.out).at("out"), nullptr);
}

TEST_F(ImportCommand, a_folder_of_changedetection_io_is_read_as_one) {
  folder_.write("changedetection.json", R"({"settings": {"application": {}}})");
  for (const char* const inner : {"w1", "w2", "t1"}) fs::create_directory(folder_ / inner);
  folder_.write("w1/watch.json", R"({"url": "https://a.example/", "tags": ["t1"]})");
  folder_.write("w2/watch.json", R"({"url": "https://b.example/"})");
  folder_.write("t1/tag.json", R"({"title": "news"})");
  folder_.write("url-watches.json", "left behind, and no JSON");
  for (const std::string& path : {folder_.string(), folder_.file("changedetection.json")}) {
    const test::Finished done = run({path});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_TRUE(has(done.out, "tags: [news]")) << done.out;
    EXPECT_TRUE(has(done.err, "2 pages")) << done.err;
  }
}

TEST_F(ImportCommand, sitemaps_beside_an_index_are_read_and_others_named) {
  const std::string index =
      folder_.write("index.xml",
                    "<sitemapindex><sitemap><loc>https://a.example/maps/one.xml</loc></sitemap>"
                    "<sitemap><loc>https://a.example/../two.xml</loc></sitemap>"
                    "<sitemap><loc>https://a.example/maps/..</loc></sitemap></sitemapindex>");
  folder_.write("one.xml", "<urlset><url><loc>https://a.example/1</loc></url></urlset>");
  const test::Finished done = run({index});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(has(done.out, "https://a.example/1")) << done.out;
  EXPECT_TRUE(has(done.err, "not read: https://a.example/../two.xml; put it beside")) << done.err;
  EXPECT_FALSE(has(done.err, "one.xml")) << done.err;
}

TEST_F(ImportCommand, standard_input_is_read) {
  const std::string input = folder_.write("in.txt", "https://a.example/\n");
  const std::string command = test::chosen_program(POLLUX_BINARY) + " import - < '" + input +
                              "' > '" + folder_.file("out.yaml") + "' 2> /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_TRUE(has(text_of(folder_ / "out.yaml"), "- https://a.example/"));
}

TEST_F(ImportCommand, a_pipe_that_nobody_writes_to_does_not_hang) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(run({folder_.file("pipe")}).exit_code, 66);
}

}  // namespace
}  // namespace pollux::cli

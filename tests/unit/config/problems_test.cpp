#include "loaded.hpp"

namespace pollux::config {
namespace {

TEST(Problems, all_of_a_file_are_listed_in_the_order_of_its_lines) {
  const std::vector<std::string> errors = all_errors(
      "pages:\n"
      "  - ftp://a.example/\n"
      "  - { url: 'http://b.example/', importance: 0 }\n"
      "hosts: { delay: soon, dealy: 1s, overrides: { 'a/b': {}, c.example: { robots: x } } }\n"
      "bugdet: 1\n"
      "network: { allow: [here, 10.0.0.0/8, there] }\n"
      "defaults: { headers: { Host: x, Range: y } }\n"
      "defaults: {}\n");
  ASSERT_EQ(errors.size(), 12u);
  const char* const expected[] = {"test.yaml:2: the URL",
                                  "test.yaml:3: importance",
                                  "test.yaml:4: unknown key 'dealy'",
                                  "test.yaml:4: hosts.delay",
                                  "test.yaml:4: ",
                                  "test.yaml:4: ",
                                  "test.yaml:5: unknown key 'bugdet'",
                                  "test.yaml:6: network.allow: 'here'",
                                  "test.yaml:6: network.allow: 'there'",
                                  "test.yaml:7: headers: Host",
                                  "test.yaml:7: headers: Range",
                                  "test.yaml:8: the key 'defaults' stands here for the second"};
  for (std::size_t i = 0; i < errors.size(); ++i) {
    EXPECT_TRUE(errors[i].starts_with(expected[i])) << errors[i];
  }
}

TEST(Problems, the_error_itself_names_the_first_and_counts_the_rest_in_one_line) {
  EXPECT_EQ(refused("budget: 0\npages: [http://a.example/]\nlog: { level: loud }\n").message,
            "test.yaml:1: budget: '0' is not above zero; write for example 20, 0.5, 20/s, 300/min, "
            "5000/h, 100/d or unlimited (and 1 more error; `pollux check` lists all)");
}

TEST(Problems, of_a_long_list_are_told_by_their_number) {
  const TempFolder folder;
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += "no url\n";
  folder.write("u.txt", lines);
  std::vector<std::string> errors;
  const auto result =
      load(folder.write("p.yaml", "budget: -1\npages_file: u.txt\n"), {.errors = &errors});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().exit_code, ExitCode::configuration) << "the configuration comes first";
  ASSERT_EQ(errors.size(), 21u);
  EXPECT_TRUE(contains(errors[0], "p.yaml:1: budget")) << errors[0];
  EXPECT_TRUE(contains(errors[1], "u.txt:1: ")) << errors[1];
  EXPECT_EQ(errors.back(), "and 981 more");
}

TEST(Problems, what_is_missing_is_told_last) {
  const std::vector<std::string> errors = all_errors("log: { level: loud }\n");
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_TRUE(contains(errors[0], "log.level"));
  EXPECT_TRUE(contains(errors[1], "test.yaml:1: there is no budget; write 'budget: 1'"));
  EXPECT_TRUE(contains(errors[2], "test.yaml:1: there are no pages"));
  EXPECT_EQ(all_errors("pages: [http://a.example/]\n").size(), 1u);
}

}  // namespace
}  // namespace pollux::config

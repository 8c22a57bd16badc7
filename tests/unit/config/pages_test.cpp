#include "loaded.hpp"

namespace pollux::config {
namespace {

Result<Loaded> load_with(const TempFolder& folder, const std::string& pages_file,
                         const std::string& more = "") {
  return load(folder.write("p.yaml", "budget: 1\npages_file: " + pages_file + "\n" + more));
}

TEST(Pages, a_text_file_has_one_url_a_line) {
  const TempFolder folder;
  folder.write(
      "u.txt",
      "\xEF\xBB\xBF# my pages\r\n\r\n  https://example.org/a  \r\n"
      "https://example.org/b#part\t# a comment\nhttps://example.org/c#only a comment? no\n");
  const auto spaces = load_with(folder, "u.txt");
  ASSERT_FALSE(spaces.ok());
  EXPECT_TRUE(contains(spaces.error().message, "u.txt:5: ")) << spaces.error().message;
  folder.write("u.txt",
               "\xEF\xBB\xBF# my pages\r\n\r\n  https://example.org/a  \r\n"
               "https://example.org/b#part\t# a comment\n#https://example.org/c");
  const auto result = load_with(folder, "u.txt");
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->config.pages.size(), 2u);
  EXPECT_EQ(result->config.pages[0].url, "https://example.org/a");
  EXPECT_EQ(result->config.pages[1].url, "https://example.org/b");
}

TEST(Pages, a_yaml_file_is_a_list_or_a_mapping_with_pages) {
  const TempFolder folder;
  folder.write("u.yaml", "- http://a.example/\n- {url: http://b.example/, importance: 2}\n");
  folder.write("v.yml", "pages:\n  - http://c.example/\n");
  EXPECT_EQ(load_with(folder, "u.yaml")->config.pages.size(), 2u);
  EXPECT_EQ(load_with(folder, "v.yml")->config.pages.size(), 1u);
  folder.write("w.yaml", "page:\n  - http://c.example/\n");
  const auto wrong = load_with(folder, "w.yaml");
  ASSERT_FALSE(wrong.ok());
  EXPECT_TRUE(contains(wrong.error().message, "w.yaml:1: unknown key 'page' in a pages file"));
  EXPECT_EQ(wrong.error().exit_code, ExitCode::bad_data);
}

// A plain list is read as lines; a document marker forces the way through YAML.
TEST(Pages, a_plain_yaml_list_means_the_same_on_the_quick_way) {
  const TempFolder folder;
  for (const std::string text :
       {"- http://a.example/\n", "# c\n\n- http://a.example/x#y\n  # c\n- http://b.example/ # c\n",
        "- http://a.example/'\"{[,&*!\r\n- https://b.example/?a:b\r\n",
        "- http://a.example/\n  x\n", "- http://a.example:\n", "- http://a.example/: x\n",
        "- http://a.example/\n- - http://b/\n", "- http://a.example/\n-http://b.example/\n",
        "- http://a.example/\n - http://b.example/\n", "- http://a.example/ b\n",
        "- 'http://a.example/'\n- http://b.example/\n", "- ftp://a/\n"}) {
    folder.write("quick.yaml", text);
    folder.write("slow.yaml", "---\n" + text);
    const auto quick = load_with(folder, "quick.yaml");
    const auto slow = load_with(folder, "slow.yaml");
    ASSERT_EQ(quick.ok(), slow.ok()) << text;
    if (!quick.ok()) continue;
    ASSERT_EQ(quick->config.pages.size(), slow->config.pages.size()) << text;
    for (std::size_t i = 0; i < quick->config.pages.size(); ++i) {
      EXPECT_EQ(quick->config.pages[i].url, slow->config.pages[i].url);
    }
  }
}

TEST(Pages, file_and_inline_pages_are_joined_and_inline_ones_come_first) {
  const TempFolder folder;
  folder.write("u.txt", "http://a.example/\nhttp://b.example/\n");
  const auto result =
      load_with(folder, "u.txt", "pages: [{url: 'http://b.example', importance: 5}]\n");
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->config.pages.size(), 2u);
  EXPECT_EQ(result->config.pages[0].url, "http://b.example/");
  ASSERT_FALSE(result->warnings.empty());
  EXPECT_TRUE(
      contains(result->warnings[0].message, "u.txt:2: http://b.example/ stands already in "));
  EXPECT_TRUE(
      contains(result->warnings[0].message, "p.yaml:3; the first is kept, with its options"));
}

TEST(Pages, a_url_that_stands_twice_is_kept_once_with_a_warning) {
  const Loaded twice =
      loaded("budget: 2/d\npages:\n - http://a.example/x\n - HTTP://A.example:80/x#y\n");
  EXPECT_EQ(twice.config.pages.size(), 1u);
  ASSERT_EQ(twice.warnings.size(), 1u);
  EXPECT_EQ(twice.warnings[0].message,
            "test.yaml:4: http://a.example/x stands already in test.yaml:3; the first is kept");
}

TEST(Pages, ports_of_other_services_give_a_warning_with_the_cure) {
  const std::string pages =
      "budget: 1/s\npages:\n  - http://a.example/\n  - http://a.example:25/\n";
  const auto about_ports = [](const Loaded& read) {
    std::vector<std::string> messages;
    for (const Warning& warning : read.warnings) {
      if (contains(warning.message, "port 25")) messages.push_back(warning.message);
    }
    return messages;
  };
  const Loaded read = loaded(pages);
  EXPECT_EQ(about_ports(read),
            std::vector<std::string>{
                "test.yaml:4: http://a.example:25/ will not be polled: port 25 belongs to another "
                "service than the web; network.allow_ports: [25] permits it"});
  EXPECT_EQ(read.config.pages.size(), 2u) << "the others are polled all the same";
  const Loaded allowed = loaded(pages + "network: { allow_ports: [25, 6000] }\n");
  EXPECT_TRUE(about_ports(allowed).empty());
  EXPECT_EQ(allowed.config.fetch.allow_ports, (std::vector<std::uint16_t>{25, 6000}));
  for (const char* bad : {"25", "[0]", "[65536]", "[-1]", "[ssh]", "[2 5]"}) {
    EXPECT_TRUE(
        contains(refused(pages + "network: { allow_ports: " + bad + " }\n").message, "allow_ports"))
        << bad;
  }
}

TEST(Pages, very_many_duplicates_give_few_warnings) {
  std::string text = "budget: unlimited\npages:\n";
  for (int i = 0; i < 1000; ++i) text += " - http://a.example/\n";
  const Loaded many = loaded(text);
  EXPECT_EQ(many.config.pages.size(), 1u);
  ASSERT_EQ(many.warnings.size(), 11u);
  EXPECT_TRUE(contains(many.warnings.back().message, "989 more URLs stand twice"));
}

TEST(Pages, short_urls_survive_the_growth_of_the_list) {
  std::string text = "budget: unlimited\npages:\n";
  for (int i = 0; i < 3000; ++i) text += " - http://a/" + std::to_string(i % 1500) + "\n";
  EXPECT_EQ(loaded(text).config.pages.size(), 1500u);
}

TEST(Pages, a_missing_pages_file_names_the_line_that_asks_for_it) {
  const TempFolder folder;
  const auto missing = load_with(folder, "no.txt");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().exit_code, ExitCode::missing_input);
  EXPECT_TRUE(contains(missing.error().message, "p.yaml:2: pages_file: "));
  EXPECT_TRUE(contains(missing.error().message, "no.txt: the pages file does not exist"));
}

TEST(Pages, a_pages_file_of_another_kind_is_refused) {
  const TempFolder folder;
  folder.write("u.csv", "http://a.example/\n");
  EXPECT_TRUE(contains(load_with(folder, "u.csv").error().message, "name it .yaml, .yml or .txt"));
  EXPECT_EQ(load_with(folder, ".").error().exit_code, ExitCode::configuration);
  std::filesystem::create_directory(folder.file("d.txt"));
  EXPECT_EQ(load_with(folder, "d.txt").error().exit_code, ExitCode::missing_input);
}

TEST(Pages, bad_data_in_a_pages_file_is_no_error_of_the_configuration) {
  const TempFolder folder;
  for (const std::string_view bad :
       {"example.org\n", "ftp://example.org/\n", "http://a.example/\x1b[31m\n",
        "http://user:pw@a.example/\n", "http://a.example/%s\n", "\xff\xfe\n"}) {
    folder.write("u.txt", "# first\n" + std::string(bad));
    const auto result = load_with(folder, "u.txt");
    ASSERT_FALSE(result.ok()) << bad;
    EXPECT_EQ(result.error().exit_code, ExitCode::bad_data);
    EXPECT_TRUE(contains(result.error().message, "u.txt:2: ")) << result.error().message;
    EXPECT_EQ(result.error().message.find('\x1b'), std::string::npos);
  }
  folder.write("u.txt", "http://a.example/" + std::string(1u << 20, 'x'));
  const auto huge = load_with(folder, "u.txt");
  ASSERT_FALSE(huge.ok());
  EXPECT_TRUE(contains(huge.error().message, "longer than 8192"));
  EXPECT_LT(huge.error().message.size(), 1000u);
}

TEST(Pages, format_marks_in_urls_are_inert) {
  const Loaded odd = loaded("pages: ['http://a.example/{}{0}', 'http://a.example/%25s%25n']\n");
  EXPECT_EQ(odd.config.pages[0].url, "http://a.example/%7B%7D%7B0%7D");
  EXPECT_EQ(odd.config.pages[1].url, "http://a.example/%25s%25n");
}

TEST(Pages, many_pages_load_completely) {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 50000; ++i) {
    text += "https://host" + std::to_string(i % 700) + ".example/page/" + std::to_string(i) + "\n";
  }
  folder.write("u.txt", text);
  EXPECT_EQ(load_with(folder, "u.txt")->config.pages.size(), 50000u);
}

}  // namespace
}  // namespace pollux::config

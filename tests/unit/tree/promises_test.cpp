// tests/PROMISES.md says which test keeps which promise. It must not say more than there is.
#include "unit/tree/tree.hpp"

#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace pollux::tree {
namespace {

std::set<std::string> all_tests() {
  static const std::regex declaration(R"(TEST(_F|_P)?\(\s*(\w+),\s*(\w+)\))");
  std::set<std::string> found;
  for (const std::filesystem::path& file : files("tests", {".cpp"})) {
    const std::string text = read(file);
    for (std::sregex_iterator it(text.begin(), text.end(), declaration), end; it != end; ++it) {
      found.insert((*it)[2].str() + "." + (*it)[3].str());
    }
  }
  return found;
}

TEST(Promises, every_test_in_the_table_exists) {
  // Each row of the tables below the promises ends with one test or several.
  static const std::regex row(R"(^\| .+ \| (`[^|]+`) \|$)");
  static const std::regex test(R"(`([A-Za-z0-9_/]+\.[A-Za-z0-9_]+)`)");
  const std::set<std::string> tests = all_tests();
  std::set<std::string> named;
  for (const std::string& line : lines("tests/PROMISES.md")) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    const std::string cell = match[1].str();
    for (std::sregex_iterator it(cell.begin(), cell.end(), test), end; it != end; ++it) {
      named.insert((*it)[1].str());
      EXPECT_TRUE(tests.contains((*it)[1].str())) << line;
    }
  }
  EXPECT_GE(named.size(), 200u);
}

TEST(Promises, every_test_of_a_bad_server_stands_in_the_table) {
  const std::string table = read("tests/PROMISES.md");
  for (const char* file : {"bad_server", "bad_answer", "bad_redirect", "bad_tls", "bad_name"}) {
    static const std::regex declaration(R"(TEST_F\(\s*(\w+),\s*(\w+)\))");
    const std::string text = read("tests/integration/" + std::string(file) + "_test.cpp");
    for (std::sregex_iterator it(text.begin(), text.end(), declaration), end; it != end; ++it) {
      const std::string test = (*it)[1].str() + "." + (*it)[2].str();
      EXPECT_NE(table.find("`" + test + "`"), std::string::npos) << test;
    }
  }
}

}  // namespace
}  // namespace pollux::tree

// The filters of the real urlwatch and the rules made of them keep the same text. Skipped where
// urlwatch is not installed.
#include "imported.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <sys/wait.h>

namespace pollux::import {
namespace {

const std::string page_to_watch =
    "<html><head><title>T</title></head><body>\n"
    "<div id=\"main\">\n<h2>First</h2>\n<p class=\"x\">Price 10 EUR</p>\n<p>Old  entry</p>\n"
    "<p class=\"x\">Price 7 EUR</p>\n<p>Old  entry</p>\n</div>\n<p class=\"foot\">4711 visits</p>\n"
    "</body></html>\n";

// Words, line by line: blanks and empty lines are the business of the converters.
std::string folded(std::string_view text) {
  std::string out;
  bool blank = true;
  for (const char c : text) {
    if (c == '\n') {
      while (out.ends_with(' ')) out.pop_back();
      if (!out.empty() && !out.ends_with('\n')) out += '\n';
      blank = true;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      if (!blank) out += ' ';
      blank = true;
    } else {
      out += c;
      blank = false;
    }
  }
  while (out.ends_with('\n') || out.ends_with(' ')) out.pop_back();
  return out;
}

class UrlwatchAgreement : public testing::Test {
 protected:
  // What urlwatch prints for `--test-filter`; false: it is not here.
  bool ask(const std::string& filters, std::string& out) {
    const std::string page = folder_.write("page.html", page_to_watch);
    folder_.write("urls.yaml", "url: file://" + page + "\nfilter:\n" + filters);
    const std::string command =
        "cd '" + folder_.string() +
        "' && HOME=. urlwatch --urls urls.yaml --config c.yaml --hooks h.py --cache c.db "
        "--test-filter 1 > out.txt 2> err.txt";
    const int status = std::system(command.c_str());
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return false;
    std::ifstream file(folder_ / "out.txt");
    out = {std::istreambuf_iterator<char>(file), {}};
    std::ifstream problem(folder_ / "err.txt");
    EXPECT_EQ(status, 0) << filters << std::string(std::istreambuf_iterator<char>(problem), {});
    return true;
  }
  test::TempFolder folder_;
};

TEST_F(UrlwatchAgreement, each_filter_that_maps_keeps_the_same_text) {
  std::string first;
  if (!ask("  - strip\n", first)) GTEST_SKIP() << "urlwatch is not installed";  // it says hello
  // The last filter of each makes text, or sees it: markup is spelt as each parser likes.
  for (const char* filters : {
           "  - grep: Price\n",
           "  - grepi: '^<'\n  - striplines\n",
           "  - re.sub: '<[^>]*>'\n",
           "  - html2text\n",
           "  - css: p.x\n  - html2text\n",
           "  - css: {selector: '#main', exclude: h2}\n  - html2text\n",
           "  - xpath: //p[@class]/text()\n",
           "  - xpath: body/div/p\n  - html2text\n",
           "  - xpath: {path: //p, skip: 1, maxitems: 2}\n  - html2text\n",
           "  - element-by-id: main\n  - html2text\n",
           "  - element-by-class: foot\n  - html2text\n",
           "  - element-by-tag: h2\n  - html2text\n",
           "  - css: '#main'\n  - element-by-tag: h2\n  - html2text\n",
           "  - html2text\n  - grep: 'Price \\d+'\n",
           "  - html2text\n  - grepi: 'Price|Old'\n",
           "  - html2text\n  - grep: e\n  - grepi: '^\\d+\\s'\n",
           "  - html2text\n  - re.sub: '\\d+'\n",
           "  - html2text\n  - re.sub: '^\\w+'\n",
           "  - html2text\n  - re.sub: '(?m)^\\w+ '\n  - grep: E\n",
           "  - html2text\n  - sort\n",
           "  - html2text\n  - sort\n  - remove-duplicate-lines\n",
           "  - html2text\n  - remove-duplicate-lines\n",
           "  - html2text\n  - strip\n",
           "  - html2text\n  - striplines\n",
       }) {
    std::string theirs;
    ASSERT_TRUE(ask(filters, theirs));
    const Imported list =
        imported("url: https://a.example/\nfilter:\n" + std::string(filters), Format::urlwatch);
    ASSERT_EQ(list.pages.size(), 1u);
    EXPECT_EQ(list.left_out.count, 0u) << filters << all_of(list.left_out);
    EXPECT_EQ(folded(kept(list.pages[0].content, page_to_watch)), folded(theirs)) << filters;
  }
}

}  // namespace
}  // namespace pollux::import

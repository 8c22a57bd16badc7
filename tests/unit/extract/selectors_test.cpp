// Selectors against Chromium: what it matched is in tests/browser/selectors_expected.txt.
#include "pollux/extract/css.hpp"
#include "support/temp_folder.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <openssl/evp.h>

namespace pollux::extract {
namespace {

const std::string folder = std::string(POLLUX_SOURCE_DIR) + "/tests/browser/";

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string sha256(const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  std::string out;
  for (unsigned i = 0; i < size; ++i) {
    std::array<char, 3> byte{};
    std::snprintf(byte.data(), byte.size(), "%02x", static_cast<unsigned>(digest[i]));
    out += byte.data();
  }
  return out;
}

// As ask_chromium.js does it.
class Hash {
 public:
  void add(std::uint32_t number) { value_ = (value_ ^ number) * 0x01000193U; }
  void add(std::string_view text) {
    for (const char c : text) add(static_cast<unsigned char>(c));
  }
  std::string hex() const {
    std::array<char, 9> text{};
    std::snprintf(text.data(), text.size(), "%04x", value_ >> 16U ^ (value_ & 0xffffU));
    return text.data();
  }

 private:
  std::uint32_t value_ = 0x811c9dc5U;
};

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

std::string shown(const std::vector<std::uint32_t>& places) {
  if (places.empty()) return "-";
  Hash hash;
  for (const std::uint32_t place : places) hash.add(place);
  return std::to_string(places.size()) + "." + hash.hex();
}

// The line that ask_chromium prints for a document, by our own parser and selectors.
std::vector<std::string> answers(const std::string& html,
                                 const std::vector<std::string>& selectors) {
  auto parsed = HtmlTree::parse(html, Limits{});
  if (std::holds_alternative<TooComplex>(parsed)) return {std::get<TooComplex>(parsed).reason};
  const HtmlTree& tree = std::get<HtmlTree>(parsed);
  std::vector<std::uint32_t> places(tree.nodes().size()), depths(tree.nodes().size());
  std::uint32_t elements = 0;
  Hash hash;
  for (NodeIndex i = 1; i < tree.nodes().size(); ++i) {
    depths[i] = depths[tree[i].parent] + 1;
    if (tree[i].kind != Node::Kind::element || tree[i].in_template) continue;
    places[i] = elements++;
    hash.add(depths[i]);
    hash.add(lower_case(tree[i].name));
    for (std::uint32_t a = 0; a < tree[i].attributes; ++a) {
      const Attribute& attribute = tree.attributes_of(i)[a];
      hash.add(lower_case(attribute.name) + "=" + std::string(attribute.value));
    }
  }
  std::vector<std::string> out = {std::to_string(elements) + "." + hash.hex()};
  for (const std::string& text : selectors) {
    const auto selector = CssSelector::parse(text);
    if (!selector) {
      out.push_back("error");
      continue;
    }
    std::vector<std::uint32_t> found;
    const auto matched = selector->match(tree, Limits{});
    for (const NodeIndex i : std::get<0>(matched)) found.push_back(places[i]);
    out.push_back(shown(found));
  }
  return out;
}

// How many answers were compared. A tree that differs is told once.
std::size_t compare(const std::string& name, const std::string& html, const std::string& expected,
                    const std::vector<std::string>& selectors) {
  std::vector<std::string> wanted;
  std::istringstream in(expected);
  for (std::string word; in >> word;) wanted.push_back(word);
  const std::vector<std::string> found = answers(html, selectors);
  EXPECT_EQ(found.size(), wanted.size()) << name;
  if (found.size() != wanted.size()) return 0;
  EXPECT_EQ(found[0], wanted[0]) << "the tree of: " << name;
  if (found[0] != wanted[0]) return 0;
  for (std::size_t i = 1; i < found.size(); ++i)
    EXPECT_EQ(found[i], wanted[i]) << selectors[i - 1] << "   in: " << name;
  return found.size() - 1;
}

struct Own {
  std::string name, html;
};
std::vector<Own> own_documents() {
  std::vector<Own> out;
  for (const std::string& line : lines_of(read(folder + "documents.txt"))) {
    if (line.starts_with("%% ")) {
      out.push_back({line.substr(3), ""});
    } else {
      out.back().html += line + "\n";
    }
  }
  return out;
}

TEST(Selectors, our_documents_match_as_in_chromium) {
  const std::vector<std::string> selectors = lines_of(read(folder + "selectors.txt"));
  const std::vector<std::string> expected = lines_of(read(folder + "selectors_expected.txt"));
  const std::vector<Own> documents = own_documents();
  std::size_t next = 0, compared = 0;
  for (std::size_t i = 0; i + 1 < expected.size(); ++i) {
    if (!expected[i].starts_with("own ")) continue;
    ASSERT_LT(next, documents.size());
    const Own& document = documents[next++];
    ASSERT_EQ(expected[i], "own " + document.name) << "run tests/browser/expect_selectors";
    compared += compare(document.name, document.html, expected[i + 1], selectors);
  }
  EXPECT_EQ(next, documents.size()) << "run tests/browser/expect_selectors";
  EXPECT_GE(selectors.size(), 150U);
  EXPECT_GE(compared, documents.size() * selectors.size() * 9 / 10);
}

TEST(Selectors, documentation_of_debian_matches_as_in_chromium) {
  const std::vector<std::string> selectors = lines_of(read(folder + "selectors.txt"));
  const std::vector<std::string> expected = lines_of(read(folder + "selectors_expected.txt"));
  std::size_t installed = 0, documents = 0;
  for (std::size_t i = 0; i + 1 < expected.size(); ++i) {
    std::istringstream in(expected[i]);
    std::string kind, hash, package, version, path;
    in >> kind >> hash >> package >> version;
    std::getline(in >> std::ws, path);
    if (kind != "file" || !std::filesystem::exists(path)) continue;
    ++installed;
    const std::string html = read(path);
    if (sha256(html) != hash) continue;  // of another version of the package
    if (compare(path, html, expected[i + 1], selectors) > 0) ++documents;
  }
  if (installed == 0) GTEST_SKIP() << "the packages with the documents are not installed";
  EXPECT_GE(documents, 40U);
}

// Documents of Debian's packages that are installed, whatever their version.
std::vector<Own> real_documents() {
  std::vector<Own> out;
  for (const std::string& line : lines_of(read(folder + "selectors_expected.txt"))) {
    std::istringstream in(line);
    std::string kind, hash, package, version, path;
    in >> kind >> hash >> package >> version;
    std::getline(in >> std::ws, path);
    if (kind == "file" && std::filesystem::exists(path)) out.push_back({path, read(path)});
  }
  return out;
}

// Any others: POLLUX_DOCUMENTS names a file with a path a line.
std::vector<Own> named_documents() {
  std::vector<Own> out;
  const char* const list = std::getenv("POLLUX_DOCUMENTS");
  if (list == nullptr) return out;
  for (const std::string& path : lines_of(read(list))) out.push_back({path, read(path)});
  return out;
}

TEST(Selectors, a_chromium_that_is_installed_says_the_same) {
  if (std::system("command -v chromium > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "chromium is not installed";
  const std::vector<std::string> selectors = lines_of(read(folder + "selectors.txt"));
  const test::TempFolder temp;
  for (const std::vector<Own>& documents : {own_documents(), real_documents(), named_documents()}) {
    if (documents.empty()) continue;
    std::string command = folder + "ask_chromium";
    for (std::size_t i = 0; i < documents.size(); ++i)
      command += " " + temp.write(std::to_string(i) + ".html", documents[i].html);
    const std::string out = temp.file("out");
    if (std::system((command + " > " + out + " 2> /dev/null").c_str()) != 0)
      GTEST_SKIP() << "chromium does not run here";
    const std::vector<std::string> lines = lines_of(read(out));
    ASSERT_EQ(lines.size(), documents.size());
    for (std::size_t i = 0; i < lines.size(); ++i)
      compare(documents[i].name, documents[i].html, lines[i], selectors);
  }
}

}  // namespace
}  // namespace pollux::extract

// diff, show and history, on the files that a daemon would have left.
#include "pollux/detect/digest.hpp"
#include "pollux/store/content.hpp"
#include "pollux/store/store.hpp"
#include "support/program.hpp"
#include "support/temp_folder.hpp"

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace pollux::cli {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

std::string hash_of(const std::string& text) {
  detect::Digest digest;
  digest.update(text);
  return detect::to_hex(digest.finish());
}

class Versions : public testing::Test {
 protected:
  Versions() : database_(folder_.file("pollux.db")) {
    auto store = store::Store::open(database_);
    EXPECT_TRUE(store.ok());
    const std::vector<store::PageSpec> pages = {
        {.url = "https://example.org/news", .host = "example.org:443"},
        {.url = "https://example.org/quiet", .host = "example.org:443"}};
    EXPECT_TRUE((*store)->reconcile(pages, now_ - 100h).ok());
    std::string note;
    auto content = store::Content::open(database_, {}, note);
    EXPECT_TRUE(content.ok()) << note;
    int age = 72;
    for (const std::string& text : texts_) {
      const std::vector<store::Content::Put> version = {{.url = "https://example.org/news",
                                                         .hash = hash_of(text),
                                                         .as = "text",
                                                         .text = text,
                                                         .seen_at = now_ - age * 1h}};
      EXPECT_TRUE((*content)->put(version).ok());
      age -= 30;
    }
  }

  test::Finished run(std::vector<std::string> words) {
    words.insert(words.end(), {"--database", database_});
    return test::Program(POLLUX_BINARY, folder_, std::move(words)).wait();
  }

  const WallTime now_ =
      std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const std::vector<std::string> texts_ = {"News\nprice 99.90 EUR\nend\n",
                                           "News\nprice 94.90 EUR\nend\n",
                                           "News\nprice 94.90 EUR\nsold out\x1b[31m\nend\n"};
  test::TempFolder folder_;
  std::string database_;
};

TEST_F(Versions, diff_compares_the_last_two_and_is_a_patch_in_a_pipe) {
  const test::Finished diff = run({"diff", "news"});
  EXPECT_EQ(diff.exit_code, 0) << diff.err;
  EXPECT_TRUE(diff.out.starts_with("--- https://example.org/news (version 2)\t")) << diff.out;
  EXPECT_NE(diff.out.find("@@ -1,3 +1,4 @@\n News\n price 94.90 EUR\n+sold out\x1b[31m\n end\n"),
            std::string::npos)
      << diff.out;
}

TEST_F(Versions, the_patch_makes_the_new_version_of_the_old_one) {
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  };
  write("old", run({"show", "news", "--at", "1"}).out);
  write("patch", run({"diff", "news", "--from", "1"}).out);
  const std::string command =
      "cd '" + folder_.file("") + "' && command -v patch >/dev/null && patch -s old < patch";
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "no patch here";  // NOLINT
  std::ifstream file(folder_ / "old", std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), texts_[2]);
}

TEST_F(Versions, diff_takes_numbers_and_moments) {
  const auto numbers = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"diff", "news", "--json"});
    const test::Finished diff = run(std::move(words));
    EXPECT_EQ(diff.exit_code, 0) << diff.err;
    const json::value value = json::parse(diff.out);
    return std::to_string(value.at("from").at("number").as_int64()) + "→" +
           std::to_string(value.at("to").at("number").as_int64());
  };
  EXPECT_EQ(numbers({}), "2→3");
  EXPECT_EQ(numbers({"--from", "1"}), "1→3");
  EXPECT_EQ(numbers({"--from", "-3", "--to", "-2"}), "1→2");
  EXPECT_EQ(numbers({"--to", "2"}), "1→2");
  EXPECT_EQ(numbers({"--from", "50h"}), "1→3");
  EXPECT_EQ(numbers({"--from", "50h", "--to", "20h"}), "1→2");
  EXPECT_EQ(numbers({"--from", "365d"}), "1→3") << "the oldest there is";
}

TEST_F(Versions, diff_from_before_the_oldest_takes_it_and_says_so) {
  const test::Finished diff = run({"diff", "news", "--from", "365d"});
  EXPECT_EQ(diff.exit_code, 0);
  EXPECT_NE(diff.err.find("--from 365d: nothing is kept from then; kept are versions 1 of "),
            std::string::npos)
      << diff.err;
  EXPECT_NE(diff.err.find("; the oldest is taken"), std::string::npos) << diff.err;
  const test::Finished one = run({"diff", "news", "--from", "365d", "--to", "1"});
  EXPECT_EQ(one.exit_code, 66);
  EXPECT_NE(one.err.find("there is nothing to compare it with"), std::string::npos) << one.err;
}

TEST_F(Versions, diff_as_json_says_what_changed) {
  const json::value diff = json::parse(run({"diff", "news", "--to", "2", "--json"}).out);
  EXPECT_EQ(diff.at("url"), "https://example.org/news");
  EXPECT_EQ(diff.at("summary"), "price 99.90 → 94.90");
  EXPECT_EQ(diff.at("words_added").to_number<int>(), 1);
  EXPECT_EQ(diff.at("words_removed").to_number<int>(), 1);
  EXPECT_EQ(diff.at("from").at("hash").as_string(), hash_of(texts_[0]));
  EXPECT_EQ(diff.at("pieces").at(1).at("edit"), "remove");
  EXPECT_EQ(diff.at("pieces").at(1).at("text"), "99.90");
}

TEST_F(Versions, diff_obeys_the_style) {
  const test::Finished words = run({"diff", "news", "--to", "2", "--style", "word"});
  EXPECT_NE(words.out.find("price [-99.90-]{+94.90+} EUR"), std::string::npos) << words.out;
  EXPECT_NE(words.out.find("+1 −1 words"), std::string::npos) << words.out;
  const test::Finished side = run({"diff", "news", "--style", "side"});
  EXPECT_NE(side.out.find(" > sold out\\x1b[31m\n"), std::string::npos) << side.out;
  EXPECT_EQ(run({"diff", "news", "--style", "loud"}).exit_code, 64);
}

TEST_F(Versions, show_prints_what_was_kept_byte_by_byte) {
  EXPECT_EQ(run({"show", "news"}).out, texts_[2]);
  EXPECT_EQ(run({"show", "news", "--at", "1"}).out, texts_[0]);
  EXPECT_EQ(run({"show", "news", "--at", "-2"}).out, texts_[1]);
  EXPECT_EQ(run({"show", "news", "--at", "20h"}).out, texts_[1]);
  const json::value shown = json::parse(run({"show", "news", "--at", "2", "--json"}).out);
  EXPECT_EQ(shown.at("number"), 2);
  EXPECT_EQ(shown.at("content").as_string(), texts_[1]);
}

TEST_F(Versions, what_is_not_kept_is_missing_input_and_said_why) {
  const test::Finished early = run({"show", "news", "--at", "365d"});
  EXPECT_EQ(early.exit_code, 66);
  EXPECT_NE(early.err.find("kept are versions 1 of "), std::string::npos) << early.err;
  EXPECT_EQ(run({"show", "news", "--at", "9"}).exit_code, 66);
  EXPECT_EQ(run({"show", "news", "--at", "-9"}).exit_code, 66);
  EXPECT_EQ(run({"show", "news", "--at", "some day"}).exit_code, 64);
  const test::Finished quiet = run({"show", "quiet"});
  EXPECT_EQ(quiet.exit_code, 66);
  EXPECT_NE(quiet.err.find("nothing is kept of https://example.org/quiet"), std::string::npos);
  EXPECT_EQ(run({"diff", "quiet"}).exit_code, 66);
  EXPECT_EQ(run({"diff", "news", "--to", "1"}).exit_code, 66) << "nothing stands before it";
  EXPECT_EQ(run({"history", "nowhere"}).exit_code, 66);
  ASSERT_TRUE(std::filesystem::remove(store::content_path(database_)));
  EXPECT_EQ(run({"show", "news"}).exit_code, 66) << "no file of versions at all";
}

TEST_F(Versions, equal_versions_have_no_difference) {
  const test::Finished same = run({"diff", "news", "--from", "2", "--to", "2"});
  EXPECT_EQ(same.exit_code, 0);
  EXPECT_EQ(same.out, "");
  EXPECT_NE(same.err.find("No difference"), std::string::npos) << same.err;
}

TEST_F(Versions, history_lists_them_the_newest_first) {
  const test::Finished table = run({"history", "news"});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_TRUE(table.out.starts_with("VERSION  SEEN")) << table.out;
  EXPECT_LT(table.out.find("12 h ago"), table.out.find("3 d ago")) << table.out;
  const json::value all = json::parse(run({"history", "news", "--json"}).out);
  ASSERT_EQ(all.as_array().size(), 3u);
  EXPECT_EQ(all.at(0).at("number"), 3);
  EXPECT_EQ(all.at(2).at("hash").as_string(), hash_of(texts_[0]));
  EXPECT_EQ(all.at(2).at("as"), "text");
  EXPECT_EQ(all.at(2).at("bytes"), 25);
  EXPECT_EQ(json::parse(run({"history", "news", "--json", "--limit", "1"}).out).as_array().size(),
            1u);
}

}  // namespace
}  // namespace pollux::cli

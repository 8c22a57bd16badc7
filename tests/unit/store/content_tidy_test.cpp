#include "content_fixture.hpp"

#include <map>

namespace pollux::store {
namespace {

using namespace std::chrono_literals;

constexpr char page[] = "https://example.org/";
constexpr std::int64_t day = 86'400'000;

class ContentTidyTest : public ContentTest {
 protected:
  // Versions with small edits, a day apart, the last one at noon.
  std::vector<std::string> put_history(const std::string& url, int count, std::uint64_t seed = 1) {
    Rng rng(seed);
    std::vector<std::string> all{random_words(rng, 10'000)};
    while (static_cast<int>(all.size()) < count) all.push_back(slightly_edited(rng, all.back()));
    std::vector<Content::Put> batch;
    for (int i = 0; i < count; ++i) {
      batch.push_back(
          version_of(url, all[static_cast<std::size_t>(i)], noon - (count - 1 - i) * day));
    }
    EXPECT_TRUE(content_->put(batch).ok());
    return all;
  }
  void expect_all_readable(const std::string& url, const std::vector<std::string>& all) {
    const Result<std::vector<VersionRow>> rows = reader()->versions(url);
    ASSERT_TRUE(rows.ok());
    for (const VersionRow& row : *rows) {
      EXPECT_EQ(text(url, row.number), all[static_cast<std::size_t>(row.number) - 1]) << row.number;
    }
  }
};

TEST_F(ContentTidyTest, what_was_replaced_long_ago_goes) {
  const std::vector<std::string> all = put_history(page, 10);
  tidy({.keep = 24h * 3 + 1h}, noon);
  EXPECT_EQ(numbers(page), "6 7 8 9 10 ") << "version 6 was replaced three days ago";
  expect_all_readable(page, all);
}

TEST_F(ContentTidyTest, the_newest_stays_however_old_it_is) {
  put_history(page, 4);
  tidy({.keep = 24h}, noon + 1000 * day);
  EXPECT_EQ(numbers(page), "4 ");
}

TEST_F(ContentTidyTest,
       the_one_before_the_newest_can_be_compared_with_it_however_rarely_a_page_changes) {
  put(page, "one", noon - 400 * day);
  put(page, "two", noon);
  tidy({}, noon + day);
  EXPECT_EQ(numbers(page), "1 2 ");
}

TEST_F(ContentTidyTest, a_page_has_no_more_than_its_number) {
  const std::vector<std::string> all = put_history(page, 70);
  const std::vector<std::string> other = put_history("https://example.org/other", 3, 2);
  tidy({.keep = 24h * 1000, .per_page = 20}, noon);
  EXPECT_EQ(reader()->versions(page)->size(), 20u);
  EXPECT_EQ(reader()->versions("https://example.org/other")->size(), 3u);
  expect_all_readable(page, all);
  expect_all_readable("https://example.org/other", other);
}

TEST_F(ContentTidyTest, more_pages_than_a_step_looks_at_are_all_looked_at) {
  std::vector<Content::Put> batch;
  for (int i = 0; i < 2100; ++i) {
    for (const char* text : {"one", "two"}) {
      batch.push_back(version_of(page + std::to_string(i), text));
    }
  }
  ASSERT_TRUE(content_->put(batch).ok());
  content_.reset();
  content_ = open_content();
  tidy({.per_page = 1}, noon);
  EXPECT_EQ(in_file("SELECT count(*) FROM version"), "2100");
}

TEST_F(ContentTidyTest, the_file_keeps_to_its_size) {
  std::map<std::string, std::vector<std::string>> all;
  for (int i = 0; i < 20; ++i) {
    const std::string url = page + std::to_string(i);
    all[url] = put_history(url, 30, static_cast<std::uint64_t>(i) + 1);
  }
  constexpr std::int64_t limit = 200'000;
  tidy({.keep = 24h * 1000, .per_page = 1000, .max_size = limit}, noon);
  content_.reset();  // the log is moved into the file
  EXPECT_LE(std::filesystem::file_size(content_path(path())), static_cast<std::uintmax_t>(limit));
  EXPECT_GT(std::stoi(in_file("SELECT count(*) FROM version")), 25) << "no more than needed goes";
  for (const auto& [url, texts] : all) {
    EXPECT_TRUE(numbers(url).ends_with("30 "));
    expect_all_readable(url, texts);
  }
}

TEST_F(ContentTidyTest, when_only_the_newest_are_left_those_that_came_first_go) {
  for (int i = 0; i < 20; ++i)
    put_history(page + std::to_string(i), 3, static_cast<std::uint64_t>(i) + 1);
  constexpr std::int64_t limit = 120'000;
  tidy({.keep = 24h * 1000, .max_size = limit}, noon);
  const int left = std::stoi(in_file("SELECT count(*) FROM version"));
  EXPECT_GT(left, 5) << "no more than needed goes";
  EXPECT_LT(left, 20);
  EXPECT_EQ(in_file("SELECT count(*) FROM url"), std::to_string(left)) << "of each its newest";
  EXPECT_EQ(numbers(page + std::to_string(0)), "");
  EXPECT_EQ(numbers(page + std::to_string(19)), "3 ");
  content_.reset();
  EXPECT_LE(std::filesystem::file_size(content_path(path())), static_cast<std::uintmax_t>(limit));
}

TEST_F(ContentTidyTest, a_size_that_nothing_fits_into_ends) {
  put_history(page, 3);
  tidy({.max_size = 1}, noon);
  EXPECT_EQ(in_file("SELECT count(*) FROM version"), "0");
  put(page, "small");
  EXPECT_EQ(in_file("SELECT count(*) FROM version"), "0");
}

TEST_F(ContentTidyTest, the_file_keeps_to_its_size_however_much_comes_at_once) {
  constexpr std::int64_t limit = 200'000;
  content_.reset();
  content_ = open_content({.max_size = limit});
  Rng rng(7);
  for (int i = 0; i < 60; ++i) {
    std::vector<Content::Put> batch;
    for (int k = 0; k < 5; ++k)
      batch.push_back(version_of(page + std::to_string(5 * i + k), random_words(rng, 8'000)));
    ASSERT_TRUE(content_->put(batch).ok());
    ASSERT_LE(std::stoll(in_file("SELECT page_count * 4096 FROM pragma_page_count")), limit) << i;
  }
  EXPECT_EQ(numbers(page + std::to_string(299)), "1 ") << "what came last is there";
  EXPECT_GT(std::stoi(in_file("SELECT count(*) FROM version")), 15);
}

TEST_F(ContentTidyTest, a_version_larger_than_all_that_may_be_kept_is_not) {
  content_.reset();
  content_ = open_content({.max_size = 100'000});
  Rng rng(7);
  put(page, "small");
  put(page, random_words(rng, 400'000));
  EXPECT_EQ(numbers(page), "1 ");
  put(page, "small again");
  EXPECT_EQ(text(page, 2), "small again");
}

TEST_F(ContentTidyTest, a_damaged_chain_is_no_obstacle) {
  put_history(page, 30);
  in_file("UPDATE version SET data = zeroblob(8) WHERE number = 5");
  tidy({.keep = 24h * 1000, .per_page = 10}, noon);
  EXPECT_EQ(reader()->versions(page)->size(), 10u);
  EXPECT_EQ(text(page, 30), "(error)");
  put(page, "anew");
  EXPECT_EQ(text(page, 31), "anew");
}

TEST_F(ContentTidyTest, a_clock_set_back_deletes_nothing) {
  put_history(page, 5);
  tidy({.keep = 24h * 3650}, 0);
  EXPECT_EQ(reader()->versions(page)->size(), 5u);
}

// Any mix of puts, tidying and new beginnings: what is there reads back as it was put.
TEST_F(ContentTidyTest, any_version_that_is_left_is_the_one_that_was_put) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    std::map<std::string, std::vector<std::string>> all;
    const std::string prefix = page + std::to_string(seed) + "/";
    std::vector<Content::Put> batch;
    for (int i = 0; i < 250; ++i) {
      const std::string url = prefix + std::to_string(rng.below(3));
      std::vector<std::string>& texts = all[url];
      std::string next = texts.empty() || rng.chance(0.05) ? random_words(rng, rng.below(6000))
                                                           : slightly_edited(rng, texts.back());
      if (texts.empty() || next != texts.back()) texts.push_back(next);
      batch.push_back(version_of(url, next, noon + i * 1000));
      if (rng.chance(0.7)) continue;
      ASSERT_TRUE(content_->put(batch).ok());
      batch.clear();
      if (rng.chance(0.3)) {
        const ContentOptions options{
            .keep = std::chrono::seconds(10 + rng.below(300)),
            .per_page = 1 + static_cast<int>(rng.below(80)),
            .max_size = 200'000 + static_cast<std::int64_t>(rng.below(300'000))};
        ASSERT_TRUE(content_->tidy(options, at_ms(noon + i * 1000)).ok());
      }
      if (rng.chance(0.15)) {
        content_.reset();
        content_ = open_content();
      }
    }
    ASSERT_TRUE(content_->put(batch).ok());
    for (const auto& [url, texts] : all) {
      ASSERT_EQ(reader()->versions(url)->back().number, static_cast<std::int64_t>(texts.size()));
      expect_all_readable(url, texts);
    }
  }
}

}  // namespace
}  // namespace pollux::store

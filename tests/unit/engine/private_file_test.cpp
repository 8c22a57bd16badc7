#include "engine/private_file.hpp"

#include "support/temp_folder.hpp"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pollux::engine {
namespace {

class PrivateFile : public testing::Test {
 protected:
  static mode_t mode(const std::string& file) {
    struct stat about {};
    EXPECT_EQ(::stat(file.c_str(), &about), 0);
    return about.st_mode & 0777;
  }
  test::TempFolder folder_;
  std::string file_ = private_file((folder_ / "test.db").string());
};

TEST_F(PrivateFile, brings_back_what_was_written_and_only_its_owner_may_read_it) {
  Secrets secrets{.key = new_key(), .jars = {}};
  ASSERT_EQ(secrets.key.size(), 32u);
  const fetch::CookieLines lines{"#HttpOnly_a.test\tFALSE\t/\tFALSE\t0\tid\tsecret", "b"};
  secrets.jars["http://a.test/"] = std::make_shared<const fetch::CookieLines>(lines);
  const mode_t before = ::umask(0);
  ASSERT_TRUE(write_secrets(file_, secrets).ok());
  ::umask(before);
  EXPECT_EQ(mode(file_), 0600u);
  const Result<Secrets> read = read_secrets(file_);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->key, secrets.key);
  ASSERT_EQ(read->jars.size(), 1u);
  EXPECT_EQ(*read->jars.at("http://a.test/"), lines);
}

TEST_F(PrivateFile, that_is_not_there_holds_nothing_and_garbage_is_passed_over) {
  EXPECT_TRUE(read_secrets(file_)->key.empty());
  folder_.write("test.db-private", "key 12\ncookie nothing\n\x01\n");
  const Result<Secrets> read = read_secrets(file_);
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->key.empty());
  EXPECT_TRUE(read->jars.empty());
}

TEST_F(PrivateFile, neither_follows_a_link_nor_writes_through_one) {
  folder_.write("victim", "untouched");
  ASSERT_EQ(::symlink((folder_ / "victim").c_str(), file_.c_str()), 0);
  EXPECT_FALSE(read_secrets(file_).ok());
  ASSERT_EQ(::symlink((folder_ / "victim").c_str(), (file_ + ".new").c_str()), 0);
  ASSERT_TRUE(write_secrets(file_, {.key = std::string(32, 'k'), .jars = {}}).ok());
  std::ifstream victim(folder_ / "victim");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(victim), {}), "untouched");
  EXPECT_EQ(mode(file_), 0600u);
}

TEST(CookieJars, a_page_gets_its_own_back_and_what_nobody_claims_is_gone) {
  CookieJars jars;
  const auto jar = std::make_shared<const fetch::CookieLines>(fetch::CookieLines{"x"});
  jars.set_stored({{"http://a.test/", jar}, {"http://gone.test/", jar}});
  jars.restore("http://a.test/");
  jars.restore("http://new.test/");
  jars.forget_stored();
  EXPECT_TRUE(jars.changed());
  EXPECT_EQ(jars.take().size(), 1u);
  EXPECT_FALSE(jars.changed());
  jars.put("http://a.test/", {"x"});
  EXPECT_FALSE(jars.changed()) << "the same again";
  jars.put("http://a.test/", {"y"});
  EXPECT_TRUE(jars.changed());
  jars.put("http://a.test/", {});
  EXPECT_TRUE(jars.take().empty());
}

TEST(CookieJars, their_number_is_bounded) {
  CookieJars jars;
  for (std::size_t i = 0; i < CookieJars::most + 5; ++i) jars.put(std::to_string(i), {"x"});
  EXPECT_EQ(jars.take().size(), CookieJars::most);
}

}  // namespace
}  // namespace pollux::engine

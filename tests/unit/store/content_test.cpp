#include "pollux/store/content.hpp"

#include "content_fixture.hpp"
#include "fault_vfs.hpp"

#include <fstream>
#include <thread>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pollux::store {
namespace {

constexpr char page[] = "https://example.org/";

TEST_F(ContentTest, versions_are_read_back_by_number_and_by_hash) {
  put(page, "one", noon);
  put(page, "two", noon + 1000);
  const Result<std::vector<VersionRow>> rows = reader()->versions(page);
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[1].number, 2);
  EXPECT_EQ((*rows)[1].seen_at, at_ms(noon + 1000));
  EXPECT_EQ((*rows)[1].hash, sha256_of("two"));
  EXPECT_EQ((*rows)[1].as, "text");
  EXPECT_EQ((*rows)[1].bytes, 3);
  EXPECT_EQ(text(page, 1), "one");
  EXPECT_EQ(text(page, 2), "two");
  EXPECT_EQ(text(page, 3), "(none)");
  EXPECT_EQ(text("https://example.org/other", 1), "(none)");
  EXPECT_EQ(reader()->text_of_hash(page, sha256_of("one"))->value_or(""), "one");
  EXPECT_FALSE(reader()->text_of_hash(page, sha256_of("three"))->has_value());
}

TEST_F(ContentTest, the_newest_is_not_written_again_but_one_that_comes_back_is) {
  put(page, "one");
  put(page, "one");
  EXPECT_EQ(numbers(page), "1 ");
  put(page, "two");
  put(page, "one");
  EXPECT_EQ(numbers(page), "1 2 3 ");
}

TEST_F(ContentTest, empty_texts_and_bytes_that_are_no_text_are_kept) {
  const std::string odd("\0\xff\x80 x\0", 6);
  for (const std::string& version : {std::string(), odd, std::string(), odd + odd})
    put(page, version);
  EXPECT_EQ(text(page, 1), "");
  EXPECT_EQ(text(page, 2), odd);
  EXPECT_EQ(text(page, 3), "");
  EXPECT_EQ(text(page, 4), odd + odd);
}

TEST_F(ContentTest, a_hash_of_another_text_is_refused_and_nothing_of_the_batch_is_written) {
  Content::Put wrong = version_of(page, "text");
  wrong.hash = sha256_of("other");
  EXPECT_FALSE(content_->put({version_of("https://a.example/", "a"), wrong}).ok());
  EXPECT_EQ(in_file("SELECT count(*) FROM version"), "0");
}

TEST_F(ContentTest, a_full_version_comes_every_fifty_and_all_are_small) {
  Rng rng(3);
  std::vector<std::string> all{random_words(rng, 20'000)};
  for (int i = 1; i < 160; ++i) all.push_back(slightly_edited(rng, all.back()));
  std::vector<Content::Put> batch;
  for (const std::string& version : all) batch.push_back(version_of(page, version));
  ASSERT_TRUE(content_->put(batch).ok());
  EXPECT_EQ(in_file("SELECT group_concat(number) FROM version WHERE full = 1"), "1,51,101,151");
  EXPECT_LT(std::stoi(in_file("SELECT max(length(data)) FROM version WHERE full = 0")), 1000);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(text(page, static_cast<std::int64_t>(i) + 1), all[i]) << i;
  }
}

TEST_F(ContentTest, what_has_nothing_in_common_with_the_version_before_stands_alone) {
  Rng rng(4);
  put(page, random_words(rng, 3000));
  put(page, "short");
  EXPECT_EQ(in_file("SELECT group_concat(full) FROM version"), "1,1");
}

TEST_F(ContentTest, large_texts_find_what_they_have_in_common) {
  Rng rng(5);
  const std::string first = random_words(rng, 3'000'000);
  std::string second = first;
  second.insert(1'500'000, "an edit in the middle");
  put(page, first);
  put(page, second);
  EXPECT_LT(std::stoi(in_file("SELECT length(data) FROM version WHERE number = 2")), 20'000);
  EXPECT_EQ(text(page, 2), second);
}

TEST_F(ContentTest, the_files_have_the_mode_of_the_database) {
  put(page, "one");
  for (const mode_t mode : {0600u, 0640u}) {
    content_.reset();
    for (const char* part : {"", "-wal", "-shm"})
      std::filesystem::remove(content_path(path()) + part);
    ASSERT_EQ(chmod(path().c_str(), mode), 0);
    content_ = open_content();
    put(page, "one");
    for (const char* part : {"", "-wal", "-shm"}) {
      struct stat about {};
      ASSERT_EQ(stat((content_path(path()) + part).c_str(), &about), 0) << part;
      EXPECT_EQ(about.st_mode & 0777u, mode) << part;
    }
  }
}

TEST_F(ContentTest, a_reader_sees_versions_while_they_are_written_and_when_nobody_does) {
  put(page, "one");
  const std::unique_ptr<ContentReader> early = reader();
  put(page, "two");
  EXPECT_EQ(early->text(page, 2)->value_or(""), "two");
  content_.reset();
  EXPECT_EQ(early->text(page, 2)->value_or(""), "two");
  EXPECT_EQ(text(page, 2), "two");
}

TEST_F(ContentTest, a_reader_without_a_file_says_so) {
  content_.reset();
  std::filesystem::remove(content_path(path()));
  const Result<std::unique_ptr<ContentReader>> none = ContentReader::open(path());
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().exit_code, ExitCode::missing_input);
}

TEST_F(ContentTest, a_damaged_version_is_an_error_and_so_are_those_that_need_it) {
  Rng rng(6);
  std::string version = random_words(rng, 5000);
  for (int i = 0; i < 60; ++i) put(page, version = slightly_edited(rng, version));
  put("https://example.org/other", "other");
  in_file("UPDATE version SET data = zeroblob(length(data)) WHERE url_id = 1 AND number = 20");
  EXPECT_NE(text(page, 19), "(error)");
  EXPECT_EQ(text(page, 20), "(error)");
  EXPECT_EQ(text(page, 50), "(error)");
  EXPECT_NE(text(page, 51), "(error)") << "a full one stands after it";
  EXPECT_EQ(text("https://example.org/other", 1), "other");
}

TEST_F(ContentTest, a_missing_version_breaks_the_chain_and_a_wrong_one_is_found) {
  Rng rng(7);
  std::string version = random_words(rng, 5000);
  for (int i = 0; i < 6; ++i) put(page, version = slightly_edited(rng, version));
  in_file("DELETE FROM version WHERE number = 3");
  EXPECT_EQ(text(page, 3), "(none)");
  EXPECT_EQ(text(page, 4), "(error)");
  in_file("UPDATE version SET hash = replace(hash, substr(hash, 1, 4), 'ffff') WHERE number = 2");
  EXPECT_EQ(text(page, 2), "(error)");
  EXPECT_NE(text(page, 1), "(error)");
}

TEST_F(ContentTest, after_a_damaged_version_the_next_stands_alone) {
  Rng rng(8);
  const std::string first = random_words(rng, 5000), second = slightly_edited(rng, first);
  put(page, first);
  in_file("UPDATE version SET data = zeroblob(10)");
  put(page, second);
  EXPECT_EQ(text(page, 1), "(error)");
  EXPECT_EQ(text(page, 2), second);
}

TEST_F(ContentTest, a_file_that_is_no_database_is_put_aside) {
  content_.reset();
  for (const char* part : {"-wal", "-shm"}) std::filesystem::remove(content_path(path()) + part);
  std::ofstream(content_path(path())) << std::string(10'000, 'x');
  content_ = open_content();
  EXPECT_NE(note_.find(".damaged-"), std::string::npos) << note_;
  put(page, "one");
  EXPECT_EQ(text(page, 1), "one");
  ASSERT_EQ(put_aside().size(), 1u);
  EXPECT_EQ(std::filesystem::file_size(folder_ / put_aside()[0]), 10'000u);
}

TEST_F(ContentTest, a_database_of_another_program_is_put_aside) {
  content_.reset();
  for (const char* part : {"", "-wal", "-shm"})
    std::filesystem::remove(content_path(path()) + part);
  {
    const Result<Connection> other =
        Connection::open(content_path(path()), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    ASSERT_TRUE(other->execute("CREATE TABLE version (id); CREATE TABLE url (id)").ok());
  }
  EXPECT_FALSE(ContentReader::open(path()).ok());
  content_ = open_content();
  EXPECT_NE(note_.find("another program"), std::string::npos) << note_;
  EXPECT_EQ(put_aside().size(), 1u);
  put(page, "one");
}

TEST_F(ContentTest, a_sound_file_is_opened_again_without_a_note) {
  put(page, "one");
  content_ = nullptr;
  content_ = open_content();
  EXPECT_EQ(note_, "");
  put(page, "two");
  EXPECT_EQ(numbers(page), "1 2 ");
}

TEST_F(ContentTest, a_file_with_a_hole_in_it_is_put_aside) {
  Rng rng(9);
  for (int i = 0; i < 40; ++i) put(page + std::to_string(i), random_words(rng, 20'000));
  content_.reset();
  {
    std::fstream file(content_path(path()), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(8192);
    file << std::string(40'000, '\x7f');
  }
  content_ = open_content();
  EXPECT_NE(note_, "");
  put(page, "one");
  EXPECT_EQ(text(page, 1), "one");
}

TEST_F(ContentTest, damage_met_while_it_is_open_costs_history_alone) {
  put(page, "one");
  {
    const Result<Connection> vandal = Connection::open(content_path(path()), SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(
        vandal
            ->execute("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 9999 "
                      "WHERE name = 'version'; PRAGMA schema_version = 77")
            .ok());
  }
  put(page, "two");
  EXPECT_EQ(put_aside().size(), 1u);
  EXPECT_EQ(numbers(page), "1 ");
  EXPECT_EQ(text(page, 1), "two");
}

TEST_F(ContentTest, a_file_that_was_deleted_is_begun_anew_at_the_next_put) {
  put(page, "one");
  for (const char* part : {"", "-wal", "-shm"})
    std::filesystem::remove(content_path(path()) + part);
  put(page, "two");
  EXPECT_EQ(numbers(page), "1 ");
  EXPECT_EQ(text(page, 1), "two");
  std::filesystem::remove(content_path(path()));  // and its log is left
  put(page, "three");
  EXPECT_EQ(text(page, 1), "three");
  content_.reset();
  EXPECT_EQ(text(page, 1), "three");
}

TEST_F(ContentTest, a_file_that_was_written_over_or_cut_is_begun_anew_at_the_next_put) {
  put(page, "one");
  std::ofstream(content_path(path()), std::ios::trunc) << std::string(100'000, 'x');
  put(page, "two");
  EXPECT_EQ(put_aside().size(), 1u);
  EXPECT_EQ(numbers(page), "1 ");
  EXPECT_EQ(text(page, 1), "two");
  std::filesystem::resize_file(content_path(path()), 0);
  put(page, "three");
  EXPECT_EQ(put_aside().size(), 2u);
  EXPECT_EQ(text(page, 1), "three");
}

TEST_F(ContentTest, a_log_that_was_deleted_is_noticed) {
  put(page, "one");
  std::filesystem::remove(content_path(path()) + "-wal");
  std::filesystem::remove(content_path(path()) + "-shm");
  put(page, "two");
  content_.reset();
  EXPECT_EQ(text(page, 2), "two");
  EXPECT_EQ(text(page, 1), "one");
}

TEST_F(ContentTest, without_versions_per_page_nothing_is_kept) {
  put(page, "one");
  tidy({.per_page = 0}, noon);
  put(page, "two");
  EXPECT_EQ(numbers(page), "");
  EXPECT_EQ(in_file("SELECT count(*) FROM url"), "0");
  tidy({.per_page = 2}, noon);
  put(page, "three");
  EXPECT_EQ(text(page, 1), "three");
}

TEST(ContentOnABadDisk, a_full_disk_is_an_error_and_what_was_there_stays) {
  FaultVfs disk;
  test::TempFolder folder;
  std::string note;
  Rng rng(11);
  const std::string database = folder.file("pollux.db");
  Result<std::unique_ptr<Content>> content = Content::open(database, {}, note);
  ASSERT_TRUE(content.ok());
  ASSERT_TRUE((*content)->put({version_of(page, "one")}).ok());
  for (const bool syncs : {false, true}) {
    if (syncs) {
      disk.fail_syncs(SQLITE_IOERR_FSYNC);
    } else {
      disk.fail_writes(SQLITE_FULL);
    }
    const Status failed = (*content)->put({version_of(page, random_words(rng, 100'000))});
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().exit_code, ExitCode::io);
    disk.recover();
  }
  ASSERT_TRUE((*content)->put({version_of(page, "two")}).ok());
  const Result<std::unique_ptr<ContentReader>> reader = ContentReader::open(database);
  EXPECT_EQ((*reader)->versions(page)->size(), 2u);
  EXPECT_EQ((*reader)->text(page, 1)->value_or(""), "one");
  EXPECT_EQ((*reader)->text(page, 2)->value_or(""), "two");
}

// A child writes versions and says of each that put() has returned; it is killed at any moment.
TEST(ContentKilled, everything_that_put_returned_for_is_there) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    test::TempFolder folder;
    const std::string database = folder.file("pollux.db");
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Rng rng(seed);
      std::string note;
      Result<std::unique_ptr<Content>> content = Content::open(database, {.per_page = 20}, note);
      std::string version = random_words(rng, 20'000);
      for (int i = 0; content.ok(); ++i) {
        if (!(*content)->put({version_of(page, version, noon + i)}).ok()) break;
        if (write(pipe_ends[1], "x", 1) != 1) break;
        if (i % 7 == 6 && !(*content)->tidy({.per_page = 20}, at_ms(noon + i)).ok()) break;
        version = slightly_edited(rng, version);
      }
      _exit(1);
    }
    close(pipe_ends[1]);
    std::int64_t done = 0;
    char one = 0;
    while (done < static_cast<std::int64_t>(5 * seed) && read(pipe_ends[0], &one, 1) == 1) ++done;
    kill(child, SIGKILL);
    int how = 0;
    ASSERT_EQ(waitpid(child, &how, 0), child);
    EXPECT_TRUE(WIFSIGNALED(how));
    while (read(pipe_ends[0], &one, 1) == 1) ++done;
    close(pipe_ends[0]);

    const Result<std::unique_ptr<ContentReader>> reader = ContentReader::open(database);
    ASSERT_TRUE(reader.ok());
    const Result<std::vector<VersionRow>> rows = (*reader)->versions(page);
    ASSERT_TRUE(rows.ok());
    ASSERT_FALSE(rows->empty());
    EXPECT_GE(rows->back().number, done);
    Rng rng(seed);
    std::string version = random_words(rng, 20'000);
    std::int64_t number = 1;
    for (const VersionRow& row : *rows) {
      for (; number < row.number; ++number) version = slightly_edited(rng, version);
      const Result<std::optional<std::string>> text = (*reader)->text(page, row.number);
      ASSERT_TRUE(text.ok()) << text.error().message;
      ASSERT_EQ(text->value_or(""), version) << row.number;
    }
  }
}

}  // namespace
}  // namespace pollux::store

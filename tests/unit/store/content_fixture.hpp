// What the tests of the kept versions share.
#pragma once

#include "fixture.hpp"
#include "pollux/base/rng.hpp"
#include "pollux/store/content.hpp"
#include "store/content_codec.hpp"

namespace pollux::store {

inline Content::Put version_of(const std::string& url, const std::string& text,
                               std::int64_t seen_at = noon) {
  return {
      .url = url, .hash = sha256_of(text), .as = "text", .text = text, .seen_at = at_ms(seen_at)};
}

inline std::string random_words(Rng& rng, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) {
    for (std::uint64_t i = 2 + rng.below(8); i > 0; --i)
      text += static_cast<char>('a' + rng.below(26));
    text += rng.chance(0.1) ? '\n' : ' ';
  }
  return text;
}

// One to four small edits.
inline std::string slightly_edited(Rng& rng, std::string text) {
  for (std::uint64_t i = 1 + rng.below(4); i > 0; --i) {
    const std::size_t at = rng.below(text.size() + 1);
    text.replace(at, std::min<std::size_t>(rng.below(12), text.size() - at), random_words(rng, 6));
  }
  return text;
}

class ContentTest : public StoreTest {
 protected:
  void SetUp() override {
    folder_.write("pollux.db", "");
    std::filesystem::permissions(path(), std::filesystem::perms(0600));
    content_ = open_content();
  }
  std::unique_ptr<Content> open_content(const ContentOptions& options = {}) {
    note_.clear();
    Result<std::unique_ptr<Content>> opened = Content::open(path(), options, note_);
    EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().message);
    return opened.ok() ? std::move(*opened) : nullptr;
  }
  std::unique_ptr<ContentReader> reader() const {
    Result<std::unique_ptr<ContentReader>> opened = ContentReader::open(path());
    EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().message);
    return opened.ok() ? std::move(*opened) : nullptr;
  }
  void put(const std::string& url, const std::string& text, std::int64_t seen_at = noon) {
    const Status done = content_->put({version_of(url, text, seen_at)});
    EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().message);
  }
  int tidy(const ContentOptions& options, std::int64_t now) {
    for (int steps = 1; steps < 10'000; ++steps) {
      const Result<bool> more = content_->tidy(options, at_ms(now));
      EXPECT_TRUE(more.ok()) << (more.ok() ? "" : more.error().message);
      if (!more.ok() || !*more) return steps;
    }
    ADD_FAILURE() << "there is always more";
    return 0;
  }
  // "(none)" and "(error)" where there is no text.
  std::string text(const std::string& url, std::int64_t number) const {
    const Result<std::optional<std::string>> found = reader()->text(url, number);
    if (!found) return "(error)";
    return found->value_or("(none)");
  }
  std::string numbers(const std::string& url) const {
    std::string list;
    const Result<std::vector<VersionRow>> rows = reader()->versions(url);
    if (!rows) return rows.error().message;
    for (const VersionRow& row : *rows) list += std::to_string(row.number) + " ";
    return list;
  }
  std::string in_file(const std::string& sql) const {
    Result<Connection> connection = Connection::open(content_path(path()), SQLITE_OPEN_READWRITE);
    if (!connection) return connection.error().message;
    const Result<std::string> answer = connection->text(sql);
    return answer ? *answer : answer.error().message;
  }
  std::vector<std::string> put_aside() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename().string();
      if (name.find(".damaged-") != std::string::npos && !name.ends_with("-wal") &&
          !name.ends_with("-shm")) {
        names.push_back(name);
      }
    }
    return names;
  }

  std::string note_;
  std::unique_ptr<Content> content_;
};

}  // namespace pollux::store

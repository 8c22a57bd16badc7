#include "pollux/store/content.hpp"

#include "pollux/base/text.hpp"
#include "pollux/base/thread_owner.hpp"
#include "store/checkpoints.hpp"
#include "store/content_codec.hpp"
#include "store/content_file.hpp"
#include "store/content_tidy.hpp"
#include "store/lock.hpp"

#include <array>
#include <cstring>

#include <spdlog/spdlog.h>

namespace pollux::store {
namespace {

constexpr std::int64_t full_every = 50;

// What a name means, links followed: SQLite follows them, too.
FileId file_behind(const std::string& path) {
  struct stat about {};
  return stat(path.c_str(), &about) == 0 ? FileId{about.st_dev, about.st_ino} : FileId{};
}

struct NewestVersion {
  std::int64_t number = 0;  // 0: there is none
  std::int64_t first = 0;   // the oldest that is kept
  std::int64_t since_full = 0;
  std::string hash;
};

class ContentFile : public Content {
 public:
  ContentFile(std::string path, const FileRights& rights, const ContentOptions& options)
      : path_(std::move(path)), rights_(rights), options_(options) {}

  Status begin(std::string& note);
  Status put(const std::vector<Put>& versions) override;
  Result<bool> tidy(const ContentOptions& options, WallTime now) override;

 private:
  Status put_all(const std::vector<Put>& versions);
  Status put_one(const Put& version);
  Result<std::int64_t> id_of(const std::string& url);
  Result<NewestVersion> newest_of(std::int64_t url_id);
  Status look_after_file();
  bool was_written_over() const;
  Status begin_anew_if_damaged(const Error& met);

  const std::string path_;
  const FileRights rights_;
  ContentOptions options_;
  ThreadOwner owner_;
  Checkpoints checkpoints_{1000};  // outlives the connection
  std::optional<Connection> connection_;
  FileId file_, log_;
  ContentTidying tidying_;
};

Status ContentFile::begin(std::string& note) {
  connection_.reset();
  tidying_ = {};
  Result<Connection> opened = open_content(path_, rights_, note);
  if (!opened) return opened.error();
  connection_ = std::move(*opened);
  checkpoints_.attach(*connection_);
  file_ = file_behind(path_);
  // The log lies beside the file itself, not beside a link to it.
  const char* log = sqlite3_filename_wal(sqlite3_db_filename(connection_->handle(), "main"));
  log_ = file_behind(log);
  return success();
}

// SQLite goes on with what it has in memory and in the log; readers have nothing. By its own
// descriptor: to close another one would take the locks away.
bool ContentFile::was_written_over() const {
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(connection_->handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file) !=
          SQLITE_OK ||
      file == nullptr || file->pMethods == nullptr) {
    return false;
  }
  std::array<char, 16> head{};
  const int read = file->pMethods->xRead(file, head.data(), static_cast<int>(head.size()), 0);
  if (read == SQLITE_IOERR_SHORT_READ) return true;
  return read == SQLITE_OK && std::memcmp(head.data(), "SQLite format 3", head.size()) != 0;
}

// SQLite goes on with files that were deleted, and all it writes is lost.
Status ContentFile::look_after_file() {
  std::string note;
  if (!connection_) return begin(note);
  const char* log = sqlite3_filename_wal(sqlite3_db_filename(connection_->handle(), "main"));
  const bool in_place = file_behind(path_) == file_;
  if (in_place && file_behind(log) == log_) {
    if (!was_written_over()) return success();
    return begin_anew_if_damaged(Error{
        "kept versions " + printable(path_) + " were written over or cut", ExitCode::bad_data});
  }
  // What has gone needs no last copy of its log; what is there gets it.
  sqlite3_db_config(connection_->handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, in_place ? 0 : 1,
                    nullptr);
  if (Status begun = begin(note); !begun) return begun;
  spdlog::warn("kept versions {}: the file or its log was taken away; {}", printable(path_),
               note.empty() ? "it was opened anew" : note);
  return success();
}

Status ContentFile::begin_anew_if_damaged(const Error& met) {
  if (met.exit_code != ExitCode::bad_data) return met;
  // Its log is evidence.
  sqlite3_db_config(connection_->handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  connection_.reset();
  const Result<std::string> aside = move_content_aside(path_);
  if (!aside) return aside.error();
  std::string note;
  if (Status begun = begin(note); !begun) return begun;
  spdlog::error("{}. The file is now {}, and a new one was begun", met.message, printable(*aside));
  return success();
}

Result<std::int64_t> ContentFile::id_of(const std::string& url) {
  Result<Statement> find = connection_->prepare("SELECT id FROM url WHERE url = ?1");
  if (!find) return find.error();
  const Result<bool> found = find->bind(1, std::string_view(url)).step();
  if (!found) return found.error();
  if (*found) return find->integer(0);
  Result<Statement> add = connection_->prepare("INSERT INTO url (url) VALUES (?1)");
  if (!add) return add.error();
  if (Status added = add->bind(1, std::string_view(url)).run(); !added) return added.error();
  return sqlite3_last_insert_rowid(connection_->handle());
}

Result<NewestVersion> ContentFile::newest_of(std::int64_t url_id) {
  NewestVersion newest;
  Result<Statement> rows = connection_->prepare(
      "SELECT number, hash, (SELECT min(number) FROM version WHERE url_id = ?1), number - "
      "(SELECT max(number) FROM version WHERE url_id = ?1 AND full = 1) FROM version WHERE url_id "
      "= ?1 ORDER BY number DESC LIMIT 1");
  if (!rows) return rows.error();
  const Result<bool> row = rows->bind(1, url_id).step();
  if (!row) return row.error();
  if (!*row) return newest;
  newest.number = rows->integer(0);
  newest.hash = rows->text(1);
  newest.first = rows->integer(2);
  newest.since_full = rows->is_null(3) ? full_every : rows->integer(3);
  return newest;
}

Status ContentFile::put_one(const Put& version) {
  if (sha256_of(version.text) != version.hash) {
    return Error{"kept versions " + printable(path_) + ": the hash of " +
                     printable_url(version.url) + " is not that of its content",
                 ExitCode::software};
  }
  std::string data = squeeze(version.text, {});
  // What goes for it may be of the same page.
  const Result<bool> fits =
      make_room(*connection_, static_cast<std::int64_t>(data.size()), options_.max_size);
  if (!fits) return fits.error();
  if (!*fits) return success();  // larger than all that may be kept
  const Result<std::int64_t> url_id = id_of(version.url);
  if (!url_id) return url_id.error();
  const Result<NewestVersion> newest = newest_of(*url_id);
  if (!newest) return newest.error();
  if (newest->number > 0 && newest->hash == version.hash) return success();
  bool full = true;
  if (newest->number > 0 && newest->since_full + 1 < full_every) {
    // One that cannot be read any more is no prefix.
    const Result<KeptText> before = content_text(*connection_, *url_id, newest->number);
    if (!before) return before.error();
    if (before->text) {
      std::string difference = squeeze(version.text, *before->text);
      full = difference.size() >= data.size();
      if (!full) data = std::move(difference);
    }
  }
  if (newest->number > 0) {
    Result<Statement> replaced = connection_->prepare(
        "UPDATE version SET replaced_at = ?3 WHERE url_id = ?1 AND number = ?2");
    if (!replaced) return replaced.error();
    replaced->bind(1, *url_id).bind(2, newest->number);
    replaced->bind(3, std::optional<WallTime>(version.seen_at));
    if (Status done = replaced->run(); !done) return done;
  }
  Result<Statement> add = connection_->prepare(
      "INSERT INTO version (url_id, number, seen_at, hash, kind, bytes, full, data) VALUES (?1, "
      "?2, ?3, ?4, ?5, ?6, ?7, ?8)");
  if (!add) return add.error();
  add->bind(1, *url_id)
      .bind(2, newest->number + 1)
      .bind(3, std::optional<WallTime>(version.seen_at))
      .bind(4, std::string_view(version.hash))
      .bind(5, std::string_view(version.as))
      .bind(6, static_cast<std::int64_t>(version.text.size()))
      .bind(7, std::int64_t{full ? 1 : 0})
      .bind_blob(8, data);
  if (Status done = add->run(); !done) return done;
  const std::int64_t first = newest->number > 0 ? newest->first : 1;
  tidying_.note(*url_id, newest->number + 2 - first, options_);
  return success();
}

Status ContentFile::put_all(const std::vector<Put>& versions) {
  Transaction transaction(*connection_);
  if (Status begun = transaction.begin_writing(); !begun) return begun;
  for (const Put& version : versions) {
    if (Status done = put_one(version); !done) return done;
  }
  return transaction.commit();
}

Status ContentFile::put(const std::vector<Put>& versions) {
  owner_.check();
  if (versions.empty() || options_.per_page <= 0) return success();
  if (Status there = look_after_file(); !there) return there;
  Status done = put_all(versions);
  if (done) return done;
  if (Status anew = begin_anew_if_damaged(done.error()); !anew) return anew;
  return put_all(versions);
}

Result<bool> ContentFile::tidy(const ContentOptions& options, WallTime now) {
  owner_.check();
  options_ = options;
  if (Status there = look_after_file(); !there) return there.error();
  Result<bool> more = tidying_.step(*connection_, options, now);
  if (more) return more;
  if (Status anew = begin_anew_if_damaged(more.error()); !anew) return anew.error();
  return false;
}

}  // namespace

std::string content_path(const std::string& database) {
  return canonical_path(database) + "-content";
}

Content::~Content() = default;

Result<std::unique_ptr<Content>> Content::open(const std::string& database,
                                               const ContentOptions& options, std::string& note) {
  auto file = std::make_unique<ContentFile>(content_path(database),
                                            rights_of(canonical_path(database)), options);
  if (Status begun = file->begin(note); !begun) return begun.error();
  return std::unique_ptr<Content>(std::move(file));
}

}  // namespace pollux::store

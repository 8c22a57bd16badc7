// Versions of what was kept of each page, in a SQLite file of its own beside the database. History,
// not state: a file that is lost or damaged is put aside and begun anew, and costs history alone.
//
// Versions are compressed with the one before as prefix, whole ones now and then, and checked when
// read. Threading: one owner at a time, as Store; a ContentReader is a connection of its own that
// only reads.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/base/time.hpp"
#include "pollux/store/options.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::store {

std::string content_path(const std::string& database);  // <database>-content

struct VersionRow {
  std::int64_t number = 0;  // counts up from 1 for each page
  WallTime seen_at{};
  std::string hash;  // SHA-256 of the content, hexadecimal
  std::string as;    // what it was kept as: text, json, …
  std::int64_t bytes = 0;
};

class Content {
 public:
  // Created with the mode of the database. A file that is not usable is renamed to <path>.damaged-…
  // and said in `note`.
  static Result<std::unique_ptr<Content>> open(const std::string& database,
                                               const ContentOptions& options, std::string& note);
  virtual ~Content();
  // Durable when it returns. The version that a page has already as its newest is not written
  // again. One transaction. A file that was deleted, or is found damaged, meanwhile is begun anew,
  // and the log says so.
  struct Put {
    std::string url, hash, as, text;
    WallTime seen_at{};
  };
  virtual Status put(const std::vector<Put>& versions) = 0;
  // One small step of deleting what is beyond the options; true when there is more to do.
  virtual Result<bool> tidy(const ContentOptions& options, WallTime now) = 0;
};

class ContentReader {
 public:
  // An error (missing_input) if there is no such file yet.
  static Result<std::unique_ptr<ContentReader>> open(const std::string& database);
  virtual ~ContentReader();
  virtual Result<std::vector<VersionRow>> versions(const std::string& url) = 0;  // the oldest first
  // Nothing: no such version is kept. An error: it is damaged.
  virtual Result<std::optional<std::string>> text(const std::string& url, std::int64_t number) = 0;
  virtual Result<std::optional<std::string>> text_of_hash(const std::string& url,
                                                          std::string_view hash) = 0;
};

}  // namespace pollux::store

// Where `pollux shard` writes: everything under another name, which it gets rid of at the end.
#pragma once

#include "pollux/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::cli {

// A folder "OUT.unfinished" beside what is to be made. Goes with all that is in it, unless it
// became the result.
class Unfinished {
 public:
  enum class Makes { folder, file };
  // Refused: `out` is there (an empty folder may be, where a folder is made), is a link, or has no
  // folder to lie in; another run is under way; less than `bytes` of room.
  static Result<Unfinished> beside(const std::string& out, Makes makes, std::uintmax_t bytes);
  // Somewhere for files that nobody needs afterwards.
  static Result<Unfinished> somewhere();
  Unfinished(Unfinished&& other) noexcept;
  Unfinished& operator=(Unfinished&&) = delete;
  ~Unfinished();

  const std::filesystem::path& folder() const { return folder_; }
  const std::filesystem::path& out() const { return out_; }
  const std::filesystem::path& scratch() const { return scratch_; }
  // Run by root for a service: what was made is its user's, as the source is.
  void give_to_owner_of(const std::string& file) const;
  // The folder, but for the scratch, is the result.
  Status become_folder();

 private:
  Unfinished(std::filesystem::path out, std::filesystem::path folder)
      : out_(std::move(out)), folder_(std::move(folder)), scratch_(folder_ / "scratch") {}

  std::filesystem::path out_, folder_, scratch_;
};

// Many files that grow at once, without as many being open.
class GrowingFiles {
 public:
  explicit GrowingFiles(std::vector<std::filesystem::path> files)
      : files_(std::move(files)), waiting_(files_.size()) {}
  void add(std::size_t file, std::string_view text);
  Status finish();

 private:
  void flush(std::size_t file);

  std::vector<std::filesystem::path> files_;
  std::vector<std::string> waiting_;
  std::string failed_;
};

}  // namespace pollux::cli

#include "cli/shard_files.hpp"

#include "cli/temporary_folder.hpp"
#include "pollux/base/text.hpp"
#include "pollux/base/units.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pollux::cli {
namespace {

namespace fs = std::filesystem;

Error refused_out(const fs::path& out, const std::string& why, ExitCode code) {
  return {"--out " + printable(out.string()) + ": " + why, code};
}

Status check_out(const fs::path& out, Unfinished::Makes makes) {
  std::error_code problem;
  const fs::file_status there = fs::symlink_status(out, problem);
  if (fs::is_symlink(there))
    return refused_out(out, "is a link; name what it should be itself", ExitCode::cannot_create);
  if (fs::is_directory(there)) {
    if (makes == Unfinished::Makes::file)
      return refused_out(out, "is a folder; name a file in it", ExitCode::cannot_create);
    if (fs::is_empty(out, problem) && !problem) return success();
    return refused_out(out, "is there and not empty; name a new folder", ExitCode::cannot_create);
  }
  if (fs::exists(there)) {
    return refused_out(out, "is there already; name a new one, or move it away",
                       ExitCode::cannot_create);
  }
  if (makes == Unfinished::Makes::folder) return success();
  for (const char* beside : {"-content", "-wal", "-private"}) {
    if (!fs::exists(fs::symlink_status(out.string() + beside, problem))) continue;
    return refused_out(out.string() + beside, "is there already; move it away",
                       ExitCode::cannot_create);
  }
  return success();
}

bool sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  if (descriptor < 0) return false;
  const bool done = ::fsync(descriptor) == 0;
  ::close(descriptor);
  return done;
}

}  // namespace

Result<Unfinished> Unfinished::beside(const std::string& named, Makes makes, std::uintmax_t bytes) {
  fs::path out = fs::path(named).lexically_normal();
  if (!out.has_filename()) out = out.parent_path();  // a slash at the end
  if (Status good = check_out(out, makes); !good) return good.error();
  const fs::path parent = out.has_parent_path() ? out.parent_path() : fs::path(".");
  std::error_code problem;
  if (!fs::is_directory(parent, problem)) {
    return refused_out(out, "its folder does not exist; create " + printable(parent.string()),
                       ExitCode::cannot_create);
  }
  const fs::space_info room = fs::space(parent, problem);
  if (!problem && room.available < bytes) {
    return refused_out(out,
                       fmt::format("{} free, {} needed; make room, or name a folder on another "
                                   "disk",
                                   format_bytes(room.available), format_bytes(bytes)),
                       ExitCode::io);
  }
  const fs::path folder = out.string() + ".unfinished";
  if (::mkdir(folder.c_str(), 0700) != 0) {
    const int why = errno;
    if (why == EEXIST) {
      return refused_out(folder,
                         "is there: another run is under way, or one was killed; then remove it",
                         ExitCode::cannot_create);
    }
    return refused_out(out,
                       "cannot be made: " + std::generic_category().message(why) +
                           "; check who owns the folder it is to lie in",
                       ExitCode::cannot_create);
  }
  Unfinished made(out, folder);
  fs::create_directory(made.scratch_, problem);
  return made;
}

Result<Unfinished> Unfinished::somewhere() {
  Result<std::string> folder = make_temporary_folder("pollux-shard");
  if (!folder) return folder.error();
  Unfinished made({}, *folder);
  std::error_code problem;
  fs::create_directory(made.scratch_, problem);
  return made;
}

Unfinished::Unfinished(Unfinished&& other) noexcept
    : out_(std::move(other.out_)),
      folder_(std::exchange(other.folder_, {})),
      scratch_(std::move(other.scratch_)) {}

Unfinished::~Unfinished() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

void Unfinished::give_to_owner_of(const std::string& file) const {
  struct stat about {};
  if (::geteuid() != 0 || ::stat(file.c_str(), &about) != 0) return;
  const auto give = [&](const fs::path& path) {
    [[maybe_unused]] const int given = ::lchown(path.c_str(), about.st_uid, about.st_gid);
  };
  std::error_code problem;
  give(folder_);
  for (fs::recursive_directory_iterator at(folder_, problem), end; !problem && at != end;
       at.increment(problem)) {
    give(at->path());
  }
}

Status Unfinished::become_folder() {
  std::error_code problem;
  fs::remove_all(scratch_, problem);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::chmod(folder_.c_str(), 0777 & ~mask);
  const fs::path parent = out_.has_parent_path() ? out_.parent_path() : fs::path(".");
  if (!sync_folder(folder_) || std::rename(folder_.c_str(), out_.c_str()) != 0) {
    return refused_out(out_,
                       "cannot get its name: " + std::generic_category().message(errno) +
                           "; check the disk, and that nobody else has made it meanwhile",
                       ExitCode::cannot_create);
  }
  folder_.clear();
  if (sync_folder(parent)) return success();
  return refused_out(out_, "its folder cannot be synced to disk; check the disk", ExitCode::io);
}

void GrowingFiles::add(std::size_t file, std::string_view text) {
  constexpr std::size_t enough = 64u << 10;
  waiting_[file] += text;
  if (waiting_[file].size() >= enough) flush(file);
}

void GrowingFiles::flush(std::size_t file) {
  std::ofstream out(files_[file], std::ios::binary | std::ios::app);
  out << waiting_[file];
  out.close();
  waiting_[file].clear();
  if (!out && failed_.empty()) failed_ = files_[file].string();
}

Status GrowingFiles::finish() {
  for (std::size_t file = 0; file < files_.size(); ++file) flush(file);
  if (failed_.empty()) return success();
  return Error{"cannot write " + printable(failed_) + "; make room on the disk and try again",
               ExitCode::io};
}

}  // namespace pollux::cli

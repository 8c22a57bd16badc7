#include "cli/demo_database.hpp"

#include "pollux/base/text.hpp"
#include "pollux/store/reader.hpp"
#include "pollux/store/store.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

namespace pollux::cli {
namespace {

namespace fs = std::filesystem;

// The row of the meta table that says: made by a demo, may be replaced by the next one.
const std::pair<std::string, std::string> mark{"demo", "1"};

Error refusal(const std::string& path, std::string_view why) {
  return {printable(path) + " exists and " + std::string(why) +
              ", so the demo leaves it alone; choose another file: --database FILE",
          ExitCode::cannot_create};
}

bool is_from_a_demo(const std::string& path) {
  const auto reader = store::Reader::open(path);
  if (!reader) return false;
  const auto meta = (*reader)->meta();
  if (!meta) return false;
  const auto found = meta->find(mark.first);
  return found != meta->end() && found->second == mark.second;
}

Status make_room(const std::string& path) {
  std::error_code problem;
  const fs::file_status found = fs::status(path, problem);
  if (found.type() == fs::file_type::not_found) return success();
  if (found.type() != fs::file_type::regular) return refusal(path, "is not a file");
  if (fs::file_size(path, problem) == 0 && !problem) return success();  // nothing to lose
  if (const auto pid = store::daemon_pid(path)) {
    return Error{printable(path) + " is in use by process " + std::to_string(*pid) +
                     "; wait until it has ended, or choose another file: --database FILE",
                 ExitCode::temporary};
  }
  if (!is_from_a_demo(path)) return refusal(path, "is not the database of an earlier demo");

  const std::string target = fs::canonical(path, problem).string();
  for (const char* suffix : {"-wal", "-shm", ""}) {
    fs::remove(target + suffix, problem);
    if (problem) {
      return Error{printable(target + suffix) + ": cannot remove it: " + problem.message(),
                   ExitCode::cannot_create};
    }
  }
  return success();
}

}  // namespace

Status create_demo_database(const std::string& path) {
  if (Status room = make_room(path); !room) return room;
  const auto store = store::Store::open(path);
  if (!store) return store.error();
  store::Batch batch;
  batch.meta.push_back(mark);
  const auto written = (*store)->write(batch, "");
  return written ? success() : written.error();
}

}  // namespace pollux::cli

#include "cli/demo_database.hpp"

#include "pollux/base/text.hpp"
#include "pollux/store/reader.hpp"
#include "pollux/store/store.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace pollux::cli {
namespace {

namespace fs = std::filesystem;

Error refusal(const std::string& path, std::string_view why) {
  return {printable(path) + " exists and " + std::string(why) +
              ", so the demo leaves it alone; choose another file: --database FILE",
          ExitCode::cannot_create};
}

bool is_from_a_demo(const std::string& path) {
  const auto reader = store::Reader::open(path);
  if (!reader) return false;
  const auto summary = (*reader)->summary();
  if (!summary) return false;
  return std::any_of(summary->meta.begin(), summary->meta.end(), [](const auto& row) {
    return row.first == demo_meta_key && row.second == demo_meta_value;
  });
}

}  // namespace

Status make_room_for_demo(const std::string& path) {
  std::error_code problem;
  const fs::file_status found = fs::status(path, problem);
  if (found.type() == fs::file_type::not_found) return success();
  if (found.type() != fs::file_type::regular) return refusal(path, "is not a file");
  if (fs::file_size(path, problem) == 0 && !problem) return success();  // nothing to lose
  if (!is_from_a_demo(path)) return refusal(path, "is not the database of an earlier demo");

  // Opening it for writing fails while another daemon holds it.
  if (auto held = store::Store::open(path); !held) return held.error();
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

}  // namespace pollux::cli

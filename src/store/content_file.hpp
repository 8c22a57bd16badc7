// The file of kept versions: how it is made, recognised, put aside and read.
//
//   url      id, url
//   version  url_id · number (from 1 for each URL) · seen_at, replaced_at (Unix ms; NULL: the
//   newest)
//            · hash (SHA-256 of the content) · kind (text, json, …) · bytes (of the content) · full
//            (1: data stands alone; 0: it needs the version before) · data (zstd)
// The versions of a URL are numbered without gaps, so that each finds its prefix.
#pragma once

#include "pollux/base/result.hpp"
#include "store/file_id.hpp"
#include "store/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace pollux::store {

// For the one that writes. A file that is not usable is moved aside, and `note` says so; it is left
// as it is when there is nothing to say.
Result<Connection> open_content(const std::string& path, const FileRights& rights,
                                std::string& note);
// For everybody else.
Result<Connection> open_content_to_read(const std::string& path);

// Moves the file aside, log and all, while nobody here has it open. Where it is now.
Result<std::string> move_content_aside(const std::string& path);

// An Error is SQLite's; what is wrong with the version itself, or with one that it needs, is
// `damage`.
struct KeptText {
  std::optional<std::string> text;  // none: no such row, or damaged
  std::string damage;
};
Result<KeptText> content_text(const Connection& connection, std::int64_t url_id,
                              std::int64_t number);

}  // namespace pollux::store

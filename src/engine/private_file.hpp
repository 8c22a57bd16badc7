// The file beside the database that only its owner can read (0600), "<database>-private": cookies
// that are kept, and the key of the marks by which an edit of headers is recognised. None of it is
// in the database, in a backup or in the log. Threading: any, one at a time; it blocks.
#pragma once

#include "engine/cookie_jars.hpp"
#include "pollux/base/result.hpp"

#include <string>

namespace pollux::engine {

struct Secrets {
  std::string key;  // 32 bytes; empty: there is none yet
  CookieJars::Jars jars;
};

std::string private_file(const std::string& database);
// No such file: nothing is known. A line that makes no sense is passed over.
Result<Secrets> read_secrets(const std::string& file);
// Whole or not at all, also when the machine goes down meanwhile.
Status write_secrets(const std::string& file, const Secrets& secrets);
std::string new_key();

}  // namespace pollux::engine

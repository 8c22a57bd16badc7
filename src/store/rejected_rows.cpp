#include "store/rejected_rows.hpp"

#include "pollux/base/text.hpp"

#include <spdlog/spdlog.h>

namespace pollux::store {
namespace {

constexpr std::size_t most_named = 10;  // of a batch: a log should not list thousands

}  // namespace

bool RejectedRows::is_for_ever(const Connection& connection) {
  const int code = sqlite3_errcode(connection.handle()) & 0xff;
  const bool transaction_lives = sqlite3_get_autocommit(connection.handle()) == 0;
  return transaction_lives &&
         (code == SQLITE_CONSTRAINT || code == SQLITE_MISMATCH || code == SQLITE_TOOBIG);
}

void RejectedRows::drop(std::string name, const Error& why) {
  ++count_;
  if (named_.size() < most_named) named_.emplace_back(std::move(name), why.message);
}

void RejectedRows::tell() const {
  for (const auto& [name, why] : named_) {
    spdlog::error("{} was not recorded, everything else is: {}", printable(name), why);
  }
  if (count_ > named_.size()) {
    spdlog::error("{} more rows were refused and not recorded", count_ - named_.size());
  }
}

}  // namespace pollux::store

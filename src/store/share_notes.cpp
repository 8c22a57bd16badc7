#include "store/share_notes.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace pollux::store {
namespace {

constexpr char part_of_pages[] =
    "SELECT url, share FROM page WHERE id > ?1 AND id <= ?2 AND state = 'active' AND share > 0";
constexpr char note_one[] =
    "INSERT OR REPLACE INTO share_history (at, prefix, share) VALUES (?1, ?2, ?3)";

// A clock that was set back does not stop it.
bool is_long_ago(WallTime then, WallTime now, Duration every) {
  return now < then || now - then >= every;
}

}  // namespace

Result<bool> ShareNotes::step(const Connection& connection, WallTime now, Duration every) {
  if (!pass_) {
    const Result<bool> due = is_due(connection, now, every);
    if (!due || !*due) return due;
    pass_ = now;
    read_until_ = 0;
  }
  const Result<std::int64_t> last = connection.integer("SELECT coalesce(max(id), 0) FROM page");
  if (!last) return last.error();
  if (Status done = read(connection); !done) return done.error();
  if (read_until_ < *last) return true;
  if (Status written = write(connection); !written) return written.error();
  last_ = std::exchange(pass_, std::nullopt);
  hosts_ = {};
  folders_ = {};
  return false;
}

Result<bool> ShareNotes::is_due(const Connection& connection, WallTime now, Duration every) const {
  if (last_ && !is_long_ago(*last_, now, every)) return false;
  const Result<std::int64_t> noted =
      connection.integer("SELECT coalesce(max(at), 0) FROM share_history");
  if (!noted) return noted.error();
  return is_long_ago(WallTime(std::chrono::milliseconds(*noted)), now, every);
}

Status ShareNotes::read(const Connection& connection) {
  Result<Statement> pages = connection.prepare(part_of_pages);
  if (!pages) return pages.error();
  const std::int64_t until = read_until_ + ids_a_step;
  pages->bind(1, read_until_).bind(2, until);
  while (true) {
    const Result<bool> row = pages->step();
    if (!row) return row.error();
    if (!*row) break;
    count(pages->text(0), pages->real(1));
  }
  read_until_ = until;
  return success();
}

// "https://example.org/" and "https://example.org/news/" of "https://example.org/news/today".
void ShareNotes::count(std::string_view url, double share) {
  const std::size_t host_ends = url.find('/', std::string_view("https://").size());
  if (host_ends == std::string_view::npos) return;
  add(hosts_, url.substr(0, host_ends + 1), share);
  const std::size_t folder_ends = url.find('/', host_ends + 1);
  if (folder_ends != std::string_view::npos) add(folders_, url.substr(0, folder_ends + 1), share);
}

void ShareNotes::add(Shares& shares, std::string_view prefix, double share) {
  shares[std::string(prefix)] += share;
  if (shares.size() > most_counted) forget_least(shares, most_counted / 2);
}

void ShareNotes::forget_least(Shares& shares, std::size_t most) {
  if (shares.size() <= most) return;
  std::vector<double> sizes;
  sizes.reserve(shares.size());
  for (const auto& [prefix, share] : shares) sizes.push_back(share);
  const auto least = sizes.begin() + static_cast<std::ptrdiff_t>(most) - 1;
  std::nth_element(sizes.begin(), least, sizes.end(), std::greater<>());
  std::erase_if(shares, [least = *least](const auto& one) { return one.second < least; });
  // Of those that have the same, whichever.
  for (auto one = shares.begin(); shares.size() > most && one != shares.end();) {
    one = one->second == *least ? shares.erase(one) : std::next(one);
  }
}

Status ShareNotes::write(const Connection& connection) {
  Result<Statement> note = connection.prepare(note_one);
  if (!note) return note.error();
  for (Shares* shares : {&hosts_, &folders_}) {
    forget_least(*shares, most_noted);
    for (const auto& [prefix, share] : *shares) {
      note->bind(1, pass_->time_since_epoch().count())
          .bind(2, std::string_view(prefix))
          .bind(3, share);
      if (Status done = note->run(); !done) return done;
    }
  }
  return success();
}

}  // namespace pollux::store

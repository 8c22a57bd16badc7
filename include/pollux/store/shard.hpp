// Databases that are divided among brains, and put together again.
//
// Nothing of a source is changed, and no daemon may run on it. Rows go from file to file inside
// SQLite; what goes where is kept in a file, too, so memory does not grow with the list. What is
// written lies where the caller says and has been checked as a whole; giving it its name is up to
// the caller. Who belongs where is for the caller to say. What is done with each table:
// src/store/README.md. Threading: one owner.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/store/rows.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pollux::store {

struct ShardWork {
  // A folder of the caller's, for files that are of no use afterwards.
  std::string scratch;
  // Asked now and then; true ends the work with an error (temporary).
  std::function<bool()> cancelled = {};
  // What is done now, and how much of all is done, 0 to 1.
  std::function<void(std::string_view doing, double done)> told = {};
};

struct ShardCounts {
  std::uint64_t pages = 0;               // removed ones, which keep their history, included
  std::uint64_t listed = 0;              // active and paused
  std::uint64_t hosts = 0, domains = 0;  // of pages
  std::uint64_t changes = 0, versions = 0, waiting = 0;  // waiting: messages that are to be told
  std::uint64_t bytes = 0;                               // of the files that were written
};

// What a policy remembers of an active page.
struct LearntRow {
  std::string url;
  std::uint32_t part = 0;
  double importance = 1;
  double slow_hits = 0, slow_hit_time = 0, slow_miss_time = 0;
  double fast_hits = 0, fast_hit_time = 0, fast_miss_time = 0;
  double streak = 0, position = 0;
};
using EachLearnt = std::function<void(const LearntRow& row)>;

// Rows that are not copied but made: what trees know, and what is known of the whole.
struct ShardExtras {
  std::vector<NodeRow> nodes;               // of the policy in force
  std::map<std::string, std::string> meta;  // in place of the sources'; empty values are left out
};

// One database becomes several.
struct Division {
  std::uint32_t parts = 2;
  std::function<std::string(std::string_view url_or_host)> domain;  // what stays together
  std::function<std::uint32_t(std::string_view domain)> part_of;
};

class Divider {
 public:
  // Of an older schema: a copy of it is brought up to date, in `scratch`. Errors: temporary (a
  // daemon holds it), bad_data (damaged, of another program, newer), missing_input.
  static Result<std::unique_ptr<Divider>> open(const std::string& database, Division division,
                                               ShardWork work);
  ~Divider();

  Result<std::vector<ShardCounts>> counts() const;  // without bytes; by part
  Status each_learnt(const EachLearnt& each) const;
  Result<std::vector<NodeRow>> nodes(const std::string& policy) const;
  Result<std::string> meta(const std::string& key) const;  // "" when absent
  // Writes a database, and the file of its versions if there are any. Nothing may lie there.
  Result<ShardCounts> write(std::uint32_t part, const std::string& path,
                            const ShardExtras& extras) const;
  // Whether the source is as it was when it was opened: else an error (temporary).
  Status check_source() const;

 private:
  struct State;
  explicit Divider(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Several databases become one.
enum class SameUrl { refuse, newest };

class Merger {
 public:
  // A URL that several of them have: refused (bad_data), or only the page polled last is taken,
  // with everything that belongs to it. Errors as above; usage: one file twice.
  static Result<std::unique_ptr<Merger>> open(const std::vector<std::string>& databases,
                                              SameUrl rule, ShardWork work);
  ~Merger();

  std::uint32_t sources() const;
  Status each_learnt(std::uint32_t source, const EachLearnt& each) const;  // those that are taken
  Result<std::vector<NodeRow>> nodes(std::uint32_t source, const std::string& policy) const;
  Result<std::string> meta(std::uint32_t source, const std::string& key) const;
  Result<ShardCounts> write(const std::string& path, const ShardExtras& extras) const;
  std::uint64_t left_out() const;  // pages of which another database had a newer one
  Status check_sources() const;

 private:
  struct State;
  explicit Merger(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Gives files that lie beside each other under one name another, versions first; nothing may have
// it.
Status name_database(const std::string& unfinished, const std::string& path);

}  // namespace pollux::store

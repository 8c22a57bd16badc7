// The daemon under chaos: the real program with its configuration, its small disk and its clock. It
// knows when the program ran, what it reported and how much memory it took. Threading: one thread.
#pragma once

#include "chaos/observer.hpp"
#include "chaos/web.hpp"
#include "support/program.hpp"
#include "support/shifted_wall_clock.hpp"
#include "support/small_disk.hpp"
#include "support/temp_folder.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace pollux::chaos {

// What its configuration says of the promises that servers can see.
struct Told {
  int budget = chaos::budget;
  std::chrono::milliseconds delay = chaos::delay;
  bool obey_robots = true;
  std::string user_agent = {};  // another one has other rules in some robots.txt
};

class Subject {
 public:
  struct Options {
    std::string binary, clock_library;
    std::uint64_t seed = 1;
    Told told = {};
  };
  Subject(const Options& options, const Web& web, Observer& observer);

  bool has_small_disk() const { return disk_.mounted(); }
  void start();
  // What a supervisor does: notices that it is gone, starts it again. Also measures its memory.
  void look_after();

  void kill();  // -9; start() it again later
  void stop();  // SIGTERM, and waits
  void freeze();
  void thaw();
  void fill_disk();
  void make_room();
  void delete_database();  // when it is open: deleted before, it would be a new one
  void expect_database();  // it is back
  void jump(std::chrono::seconds shift) { clock_.shift(shift); }
  void reload(std::int64_t variant);  // adds and removes late pages
  void reload_nonsense();
  void write_configuration() const;

  // --- At the end.
  Invariant memory, exits, deletions;
  // Every change that was reported stands in the database.
  Invariant reported_changes();
  Invariant database_is_sound();
  std::vector<Change> changes();
  std::vector<Stretch> running() const { return running_; }
  const std::vector<Kill>& kills() const { return kills_; }

 private:
  void ended(const test::Finished& finished);
  SteadyTime unsure_since() const;
  void notice_ready();
  void await_start();
  void tell_to_reload();
  void begin_stretch(std::chrono::milliseconds in);
  void end_stretch();
  std::string sqlite(const std::string& sql) const;
  std::string database() const { return (folder_ / "disk/chaos.db").string(); }

  Options options_;
  const Web& web_;
  Observer& observer_;
  test::TempFolder folder_;
  test::SmallDisk disk_;
  test::ShiftedWallClock clock_;
  std::unique_ptr<test::Program> daemon_;
  std::set<unsigned> late_pages_;
  bool disk_full_ = false;
  bool reload_waits_ = false;
  double peak_mb_ = 0;
  std::optional<SteadyTime> running_since_;
  std::vector<Stretch> running_;
  std::vector<Kill> kills_;
  bool ready_ = false;  // it has said so
  std::optional<SteadyTime> full_since_, room_since_, deleted_at_;
  Stretch frozen_{};            // the last time; without an end while it is
  double longest_deleted_ = 0;  // in seconds
  std::map<std::string, std::uint64_t> reported_;
};

}  // namespace pollux::chaos

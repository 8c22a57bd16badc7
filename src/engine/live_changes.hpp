// What a command makes of pages: worked out from the configuration in force, carried out in the
// database, and left as a change of the list in memory. Threading: plans on any thread; what takes
// a Store on the writer's.
#pragma once

#include "engine/live_rows.hpp"
#include "engine/page_list.hpp"
#include "pollux/engine/steering.hpp"
#include "pollux/store/store.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pollux::engine {

using Book = std::shared_ptr<const config::PageBook>;

// What became of pages, refusals first and bounded.
class Tally {
 public:
  void done(const std::string& url, const char* what);
  void unchanged(const std::string& url, std::string why = {});
  void refused(const std::string& url, std::string why);
  void refused_too();  // one more that is not named
  SteeringResult result() const;

 private:
  void note(std::vector<Steered>& list, Steered one);
  SteeringResult counts_;
  std::vector<Steered> refused_, others_;
};

// What a command does to the list, on its way to the engine.
struct LiveChange {
  std::shared_ptr<config::Config> fragment = {};  // whose settings the change names; may be null
  PageListChange change = {};
  Tally tally = {};
  // Refused, and where they are written is still to be told; those that are only counted are not
  // among them.
  std::vector<std::string> of_files = {};
};

inline constexpr char paused_first[] = "it is paused; resume it first";

// The pages that are meant, and what is wrong with those that are none.
struct Chosen {
  std::vector<store::ChosenPage> pages;
  Tally tally;
};
Result<Chosen> choose(store::Store& store, const Selection& selection);
// Those that can be polled now, as many as one command may name; the others are refused.
Chosen pollable(Chosen chosen);

struct AddPlan {
  LiveChange change;
  std::vector<store::LivePageSpec> specs;
  std::vector<std::uint32_t> settings;  // for each
};
AddPlan plan_add(const Book& book, const std::vector<LivePage>& pages);
Result<LiveChange> carry_out(AddPlan& plan, store::Store& store, WallTime now, store::Keep keep);

// `settings` are laid over those that are there; nullopt: all are dropped.
struct SetPlan {
  LiveChange change;
  std::vector<std::pair<PageId, store::LivePageSpec>> specs;
};
SetPlan plan_set(const Book& book, Chosen chosen, const std::optional<LiveSettings>& settings);
Result<LiveChange> carry_out(SetPlan& plan, store::Store& store, store::Keep keep);

Result<LiveChange> remove_pages(store::Store& store, Chosen chosen, store::Keep keep);
Result<LiveChange> pause_pages(store::Store& store, Chosen chosen, std::optional<WallTime> until,
                               store::Keep keep);
// Rows without settings: resolve_resumed() finds them.
struct Resumed {
  LiveChange change = {};
  std::vector<config::LiveEntry> entries = {};  // of the fresh pages, in their order
};
Result<Resumed> resume_pages(store::Store& store, Chosen chosen, store::Keep keep);
LiveChange resolve_resumed(const Book& book, Resumed resumed);

// Where files list these pages, as far as they still do: why they are not removed.
std::vector<Steered> refusals_of(const std::string& config_file, std::vector<std::string> urls);

}  // namespace pollux::engine

// The lists in memory and what decides over them: pages, hosts, their settings, policy, scheduler
// and budget, as database and configuration have them. Threading: the engine's thread.
#pragma once

#include "engine/access_points.hpp"
#include "engine/cookie_jars.hpp"
#include "engine/host_table.hpp"
#include "engine/list_turn.hpp"
#include "engine/page_list.hpp"
#include "engine/page_settings.hpp"
#include "engine/page_table.hpp"
#include "pollux/base/clock.hpp"
#include "pollux/config/config.hpp"
#include "pollux/learn/policy.hpp"
#include "pollux/schedule/budget.hpp"
#include "pollux/schedule/scheduler.hpp"
#include "pollux/store/store.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pollux::engine {

struct Lists {
  explicit Lists(config::Config wanted) : config(std::move(wanted)) {}

  config::Config config;
  PageSettingsTable settings;
  PageTable pages;
  HostTable hosts;
  PagePlaces places{pages};
  std::unique_ptr<learn::Policy> policy;
  std::unique_ptr<schedule::Scheduler> scheduler;
  std::unique_ptr<schedule::Budget> budget;
  std::unique_ptr<AccessPoints> access_points;
  CookieJars cookies;
  double told_sweep = 0;  // seconds, to the policy
  ListTurn turn;          // who may change the list
  // What the file says, while another budget was set live; until a reload brings a new one.
  std::optional<double> file_budget;
  // Of all brains together, where there are several: then `budget` is what this one is lent.
  std::optional<double> shared_budget;
  std::string lost_pages;  // at the start, where that were too many: in words

  PageListParts parts() { return {config, settings, pages, hosts, *policy, *scheduler, &cookies}; }

  // Makes policy, scheduler and budget as the configuration says, and the lists empty. Without it
  // nothing else works.
  Status make_learner(Instant now);
  // Brings the configuration's list into the database and what the database knows into memory.
  // When it fails, the lists are good for nothing but make_learner().
  Status fill(store::Store& store, const WantedPages& wanted, const Moment& moment);
  // The time to poll every page once, told to the policy when it differs.
  void set_sweep(std::size_t pages);
  // What the configuration says of settings, once it is in the table: it may be as long as the
  // list, so who is in a hurry frees it elsewhere.
  struct ReadSettings {
    std::vector<config::PageSettings> settings;
    decltype(config::Config::header_sets) header_sets;
  };
  ReadSettings take_read_settings();
  // In force at once: requests per second, and what follows from them.
  void set_budget(double budget, Instant now);
  std::string summary() const;

 private:
  Status fill_pages(store::Store& store, const WantedPages& wanted, const Moment& moment);
  Status fill_hosts(store::Store& store, const Moment& moment);
  Status fill_masks(store::Store& store, const Moment& moment);
};

}  // namespace pollux::engine

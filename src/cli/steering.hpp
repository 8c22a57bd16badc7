// What the commands that steer have in common: which pages are meant, and what became of them.
#pragma once

#include "cli/daemon_client.hpp"
#include "cli/database_option.hpp"

#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace pollux::cli {

class CommandLine;

struct SteeringOptions {
  DatabaseOption database;
  std::vector<std::string> urls = {}, tags = {}, globs = {};
  bool dry_run = false, json = false;
};

// URL…, --tag, --match, --dry-run, --json and the database. They must outlive the parsing.
void add_steering_options(CommandLine& line, SteeringOptions& options);
// --dry-run, --json and the database alone.
void add_result_options(CommandLine& line, SteeringOptions& options);

// {urls, tags, match, dry_run}. A word that is no URL is a page's name or a part of its URL. An
// error when no page is meant.
Result<boost::json::object> selection_of(const SteeringOptions& options,
                                         const std::string& database);

// "2 pages paused until …; 1 refused:" and the refusals, or JSON. The exit code: bad_data when
// something was refused, missing_input when no page is meant.
int tell_steered(const boost::json::object& result, const SteeringOptions& options,
                 const std::string& done);
// "404" or "200, same": what a poll brought, of its event.
std::string outcome_in(const boost::json::object& poll);
// Asks for this with the pages of the options, and tells. `more`: further fields.
int steer_pages(const SteeringOptions& options, const std::string& path, const std::string& done,
                boost::json::object more = {});
// A wish that is answered with a sentence.
int steer_message(const SteeringOptions& options, const std::string& path);

boost::json::array list_of(const std::vector<std::string>& texts);
// A field of an answer; 0 and "" where there is none.
std::int64_t count_in(const boost::json::object& object, const char* name);
std::string words_in(const boost::json::object& object, const char* name);

}  // namespace pollux::cli

// A site that is deployed anew, all of it at once, with the content rules that hold by default: its
// pages are looked at before their turn, within every limit, and people are told why.
#include "integration/running_daemon.hpp"
#include "support/site_web.hpp"

#include <map>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace pollux::test {
namespace {

using namespace std::chrono_literals;

class Burst : public RunningDaemon {
 protected:
  static constexpr std::size_t site_pages = 20, counted = 60;
  static constexpr int budget = 60;

  void configure_burst(const SiteWeb& web, const std::string& learner) {
    std::ofstream file(folder_ / "pollux.yaml");
    file << "budget: " << budget << "\ndatabase: " << database_file_
         << "\nnetwork: { allow: [127.0.0.0/8] }\nlearner: { seed: 7" << learner << " }\n"
         << "hosts: { delay: 10ms, connections: 1, adaptive_delay: 0, robots: ignore }\n"
         << "defaults: { min_interval: 500ms, timeout: 5s }\npages:\n";
    for (const std::string& url : web.urls()) file << "  - " << url << "\n";
  }
  std::size_t least_polls(const SiteWeb& web) {
    std::map<std::size_t, std::size_t> polls;
    for (const SiteWeb::Request& one : web.log()) ++polls[one.page];
    std::size_t least = polls.size() < web.urls().size() ? 0 : SIZE_MAX;
    for (const auto& [page, count] : polls) least = std::min(least, count);
    return least;
  }
  // Of the first requests after the redeploy, how many pages of the site were asked for.
  std::size_t pages_seen(const SiteWeb& web, SteadyTime redeployed) {
    std::set<std::size_t> pages;
    std::size_t requests = 0;
    for (const SiteWeb::Request& one : web.log()) {
      if (one.came <= redeployed || ++requests > counted) continue;
      if (web.is_of_site(one.page)) pages.insert(one.page);
    }
    return pages.size();
  }
  // Watches until every page is known, deploys the site anew, and counts.
  std::size_t watch(SiteWeb& web, const std::string& learner) {
    configure_burst(web, learner);
    start();
    EXPECT_TRUE(eventually([&] { return least_polls(web) >= 3; }));
    const SteadyTime redeployed = web.redeploy();
    const std::size_t before = web.log().size();
    EXPECT_TRUE(eventually([&] { return web.log().size() >= before + counted + 10; }));
    EXPECT_EQ(stop().exit_code, 0);
    for (const std::string& complaint :
         complaints(web, {.delay = 10ms, .min_interval = 500ms, .budget = budget}))
      ADD_FAILURE() << complaint;
    return pages_seen(web, redeployed);
  }
  Finished ask(std::vector<std::string> arguments) {
    const std::filesystem::path aside = folder_ / "aside";
    std::filesystem::create_directory(aside);
    arguments.insert(arguments.end(), {"--database", database()});
    return Program(POLLUX_BINARY, aside, std::move(arguments)).wait();
  }
};

TEST_F(Burst, of_a_site_is_followed_within_all_limits_and_explained) {
  const SiteWeb::Options options{
      .site_pages = site_pages, .other_pages = 180, .other_hosts = 18, .lively_every = 0};
  SiteWeb plain(options);
  database_file_ = "plain.db";
  const std::size_t without = watch(plain, ", follow: 0");
  SiteWeb followed(options);
  database_file_ = "test.db";
  const std::size_t with = watch(followed, "");
  EXPECT_GE(with, 2 * without) << "of the first " << counted << " requests";
  EXPECT_GE(with, site_pages * 6 / 10);

  std::size_t explained = 0;
  for (std::size_t i = 0; i < site_pages; ++i) {
    const Finished told = ask({"explain", followed.urls()[i], "--json"});
    ASSERT_EQ(told.exit_code, 0) << told.err;
    const boost::json::value page = boost::json::parse(told.out);
    if (page.at("looked_because").is_null()) continue;
    ++explained;
    EXPECT_NE(page.at("looked_because").as_string().find(SiteWeb::site_host()), std::string::npos);
  }
  EXPECT_GE(explained, site_pages / 3);

  const boost::json::value status = boost::json::parse(ask({"status", "--json"}).out);
  std::int64_t looks = 0, found = 0;
  for (const boost::json::value& minute : status.at("minutes").as_array()) {
    looks += minute.at("looks").as_int64();
    found += minute.at("looks_found").as_int64();
  }
  EXPECT_GE(looks, static_cast<std::int64_t>(explained));
  EXPECT_GE(found, static_cast<std::int64_t>(site_pages / 3));
  EXPECT_LE(found, looks);

  const Finished tree = ask({"tree", SiteWeb::site_host(), "--json"});
  ASSERT_EQ(tree.exit_code, 0) << tree.err;
  const boost::json::array parts = boost::json::parse(tree.out).as_array();
  ASSERT_GE(parts.size(), 2U);
  EXPECT_EQ(parts[0].at("pages"), site_pages);
  EXPECT_EQ(parts[1].at("depth"), 1);
  EXPECT_NE(ask({"tree"}).out.find("AFFINITY"), std::string::npos);
}

}  // namespace
}  // namespace pollux::test

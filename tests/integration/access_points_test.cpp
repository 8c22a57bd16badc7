// The real daemon with three proxies, each near to some sites and far from the others.
#include "integration/running_daemon.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"
#include "support/proxy.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <map>

namespace pollux::test {
namespace {

using namespace std::chrono_literals;

class AccessPoints : public RunningDaemon {
 protected:
  static constexpr int sites = 9, ways = 3;

  static std::string site(int i) { return "site" + std::to_string(i) + ".test"; }
  static std::string name(int way) { return std::string("way") + static_cast<char>('a' + way); }
  void configure_ways(std::vector<int> listed = {0, 1, 2}) {
    origin_.otherwise(serve::page("a page"));
    std::string more = "defaults: { min_interval: 0s, timeout: 5s }\naccess_points:\n";
    for (const int way : listed) {
      more += "  - { name: " + name(way) + ", proxy: \"" + proxies_[way].url() + "\" }\n";
    }
    std::vector<std::string> urls;
    for (int i = 0; i < sites; ++i) urls.push_back("http://" + site(i) + "/");
    configure(urls, "400", more);
  }
  // Site i is near to way (i + shift) modulo 3.
  void set_delays(int shift) {
    for (int i = 0; i < sites; ++i) {
      for (int way = 0; way < ways; ++way) {
        proxies_[way].set_delay(site(i), way == (i + shift) % ways ? 1ms : 40ms);
      }
    }
  }
  // Did the last ten polls of every site go by its fastest way, but for one look elsewhere?
  bool all_at_home(int shift) {
    std::vector<std::pair<SteadyTime, std::pair<std::string, int>>> all;
    for (int way = 0; way < ways; ++way) {
      for (const auto& one : proxies_[way].forwarded()) all.push_back({one.at, {one.site, way}});
    }
    std::sort(all.rbegin(), all.rend());
    for (int i = 0; i < sites; ++i) {
      int seen = 0, home = 0;
      for (auto at = all.begin(); at != all.end() && seen < 10; ++at) {
        if (at->second.first != site(i)) continue;
        ++seen;
        home += at->second.second == (i + shift) % ways ? 1 : 0;
      }
      if (home < 9) return false;
    }
    return true;
  }
  std::size_t polls_at(int i) {
    std::size_t sum = 0;
    for (Proxy& proxy : proxies_) sum += proxy.requests(site(i));
    return sum;
  }

  Origin origin_;
  std::array<Proxy, ways> proxies_{Proxy(origin_.port()), Proxy(origin_.port()),
                                   Proxy(origin_.port())};
};

TEST_F(AccessPoints, poll_the_hosts_that_are_near_them_follow_changes_and_survive_a_restart) {
  set_delays(0);
  configure_ways();
  start();
  EXPECT_TRUE(eventually([&] { return all_at_home(0); }));
  set_delays(1);
  EXPECT_TRUE(eventually([&] { return all_at_home(1); }));
  EXPECT_EQ(stop().exit_code, 0);

  const auto placed = reader()->placements();
  ASSERT_TRUE(placed.ok());
  ASSERT_EQ(placed->size(), static_cast<std::size_t>(sites * ways));
  for (const store::PlacementRow& row : *placed) {
    const int i = row.host[4] - '0';
    EXPECT_EQ(row.placed, row.access_point == name((i + 1) % ways)) << row.host;
  }
  EXPECT_EQ(reader()->access_points()->size(), static_cast<std::size_t>(ways));

  // Known from the first poll on: nobody has to try each way again.
  std::array<std::size_t, sites> before{}, at_home{};
  for (int i = 0; i < sites; ++i) {
    before[i] = polls_at(i);
    at_home[i] = proxies_[(i + 1) % ways].requests(site(i));
  }
  start();
  EXPECT_TRUE(eventually([&] { return polls_at(0) >= before[0] + 20; }));
  stop();
  std::size_t polls = 0, home = 0;
  for (int i = 0; i < sites; ++i) {
    polls += polls_at(i) - before[i];
    home += proxies_[(i + 1) % ways].requests(site(i)) - at_home[i];
  }
  EXPECT_GT(static_cast<double>(home), 0.85 * static_cast<double>(polls));
}

TEST_F(AccessPoints, are_added_and_removed_by_a_reload) {
  set_delays(0);
  configure_ways({0, 1});
  start();
  EXPECT_TRUE(eventually([&] { return polls_at(0) >= 10 && polls_at(2) >= 10; }));
  EXPECT_TRUE(proxies_[2].forwarded().empty());
  configure_ways();
  daemon_->send(SIGHUP);
  EXPECT_TRUE(logged("3 access points now"));
  EXPECT_TRUE(eventually([&] { return all_at_home(0); }));

  configure_ways({1, 2});
  daemon_->send(SIGHUP);
  EXPECT_TRUE(logged("2 access points now"));
  const std::size_t last = polls_at(0);
  EXPECT_TRUE(eventually([&] { return polls_at(0) >= last + 5; }));
  const std::size_t by_removed = proxies_[0].forwarded().size();
  EXPECT_TRUE(eventually([&] { return polls_at(0) >= last + 25; }));
  EXPECT_EQ(proxies_[0].forwarded().size(), by_removed);
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_EQ(reader()->access_points()->size(), 2U);
  const auto placed = reader()->placements();
  std::map<std::string, int> places;
  for (const store::PlacementRow& row : *placed) places[row.host] += row.placed ? 1 : 0;
  EXPECT_EQ(places.size(), static_cast<std::size_t>(sites));
  for (const auto& [host, count] : places) EXPECT_EQ(count, 1) << host;
  for (int i = 0; i < sites; ++i) {
    EXPECT_EQ(progress("http://" + site(i) + "/").errors, 0) << site(i);
  }
}

TEST_F(AccessPoints, that_break_cost_no_page_its_poll) {
  set_delays(0);
  configure_ways();
  start();
  EXPECT_TRUE(eventually([&] { return all_at_home(0); }));
  proxies_[0].set_broken(true);
  const std::array before{polls_at(0), polls_at(3), polls_at(6)};
  EXPECT_TRUE(eventually([&] {
    return polls_at(0) >= before[0] + 20 && polls_at(3) >= before[1] + 20 &&
           polls_at(6) >= before[2] + 20;
  }));
  stop();
  for (int i = 0; i < sites; ++i) {
    EXPECT_EQ(progress("http://" + site(i) + "/").errors, 0) << site(i);
  }
  const auto placed = reader()->placements();
  for (const store::PlacementRow& row : *placed) {
    EXPECT_FALSE(row.placed && row.access_point == name(0)) << row.host;
  }
}

// The way of three other hosts goes silent: those who only look at it go their own way in time.
TEST_F(AccessPoints, that_fall_silent_cost_a_host_that_looks_at_them_no_poll) {
  set_delays(0);
  configure_ways();
  start();
  EXPECT_TRUE(eventually([&] { return all_at_home(0); }));
  const std::size_t heard = proxies_[0].received().size();
  for (int i = 0; i < sites; ++i) proxies_[0].set_delay(site(i), 1h);
  const auto looked = [&](int i) {
    return proxies_[0].received().find("http://" + site(i) + "/", heard) != std::string::npos;
  };
  std::array<std::size_t, sites> before{};
  for (int i = 0; i < sites; ++i) before[i] = polls_at(i);
  EXPECT_TRUE(eventually([&] { return looked(1) || looked(2) || looked(4) || looked(5); }));
  EXPECT_TRUE(eventually([&] {
    return polls_at(1) >= before[1] + 20 && polls_at(2) >= before[2] + 20 &&
           polls_at(4) >= before[4] + 20 && polls_at(5) >= before[5] + 20;
  }));
  stop();
  for (const int i : {1, 2, 4, 5}) {
    const store::PageProgress found = progress("http://" + site(i) + "/");
    EXPECT_EQ(found.errors, 0) << site(i) << ": " << found.last_error;
  }
}

TEST_F(RunningDaemon, without_access_points_nothing_is_stored_about_them) {
  Origin origin;
  origin.otherwise(serve::page("a page"));
  configure({origin.url("/a")}, "50");
  start();
  EXPECT_TRUE(eventually([&] { return origin.requests() >= 3; }));
  stop();
  EXPECT_TRUE(reader()->access_points()->empty());
  EXPECT_TRUE(reader()->placements()->empty());
}

}  // namespace
}  // namespace pollux::test

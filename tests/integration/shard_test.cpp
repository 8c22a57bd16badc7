// A daemon's list and database divided by the program, and put together again: every part runs by
// itself and knows what was known.
#include "integration/running_daemon.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"
#include "support/small_disk.hpp"

#include <algorithm>
#include <map>

#include <boost/json.hpp>

namespace pollux::test {
namespace {

namespace fs = std::filesystem;

class Sharding : public RunningDaemon {
 protected:
  // Addresses stand for themselves, so each is a domain of its own.
  void SetUp() override {
    for (int i = 1; i <= hosts; ++i) {
      Origin::Options options;
      options.address = "127.0.0." + std::to_string(i);
      origins_.push_back(std::make_unique<Origin>(options));
      origins_.back()->otherwise(serve::changing_page());
      for (int page = 0; page < 4; ++page)
        urls_.push_back(origins_.back()->url("/p" + std::to_string(page)));
    }
  }
  // Until every page has changed a few times.
  void learn() {
    configure(urls_, "400");
    start();
    ASSERT_TRUE(eventually([&] {
      const auto open = reader();
      if (!open) return false;
      const auto pages = open->pages({.limit = 0});
      return pages.ok() && pages->size() == urls_.size() &&
             std::ranges::all_of(
                 *pages, [](const store::PageRow& page) { return page.progress.changes >= 3; });
    }));
    EXPECT_EQ(stop().exit_code, 0);
  }
  Finished run(std::vector<std::string> arguments) {
    const TempFolder here;
    Program program(POLLUX_BINARY, here, std::move(arguments));
    return program.wait();
  }
  Finished shard(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "shard");
    return run(std::move(arguments));
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  static std::map<std::string, store::PageRow> pages_in(const std::string& database) {
    std::map<std::string, store::PageRow> pages;
    const auto open = store::Reader::open(database);
    EXPECT_TRUE(open.ok()) << database;
    if (!open) return pages;
    const auto rows = (*open)->pages({.limit = 0});
    EXPECT_TRUE(rows.ok());
    for (const store::PageRow& row : *rows) pages.emplace(row.spec.url, row);
    return pages;
  }

  static constexpr int hosts = 12;
  std::vector<std::unique_ptr<Origin>> origins_;
  std::vector<std::string> urls_;
};

TEST_F(Sharding, what_was_learnt_goes_with_its_pages_and_comes_back) {
  learn();
  const auto before = pages_in(database());
  const Finished split =
      shard({"--split", "2", "--config", file("pollux.yaml"), "--out", file("brains"), "--json"});
  ASSERT_EQ(split.exit_code, 0) << split.err;
  const boost::json::value told = boost::json::parse(split.out);
  ASSERT_EQ(told.at("brains").as_array().size(), 2u);
  std::size_t pages = 0;
  for (const auto& brain : told.at("brains").as_array()) {
    const std::string folder(brain.at("folder").as_string());
    const auto own = pages_in(folder + "/pollux.db");
    EXPECT_EQ(own.size(), brain.at("pages").to_number<std::size_t>());
    pages += own.size();
    // What is needed besides is NATS.
    const Finished check = run({"check", "--config", folder + "/pollux.yaml"});
    EXPECT_NE(check.err.find("write 'nats:"), std::string::npos) << check.err;
    EXPECT_EQ(std::count(check.err.begin(), check.err.end(), '\n'), 1) << check.err;
    for (const auto& [url, row] : own) {
      const store::PageProgress &now = row.progress, &then = before.at(url).progress;
      EXPECT_EQ(now.change_rate_per_day, then.change_rate_per_day) << url;
      EXPECT_EQ(now.share, then.share) << url;
      EXPECT_EQ(now.slow_hits, then.slow_hits) << url;
      EXPECT_EQ(now.content_hash, then.content_hash) << url;
    }
  }
  EXPECT_EQ(pages, before.size());

  const Finished merged = shard({"--merge", file("brains"), "--out", file("back.db")});
  ASSERT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_EQ(pages_in(file("back.db")).size(), before.size());
  for (const std::string& url : {urls_.front(), urls_.back()}) {
    for (const char* command : {"history", "diff"}) {
      const Finished was = run({command, "--database", database(), "--json", url});
      const Finished is = run({command, "--database", file("back.db"), "--json", url});
      EXPECT_EQ(was.exit_code, is.exit_code) << command << is.err;
      EXPECT_EQ(was.out, is.out) << command;
    }
  }
  const std::vector<std::string> all{"changes", "--json", "--limit", "100000", "--database"};
  std::vector<std::string> was = all, is = all;
  was.push_back(database());
  is.push_back(file("back.db"));
  EXPECT_EQ(run(was).out, run(is).out);
}

TEST_F(Sharding, a_part_runs_and_goes_on_where_it_was) {
  learn();
  const auto before = pages_in(database());
  ASSERT_EQ(
      shard({"--split", "2", "--config", file("pollux.yaml"), "--out", file("brains")}).exit_code,
      0);
  // By itself, with a budget of its own: what it is told by NATS is no matter here.
  const fs::path folder = folder_ / "brains" / "brain-1";
  std::ifstream written(folder / "pollux.yaml");
  std::string text(std::istreambuf_iterator<char>(written), {});
  const std::size_t at = text.find("brains:\n  name: brain-1\n");
  ASSERT_NE(at, text.npos) << text;
  std::ofstream(folder / "alone.yaml") << text.erase(at, 24);
  const TempFolder here;
  Program daemon(POLLUX_BINARY, here, {"run", "--config", (folder / "alone.yaml").string()});
  const std::string database = (folder / "pollux.db").string();
  EXPECT_TRUE(eventually([&] {
    return std::ranges::any_of(pages_in(database), [&](const auto& page) {
      return page.second.progress.polls > before.at(page.first).progress.polls + 5;
    });
  }));
  daemon.send(SIGTERM);
  const Finished ended = daemon.wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(ended.err.find(" 0 new, 0 back, 0 with new options, 0 removed"), std::string::npos)
      << ended.err;
  for (const auto& [url, row] : pages_in(database))
    EXPECT_GE(row.progress.changes, before.at(url).progress.changes) << url;
}

TEST_F(Sharding, a_daemon_that_runs_is_not_divided) {
  configure(urls_, "50");
  start();
  ASSERT_TRUE(eventually([&] { return reader() != nullptr; }));
  const Finished refused =
      shard({"--split", "2", "--config", file("pollux.yaml"), "--out", file("brains")});
  EXPECT_EQ(refused.exit_code, 75) << refused.err;
  EXPECT_NE(refused.err.find("stop it first"), std::string::npos) << refused.err;
  EXPECT_FALSE(fs::exists(folder_ / "brains"));
  EXPECT_FALSE(fs::exists(folder_ / "brains.unfinished"));
  stop();
}

TEST_F(Sharding, what_cannot_be_is_refused_with_its_cure_and_leaves_nothing) {
  learn();
  const std::string config = file("pollux.yaml");
  fs::create_directory(folder_ / "full");
  folder_.write("full/file", "");
  fs::create_directory_symlink(folder_ / "full", folder_ / "link");
  folder_.write("taken.db", "mine");
  struct Case {
    std::vector<std::string> arguments;
    int exit_code;
    std::string says;
  };
  const std::vector<Case> cases = {
      {{"--split", "0", "--config", config, "--out", file("x")}, 64, "2"},
      {{"--split", "1", "--config", config, "--out", file("x")}, 64, "2"},
      {{"--split", "10000", "--config", config, "--out", file("x")}, 64, "1000"},
      {{"--split", "900", "--config", config, "--out", file("x")}, 64, "smaller --split"},
      {{"--config", config, "--out", file("x")}, 64, "--split N"},
      {{"--split", "2", "--config", config}, 64, "--out DIR"},
      {{"--split", "2", "--config", config, "--out", file("full")}, 73, "not empty"},
      {{"--split", "2", "--config", config, "--out", file("link")}, 73, "is a link"},
      {{"--split", "2", "--config", config, "--out", file("no/x")}, 73, "does not exist; create"},
      {{"--split", "2", "--config", config, "--out", "/proc/x"}, 74, "make room"},
      {{"--split", "2", "--database", file("none.db"), "--out", file("x")}, 66, "none.db"},
      {{"--merge", "--out", file("x.db")}, 64, "two databases"},
      {{"--merge", database(), "--out", file("x.db")}, 64, "two databases"},
      {{"--merge", database(), database(), "--out", file("x.db")}, 64, "one file"},
      {{"--merge", file("full"), "--out", file("x.db")}, 66, "no pollux.db"},
      {{"--merge", database(), config, "--out", file("x.db")}, 65, "pollux.yaml"},
      {{"--merge", database(), file("none.db"), "--out", file("taken.db")}, 73, "there already"},
  };
  for (const Case& wrong : cases) {
    const Finished refused = shard(wrong.arguments);
    EXPECT_EQ(refused.exit_code, wrong.exit_code) << wrong.says << ": " << refused.err;
    EXPECT_NE(refused.err.find(wrong.says), std::string::npos) << wrong.says << ": " << refused.err;
  }
  for (const char* left : {"x", "x.unfinished", "x.db", "x.db.unfinished", "taken.db.unfinished"})
    EXPECT_FALSE(fs::exists(folder_ / left)) << left;
  const Finished looked = shard({"--split", "2", "--config", config, "--dry-run"});
  EXPECT_EQ(looked.exit_code, 0) << looked.err;
  EXPECT_NE(looked.out.find("Nothing was written."), std::string::npos);
}

TEST_F(Sharding, a_full_disk_leaves_nothing) {
  learn();
  const SmallDisk disk(folder_ / "disk", "size=512k");
  if (!disk.mounted()) GTEST_SKIP() << "no mount namespace to be had";
  const std::string out = (folder_ / "disk" / "brains").string();
  const Finished refused = shard({"--split", "2", "--config", file("pollux.yaml"), "--out", out});
  EXPECT_EQ(refused.exit_code, 74) << refused.err;
  EXPECT_NE(refused.err.find("make room"), std::string::npos) << refused.err;
  EXPECT_TRUE(fs::is_empty(folder_ / "disk"));
}

TEST_F(Sharding, stopped_in_the_middle_it_leaves_nothing) {
  learn();
  const TempFolder here;
  Program program(
      POLLUX_BINARY, here,
      {"shard", "--split", "3", "--config", file("pollux.yaml"), "--out", file("brains")});
  while (!program.minds(SIGINT) && !fs::exists(folder_ / "brains"))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  program.send(SIGINT);
  const Finished ended = program.wait();
  // It may have been done before.
  if (ended.exit_code != 0) {
    EXPECT_EQ(ended.exit_code, 75) << ended.err;
    EXPECT_NE(ended.err.find("nothing was written"), std::string::npos) << ended.err;
    EXPECT_FALSE(fs::exists(folder_ / "brains"));
  }
  EXPECT_FALSE(fs::exists(folder_ / "brains.unfinished"));
}

}  // namespace
}  // namespace pollux::test

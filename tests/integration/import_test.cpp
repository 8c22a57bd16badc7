// Lists of other programs, imported and polled by the real program: what counted there counts here.
#include "integration/running_daemon.hpp"
#include "support/origin.hpp"

#include <atomic>

namespace pollux::test {
namespace {

// Line 1 is what the filters leave out, line 2 what they keep.
std::string watched_page(int visits, int price) {
  return "<html><head><title>A shop</title></head><body><p class=\"count\">Visits so far: " +
         std::string(static_cast<std::size_t>(visits), 'I') + "</p><div class=\"offer\"><p>Price " +
         std::to_string(price) + " EUR</p><p class=\"ad\">advert " +
         std::string(static_cast<std::size_t>(visits), 'V') + "</p></div></body></html>";
}

class Imports : public RunningDaemon {
 protected:
  Finished import(const std::string& file, const std::string& out) {
    const std::filesystem::path aside = folder_ / "imported";
    std::filesystem::create_directories(aside);
    return Program(POLLUX_BINARY, aside, {"import", folder_.file(file), "--out", folder_.file(out)})
        .wait();
  }
  std::string text_of(const std::string& name) {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(Imports, of_urlwatch_and_changedetection_io_are_polled_with_the_same_meaning) {
  Origin origin;
  std::atomic<int> visits{1}, price{100};
  for (const char* const path : {"/by-urlwatch", "/by-changedetection"}) {
    origin.on(path, [&](Exchange& x) -> Step {
      const std::string body = watched_page(visits, price);
      co_await x.respond(200, "Content-Type: text/html\r\n", body);
    });
  }
  const std::string first = origin.url("/by-urlwatch");
  const std::string second = origin.url("/by-changedetection");
  folder_.write("urls.yaml", "name: Offer\nurl: " + first +
                                 "\nfilter:\n  - css: .offer\n  - html2text\n  - grepi: ^advert\n");
  folder_.write("url-watches.json",
                R"({"watching": {"u": {"url": ")" + second +
                    R"(", "subtractive_selectors": [".ad"], "ignore_text": ["visits so far"]}}})");
  ASSERT_EQ(import("urls.yaml", "one.yaml").exit_code, 0);
  ASSERT_EQ(import("url-watches.json", "two.yaml").exit_code, 0);
  // The one as a file of its own, the other as a part of the configuration.
  folder_.write("pollux.yaml",
                "budget: 20\ndatabase: test.db\nnetwork: { allow: [127.0.0.0/8] }\n"
                "hosts: { delay: 0s, connections: 4, robots: ignore }\n"
                "defaults: { min_interval: 0s, max_interval: 1s }\npages_file: one.yaml\n" +
                    text_of("two.yaml"));
  start();
  const auto polled_on = [&](const std::string& url) {
    const auto before = progress(url).polls;
    return eventually([&] { return progress(url).polls > before + 3; });
  };
  ASSERT_TRUE(polled_on(first));
  ASSERT_TRUE(polled_on(second));
  visits = 2;
  ASSERT_TRUE(polled_on(first));
  ASSERT_TRUE(polled_on(second));
  EXPECT_EQ(progress(first).changes, 0) << "a line that grepi drops";
  EXPECT_EQ(progress(second).changes, 0) << "a line of ignore_text, an element that is removed";
  price = 90;
  EXPECT_TRUE(eventually([&] { return progress(first).changes == 1; }));
  EXPECT_TRUE(eventually([&] { return progress(second).changes == 1; }));
  const auto page = reader()->page(first);
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->spec.name, "Offer");
}

}  // namespace
}  // namespace pollux::test

// Answers that are no page, where nobody has seen the page yet.
#include "pollux/extract/suspicion.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pollux::extract {
namespace {

struct Answer {
  std::string title, content;
  std::vector<std::string> markers = {};
  int status = 200;
};
std::optional<Suspicion> doubt(const Answer& answer, std::size_t words = 8) {
  Traits traits;
  traits.title = answer.title;
  traits.words = words;
  traits.markers = answer.markers;
  return suspicion_at_first_sight({.asked_url = "http://a.test/",
                                   .final_url = "http://a.test/",
                                   .challenge_header = {},
                                   .traits = &traits,
                                   .content = answer.content,
                                   .status = answer.status,
                                   .html = true});
}

TEST(FirstSight, of_an_error_or_a_challenge_is_no_baseline) {
  EXPECT_EQ(doubt({"Just a moment...", "Enable JavaScript"}), Suspicion::challenge);
  EXPECT_EQ(doubt({"", "One more step", {"_cf_chl_opt"}}), Suspicion::challenge);
  EXPECT_EQ(doubt({"502 Bad Gateway", "502 Bad Gateway\nnginx"}), Suspicion::maintenance);
  EXPECT_EQ(doubt({"HTTP Status 500 – Internal Server Error", ""}), Suspicion::maintenance);
  EXPECT_EQ(doubt({"", "Service temporairement indisponible"}), Suspicion::maintenance);
  EXPECT_EQ(doubt({"Fehler 404", "Seite nicht gefunden"}), Suspicion::not_found);
  EXPECT_EQ(doubt({"Error", "please wait"}), Suspicion::maintenance);
  EXPECT_EQ(doubt({"Página no encontrada", ""}), Suspicion::not_found);
  EXPECT_EQ(doubt({"", "", {}, 202}, 0), Suspicion::maintenance);
}

TEST(FirstSight, of_a_page_is_one) {
  EXPECT_FALSE(doubt({"Harbour news", "A ship has come"}));
  EXPECT_FALSE(doubt({"Coming soon", "We open in spring"})) << "somebody waits for that";
  EXPECT_FALSE(doubt({"Under construction", "come back"}));
  EXPECT_FALSE(doubt({"Errors in print", "A list of them"}));
  EXPECT_FALSE(doubt({"404", "units sold"}, 90)) << "it is long enough";
  EXPECT_FALSE(doubt({"502 Bad Gateway explained", "what it means"}, 400));
  EXPECT_FALSE(doubt({"Prices", "503"})) << "a number that somebody watches";
  EXPECT_FALSE(doubt({"", "12 left"}));
  EXPECT_FALSE(doubt({"Reports", "all of them", {}, 203}, 300));
}

TEST(FirstSight, of_what_is_no_html_says_nothing) {
  Traits none;
  EXPECT_FALSE(suspicion_at_first_sight({.asked_url = "http://a.test/",
                                         .final_url = "http://a.test/",
                                         .challenge_header = {},
                                         .traits = &none,
                                         .content = "internal server error"}));
}

}  // namespace
}  // namespace pollux::extract

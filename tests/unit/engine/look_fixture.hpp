// A page, looked at again and again as the engine does.
#pragma once

#include "engine/known_texts.hpp"
#include "engine/look.hpp"
#include "engine/page_masks.hpp"
#include "engine/requests.hpp"
#include "support/temp_folder.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pollux::engine {

class LookTest : public testing::Test {
 protected:
  void keep(const extract::Rules& rules) { rules_ = extract::compile(rules).value(); }
  LookTask task(const std::string& body) {
    LookTask task;
    task.url = task.final_url = task.final_before = "http://a.test/";
    task.content_type = type_;
    task.body = body;
    task.rules = rules_;
    task.known = known_;
    task.masks = masks_;
    task.standing = standing_;
    return task;
  }
  // As the engine would go on from there.
  Look see(const std::string& body) {
    Look seen = look(task(body), texts_);
    if (!seen.failure) known_ = seen.hash;
    return seen;
  }
  // Seconds after noon UTC of a day.
  static LookTask at(LookTask task, int second) {
    task.now = std::chrono::sys_days(std::chrono::December / 1 / 2026) + std::chrono::hours(12) +
               std::chrono::seconds(second);
    return task;
  }
  // And it becomes a version.
  Look seen_and_kept(const std::string& body, int second) {
    const LookTask now = at(task(body), second);
    Look seen = look(now, texts_);
    known_ = seen.hash;
    std::string note;
    auto content = store::Content::open(folder_.file("a.db"), {}, note);
    EXPECT_TRUE(content.ok());
    EXPECT_TRUE(
        (*content)->put({{now.url, detect::to_hex(seen.hash), "text", seen.text, now.now}}).ok());
    return seen;
  }
  static std::string page(const std::string& text) {
    return "<html><title>A page</title><body><p>Some words that stay</p><p>" + text + "</p></body>";
  }

  // The third of three looks moments apart.
  Look third_of(const std::string& first, const std::string& second, const std::string& third) {
    const std::string one = look(task(page(first)), texts_).text;
    LookTask twin = task(page(second));
    twin.texts = {one};
    twin.reason = LookReason::twin;
    const Look two = look(std::move(twin), texts_);
    LookTask confirm = task(page(third));
    confirm.texts = {one, two.text};
    confirm.reason = LookReason::confirm;
    return look(std::move(confirm), texts_);
  }

  extract::SharedRules rules_ = extract::compile({}).value();
  std::string type_ = "text/html; charset=utf-8";
  std::optional<detect::Hash> known_;
  std::shared_ptr<const Masks> masks_;
  std::vector<Standing> standing_;
  test::TempFolder folder_;
  KnownTexts texts_{folder_.file("a.db")};
};

}  // namespace pollux::engine

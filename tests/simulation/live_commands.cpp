#include "simulation/live_commands.hpp"

#include <utility>

namespace pollux::simulation {
namespace {

constexpr std::size_t most_pages = 40;  // of a command
constexpr std::size_t pages_per_slice = 8;
constexpr Duration soon = std::chrono::minutes(10);

}  // namespace

void LiveCommands::give() {
  std::vector<std::string> urls;
  for (std::size_t left = 1 + rng_.below(most_pages); left > 0; --left)
    urls.push_back(pages_[rng_.below(pages_.size())]);
  ++given;
  const bool by_hand = rng_.chance(0.4);
  parts_.lists.turn.ask([this, urls = std::move(urls), by_hand] {
    if (by_hand) return ask_for(urls);
    change(urls);
  });
}

void LiveCommands::ask_for(const std::vector<std::string>& urls) {
  engine::PageList list(parts_.lists.parts(), parts_.poll_loop);
  for (const std::string& url : urls) {
    const store::PageRow* const row = parts_.store.row(url);
    if (row == nullptr || row->state != "active") continue;
    list.poll_now(row->slot);
    if (asked_at_.emplace(url, parts_.clock.now()).second) ++asked;
  }
  parts_.lists.turn.give_back();
  parts_.poll_loop.turn();
}

// Pages that are polled are paused or set, those that are paused come back.
void LiveCommands::change(const std::vector<std::string>& urls) {
  engine::PageListChange change;
  std::vector<std::string> paused;
  for (const std::string& url : urls) {
    const store::PageRow* const row = parts_.store.row(url);
    if (row == nullptr) continue;
    const std::uint32_t settings = rng_.chance(0.5) ? 1 : 0;
    if (row->state == "paused") {
      paused_since_.erase(url);
      change.fresh.emplace_back(parts_.store.resume(url), settings);
    } else if (row->state == "active" && rng_.chance(0.5)) {
      change.gone.push_back(row->slot);
      parts_.store.pause(url);
      paused.push_back(url);
    } else if (row->state == "active") {
      change.kept.emplace_back(row->slot, settings);
    }
  }
  update_ = std::make_unique<engine::PageListUpdate>(std::move(change), settings_,
                                                     parts_.lists.parts(), parts_.poll_loop);
  go_on(std::move(paused));
}

void LiveCommands::go_on(std::vector<std::string> paused) {
  if (update_->step({parts_.clock.now(), parts_.clock.wall()}, pages_per_slice)) {
    return parts_.loop.post(
        [this, paused = std::move(paused)]() mutable { go_on(std::move(paused)); });
  }
  for (const std::string& url : paused) {
    paused_since_.insert_or_assign(url, parts_.clock.now());
    asked_at_.erase(url);
  }
  parts_.store.tell(update_->take_shares());
  parts_.lists.set_sweep(parts_.lists.pages.size());
  update_.reset();
  parts_.lists.turn.give_back();
  parts_.poll_loop.turn();
}

void LiveCommands::polled(const std::string& url) {
  const auto asked_for = asked_at_.find(url);
  if (asked_for == asked_at_.end()) return;
  if (parts_.clock.now() - asked_for->second <= soon) ++came_soon;
  asked_at_.erase(asked_for);
}

bool LiveCommands::must_be_silent(const std::string& url) const {
  constexpr Duration longest_request = std::chrono::minutes(2);
  const auto since = paused_since_.find(url);
  const store::PageRow* const row = parts_.store.row(url);
  return since != paused_since_.end() && row != nullptr && row->state == "paused" &&
         parts_.clock.now() - since->second > longest_request;
}

}  // namespace pollux::simulation

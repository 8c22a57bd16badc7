// The brain's side of content that agents have put aside: which answers have some, and what has
// been asked for. What is asked for is asked for again until it comes, is said to be gone, or must
// be lost; the page is unharmed then, as with a poll that is LOST. Threading: the loop's thread.
#pragma once

#include "agent/agent_link.hpp"
#include "agent/content_costs.hpp"
#include "pollux/agent/contents.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace pollux::agent {

class ContentDesk {
 public:
  static constexpr Duration kept_for = std::chrono::seconds(10);  // by agents, see WorkerOptions
  static constexpr Duration ask_again = std::chrono::milliseconds(500);
  static constexpr Duration patience = std::chrono::seconds(3);
  static constexpr std::size_t most = 8192;  // answers of which something is known here

  // `ask`: this result's content is to be brought. `later`: done in the next turn.
  ContentDesk(ContentMode mode, std::function<void(AgentLink&, std::uint64_t id)> ask,
              std::function<void(std::function<void()>)> later)
      : costs_(mode), ask_(std::move(ask)), later_(std::move(later)) {}

  struct Answer {
    AgentLink* link = nullptr;
    std::uint64_t id = 0;  // of the poll
    std::string url;
    bool named = false;  // its poll named a content as known
    std::optional<Aside> aside;
    std::size_t bytes = 0;  // of its content, squeezed
    std::shared_ptr<ByteRoom> keep_in;
    ContentClass its_class() const { return {url, named}; }
  };
  // Told to the handler now; it may have to be judged, and what it put aside to be brought. False:
  // there are too many.
  bool add(fetch::Token token, Answer answer, Instant now);

  std::optional<fetch::Remote::Hash> aside(fetch::Token token) const;
  void bring(fetch::Token token, Contents::Brought brought, Instant now);
  void judged(fetch::Token token, Wanted wanted);
  bool awaits(std::uint64_t poll) const { return asked_for_.contains(poll); }
  // What came for an answer that is known here. fault: it is not what was announced.
  enum class Heard : std::uint8_t { fine, late, fault };
  Heard hear(AgentLink& link, Result result, std::size_t message_bytes, Instant now);
  // So many bytes asked for the content of so many.
  void asked(std::size_t message_bytes, std::size_t contents) {
    asking_bytes_ = message_bytes / contents;
  }
  void tick(Instant now);
  void cancel_all();
  ContentCosts& costs() { return costs_; }

 private:
  struct Known {
    Answer answer;
    std::uint64_t instance = 0;
    Instant until{};                 // forgotten then
    Contents::Brought brought = {};  // it is asked for
    Instant asked_at{}, again_at{}, lost_at{};
  };
  void end(fetch::Token token, std::shared_ptr<CountedBytes> content);

  ContentCosts costs_;
  const std::function<void(AgentLink&, std::uint64_t id)> ask_;
  const std::function<void(std::function<void()>)> later_;
  std::unordered_map<fetch::Token, Known> known_;
  std::unordered_map<std::uint64_t, fetch::Token> asked_for_;  // by poll
  std::size_t asking_bytes_ = 0;
};

}  // namespace pollux::agent

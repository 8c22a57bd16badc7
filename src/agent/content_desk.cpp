#include "agent/content_desk.hpp"

#include "pollux/detect/digest.hpp"

#include <utility>

namespace pollux::agent {
namespace {

// Subjects twice, TLS and NATS, of each of two messages.
constexpr std::size_t beside_pair = 300;

}  // namespace

bool ContentDesk::add(fetch::Token token, Answer answer, Instant now) {
  if (known_.size() >= most) return false;
  Known& one = known_[token];
  one.instance = answer.link->last.instance;
  one.until = now + kept_for;
  one.answer = std::move(answer);
  return true;
}

std::optional<fetch::Remote::Hash> ContentDesk::aside(fetch::Token token) const {
  const auto found = known_.find(token);
  if (found == known_.end() || !found->second.answer.aside) return {};
  return found->second.answer.aside->hash;
}

void ContentDesk::bring(fetch::Token token, Contents::Brought brought, Instant now) {
  const auto found = known_.find(token);
  if (found == known_.end() || !found->second.answer.aside ||
      found->second.instance != found->second.answer.link->last.instance) {
    if (found != known_.end()) costs_.lost(found->second.answer.url);
    known_.erase(token);
    return later_([brought = std::move(brought)] { brought(nullptr); });
  }
  Known& one = found->second;
  one.brought = std::move(brought);
  one.asked_at = now;
  one.again_at = now + ask_again;
  one.until = one.lost_at = now + patience;
  asked_for_[one.answer.id] = token;
  ++one.answer.link->figures.brought;
  costs_.judged(one.answer.its_class(), Wanted::yes, one.answer.bytes);
  ask_(*one.answer.link, one.answer.id);
}

void ContentDesk::judged(fetch::Token token, Wanted wanted) {
  const auto found = known_.find(token);
  if (found == known_.end() || found->second.brought) return;
  if (wanted != Wanted::nothing)
    costs_.judged(found->second.answer.its_class(), wanted, found->second.answer.bytes);
  known_.erase(found);
}

ContentDesk::Heard ContentDesk::hear(AgentLink& link, Result result, std::size_t message_bytes,
                                     Instant now) {
  const auto asked = asked_for_.find(result.id);
  if (asked == asked_for_.end()) return Heard::late;
  const fetch::Token token = asked->second;
  const Known& one = known_.at(token);
  if (one.answer.link != &link) return Heard::late;
  if (result.fate == Fate::gone) {
    end(token, nullptr);
    return Heard::fine;
  }
  const std::size_t squeezed = result.body.size();
  std::optional<std::string> content = take_body(result);
  detect::Digest digest;
  if (content) digest.update(*content);
  if (!content || digest.finish() != one.answer.aside->hash) {
    end(token, nullptr);
    return Heard::fault;
  }
  // What was asked for once again may be the answer to the first time.
  if (now < one.asked_at + ask_again) link.way.note(now - one.asked_at, message_bytes);
  costs_.note_pair(asking_bytes_ + message_bytes - std::min(squeezed, message_bytes) + beside_pair);
  auto counted =
      std::make_shared<CountedBytes>(one.answer.keep_in, static_cast<ByteRoom::Name>(token));
  counted->add(std::move(*content));
  end(token, std::move(counted));
  return Heard::fine;
}

void ContentDesk::tick(Instant now) {
  std::vector<fetch::Token> old;
  for (auto& [token, one] : known_) {
    if (one.until <= now) {
      old.push_back(token);
    } else if (one.brought && one.again_at <= now) {
      one.again_at = now + ask_again;
      ask_(*one.answer.link, one.answer.id);
    }
  }
  for (const fetch::Token token : old) end(token, nullptr);
}

void ContentDesk::cancel_all() {
  std::vector<fetch::Token> all;
  for (const auto& [token, one] : known_) all.push_back(token);
  for (const fetch::Token token : all) end(token, nullptr);
}

void ContentDesk::end(fetch::Token token, std::shared_ptr<CountedBytes> content) {
  auto ended = known_.extract(token);
  Known& one = ended.mapped();
  if (!one.brought) return;
  asked_for_.erase(one.answer.id);
  if (!content) {
    costs_.lost(one.answer.url);
    ++one.answer.link->figures.not_brought;
  }
  later_([brought = std::move(one.brought), content = std::move(content)] { brought(content); });
}

}  // namespace pollux::agent

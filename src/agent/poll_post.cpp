#include "agent/poll_post.hpp"

#include <utility>

namespace pollux::agent {
namespace {

constexpr std::size_t most_batches = 256;  // whose polls may turn out to have met nobody

}  // namespace

std::vector<PollPost::NotSent> PollPost::send(AgentLink& link, const Polls& message) {
  std::string bytes = encode(message);
  const bool fits = !bytes.empty() && bytes.size() <= bus_.largest_payload();
  std::vector<NotSent> left;
  if (!fits && message.polls.size() > 1) {
    for (const Polls& half : halves(message)) {
      for (NotSent& one : send(link, half)) left.push_back(std::move(one));
    }
    return left;
  }
  const std::uint64_t batch = ++last_batch_;
  const bool sent = fits && bus_.publish(link.subjects.polls(link.last.instance), std::move(bytes),
                                         link.subjects.nobody(batch));
  if (sent && link.batches.size() >= most_batches) link.batches.erase(link.batches.begin());
  for (const Poll& poll : message.polls) {
    if (sent) {
      link.batches[batch].push_back(poll.id);
    } else {
      left.push_back({poll.id, fits ? "no message can be sent to agent " + link.name
                                    : "its request is too large"});
    }
  }
  return left;
}

std::vector<std::uint64_t> PollPost::met_nobody(AgentLink& link, std::string_view batch) {
  const std::optional<std::uint64_t> number = batch_of(batch);
  if (!number) return {};
  auto ids = link.batches.extract(*number);
  return ids ? std::move(ids.mapped()) : std::vector<std::uint64_t>();
}

}  // namespace pollux::agent

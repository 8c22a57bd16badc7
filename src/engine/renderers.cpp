#include "engine/renderers.hpp"

#include <utility>

namespace pollux::engine {

using agent::RenderRoom;

Renderers::Choice Renderers::here() const {
  if (!config_.render.chromium) return {};
  return {here_ < most_here() ? RenderRoom::yes : RenderRoom::busy, {}};
}

Renderers::Choice Renderers::choose(HostSlot host, HasSecrets secrets,
                                    std::optional<fetch::AccessPointId> hop_before) {
  if (!points_) return here();
  const auto home = points_->home(host, hop_before);
  const bool at_agent = home && points_->is_agent(*home);
  if (config_.render.chromium && !at_agent) return here();
  if (at_agent) {
    const RenderRoom room = points_->render_room(*home, secrets);
    if (room != RenderRoom::none) return {room, home};
  }
  const auto other = points_->quickest_renderer(host, secrets);
  return other ? Choice{points_->render_room(*other, secrets), other} : here();
}

void Renderers::place(Flight& flight, const Choice& choice) {
  end(flight);
  flight.access_point = choice.access_point;
  flight.rendered_here = choice.room != RenderRoom::none && !choice.access_point;
  if (flight.rendered_here) ++here_;
}

void Renderers::end(Flight& flight) {
  if (std::exchange(flight.rendered_here, false)) --here_;
}

void Renderers::note(HasSecrets secrets, RenderRoom room, Instant now) {
  std::optional<Instant>& since = nobody_since_[secrets == HasSecrets::yes ? 1 : 0];
  if (room != RenderRoom::none) {
    since.reset();
  } else if (!since) {
    since = now;
  }
}

bool Renderers::is_trouble(HasSecrets secrets, Instant now) const {
  const std::optional<Instant>& since = nobody_since_[secrets == HasSecrets::yes ? 1 : 0];
  return since && now - *since >= grace;
}

}  // namespace pollux::engine

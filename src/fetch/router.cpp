#include "pollux/fetch/router.hpp"

namespace pollux::fetch {

void Router::begin(std::unique_ptr<Fetcher> local, std::unique_ptr<Fetcher> remote,
                   const std::vector<AccessPoint>& points) {
  local_ = std::move(local);
  remote_ = std::move(remote);
  note(points);
}

void Router::note(const std::vector<AccessPoint>& points) {
  is_agent_.clear();
  for (const AccessPoint& point : points) is_agent_.push_back(!point.agent.empty());
}

void Router::start(Request request) {
  const auto point =
      request.access_point ? static_cast<std::size_t>(*request.access_point) : is_agent_.size();
  if (point >= is_agent_.size() || !is_agent_[point]) return local_->start(std::move(request));
  far_.insert(request.token);
  remote_->start(std::move(request));
}

void Router::cancel_all() {
  local_->cancel_all();
  remote_->cancel_all();
}

void Router::set_access_points(std::vector<AccessPoint> points) {
  note(points);
  remote_->set_access_points(points);
  local_->set_access_points(std::move(points));
}

}  // namespace pollux::fetch

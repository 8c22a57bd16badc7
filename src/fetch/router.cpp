#include "pollux/fetch/router.hpp"

namespace pollux::fetch {

void Router::begin(std::unique_ptr<Fetcher> first, std::unique_ptr<Fetcher> second,
                   Picks second_picks) {
  first_ = std::move(first);
  second_ = std::move(second);
  picks_ = std::move(second_picks);
}

void Router::start(Request request) {
  if (!picks_(request)) return first_->start(std::move(request));
  picked_.insert(request.token);
  second_->start(std::move(request));
}

void Router::cancel_all() {
  first_->cancel_all();
  second_->cancel_all();
}

void Router::set_access_points(std::vector<AccessPoint> points) {
  second_->set_access_points(points);
  first_->set_access_points(std::move(points));
}

}  // namespace pollux::fetch

#include "engine/fetch_router.hpp"

#include <utility>

namespace pollux::engine {

void FetchRouter::route(std::unique_ptr<fetch::Fetcher> first,
                        std::unique_ptr<fetch::Fetcher> second) {
  first_ = std::move(first);
  second_ = std::move(second);
}

void FetchRouter::start(fetch::Request request) {
  if (!picks_(request)) return first_->start(std::move(request));
  picked_.insert(request.token);
  second_->start(std::move(request));
}

void FetchRouter::cancel_all() {
  first_->cancel_all();
  second_->cancel_all();
}

void FetchRouter::set_access_points(std::vector<fetch::AccessPoint> points) {
  second_->set_access_points(points);
  first_->set_access_points(std::move(points));
}

void FetchRouter::on_done(fetch::Response response) {
  picked_.erase(response.token);
  handler_.on_done(std::move(response));
}

}  // namespace pollux::engine

// What waits to be told, and what could not be. Pure.
#pragma once

#include "pollux/report/table.hpp"
#include "pollux/store/views.hpp"

#include <vector>

#include <boost/json/array.hpp>

namespace pollux::report {

Table deliveries_table(const std::vector<store::DeliveryView>& deliveries, WallTime now);
boost::json::array deliveries_json(const std::vector<store::DeliveryView>& deliveries);

}  // namespace pollux::report

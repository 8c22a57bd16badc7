// "access_points: [{ name: dsl, interface: eth1 }, …]": what requests leave the machine by.
#pragma once

#include "config/keys.hpp"
#include "pollux/config/config.hpp"

#include <cstddef>
#include <vector>

namespace pollux::config {

struct LoadContext;

Status read_access_points(LoadContext& r, const Key& key, const Node& value);
// Keys of one of them.
Status read_access_point_name(LoadContext& r, const Key& key, const Node& value);
Status read_access_point_interface(LoadContext& r, const Key& key, const Node& value);
Status read_access_point_address(LoadContext& r, const Key& key, const Node& value);
Status read_access_point_proxy(LoadContext& r, const Key& key, const Node& value);
Status read_access_point_login(LoadContext& r, const Key& key, const Node& value);
Status read_access_point_capacity(LoadContext& r, const Key& key, const Node& value);

// Says when all capacities together are less than there are hosts.
void warn_of_small_capacities(const Config& config, std::size_t hosts,
                              std::vector<Warning>& warnings);

}  // namespace pollux::config

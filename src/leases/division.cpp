#include "pollux/leases/leases.hpp"

#include <algorithm>
#include <numeric>

namespace pollux::leases {

std::vector<double> divide(double ceiling, const std::vector<Claim>& claims) {
  std::vector<double> parts(claims.size(), 0);
  std::vector<std::size_t> order;  // who is satisfied first, as the price per weight rises
  double weights = 0;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (!(claims[i].weight > 0) || !(claims[i].most > 0)) continue;
    order.push_back(i);
    weights += claims[i].weight;
  }
  std::sort(order.begin(), order.end(), [&claims](std::size_t a, std::size_t b) {
    return claims[a].most / claims[a].weight < claims[b].most / claims[b].weight;
  });
  for (const std::size_t i : order) {
    parts[i] = std::min(claims[i].most, ceiling * std::min(claims[i].weight / weights, 1.0));
    ceiling -= parts[i];
    weights -= claims[i].weight;
  }
  return parts;
}

}  // namespace pollux::leases

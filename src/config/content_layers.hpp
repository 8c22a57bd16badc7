// What several layers of `content:` say together.
#pragma once

#include "config/content_layer.hpp"

#include <cstddef>
#include <vector>

namespace pollux::config {

using Layers = std::vector<const ContentLayer*>;  // weakest first

struct PlacedEntry {
  const ContentEntry* entry;
  std::size_t layer;
};

// What the layers say together.
inline std::vector<PlacedEntry> entries_of(const Layers& layers, ContentList which) {
  std::vector<PlacedEntry> entries;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const ContentLayer::List& list = layers[i]->list(which);
    if (!list.given()) continue;
    if (!list.appends) entries.clear();
    for (const ContentEntry& entry : list.value) entries.push_back({&entry, i});
  }
  return entries;
}

// The strongest layer, up to and with layer `last`, that has this; none: `layers.size()`.
template <typename T>
std::size_t strongest(const Layers& layers, ContentLayer::Written<T> ContentLayer::*member,
                      std::size_t last) {
  for (std::size_t i = last + 1; i-- > 0;) {
    if ((layers[i]->*member).given()) return i;
  }
  return layers.size();
}

template <typename T>
T value_of(const Layers& layers, ContentLayer::Written<T> ContentLayer::*member, std::size_t last) {
  const std::size_t layer = strongest(layers, member, last);
  return layer == layers.size() ? T{} : (layers[layer]->*member).value;
}

}  // namespace pollux::config

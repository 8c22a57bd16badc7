// Strong ids. A PageId is a database row and lives for ever; a PageSlot is a dense index into this
// process's arrays, stable for the life of the page in the database (column page.slot), so that the
// learner's tree keeps its meaning over restarts. Slots of removed pages are used again.
#pragma once

#include <cstdint>

namespace pollux {

enum class PageId : std::int64_t {};
enum class PageSlot : std::uint32_t {};
enum class HostSlot : std::uint32_t {};

constexpr std::uint32_t index(PageSlot s) {
  return static_cast<std::uint32_t>(s);
}
constexpr std::uint32_t index(HostSlot s) {
  return static_cast<std::uint32_t>(s);
}
constexpr std::int64_t value(PageId id) {
  return static_cast<std::int64_t>(id);
}

}  // namespace pollux

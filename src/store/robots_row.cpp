#include "store/robots_row.hpp"

namespace pollux::store {

const char* const robots_columns =
    "host, verdict, fetched_at, check_at, unreachable_since, status, error, crawl_delay_ms, "
    "product, rules";

const char* const put_robots =
    "INSERT INTO robots (host, verdict, fetched_at, check_at, unreachable_since, status, error, "
    "crawl_delay_ms, product, rules) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 "
    "WHERE ?11 = 0 OR EXISTS (SELECT 1 FROM robots WHERE host = ?1) "
    "ON CONFLICT (host) DO UPDATE SET verdict = excluded.verdict, "
    "fetched_at = excluded.fetched_at, check_at = excluded.check_at, "
    "unreachable_since = excluded.unreachable_since, status = excluded.status, "
    "error = excluded.error, crawl_delay_ms = excluded.crawl_delay_ms, "
    "product = excluded.product, rules = excluded.rules";

RobotsRow read_robots(const Statement& row) {
  return {.host = std::string(row.text(0)),
          .verdict = std::string(row.text(1)),
          .fetched_at = row.time(2).value_or(WallTime{}),
          .check_at = row.time(3).value_or(WallTime{}),
          .unreachable_since = row.time(4),
          .status = static_cast<int>(row.integer(5)),
          .error = std::string(row.text(6)),
          .crawl_delay_ms = number_or_null(row, 7),
          .product = std::string(row.text(8)),
          .rules = std::string(row.text(9))};
}

void bind_robots(Statement& put, const RobotsRow& row) {
  put.bind(1, std::string_view(row.host))
      .bind(2, std::string_view(row.verdict))
      .bind(3, std::optional<WallTime>(row.fetched_at))
      .bind(4, std::optional<WallTime>(row.check_at))
      .bind(5, row.unreachable_since)
      .bind_or_null(7, row.error)
      .bind(9, std::string_view(row.product))
      .bind(10, std::string_view(row.rules))
      .bind(11, std::int64_t{row.only_instead ? 1 : 0});
  bind_number_or_null(put, 6,
                      row.status == 0 ? std::nullopt : std::optional(std::int64_t{row.status}));
  bind_number_or_null(put, 8, row.crawl_delay_ms);
}

}  // namespace pollux::store

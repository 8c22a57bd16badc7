#include "store/host_row.hpp"

#include "store/robots_row.hpp"

#include <string>
#include <string_view>

namespace pollux::store {

void bind_host(Statement& statement, const HostRow& host) {
  statement.bind(1, std::string_view(host.host))
      .bind(2, host.last_request_at)
      .bind(3, host.blocked_until)
      .bind(4, host.requests)
      .bind(5, host.errors);
  bind_number_or_null(statement, 6, host.response_ms);
  bind_number_or_null(statement, 7, host.delay_ms);
  statement.bind_or_null(8, host.blocked_by);
  statement.bind(9, host.missing_asked_at);
}

Result<std::vector<HostRow>> read_hosts(const Connection& connection) {
  Result<Statement> rows = connection.prepare(
      "SELECT host, last_request_at, blocked_until, requests, errors, response_ms, delay_ms, "
      "blocked_by, missing_asked_at FROM host");
  if (!rows) return rows.error();
  std::vector<HostRow> hosts;
  while (true) {
    const Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return hosts;
    hosts.push_back({.host = std::string(rows->text(0)),
                     .last_request_at = rows->time(1),
                     .blocked_until = rows->time(2),
                     .requests = rows->integer(3),
                     .errors = rows->integer(4),
                     .response_ms = number_or_null(*rows, 5),
                     .delay_ms = number_or_null(*rows, 6),
                     .blocked_by = std::string(rows->text(7)),
                     .missing_asked_at = rows->time(8)});
  }
}

}  // namespace pollux::store

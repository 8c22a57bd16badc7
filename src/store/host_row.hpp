// How a host's row travels between SQL and HostRow.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/store/rows.hpp"
#include "store/sqlite.hpp"

#include <vector>

namespace pollux::store {

inline constexpr char put_host[] =
    "INSERT INTO host (host, last_request_at, blocked_until, requests, errors, response_ms, "
    "delay_ms, blocked_by, missing_asked_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) "
    "ON CONFLICT (host) DO UPDATE "
    "SET last_request_at = excluded.last_request_at, blocked_until = excluded.blocked_until, "
    "requests = excluded.requests, errors = excluded.errors, response_ms = excluded.response_ms, "
    "delay_ms = excluded.delay_ms, blocked_by = excluded.blocked_by, "
    "missing_asked_at = excluded.missing_asked_at";

// The row must live until the statement is reset.
void bind_host(Statement& statement, const HostRow& host);
Result<std::vector<HostRow>> read_hosts(const Connection& connection);

}  // namespace pollux::store

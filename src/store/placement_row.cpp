#include "store/placement_row.hpp"

namespace pollux::store {

const char* const put_placement =
    "INSERT INTO placement (host, access_point, placed, depth, seconds) "
    "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (host, access_point) DO UPDATE SET "
    "placed = excluded.placed, depth = excluded.depth, seconds = excluded.seconds";

void bind_placement(Statement& put, const PlacementRow& row) {
  put.bind(1, std::string_view(row.host))
      .bind(2, std::string_view(row.access_point))
      .bind(3, std::int64_t{row.placed})
      .bind(4, row.depth);
  if (row.seconds > 0) {
    put.bind(5, row.seconds);
  } else {
    put.bind_null(5);
  }
}

Status replace_access_points(const Connection& connection, const std::vector<AccessPointRow>& rows,
                             RejectedRows& rejected) {
  if (Status done = connection.execute("DELETE FROM access_point"); !done) return done;
  Result<Statement> insert =
      connection.prepare("INSERT INTO access_point (name, way, capacity) VALUES (?1, ?2, ?3)");
  if (!insert) return insert.error();
  for (const AccessPointRow& row : rows) {
    insert->bind(1, std::string_view(row.name)).bind(2, std::string_view(row.way));
    if (row.capacity > 0) {
      insert->bind(3, row.capacity);
    } else {
      insert->bind_null(3);
    }
    const Result<bool> written =
        rejected.judge(connection, insert->run(), [&] { return "access point " + row.name; });
    if (!written) return written.error();
  }
  return connection.execute(
      "UPDATE placement SET placed = 0, depth = 0 "
      "WHERE placed = 1 AND access_point NOT IN (SELECT name FROM access_point)");
}

Result<std::vector<AccessPointRow>> read_access_points(const Connection& connection) {
  Result<Statement> row =
      connection.prepare("SELECT name, way, capacity FROM access_point ORDER BY name");
  if (!row) return row.error();
  std::vector<AccessPointRow> rows;
  while (true) {
    const Result<bool> there = row->step();
    if (!there) return there.error();
    if (!*there) return rows;
    rows.push_back({std::string(row->text(0)), std::string(row->text(1)), row->integer(2)});
  }
}

Result<std::vector<PlacementRow>> read_placements(const Connection& connection, Placements which) {
  Result<Statement> row = connection.prepare(
      which == Placements::all
          ? "SELECT host, access_point, placed, depth, seconds FROM placement ORDER BY host"
          : "SELECT host, access_point, placed, depth, seconds FROM placement WHERE "
            "access_point IN (SELECT name FROM access_point) AND "
            "host IN (SELECT host FROM page WHERE state = 'active') ORDER BY host, access_point");
  if (!row) return row.error();
  std::vector<PlacementRow> rows;
  while (true) {
    const Result<bool> there = row->step();
    if (!there) return there.error();
    if (!*there) return rows;
    rows.push_back({std::string(row->text(0)), std::string(row->text(1)), row->integer(2) != 0,
                    row->integer(3), row->real(4)});
  }
}

}  // namespace pollux::store

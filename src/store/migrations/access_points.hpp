// The migration that adds access points, as released: never edited again. Described in README.md.
#pragma once

namespace pollux::store::migration {

inline constexpr char access_points[] = R"sql(
CREATE TABLE access_point (
  name TEXT NOT NULL PRIMARY KEY,
  way TEXT NOT NULL,
  capacity INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE placement (
  host TEXT NOT NULL,
  access_point TEXT NOT NULL,
  placed INTEGER NOT NULL CHECK (placed IN (0, 1)),
  depth INTEGER NOT NULL,
  seconds REAL,
  PRIMARY KEY (host, access_point)
) STRICT, WITHOUT ROWID;

CREATE VIEW access_point_report AS
SELECT
  access_point.name AS access_point,
  access_point.way,
  access_point.capacity,
  count(placement.host) AS hosts,
  round(avg(placement.seconds) * 1000, 1) AS mean_ms
FROM access_point
LEFT JOIN placement ON placement.access_point = access_point.name AND placement.placed = 1
GROUP BY access_point.name
ORDER BY hosts DESC, access_point.name;
)sql";

}  // namespace pollux::store::migration

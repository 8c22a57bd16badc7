// The migration that lets rows of hosts without a page be found, and tells databases of one file
// name apart. Never edited once released. Described in README.md.
#pragma once

namespace pollux::store::migration {

inline constexpr char hosts[] = R"sql(
CREATE INDEX page_by_host ON page (host);

INSERT INTO meta (key, value) VALUES ('database_id', lower(hex(randomblob(4))))
ON CONFLICT (key) DO NOTHING;
)sql";

}  // namespace pollux::store::migration

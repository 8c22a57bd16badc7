// The migration that remembers over a restart what is known of a page's noise. Never edited once
// released. Described in README.md.
#pragma once

namespace pollux::store::migration {

inline constexpr char page_noise[] = R"sql(
ALTER TABLE page ADD COLUMN noise TEXT;
)sql";

}  // namespace pollux::store::migration

// Which page a user means: by its URL, its name, or any part of its URL that no other page has.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/config/config.hpp"
#include "pollux/store/rows.hpp"

#include <string>

namespace pollux::store {
class Reader;
}

namespace pollux::cli {

// What help says of such an argument.
inline constexpr char page_words[] = "its URL, its name, or a part of the URL that no other has";

// missing_input when there is none; usage, with their URLs, when there are several. Pages that were
// removed count where no other does.
Result<store::PageRow> choose_page(store::Reader& reader, const std::string& text);

// The same among the pages of a configuration. Null: there is none.
Result<const config::Page*> choose_listed(const config::Config& config, const std::string& text);

}  // namespace pollux::cli

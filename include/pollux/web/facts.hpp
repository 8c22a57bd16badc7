// What the report layer speaks of, gathered from a database: the commands that only read and the
// API ask here, so that they say the same. Threading: that of the reader; nothing is kept.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/report/explanation.hpp"
#include "pollux/report/health.hpp"
#include "pollux/report/masks.hpp"
#include "pollux/report/status.hpp"
#include "pollux/store/reader.hpp"
#include "pollux/store/views.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pollux::web {

// The daemon on this database, if there is one.
report::Holder holder_of(const std::string& database);

// Reads every page, a second at a million, unless the totals are known.
Result<report::StatusFacts> status_facts(store::Reader& reader, const std::string& database,
                                         WallTime now,
                                         const std::optional<store::Totals>& totals = {});

// All but what the configuration says of it.
Result<report::PageFacts> page_facts(store::Reader& reader, const std::string& database,
                                     store::PageRow page, WallTime now);

struct PageList {
  std::vector<store::PageRow> rows;
  store::HostLoads loads;
  report::DaemonFigures figures;
};
Result<PageList> page_list(store::Reader& reader, const store::Reader::PageQuery& query);

// Calls `each` with the masks of one page after the other, as they are sorted, and with what was
// kept last of it, as far as it can be read: never is more than one page's text in memory.
using MasksOfPage =
    std::function<void(const std::vector<store::MaskView>& masks, const report::KeptTexts& text)>;
void for_each_masked_page(const std::string& database, const std::vector<store::MaskView>& masks,
                          const MasksOfPage& each);
// Of one page; nothing: nothing is kept, or it cannot be read.
std::optional<std::string> kept_text(const std::string& database, const std::string& url);

}  // namespace pollux::web

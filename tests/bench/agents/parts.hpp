// The parts of this benchmark; each prints its figures beside their bars and says whether all were
// met.
#pragma once

#include <string>

namespace pollux::bench {

bool scale();
// Only those whose names contain `word`.
bool losses(const std::string& word);
bool placement();

}  // namespace pollux::bench

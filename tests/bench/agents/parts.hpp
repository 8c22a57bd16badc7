// The parts of this benchmark; each prints its figures beside their bars and says whether all were
// met.
#pragma once

namespace pollux::bench {

bool scale();
bool losses();
bool placement();

}  // namespace pollux::bench

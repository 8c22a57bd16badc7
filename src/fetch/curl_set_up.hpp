// What whoever uses curl in this process needs before.
#pragma once

#include <string>

namespace pollux::fetch {

// Any number of times, from any thread. False: curl cannot be initialised.
bool set_up_curl();
std::string system_ca_file();

}  // namespace pollux::fetch

// An agent's result as the answer to a request, as far as it makes sense: an agent may be an older
// version, broken or taken over, and must not make the brain believe what no server can say. Pure.
#pragma once

#include "agent/messages.hpp"
#include "pollux/base/time.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <optional>

namespace pollux::agent {

// Nothing: it makes no sense. `request`: keep_in, cut_body and max_body of it; `away`: since it was
// given to the agent, which cannot have taken longer.
std::optional<fetch::Response> trusted_answer(Result result, const fetch::Request& request,
                                              fetch::Token token, Duration away);

}  // namespace pollux::agent

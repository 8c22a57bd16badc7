// This process's own browser, beside what fetches everything else: a daemon's, or an agent's. It
// has a thread of its own, because documents are large and starting a browser takes a while.
#pragma once

#include "pollux/base/event_loop.hpp"
#include "pollux/fetch/fetcher.hpp"
#include "pollux/render/options.hpp"

#include <memory>

namespace pollux::engine {

// A Fetcher that gives requests with Request::render to the browser and the others to `first`,
// which tells `handler` itself. Bodies that are rendered come hashed, and are kept where
// Request::keep_in says (see FetchThreads). `network` is the gate of what pages ask for. Loop and
// handler outlive it.
Result<std::unique_ptr<fetch::Fetcher>> with_browser(std::unique_ptr<fetch::Fetcher> first,
                                                     EventLoop& loop, render::Options options,
                                                     const fetch::Options& network,
                                                     fetch::Handler& handler);

}  // namespace pollux::engine

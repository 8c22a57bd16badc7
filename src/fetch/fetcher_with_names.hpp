// The real Fetcher with another source of addresses than the system's resolver.
#pragma once

#include "fetch/names.hpp"
#include "pollux/fetch/curl_fetcher.hpp"

namespace pollux::fetch {

Result<std::unique_ptr<Fetcher>> make_curl_fetcher(boost::asio::io_context& io, Options options,
                                                   Handler& handler, Resolver::Options resolver);

}  // namespace pollux::fetch

// The real Fetcher: libcurl's multi interface driven by Boost.Asio. See fetcher.hpp for the
// contract.
#pragma once

#include "pollux/fetch/fetcher.hpp"

#include <memory>

#include <boost/asio/io_context.hpp>

namespace pollux::fetch {

// The handler and the io_context outlive the fetcher. Fails when `options.allow` has a bad entry or
// the CA file cannot be read.
Result<std::unique_ptr<Fetcher>> make_curl_fetcher(boost::asio::io_context& io, Options options,
                                                   Handler& handler);

}  // namespace pollux::fetch

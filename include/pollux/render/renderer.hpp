// Pages that exist only after their scripts have run: a Fetcher whose answers come out of a
// headless Chromium of our own. The body is the document as it stands when the page has become
// quiet (or Options::wait is over), as UTF-8 HTML.
//
// As Fetcher says, with these differences. start() waits for a place in the browser, without its
// time-out; on_ready() comes when there is one, and nothing has left the machine by then. Redirects
// are reported, also those that scripts make. Only GET. No validators are sent or reported: what
// a server says of the shell says nothing of what scripts make of it. Access points are ignored.
//
// The browser has a network of its own in which there is nothing but our proxy: whatever a page
// tries, each of its connections passes the address gate (proxy.hpp). Its processes end with the
// renderer, and with this process, however that ends. It is started when it is first needed.
// Threading: everything on the thread that runs `io`, which stays the same: the browser ends with
// the thread that started it.
#pragma once

#include "pollux/fetch/fetcher.hpp"
#include "pollux/fetch/resolver.hpp"
#include "pollux/render/options.hpp"

#include <memory>

#include <boost/asio/io_context.hpp>

namespace pollux::render {

// `network`: the gate (allow, allow_ports). Handler and io_context outlive the renderer. Fails when
// `network.allow` has a bad entry or Options::program is no program.
Result<std::unique_ptr<fetch::Fetcher>> make_renderer(
    boost::asio::io_context& io, const Options& options, const fetch::Options& network,
    fetch::Handler& handler, fetch::Resolver::LookupFunction lookup = fetch::system_lookup);

}  // namespace pollux::render

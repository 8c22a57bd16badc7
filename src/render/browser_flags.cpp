#include "render/browser_flags.hpp"

namespace pollux::render {

std::vector<std::string> browser_command(const std::string& program, const std::string& profile) {
  return {
      program,
      "--remote-debugging-pipe",
      "--user-data-dir=" + profile,
      // What belongs to no page goes nowhere: each page names its own proxy.
      "--proxy-server=http://127.0.0.1:9",
      "--proxy-bypass-list=<-loopback>",
      "--webrtc-ip-handling-policy=disable_non_proxied_udp",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-domain-reliability",
      "--disable-sync",
      "--disable-breakpad",
      "--disable-crash-reporter",
      "--no-pings",
      "--no-first-run",
      "--no-default-browser-check",
      "--disable-extensions",
      "--disable-gpu",
      "--disable-3d-apis",
      "--mute-audio",
      "--hide-scrollbars",
      "--disable-dev-shm-usage",
      "--block-new-web-contents",
      // One process for a page with all its frames, so that what a page may use is bounded. Pages
      // share nothing, and nobody is logged in anywhere but on the page itself.
      "--disable-site-isolation-trials",
      "--disable-features=IsolateOrigins,site-per-process,Translate,OptimizationHints,"
      "MediaRouter,DialMediaRouteProvider,InterestFeedContentSuggestions",
      // The page is all there is: it is in front.
      "--disable-background-timer-throttling",
      "--disable-renderer-backgrounding",
      "--disable-backgrounding-occluded-windows",
      "--js-flags=--max-old-space-size=256",
      "--log-level=3",
  };
}

}  // namespace pollux::render

// The real daemon with its web server on a free port.
#pragma once

#include "integration/running_daemon.hpp"
#include "support/origin.hpp"
#include "support/web_client.hpp"

#include <string>

namespace pollux::test {

class WebDaemon : public RunningDaemon, protected WebClient {
 protected:
  // `web`: what else stands in the section. Every path of the origin answers something new.
  void serve(const std::string& web = "", const std::string& page = "/listed") {
    watch("127.0.0.1:0", web, page);
    start();
    ASSERT_TRUE(logged("to be seen at http")) << daemon_->text("err");
    ASSERT_TRUE(logged("/\n") || logged("/\""));
    meet(part(daemon_->text("err"), "to be seen at (https?://[0-9.]+:[0-9]+/)"));
    ASSERT_FALSE(port_.empty());
  }
  void watch(const std::string& listen, const std::string& web, const std::string& page) {
    origin_.otherwise([](Exchange& x) -> Step {
      co_await x.respond(200, "", "answer " + std::to_string(x.nth));
    });
    url_ = origin_.url(page);
    configure({url_}, "20",
              "defaults: { min_interval: 0s, timeout: 30s }\nweb: { listen: \"" + listen + "\"" +
                  web + " }\n");
  }
  std::string pause_body() const { return R"({"urls": [")" + url_ + R"("]})"; }
  std::string state() {
    const auto page = reader()->page(url_);
    return page.ok() ? page->state : "";
  }
  // It polls on, whatever its clients do.
  bool polls_on() {
    const std::size_t before = origin_.requests();
    return eventually([&] { return origin_.requests() > before + 5; });
  }

  Origin origin_;
  std::string url_;
};

}  // namespace pollux::test

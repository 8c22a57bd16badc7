// What a service manager hears: readiness, reloads, the end, and signs of life.
#include "integration/running_daemon.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"

#include <sys/socket.h>
#include <sys/un.h>

namespace pollux::test {
namespace {

// The manager's end of sd_notify.
class NotifySocket {
 public:
  explicit NotifySocket(const std::string& path)
      : path_(path), fd_(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~NotifySocket() { close(fd_); }
  const std::string& path() const { return path_; }
  // Everything heard so far.
  std::string heard() {
    char buffer[4096];
    for (ssize_t n = 0; (n = recv(fd_, buffer, sizeof buffer, 0)) > 0;) {
      heard_.append(buffer, static_cast<std::size_t>(n));
      heard_ += '\n';
    }
    return heard_;
  }
  bool has(const std::string& text) { return heard().find(text) != std::string::npos; }
  void forget() { heard_.clear(); }

 private:
  std::string path_;
  int fd_;
  std::string heard_;
};

class Service : public RunningDaemon {};

TEST_F(Service, is_told_ready_reloading_and_stopping) {
  Origin origin;
  origin.otherwise(serve::page("x"));
  configure({origin.url("/")}, "5");
  NotifySocket manager((folder_ / "notify").string());
  start({{"NOTIFY_SOCKET", manager.path()}});
  ASSERT_TRUE(eventually([&] { return manager.has("READY=1"); }));
  EXPECT_TRUE(manager.has("STATUS=watching 1 pages"));
  manager.forget();
  daemon_->send(SIGHUP);
  ASSERT_TRUE(eventually([&] { return manager.has("RELOADING=1"); }));
  EXPECT_TRUE(manager.has("MONOTONIC_USEC="));
  ASSERT_TRUE(eventually([&] { return manager.has("READY=1"); }));
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_TRUE(manager.has("STOPPING=1"));
}

TEST_F(Service, feeds_the_watchdog_while_it_works) {
  Origin origin;
  origin.otherwise(serve::page("x"));
  configure({origin.url("/")}, "5");
  NotifySocket manager((folder_ / "notify").string());
  start({{"NOTIFY_SOCKET", manager.path()}, {"WATCHDOG_USEC", "6000000"}});
  ASSERT_TRUE(eventually([&] { return manager.has("WATCHDOG=1"); }));
  manager.forget();
  EXPECT_TRUE(eventually([&] { return manager.has("WATCHDOG=1"); }));
  EXPECT_EQ(stop().exit_code, 0);
}

}  // namespace
}  // namespace pollux::test

// What a service manager hears: readiness, reloads, the end, and signs of life.
#include "integration/notify_socket.hpp"
#include "integration/running_daemon.hpp"
#include "support/behaviours.hpp"
#include "support/origin.hpp"

namespace pollux::test {
namespace {

class Service : public RunningDaemon {};

TEST_F(Service, is_told_ready_reloading_and_stopping) {
  Origin origin;
  origin.otherwise(serve::page("x"));
  configure({origin.url("/")}, "5");
  NotifySocket manager((folder_ / "notify").string());
  start({{"NOTIFY_SOCKET", manager.path()}});
  ASSERT_TRUE(eventually([&] { return manager.has("READY=1"); })) << daemon_->text("err");
  EXPECT_TRUE(manager.has("STATUS=watching 1 page on 1 host"));
  manager.forget();
  daemon_->send(SIGHUP);
  ASSERT_TRUE(eventually([&] { return manager.has("RELOADING=1"); }));
  EXPECT_TRUE(manager.has("MONOTONIC_USEC="));
  ASSERT_TRUE(eventually([&] { return manager.has("READY=1"); }));
  manager.forget();
  configure({origin.url("/")}, "-5");
  daemon_->send(SIGHUP);
  ASSERT_TRUE(eventually([&] { return manager.has("STATUS=reload refused"); }));
  EXPECT_TRUE(manager.has("READY=1")) << "going on with the old configuration";
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_TRUE(manager.has("STOPPING=1"));
}

TEST_F(Service, feeds_the_watchdog_while_it_works) {
  Origin origin;
  origin.otherwise(serve::page("x"));
  configure({origin.url("/")}, "5");
  NotifySocket manager((folder_ / "notify").string());
  start({{"NOTIFY_SOCKET", manager.path()}, {"WATCHDOG_USEC", "6000000"}});
  ASSERT_TRUE(eventually([&] { return manager.has("WATCHDOG=1"); })) << daemon_->text("err");
  manager.forget();
  EXPECT_TRUE(eventually([&] { return manager.has("WATCHDOG=1"); }));
  EXPECT_EQ(stop().exit_code, 0);
}

}  // namespace
}  // namespace pollux::test

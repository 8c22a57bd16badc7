// The way to a receiver: a webhook, a mail server, a program, a file, a feed. What each attempt
// came to is told; whether and when there is another one is the plan's business.
// Threading: send() on one thread, which it blocks; cancel() from any thread, for good.
#pragma once

#include "pollux/base/result.hpp"
#include "pollux/base/time.hpp"
#include "pollux/notify/message.hpp"
#include "pollux/notify/options.hpp"
#include "pollux/notify/plan.hpp"

#include <memory>
#include <string>

namespace pollux::notify {

struct ChannelOptions {
  std::string ca_file = {};                  // empty: the system's bundle
  std::string user_agent = {};               // of webhooks
  std::string proxy = {}, proxy_login = {};  // that webhooks go through; as in fetch::Options
  Duration webhook_timeout = std::chrono::seconds(10);
  Duration mail_timeout = std::chrono::seconds(60);
  Duration program_timeout = std::chrono::seconds(60);
};

class Channel {
 public:
  virtual ~Channel() = default;
  virtual Attempt send(const Message& message) = 0;
  // Ends what is under way within a second; nothing is sent any more.
  virtual void cancel() = 0;
};

std::unique_ptr<Channel> make_channel(const Target& target, const ChannelOptions& options);

// For people, without secrets: "webhook to hooks.example.org", "mail to a@example.org".
std::string describe(const Target& target);

}  // namespace pollux::notify

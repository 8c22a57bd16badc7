#include "pollux/notify/channel.hpp"

#include "notify/channels.hpp"
#include "pollux/base/text.hpp"
#include "pollux/extract/program.hpp"
#include "pollux/fetch/mail.hpp"
#include "pollux/notify/render.hpp"

#include <atomic>
#include <utility>

#include <boost/json/serialize.hpp>
#include <spdlog/fmt/fmt.h>

namespace pollux::notify {
namespace {

class MailChannel final : public Channel {
 public:
  MailChannel(Mail mail, ChannelOptions options)
      : mail_(std::move(mail)), options_(std::move(options)) {}

  Attempt send(const Message& message) override {
    MailMessage written = mail_of(mail_, message);
    const fetch::MailServer server{.url = mail_.server,
                                   .login = mail_.login,
                                   .allow = mail_.allow,
                                   .ca_file = options_.ca_file,
                                   .timeout = options_.mail_timeout};
    const fetch::Letter letter{std::move(written.from), std::move(written.to),
                               std::move(written.text)};
    fetch::MailOutcome outcome = fetch::send_mail(server, letter, cancelled_);
    return {.delivered = outcome.accepted,
            .error = std::move(outcome.error),
            .hopeless = outcome.refused};
  }
  void cancel() override { cancelled_ = true; }

 private:
  const Mail mail_;
  const ChannelOptions options_;
  std::atomic<bool> cancelled_{false};
};

// The message is its standard input; of pages nothing is on its command line.
class ProgramChannel final : public Channel {
 public:
  ProgramChannel(ToProgram program, ChannelOptions options)
      : program_(std::move(program)), options_(std::move(options)) {}

  Attempt send(const Message& message) override {
    const std::optional<std::string> path = extract::find_program(program_.argv.front());
    if (!path)
      return {.error = fmt::format("there is no program {} that may be run",
                                   printable(program_.argv.front(), 200))};
    std::vector<std::string> argv = program_.argv;
    argv.front() = *path;
    extract::Children children{.stop = &stop_};
    extract::ProgramBounds bounds;
    bounds.deadline = std::chrono::steady_clock::now() + options_.program_timeout;
    bounds.children = &children;
    bounds.confined = extract::Confined::no;
    bounds.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "POLLUX_RULE=" + message.rule,
                          "POLLUX_KEY=" + message.key,
                          fmt::format("POLLUX_EVENTS={}", message.count)};
    const extract::ProgramEnd end =
        extract::run_program(argv, boost::json::serialize(json_of(message)) + "\n", bounds);
    if (end.ok()) return {.delivered = true};
    return {.error = "the program " + extract::describe(end)};
  }
  void cancel() override { stop_.raise(); }

 private:
  const ToProgram program_;
  const ChannelOptions options_;
  extract::StopSignal stop_;
};

struct Maker {
  const ChannelOptions& options;
  std::unique_ptr<Channel> operator()(const Webhook& to) const { return make_webhook(to, options); }
  std::unique_ptr<Channel> operator()(const Mail& to) const { return make_mail(to, options); }
  std::unique_ptr<Channel> operator()(const ToProgram& to) const {
    return make_program(to, options);
  }
  std::unique_ptr<Channel> operator()(const ToFile& to) const { return make_file(to); }
  std::unique_ptr<Channel> operator()(const ToAtom& to) const { return make_atom(to); }
};

struct Describer {
  std::string operator()(const Webhook& to) const { return "webhook to " + host_of_webhook(to); }
  std::string operator()(const Mail& to) const {
    return "mail to " + (to.to.empty() ? std::string("nobody") : printable(to.to.front(), 100)) +
           (to.to.size() > 1 ? fmt::format(" and {} more", to.to.size() - 1) : "");
  }
  std::string operator()(const ToProgram& to) const {
    return "program " + (to.argv.empty() ? std::string() : printable(to.argv.front(), 200));
  }
  std::string operator()(const ToFile& to) const { return "file " + printable(to.path, 200); }
  std::string operator()(const ToAtom& to) const { return "feed " + printable(to.path, 200); }
};

}  // namespace

std::unique_ptr<Channel> make_mail(const Mail& mail, const ChannelOptions& options) {
  return std::make_unique<MailChannel>(mail, options);
}

std::unique_ptr<Channel> make_program(const ToProgram& program, const ChannelOptions& options) {
  return std::make_unique<ProgramChannel>(program, options);
}

std::unique_ptr<Channel> make_channel(const Target& target, const ChannelOptions& options) {
  return std::visit(Maker{options}, target);
}

std::string describe(const Target& target) {
  return std::visit(Describer{}, target);
}

}  // namespace pollux::notify

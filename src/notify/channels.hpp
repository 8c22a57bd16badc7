// The channels, one maker each; see channel.hpp.
#pragma once

#include "pollux/notify/channel.hpp"

#include <memory>
#include <string>

namespace pollux::notify {

std::unique_ptr<Channel> make_webhook(const Webhook& webhook, const ChannelOptions& options);
std::string host_of_webhook(const Webhook& webhook);
std::unique_ptr<Channel> make_mail(const Mail& mail, const ChannelOptions& options);
std::unique_ptr<Channel> make_program(const ToProgram& program, const ChannelOptions& options);
std::unique_ptr<Channel> make_file(const ToFile& file);
std::unique_ptr<Channel> make_atom(const ToAtom& feed);

}  // namespace pollux::notify

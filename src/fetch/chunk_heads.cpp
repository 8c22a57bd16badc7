#include "fetch/chunk_heads.hpp"

#include <linux/tcp.h>  // glibc's own tcp_info ends before the bytes received, and excludes this one
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace pollux::fetch {
namespace {

constexpr std::uint64_t most_in_vain = 256u << 10;
constexpr auto between_looks = std::chrono::milliseconds(1);

}  // namespace

std::uint64_t bytes_read_from(int fd) {
  tcp_info info{};
  socklen_t size = sizeof info;
  int unread = 0;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
  if (::ioctl(fd, FIONREAD, &unread) != 0) return 0;
  const auto waiting = static_cast<std::uint64_t>(unread);
  return info.tcpi_bytes_received > waiting ? info.tcpi_bytes_received - waiting : 0;
}

bool ChunkHeads::are_a_flood(TimePoint now) {
  if (now - looked_at_ < between_looks) return false;
  looked_at_ = now;
  const std::uint64_t read = bytes_read_from(fd_);
  return read > before_ + most_in_vain && content_ * least_content < read - before_;
}

}  // namespace pollux::fetch

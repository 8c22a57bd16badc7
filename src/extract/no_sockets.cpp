#include "extract/no_sockets.hpp"

#include <cerrno>
#include <cstddef>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace pollux::extract {
namespace {

#if defined(__x86_64__)
constexpr unsigned native = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned native = AUDIT_ARCH_AARCH64;
#elif defined(__riscv) && __riscv_xlen == 64
constexpr unsigned native = AUDIT_ARCH_RISCV64;
#else
constexpr unsigned native = 0;
#endif

constexpr unsigned refusal = SECCOMP_RET_ERRNO | EACCES;
constexpr unsigned first_x32_call = 0x40000000;  // the same calls under other numbers

constexpr sock_filter load(unsigned offset) {
  return {BPF_LD | BPF_W | BPF_ABS, 0, 0, offset};
}
constexpr sock_filter jump(unsigned short how, unsigned value, unsigned char yes,
                           unsigned char no) {
  return {static_cast<unsigned short>(BPF_JMP | BPF_K | how), yes, no, value};
}
constexpr sock_filter answer(unsigned value) {
  return {BPF_RET | BPF_K, 0, 0, value};
}

}  // namespace

void forbid_sockets() {
  if (native == 0) return;
  // io_uring makes sockets without the call. What leaves its process group could not be ended with
  // the rest of it.
  sock_filter program[] = {
      load(offsetof(seccomp_data, arch)),
      jump(BPF_JEQ, native, 0, 6),
      load(offsetof(seccomp_data, nr)),
      jump(BPF_JGE, first_x32_call, 4, 0),
      jump(BPF_JEQ, SYS_socket, 3, 0),
      jump(BPF_JEQ, SYS_setsid, 2, 0),
      jump(BPF_JEQ, SYS_setpgid, 1, 0),
      jump(BPF_JEQ, SYS_io_uring_setup, 0, 1),
      answer(refusal),
      answer(SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{sizeof program / sizeof *program, program};
  ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

}  // namespace pollux::extract

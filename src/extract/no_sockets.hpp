// A filter of system calls for children: no socket, so no network, and no way out of their process
// group. Works for everybody, also where nobody may make a namespace of the network.
#pragma once

namespace pollux::extract {

// For the calling process and what it starts, for ever; wants PR_SET_NO_NEW_PRIVS. May be called
// between vfork and exec. On processors it does not know it does nothing.
void forbid_sockets();

}  // namespace pollux::extract

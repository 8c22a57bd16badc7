#include "fetch/turn_quota.hpp"

#include <memory>

#include <openssl/bio.h>

namespace pollux::fetch {

// What a connection took in during the turn it was last read in.
struct TurnQuota::Connection {
  explicit Connection(TurnQuota& whole) : quota(whole) {}

  TurnQuota& quota;
  std::uint64_t turn = 0;
  std::uint32_t bytes = 0;
  bool ended = false;  // nothing will come any more

  bool spent() {
    if (quota.limit_ == Limit::none) return false;
    if (turn != quota.turn_) {
      turn = quota.turn_;
      bytes = 0;
    }
    return bytes >= bytes_a_turn;
  }
  void take(std::uint32_t size) {
    bytes += size;
    quota.taken_ += size;
  }
};

namespace {

int context_index() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

int filter_type() {
  static const int type = BIO_get_new_index() | BIO_TYPE_FILTER;
  return type;
}

}  // namespace

BIO_METHOD* TurnQuota::method() {
  static BIO_METHOD* const made = [] {
    BIO_METHOD* const method = BIO_meth_new(filter_type(), "quota of a turn");
    BIO_meth_set_read(method, [](BIO* bio, char* to, int size) {
      auto& connection = *static_cast<Connection*>(BIO_get_data(bio));
      BIO_clear_retry_flags(bio);
      if (connection.spent()) {
        BIO_set_retry_read(bio);
        return -1;
      }
      const int got = BIO_read(BIO_next(bio), to, size);
      if (got > 0) connection.take(static_cast<std::uint32_t>(got));
      if (got == 0) connection.ended = true;
      BIO_copy_next_retry(bio);
      return got;
    });
    BIO_meth_set_ctrl(method, [](BIO* bio, int command, long number, void* pointer) -> long {
      const auto* connection = static_cast<const Connection*>(BIO_get_data(bio));
      if (command == BIO_CTRL_EOF && connection->ended) return 1;
      return BIO_ctrl(BIO_next(bio), command, number, pointer);
    });
    BIO_meth_set_create(method, [](BIO* bio) {
      BIO_set_init(bio, 1);
      return 1;
    });
    BIO_meth_set_destroy(method, [](BIO* bio) {
      delete static_cast<Connection*>(BIO_get_data(bio));
      return 1;
    });
    return method;
  }();
  return made;
}

void TurnQuota::put_on(SSL_CTX* context) {
  SSL_CTX_set_ex_data(context, context_index(), this);
  SSL_CTX_clear_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_info_callback(context, &TurnQuota::on_handshake);
}

// The first moment at which the connection has its BIO; nothing has been read yet.
void TurnQuota::on_handshake(const SSL* ssl, int where, int) {
  if ((where & SSL_CB_HANDSHAKE_START) == 0) return;
  BIO* const below = SSL_get_rbio(ssl);
  if (below == nullptr || BIO_method_type(below) == filter_type()) return;
  auto* quota = static_cast<TurnQuota*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), context_index()));
  BIO* const filter = BIO_new(method());
  if (filter == nullptr) return;
  BIO_set_data(filter, std::make_unique<Connection>(*quota).release());
  BIO_up_ref(below);  // the connection lets go of its own reference when the filter is put on top
  SSL_set0_rbio(const_cast<SSL*>(ssl), BIO_push(filter, below));
}

}  // namespace pollux::fetch

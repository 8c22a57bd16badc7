#include "engine/private_keeper.hpp"

#include "engine/private_file.hpp"

#include <utility>

#include <spdlog/spdlog.h>

namespace pollux::engine {
namespace {

// Servers set new cookies all the time; those of the last moments before a crash may be lost.
constexpr Duration keep_every = std::chrono::seconds(30);

}  // namespace

void load_secrets(Lists& lists) {
  Result<Secrets> read = read_secrets(private_file(lists.config.database));
  if (!read.ok()) spdlog::warn("{}; kept cookies are lost", read.error().message);
  Secrets secrets = read.ok() ? std::move(read).value() : Secrets{};
  const bool known = !secrets.key.empty();
  lists.settings.set_key(known ? std::move(secrets.key) : new_key(), known);
  lists.cookies.set_stored(std::move(secrets.jars));
}

void PrivateKeeper::begin() {
  save();
  timer_->arm(clock_.now() + keep_every, [this] { begin(); });
}

void PrivateKeeper::finish() {
  timer_->cancel();
  save();
}

void PrivateKeeper::save() {
  if (!lists_.cookies.changed() && !lists_.settings.key_to_be_saved()) return;
  Secrets secrets{lists_.settings.key(), lists_.cookies.take()};
  lists_.settings.set_key_saved(true);
  writer_.run([this, secrets = std::move(secrets),
               file = private_file(lists_.config.database)](store::Store&) {
    const Status written = write_secrets(file, secrets);
    loop_.post([this, written] {
      if (!written.ok()) {
        if (!std::exchange(warned_, true)) spdlog::warn("{}", written.error().message);
        lists_.cookies.not_saved();
        return;
      }
      warned_ = false;
    });
  });
}

}  // namespace pollux::engine

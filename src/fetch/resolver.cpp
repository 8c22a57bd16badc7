#include "fetch/resolver.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/asio/post.hpp>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace pollux::fetch {
namespace {

// More than enough for any honest name; a name with a thousand records gains nothing.
constexpr std::size_t max_addresses = 16;

struct Job {
  std::string key;
  std::string host;
};

}  // namespace

struct Resolver::Shared {
  Shared(boost::asio::io_context& context, Options opts, Done callback)
      : io(context), options(std::move(opts)), done(std::move(callback)) {}

  std::mutex mutex;
  std::condition_variable work;
  std::deque<Job> jobs;
  unsigned threads = 0;
  unsigned idle = 0;
  bool open = true;
  boost::asio::io_context& io;  // touched only while open
  const Options options;
  const Done done;  // called on the io_context's thread only, while open

  static void run(const std::shared_ptr<Shared>& shared);
  static void answer(const std::shared_ptr<Shared>& shared, std::string key, Lookup lookup);
};

void Resolver::Shared::run(const std::shared_ptr<Shared>& shared) {
  std::unique_lock lock(shared->mutex);
  for (;;) {
    ++shared->idle;
    shared->work.wait(lock, [&] { return !shared->open || !shared->jobs.empty(); });
    --shared->idle;
    if (!shared->open) return;
    Job job = std::move(shared->jobs.front());
    shared->jobs.pop_front();
    lock.unlock();
    Lookup lookup = shared->options.lookup(job.host);
    lock.lock();
    if (!shared->open) return;
    answer(shared, std::move(job.key), std::move(lookup));
  }
}

// Needs the mutex: the io_context is certain to live only while `open`.
void Resolver::Shared::answer(const std::shared_ptr<Shared>& shared, std::string key,
                              Lookup lookup) {
  boost::asio::post(shared->io,
                    [shared, key = std::move(key), lookup = std::move(lookup)]() mutable {
                      // Closed only by this very thread, so it cannot close in between.
                      if (shared->open) shared->done(std::move(key), std::move(lookup));
                    });
}

Resolver::Resolver(boost::asio::io_context& io, Options options, Done done)
    : shared_(std::make_shared<Shared>(io, std::move(options), std::move(done))) {}

Resolver::~Resolver() {
  const std::lock_guard lock(shared_->mutex);
  shared_->open = false;
  shared_->work.notify_all();
}

void Resolver::resolve(std::string key, std::string host) {
  const std::lock_guard lock(shared_->mutex);
  const bool busy = shared_->idle <= shared_->jobs.size();
  if (busy && shared_->threads < shared_->options.max_threads) {
    try {
      std::thread([shared = shared_] { Shared::run(shared); }).detach();
      ++shared_->threads;
    } catch (const std::system_error& error) {
      if (shared_->threads == 0) {
        Shared::answer(shared_, std::move(key),
                       {{}, std::string("no thread for the name lookup: ") + error.what()});
        return;
      }
    }
  }
  shared_->jobs.push_back({std::move(key), std::move(host)});
  shared_->work.notify_one();
}

Lookup system_lookup(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (code != 0) return {{}, gai_strerror(code)};
  Lookup lookup;
  char text[NI_MAXHOST];
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    if (lookup.addresses.size() == max_addresses) break;
    if (getnameinfo(info->ai_addr, info->ai_addrlen, text, sizeof text, nullptr, 0,
                    NI_NUMERICHOST) == 0) {
      lookup.addresses.emplace_back(text);
    }
  }
  freeaddrinfo(found);
  if (lookup.addresses.empty()) lookup.error = "the name has no address";
  return lookup;
}

}  // namespace pollux::fetch

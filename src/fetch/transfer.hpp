// One request and the easy handle that carries it. Handles are expensive to make and are used
// again: prepare() starts from a clean state for every host.
// Threading: the io_context's thread. curl's callbacks arrive here and never call curl back.
#pragma once

#include "fetch/header_fields.hpp"
#include "fetch/inflater.hpp"
#include "pollux/fetch/address_gate.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>

namespace pollux::fetch {

class MultiDriver;
struct Transfer;

// What all transfers of one fetcher share.
struct TransferEnvironment {
  const Options& options;
  const AddressGate& gate;
  Handler& handler;
  MultiDriver& driver;
  std::vector<Transfer*> pause_wanted;  // told to pause inside a callback; curl hears of it later
  // Until then connections may be kept that belong to access points which are gone.
  std::chrono::steady_clock::time_point strays_until{};
};

struct Transfer {
  using TimePoint = std::chrono::steady_clock::time_point;
  // After that a connection is not used again, so that a host that moves is followed.
  static constexpr std::chrono::seconds connection_lifetime{600};
  enum class Stage : std::uint8_t { queued, waiting_for_name, running };

  explicit Transfer(TransferEnvironment& environment);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  void accept(Request new_request, TimePoint now);
  // Sets the options of the easy handle. `names` (may be null) becomes the transfer's.
  void prepare(curl_slist* names, TimePoint now);
  // After a pause: hands over what has come since. True when the transfer may go on.
  bool deliver_held_back();
  Response finish(CURLcode code, TimePoint now);
  Response finish(Failure failure, std::string_view text, TimePoint now);

  // The proxy of the request's access point, or the one for everything; empty: none.
  const std::string& proxy() const;
  Duration time_left(Duration limit, TimePoint now) const;

  CURL* const easy;
  Request request;
  std::string_view origin;  // origin_of(request.url)
  std::string_view lookup;  // whose name must be known: the proxy, or the origin
  Stage stage = Stage::queued;
  std::size_t index = 0;  // its place among those in flight
  bool paused = false;    // the handler said so
  bool held_by_curl = false;
  bool cancelled = false;
  bool socket_opened = false;
  std::string name_error;  // set when the host could not be resolved
  curl_slist* names = nullptr;
  TimePoint started{};

 private:
  static std::size_t body_callback(char* data, std::size_t, std::size_t size, void* self);
  static std::size_t header_callback(char* data, std::size_t, std::size_t size, void* self);
  static curl_socket_t socket_callback(void* self, curlsocktype, curl_sockaddr* address);
  static CURLcode tls_callback(CURL*, void* context, void* self);
  static int request_callback(void* self, char*, char*, int, int);

  void set_constant_options();
  const AccessPoint* access_point() const;
  void set_way_out();
  void set_proxy_options();
  void set_request_options(TimePoint now);
  void add_header(std::string_view name, std::string_view value);
  bool take_header(std::string_view line);
  bool take_body(std::string_view data);
  bool take_encoded(std::string_view data);
  bool take_decoded(std::string_view data);
  bool cut_short() const { return inflater_ && body_started_ && !inflater_->complete(); }
  curl_socket_t open_socket(const curl_sockaddr& address);
  bool fail(Failure failure, std::string text);
  Duration exchange_time() const;
  Response answer(Failure failure, std::string_view text, TimePoint now);
  void release_lists();

  TransferEnvironment& environment_;
  HeaderFields headers_;
  curl_slist* request_headers_ = nullptr;
  std::string header_line_;
  std::string prepared_for_;  // the origin whose options the handle carries
  std::optional<std::uint32_t> prepared_access_point_;
  std::string body_;
  std::uint64_t body_bytes_ = 0;
  std::uint64_t encoded_bytes_ = 0;     // of a compressed body, as it came
  std::unique_ptr<Inflater> inflater_;  // for a compressed body
  bool body_started_ = false;
  bool wants_body_ = false;
  bool enough_ = false;       // the rest of the body was not wanted: not a failure
  bool conditional_ = false;  // a validator was sent
  int requests_sent_ = 0;
  int tls_layers_ = 0;  // of the connection being made
  bool reused_connection_ = false;
  Failure failure_ = Failure::none;  // found by ourselves; curl only knows that a callback said no
  std::string failure_text_;
  char error_text_[CURL_ERROR_SIZE] = {};
};

}  // namespace pollux::fetch

// One request and the easy handle that carries it. Handles are expensive to make and are used
// again: prepare() starts from a clean state for every host.
// Threading: the io_context's thread. curl's callbacks arrive here and never enter curl again.
#pragma once

#include "fetch/body.hpp"
#include "fetch/body_quota.hpp"
#include "fetch/chunk_heads.hpp"
#include "fetch/header_fields.hpp"
#include "fetch/names.hpp"
#include "pollux/fetch/address_gate.hpp"
#include "pollux/fetch/fetcher.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <curl/curl.h>

namespace pollux::fetch {

class MultiDriver;
struct ConnectionEnds;
struct Transfer;

// What all transfers of one fetcher share.
struct TransferEnvironment {
  const Options& options;
  const AddressGate& gate;
  Handler& handler;
  MultiDriver& driver;
  // Whose on_ready() or on_piece() is running.
  Transfer* speaking = nullptr;
  // Those of whom the handler has heard, so that it may name them: held ones, and those with a body
  // in pieces. Few, as a rule; nothing else is looked up by its token.
  std::unordered_map<Token, Transfer*> heard_of = {};
  BodyQuota body_quota = {};
  // Bodies that may go on: there is new credit, or they have used up the quota of a turn. Each has
  // its share in turn, so that a small one does not wait for the large ones before it.
  std::deque<Token> may_go_on = {};
  // Until then connections may be kept that belong to access points which are gone.
  std::chrono::steady_clock::time_point strays_until{};
};

struct Transfer : Names::Waiter {
  using TimePoint = std::chrono::steady_clock::time_point;
  // After that a connection is not used again, so that a host that moves is followed.
  static constexpr std::chrono::seconds connection_lifetime{600};
  // The stages of a request are queued [→ waiting_for_name → queued] → preparing → sent, or between
  // the last two: held, or parking → parked → queued → preparing. From sent to ended where the
  // caller has no credit left for the rest of the body.
  enum class Stage : std::uint8_t {
    queued,
    waiting_for_name,
    preparing,  // in curl: connection, TLS
    held,       // in curl, which has written the request: to a socket that takes nothing
    parking,    // in curl, which is about to put the connection back among the kept ones
    parked,     // ready, with a kept connection shared by others
    sent,       // in curl
    ended       // curl has done its part
  };

  explicit Transfer(TransferEnvironment& environment);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  void accept(Request&& new_request, TimePoint now);
  // Sets the options of the easy handle. `names` (may be null) becomes the transfer's. False: the
  // request makes no sense.
  bool prepare(curl_slist* names, TimePoint now);
  // The caller lets the request out. True: it must be queued again to go.
  bool let_go(TimePoint now);
  // There is more credit for its body, which may have waited for it: its time-out goes on.
  void grant(std::size_t bytes);
  // Its body's turn: hands over what was held back. False: the transfer is at its end.
  bool go_on();
  // In a turn of its own, soon.
  void go_on_later();
  // What it comes to is known and can be told: nothing is held back for want of credit.
  bool is_over(CURLcode code) const;
  Response finish(CURLcode code, TimePoint now);
  Response finish(Failure failure, std::string_view text, TimePoint now);

  // The proxy of the request's access point, or the one for everything; empty: none.
  const std::string& proxy() const;
  Duration time_left(Duration limit, TimePoint now) const;
  bool is_late(TimePoint now) const;
  bool in_curl() const {
    return stage == Stage::preparing || stage == Stage::held || stage == Stage::parking ||
           stage == Stage::sent;
  }
  // The caller knows it by its token from now on.
  void become_known();

  CURL* const easy;
  Request request;
  std::string_view origin;  // origin_of(request.url)
  std::string_view lookup;  // whose name must be known: the proxy, or the origin
  Stage stage = Stage::queued;
  std::size_t index = 0;        // its position among those in flight
  bool may_send = false;        // the caller has said so
  bool paused_by_curl = false;  // it has a chunk for us and waits
  bool cancelled = false;
  bool known = false;      // in TransferEnvironment::heard_of
  bool in_line = false;    // in TransferEnvironment::may_go_on
  std::string name_error;  // set when the host could not be resolved
  curl_slist* names = nullptr;
  CURLcode ended_with = CURLE_OK;
  Body body;

 private:
  static std::size_t body_callback(char* data, std::size_t, std::size_t size, void* self);
  static std::size_t header_callback(char* data, std::size_t, std::size_t size, void* self);
  static int progress_callback(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
  static curl_socket_t socket_callback(void* self, curlsocktype, curl_sockaddr* address);
  static CURLcode tls_callback(CURL*, void* context, void* self);
  static int request_callback(void* self, char* peer_address, char* local_address, int peer_port,
                              int local_port);

  // transfer_options.cpp
  void set_constant_options();
  const AccessPoint* access_point() const;
  void set_access_point();
  void set_proxy_options();
  void set_request_options(TimePoint now);
  void set_method();
  void set_url();
  void set_constant_headers();
  void set_low_speed_limit();
  void set_jar();
  void add_header(std::string_view name, std::string_view value);
  void release_lists();

  void on_connection(const ConnectionEnds& ends);
  void hold(const ConnectionEnds& ends);
  bool is_multiplexed() const;
  curl_socket_t find_socket() const;  // that the answer comes from
  bool take_header(std::string_view line);
  std::size_t take_body(std::string_view data);
  void rest_without_credit();
  bool accept_verdict(Body::Verdict verdict);
  curl_socket_t open_socket(const curl_sockaddr& address);
  bool fail(Failure failure, std::string text);
  Response answer(Failure failure, std::string_view text, TimePoint now);
  void describe(Response& response);

  TransferEnvironment& environment_;
  HeaderFields headers_;
  curl_slist* request_headers_ = nullptr;
  std::string header_line_;
  struct Free {
    void operator()(CURLU* url) const { curl_url_cleanup(url); }
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };
  std::unique_ptr<curl_slist, Free> constant_headers_;  // those of the request follow, for a while
  curl_slist* last_constant_header_ = nullptr;
  std::string introduced_as_;
  std::unique_ptr<CURLU, Free> url_{curl_url()};
  std::string url_part_;
  bool url_parsed_ = false;   // url_ holds another page of the same host
  std::string proxy_origin_;  // empty: none
  std::string prepared_for_;  // the origin whose options the handle carries
  std::optional<AccessPointId> prepared_access_point_;
  bool prepared_for_get_ = false;
  bool has_jar_ = false;  // the handle keeps cookies: perhaps another page's
  ChunkHeads chunk_heads_;
  std::uint64_t unwanted_bytes_ = 0;
  bool wants_body_ = false;
  bool enough_ = false;       // the rest of the body was not wanted: not a failure
  bool conditional_ = false;  // a validator was sent
  bool request_sent_ = false;
  bool opened_socket_ = false;  // since the handle was last prepared
  bool opened_any_socket_ = false;
  bool reused_connection_ = false;
  int tls_layers_ = 0;  // of the connection being made
  curl_socket_t held_socket_ = CURL_SOCKET_BAD;
  TimePoint started_{};                   // moved on by the time between on_ready() and send()
  std::optional<TimePoint> rests_since_;  // its body waits for credit
  Duration rested_{};                     // all in all
  TimePoint ready_at_{};                  // of the last on_ready()
  TimePoint sent_at_{};                   // send()
  TimePoint left_at_{};                   // the request was written
  Failure failure_ = Failure::none;  // found by ourselves; curl only knows that a callback said no
  std::string failure_text_;
  char error_text_[CURL_ERROR_SIZE] = {};
};

}  // namespace pollux::fetch

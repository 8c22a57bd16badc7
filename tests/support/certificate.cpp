#include "support/certificate.hpp"

#include <memory>
#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace pollux::test {
namespace {

template <auto Free>
struct Deleter {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
template <typename T, auto Free>
using Owned = std::unique_ptr<T, Deleter<Free>>;

void add_extension(X509* certificate, int id, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const Owned<X509_EXTENSION, X509_EXTENSION_free> extension(
      X509V3_EXT_conf_nid(nullptr, &context, id, value));
  X509_add_ext(certificate, extension.get(), -1);
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

using Key = Owned<EVP_PKEY, EVP_PKEY_free>;
using X509Certificate = Owned<X509, X509_free>;
constexpr long hour = 3600;

Key make_key() {
  Key key(EVP_EC_gen("P-256"));
  if (!key) throw std::runtime_error("OpenSSL cannot make a key");
  return key;
}

// Of this name, for this key and from two days ago; it has no issuer and is not signed.
X509Certificate unsigned_certificate(EVP_PKEY* key, const std::string& common_name, long serial,
                                     long ends) {
  X509Certificate certificate(X509_new());
  if (!certificate) throw std::runtime_error("OpenSSL cannot make a certificate");
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -48 * hour);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), ends);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                             0);
  return certificate;
}

void sign(X509* certificate, EVP_PKEY* key) {
  if (X509_sign(certificate, key, EVP_sha256()) == 0) {
    throw std::runtime_error("OpenSSL cannot sign a certificate");
  }
}

Certificate in_text(X509* certificate, EVP_PKEY* key) {
  const Owned<BIO, BIO_free> certificate_text(BIO_new(BIO_s_mem()));
  const Owned<BIO, BIO_free> key_text(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(certificate_text.get(), certificate);
  PEM_write_bio_PrivateKey(key_text.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return {text_of(certificate_text.get()), text_of(key_text.get())};
}

}  // namespace

Certificate make_certificate(const CertificateOptions& options) {
  const Key key = make_key();
  const auto certificate =
      unsigned_certificate(key.get(), "localhost", 1, options.expired ? -24 * hour : 24 * hour);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  add_extension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  add_extension(certificate.get(), NID_subject_alt_name, options.names.c_str());
  sign(certificate.get(), key.get());
  return in_text(certificate.get(), key.get());
}

struct Authority::Signer {
  Key key;
  X509Certificate certificate;
  long issued = 1;
};

Authority::Authority() : signer_(std::make_unique<Signer>()) {
  signer_->key = make_key();
  signer_->certificate = unsigned_certificate(signer_->key.get(), "Test authority", 1, 24 * hour);
  X509* own = signer_->certificate.get();
  X509_set_issuer_name(own, X509_get_subject_name(own));
  add_extension(own, NID_basic_constraints, "critical,CA:TRUE");
  sign(own, signer_->key.get());
  pem_ = in_text(own, signer_->key.get()).pem;
}

Authority::~Authority() = default;

Certificate Authority::issue(const std::string& common_name,
                             const std::string& alternative_names) const {
  const Key key = make_key();
  const auto certificate =
      unsigned_certificate(key.get(), common_name, ++signer_->issued, 24 * hour);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(signer_->certificate.get()));
  add_extension(certificate.get(), NID_basic_constraints, "critical,CA:FALSE");
  if (!alternative_names.empty()) {
    add_extension(certificate.get(), NID_subject_alt_name, alternative_names.c_str());
  }
  sign(certificate.get(), signer_->key.get());
  return in_text(certificate.get(), key.get());
}

}  // namespace pollux::test

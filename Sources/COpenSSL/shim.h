#pragma once
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// Values of macros that Swift cannot import because they are built by other macros.
static inline uint64_t copenssl_no_ticket(void) { return SSL_OP_NO_TICKET; }
static inline uint64_t copenssl_no_compression(void) { return SSL_OP_NO_COMPRESSION; }
static inline uint64_t copenssl_no_renegotiation(void) { return SSL_OP_NO_RENEGOTIATION; }
static inline uint64_t copenssl_no_query_mtu(void) { return SSL_OP_NO_QUERY_MTU; }

// Whether the processor has instructions for AES; without them ChaCha20 is several times faster.
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
static inline int copenssl_has_fast_aes(void) {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c >> 25 & 1);
}
#elif defined(__aarch64__)
#include <sys/auxv.h>
static inline int copenssl_has_fast_aes(void) { return getauxval(AT_HWCAP) >> 3 & 1; }
#else
static inline int copenssl_has_fast_aes(void) { return 0; }
#endif

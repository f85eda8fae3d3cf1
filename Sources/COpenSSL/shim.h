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

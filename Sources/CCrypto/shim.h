#ifndef TW_CRYPTO_SHIM_H
#define TW_CRYPTO_SHIM_H
#include <openssl/evp.h>
#include <openssl/rand.h>
#endif

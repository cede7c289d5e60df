#ifndef TW_CRYPTO_SHIM_H
#define TW_CRYPTO_SHIM_H
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/x509.h>

// Makes a key of the curve P-256, and writes it as DER. Returns its length; 0 if it cannot be made, or does not fit.
static inline size_t tw_es256_generate(unsigned char *der, size_t room) {
  size_t count = 0;
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, NULL);
  if (context && EVP_PKEY_keygen_init(context) == 1 &&
      EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1 &&
      EVP_PKEY_keygen(context, &key) == 1) {
    int length = i2d_PrivateKey(key, NULL);
    if (length > 0 && (size_t)length <= room) count = (size_t)i2d_PrivateKey(key, &der);
  }
  EVP_PKEY_free(key);
  EVP_PKEY_CTX_free(context);
  return count;
}

// Writes the public half of a key: 4, then x and y in 32 bytes each. Returns 0 for a key of another kind.
static inline int tw_es256_public(const unsigned char *der, size_t count, unsigned char point[65]) {
  EVP_PKEY *key = d2i_PrivateKey(EVP_PKEY_EC, NULL, &der, (long)count);
  unsigned char *bytes = NULL;
  int is_one = key && EVP_PKEY_bits(key) == 256 && EVP_PKEY_get1_encoded_public_key(key, &bytes) == 65 && bytes[0] == 4;
  if (is_one) memcpy(point, bytes, 65);
  OPENSSL_free(bytes);
  EVP_PKEY_free(key);
  return is_one;
}

// Signs bytes as ES256 does (RFC 7518 3.4): r and s in 32 bytes each, where libcrypto has them as DER. Returns 0 if it
// fails.
static inline int tw_es256_sign(
    const unsigned char *der, size_t count, const unsigned char *bytes, size_t size, unsigned char signature[64]) {
  EVP_PKEY *key = d2i_PrivateKey(EVP_PKEY_EC, NULL, &der, (long)count);
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  unsigned char found[128];
  size_t length = sizeof found;
  const unsigned char *start = found;
  ECDSA_SIG *pair = NULL;
  if (key && context && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
      EVP_DigestSign(context, found, &length, bytes, size) == 1)
    pair = d2i_ECDSA_SIG(NULL, &start, (long)length);
  int is_made = pair && BN_bn2binpad(ECDSA_SIG_get0_r(pair), signature, 32) == 32 &&
                BN_bn2binpad(ECDSA_SIG_get0_s(pair), signature + 32, 32) == 32;
  ECDSA_SIG_free(pair);
  EVP_MD_CTX_free(context);
  EVP_PKEY_free(key);
  return is_made;
}
#endif

// Swift cannot call C's variadic functions, so each argument type of curl_easy_setopt and curl_easy_getinfo gets a
// function of its own here.
#ifndef TW_CURL_SHIM_H
#define TW_CURL_SHIM_H
#include <curl/curl.h>
#endif

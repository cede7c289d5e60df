// Swift cannot call C's variadic functions, so each argument type of curl_easy_setopt and curl_easy_getinfo gets a
// function of its own here.
#ifndef TW_CURL_SHIM_H
#define TW_CURL_SHIM_H
#include <curl/curl.h>
#include <locale.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

static inline CURLcode tw_curl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode tw_curl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode tw_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

// The bytes are copied, so the caller's buffer may go away.
static inline CURLcode tw_curl_set_post_body(CURL *handle, const void *bytes, curl_off_t size) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, size);
  return code ? code : curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, (const char *)bytes);
}

static inline CURLcode tw_curl_set_write(CURL *handle, curl_write_callback callback, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, callback);
  return code ? code : curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}

static inline CURLcode tw_curl_set_header(CURL *handle, curl_write_callback callback, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, callback);
  return code ? code : curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
}

static inline CURLcode tw_curl_set_progress(CURL *handle, curl_xferinfo_callback callback, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, callback);
  if (!code) code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
  return code ? code : curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
}

static inline CURLcode tw_curl_set_open_socket(CURL *handle, curl_opensocket_callback callback, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
  return code ? code : curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
}

// Called when a connection stands and the request goes out on it, whatever proxies and handshakes came before. It came
// in 7.80; the code of older versions says that it is never called.
static inline CURLcode tw_curl_set_sending(CURL *handle, int (*callback)(void *, char *, char *, int, int), void *context) {
#if LIBCURL_VERSION_NUM >= 0x075000
  CURLcode code = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, callback);
  return code ? code : curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
#else
  (void)handle, (void)callback, (void)context;
  return CURLE_UNKNOWN_OPTION;
#endif
}

// The string option replaced the bit mask in 7.85.
static inline CURLcode tw_curl_only_http(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

// Without it a transfer whose end comes while libcurl looks up a name waits for the resolver. It came in 7.87.
static inline void tw_curl_set_quick_exit(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
  curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)handle;
#endif
}

static inline CURLMcode tw_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline void tw_curl_multi_set_sockets(
    CURLM *multi, curl_socket_callback sockets, curl_multi_timer_callback timer, void *context) {
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, sockets);
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

// The host of a URL as DNS has it (RFC 5891), for curl_free; a null pointer for a name that DNS cannot have, and where
// libcurl does not convert names. libidn2, as libcurl calls it, reads them in the character set of the thread's locale.
static inline char *tw_curl_ascii_host(CURLU *url) {
  char *host = NULL;
#if LIBCURL_VERSION_NUM >= 0x075800
  locale_t before, utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  if (!utf8) utf8 = newlocale(LC_CTYPE_MASK, "en_US.UTF-8", (locale_t)0);
  if (!utf8) return NULL;
  before = uselocale(utf8);
  if (curl_url_get(url, CURLUPART_HOST, &host, CURLU_PUNYCODE)) host = NULL;
  uselocale(before);
  freelocale(utf8);
#else
  (void)url;
#endif
  return host;
}

// The status line of Shoutcast, which speaks HTTP/1.0 else.
static inline CURLcode tw_curl_accept_radio(CURL *handle) {
  static char line[] = "ICY 200 OK";
  static struct curl_slist lines = {line, NULL};
  return curl_easy_setopt(handle, CURLOPT_HTTP200ALIASES, &lines);
}

static inline CURLcode tw_curl_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode tw_curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode tw_curl_get_string(CURL *handle, CURLINFO info, const char **value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode tw_curl_get_socket(CURL *handle, curl_socket_t *value) {
  return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, value);
}

static inline struct sockaddr *tw_curl_address(struct curl_sockaddr *address) {
  return &address->addr;
}
#endif

#include "CPictures.h"

#include <dlfcn.h>

// The names that systems give a library: Linux by its version, macOS without; NULL ends them. Homebrew's folder is not
// searched by itself.
#ifdef __APPLE__
#define NAMES(library, version) {"lib" library ".dylib", "/opt/homebrew/lib/lib" library ".dylib", \
                                 "/usr/local/lib/lib" library ".dylib", NULL}
#else
#define NAMES(library, version) {"lib" library ".so." version, NULL}
#endif

static void *library(const char *const *names) {
  void *found = NULL;
  while (*names && !found) found = dlopen(*names++, RTLD_NOW | RTLD_LOCAL);
  return found;
}

// Sets one function, and goes on if it is there.
#define FIND(library, name) (functions->name = (__typeof__(name) *)dlsym(library, #name)) != NULL

bool tw_load_jpeg(struct tw_jpeg_functions *functions) {
  static const char *const names[] = NAMES("turbojpeg", "0");
  void *jpeg = library(names);
  return jpeg && FIND(jpeg, tjInitDecompress) && FIND(jpeg, tjDecompressHeader3) && FIND(jpeg, tjGetScalingFactors) &&
         FIND(jpeg, tjDecompress2) && FIND(jpeg, tjGetErrorCode) && FIND(jpeg, tjGetErrorStr2) && FIND(jpeg, tjDestroy);
}

bool tw_load_jpeg_encoder(struct tw_jpeg_encoder_functions *functions) {
  static const char *const names[] = NAMES("turbojpeg", "0");
  void *jpeg = library(names);
  return jpeg && FIND(jpeg, tjInitCompress) && FIND(jpeg, tjCompress2) && FIND(jpeg, tjFree) && FIND(jpeg, tjDestroy);
}

bool tw_load_png(struct tw_png_functions *functions) {
  static const char *const names[] = NAMES("spng", "0");
  void *png = library(names);
  return png && FIND(png, spng_ctx_new) && FIND(png, spng_ctx_free) && FIND(png, spng_set_image_limits) &&
         FIND(png, spng_set_chunk_limits) && FIND(png, spng_set_png_buffer) && FIND(png, spng_get_ihdr) &&
         FIND(png, spng_decode_image) && FIND(png, spng_set_option) && FIND(png, spng_set_ihdr) &&
         FIND(png, spng_encode_image) && FIND(png, spng_get_png_buffer);
}

bool tw_load_webp(struct tw_webp_functions *functions) {
  static const char *const names[] = NAMES("webp", "7");
  static const char *const demuxer_names[] = NAMES("webpdemux", "2");
  void *webp = library(names);
  void *demuxer = library(demuxer_names);
  return webp && demuxer && FIND(webp, WebPGetFeaturesInternal) && FIND(webp, WebPDecodeRGBAInto) &&
         FIND(demuxer, WebPDemuxInternal) && FIND(demuxer, WebPDemuxGetI) && FIND(demuxer, WebPDemuxGetFrame) &&
         FIND(demuxer, WebPDemuxReleaseIterator) && FIND(demuxer, WebPDemuxDelete);
}

bool tw_load_gif(struct tw_gif_functions *functions) {
  static const char *const names[] = NAMES("gif", "7");
  void *gif = library(names);
  return gif && FIND(gif, DGifOpen) && FIND(gif, DGifGetRecordType) && FIND(gif, DGifGetImageDesc) &&
         FIND(gif, DGifGetLine) && FIND(gif, DGifGetCode) && FIND(gif, DGifGetCodeNext) &&
         FIND(gif, DGifGetExtension) && FIND(gif, DGifGetExtensionNext) && FIND(gif, DGifExtensionToGCB) &&
         FIND(gif, DGifCloseFile);
}

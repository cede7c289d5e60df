// The libraries that decode pictures. Their functions are found by dlopen(3) when the first picture comes: linked, the
// libraries would be loaded at each start of a tool. The types are those of the libraries' own headers.
#ifndef TW_PICTURES_H
#define TW_PICTURES_H

#include <stdbool.h>
#include <stdio.h>

#include <gif_lib.h>
#include <spng.h>
#include <turbojpeg.h>
#include <webp/decode.h>
#include <webp/demux.h>

#define TW_FUNCTION(name) __typeof__(name) *name

// libjpeg-turbo's TurboJPEG, 2.0 or newer.
struct tw_jpeg_functions {
  TW_FUNCTION(tjInitDecompress);
  TW_FUNCTION(tjDecompressHeader3);
  TW_FUNCTION(tjGetScalingFactors);
  TW_FUNCTION(tjDecompress2);
  TW_FUNCTION(tjGetErrorCode);
  TW_FUNCTION(tjGetErrorStr2);
  TW_FUNCTION(tjDestroy);
};

// The same library, for writing.
struct tw_jpeg_encoder_functions {
  TW_FUNCTION(tjInitCompress);
  TW_FUNCTION(tjCompress2);
  TW_FUNCTION(tjFree);
  TW_FUNCTION(tjDestroy);
};

// libspng 0.7 or newer: it also encodes.
struct tw_png_functions {
  TW_FUNCTION(spng_ctx_new);
  TW_FUNCTION(spng_ctx_free);
  TW_FUNCTION(spng_set_image_limits);
  TW_FUNCTION(spng_set_chunk_limits);
  TW_FUNCTION(spng_set_png_buffer);
  TW_FUNCTION(spng_get_ihdr);
  TW_FUNCTION(spng_decode_image);
  TW_FUNCTION(spng_set_option);
  TW_FUNCTION(spng_set_ihdr);
  TW_FUNCTION(spng_encode_image);
  TW_FUNCTION(spng_get_png_buffer);
};

// libwebp 1, and its libwebpdemux for animated pictures.
struct tw_webp_functions {
  TW_FUNCTION(WebPGetFeaturesInternal);
  TW_FUNCTION(WebPDecodeRGBAInto);
  TW_FUNCTION(WebPDemuxInternal);
  TW_FUNCTION(WebPDemuxGetI);
  TW_FUNCTION(WebPDemuxGetFrame);
  TW_FUNCTION(WebPDemuxReleaseIterator);
  TW_FUNCTION(WebPDemuxDelete);
};

// giflib 5.1 or newer.
struct tw_gif_functions {
  TW_FUNCTION(DGifOpen);
  TW_FUNCTION(DGifGetRecordType);
  TW_FUNCTION(DGifGetImageDesc);
  TW_FUNCTION(DGifGetLine);
  TW_FUNCTION(DGifGetCode);
  TW_FUNCTION(DGifGetCodeNext);
  TW_FUNCTION(DGifGetExtension);
  TW_FUNCTION(DGifGetExtensionNext);
  TW_FUNCTION(DGifExtensionToGCB);
  TW_FUNCTION(DGifCloseFile);
};

// Each fills the functions in. Returns false if the library, or one of its functions, is not there.
bool tw_load_jpeg(struct tw_jpeg_functions *functions);
bool tw_load_jpeg_encoder(struct tw_jpeg_encoder_functions *functions);
bool tw_load_png(struct tw_png_functions *functions);
bool tw_load_webp(struct tw_webp_functions *functions);
bool tw_load_gif(struct tw_gif_functions *functions);

#endif

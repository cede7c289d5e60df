#ifndef TW_SIMDJSON_H
#define TW_SIMDJSON_H
#endif

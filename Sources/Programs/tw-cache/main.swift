import TweetCLI
import tw_cache
import tw_local

// Those that need SQLite and no network of libcurl.
ProgramFile.run([
  "tw-cache": TwCache.main,
  "tw-local": TwLocal.main,
])

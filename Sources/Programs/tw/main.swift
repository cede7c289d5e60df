import TweetCLI
import tw
import tw_browse
import tw_cache
import tw_parse
import tw_render

// Those that need no network.
ProgramFile.run([
  "tw": Tw.main,
  "tw-parse": TwParse.main,
  "tw-cache": TwCache.main,
  "tw-render": TwRender.main,
  "tw-browse": TwBrowse.main,
])

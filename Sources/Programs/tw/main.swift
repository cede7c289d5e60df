import TweetCLI
import tw
import tw_parse
import tw_render

// Those that need neither a network nor a database.
ProgramFile.run([
  "tw": Tw.main,
  "tw-parse": TwParse.main,
  "tw-render": TwRender.main,
])

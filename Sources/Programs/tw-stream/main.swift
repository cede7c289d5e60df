import TweetCLI
import tw_auth
import tw_avatar
import tw_linkcheck
import tw_post
import tw_stream

// Those that need libcurl.
ProgramFile.run([
  "tw-stream": TwStream.main,
  "tw-auth": TwAuth.main,
  "tw-post": TwPost.main,
  "tw-avatar": TwAvatar.main,
  "tw-linkcheck": TwLinkcheck.main,
])

# The program a jq user would write instead of tw-parse: v1.1 tweets and v2 pages to the same records. One source for
# jq, gojq and jaq, so nothing in it is newer than jq 1.6. Offsets are not moved for what is unescaped.

# The fastest way in all three; with_entries takes twice as long.
def known: del(.[] | select(. == null or . == "" or . == [] or . == {}));

def unescaped:
  if contains("&") then split("&lt;") | join("<") | split("&gt;") | join(">") | split("&amp;") | join("&") else . end;

# Wed Nov 03 21:30:00 +0000 2021
def time:
  split(" ")
  | {Jan: "01", Feb: "02", Mar: "03", Apr: "04", May: "05", Jun: "06", Jul: "07", Aug: "08", Sep: "09", Oct: "10",
     Nov: "11", Dec: "12"}[.[1]] as $month
  | "\(.[5])-\($month)-\(.[2])T\(.[3]).000Z";

def v1_user:
  {id: .id_str, username: .screen_name, name, profile_image_url: .profile_image_url_https, verified, protected,
   description: (.description // "" | unescaped), location, url, created_at: (.created_at | time),
   public_metrics: {
     followers_count, following_count: .friends_count, tweet_count: .statuses_count, listed_count,
     like_count: .favourites_count}}
  | known;

def place: {start: .indices[0], end: .indices[1]};

def v1_entities:
  {hashtags: [.hashtags[] | place + {tag: .text}], cashtags: [.symbols[] | place + {tag: .text}],
   mentions: [.user_mentions[] | place + {username: .screen_name, id: .id_str, name}],
   urls: [(.urls + (.media // []))[] | place + {url, expanded_url, display_url}]}
  | known;

def v1_media:
  ((.extended_entities // .entities).media // []) as $media
  | {media_keys: [$media[] | "3_" + .id_str],
     media: [$media[]
       | {media_key: ("3_" + .id_str), type, url: .media_url_https, width: .sizes.large.w, height: .sizes.large.h}]}
  | known;

def v1_tweet:
  (.user | v1_user) as $user
  | {id: .id_str, service: "x", url: "https://x.com/\($user.username)/status/\(.id_str)",
     created_at: (.created_at | time), text: (.full_text // .text | unescaped), lang,
     source: (.source // "" | split(">") | (.[1] // "") | split("<") | (.[0] // "")), possibly_sensitive,
     author_id: $user.id, author: $user,
     public_metrics: {retweet_count, like_count: .favorite_count}, viewer: {liked: .favorited, retweeted},
     entities: (.entities | v1_entities), attachments: v1_media, in_reply_to_user_id: .in_reply_to_user_id_str,
     referenced_tweets: [
       (select(.retweeted_status).retweeted_status | {type: "retweeted"} + v1_tweet),
       (select(.quoted_status).quoted_status | {type: "quoted"} + v1_tweet),
       (select(.in_reply_to_status_id_str) | {type: "replied_to", id: .in_reply_to_status_id_str})],
     geo}
  | known;

def by(key): reduce .[] as $one ({}; .[$one | key] = $one);

def v2_tweet($users; $tweets; $media; $places; $depth):
  $users[.author_id] as $author
  | {id, service: "x", url: "https://x.com/\($author.username // "i")/status/\(.id)"} + . + {text: (.text | unescaped)}
  | if $author then .author = $author else . end
  | if .in_reply_to_user_id and $users[.in_reply_to_user_id] then
      .in_reply_to_user = $users[.in_reply_to_user_id] else . end
  | if .attachments.media_keys then
      .attachments.media = [.attachments.media_keys[] | $media[.] | select(.)] else . end
  | if .geo.place_id then .geo = .geo + $places[.geo.place_id] else . end
  | if .referenced_tweets then
      .referenced_tweets = [.referenced_tweets[] | . as $reference
        | if $depth < 2 and $tweets[.id] then
            $reference + ($tweets[.id] | v2_tweet($users; $tweets; $media; $places; $depth + 1)) else . end]
    else . end;

def v2_page:
  (.includes.users // [] | by(.id)) as $users
  | (.includes.tweets // [] | by(.id)) as $tweets
  | (.includes.media // [] | by(.media_key)) as $media
  | (.includes.places // [] | by(.id)) as $places
  | .data[]
  | v2_tweet($users; $tweets; $media; $places; 0);

{tw: "tweet"} + (if has("data") then v2_page else v1_tweet end)

-- Records of tweet(5) in DuckDB: tweets(FILES), users(FILES) and so on are tables of the records of a type in files of NDJSON,
-- which may be compressed. A value of another type than its column's is NULL, and no line stops the load. Made from record.keys.

CREATE OR REPLACE MACRO tweets(files) AS TABLE
  SELECT unnest(json_transform(json, '{
    "tw": "VARCHAR",
    "id": "VARCHAR",
    "service": "VARCHAR",
    "url": "VARCHAR",
    "created_at": "TIMESTAMPTZ",
    "text": "VARCHAR",
    "lang": "VARCHAR",
    "source": "VARCHAR",
    "conversation_id": "VARCHAR",
    "possibly_sensitive": "BOOLEAN",
    "author_id": "VARCHAR",
    "author": {"id": "VARCHAR", "username": "VARCHAR", "name": "VARCHAR", "profile_image_url": "VARCHAR", "verified": "BOOLEAN", "protected": "BOOLEAN", "description": "VARCHAR", "location": "VARCHAR", "url": "VARCHAR", "created_at": "TIMESTAMPTZ", "public_metrics": {"followers_count": "BIGINT", "following_count": "BIGINT", "tweet_count": "BIGINT", "listed_count": "BIGINT", "like_count": "BIGINT"}, "verified_type": "VARCHAR", "pinned_tweet_id": "VARCHAR", "entities": "JSON", "withheld": {"country_codes": ["VARCHAR"], "copyright": "BOOLEAN", "scope": "VARCHAR"}, "avatar": {"key": "VARCHAR", "type": "VARCHAR", "width": "BIGINT", "height": "BIGINT", "bytes": "BIGINT", "fetched_at": "TIMESTAMPTZ", "file": "VARCHAR", "data": "VARCHAR", "default": "BOOLEAN", "error": "VARCHAR"}, "extra": "JSON"},
    "public_metrics": {"retweet_count": "BIGINT", "reply_count": "BIGINT", "like_count": "BIGINT", "quote_count": "BIGINT", "bookmark_count": "BIGINT", "impression_count": "BIGINT"},
    "viewer": {"account": "VARCHAR", "liked": "BOOLEAN", "retweeted": "BOOLEAN", "bookmarked": "BOOLEAN", "retrieved_at": "TIMESTAMPTZ"},
    "viewers": [{"account": "VARCHAR", "liked": "BOOLEAN", "retweeted": "BOOLEAN", "bookmarked": "BOOLEAN", "retrieved_at": "TIMESTAMPTZ"}],
    "entities": {"hashtags": [{"start": "BIGINT", "end": "BIGINT", "tag": "VARCHAR"}], "mentions": [{"start": "BIGINT", "end": "BIGINT", "username": "VARCHAR", "id": "VARCHAR"}], "cashtags": [{"start": "BIGINT", "end": "BIGINT", "tag": "VARCHAR"}], "urls": [{"start": "BIGINT", "end": "BIGINT", "url": "VARCHAR", "expanded_url": "VARCHAR", "display_url": "VARCHAR", "media_key": "VARCHAR", "description": "VARCHAR", "images": "JSON", "unwound": "JSON", "unwound_url": "VARCHAR", "canonical_url": "VARCHAR", "status": "BIGINT", "content_type": "VARCHAR", "title": "VARCHAR", "card": {"type": "VARCHAR", "site": "VARCHAR", "title": "VARCHAR", "description": "VARCHAR", "image": "VARCHAR"}, "verdict": "VARCHAR", "link_kind": "VARCHAR", "link_kind_by": "VARCHAR", "music_id": "VARCHAR", "redirects": "BIGINT", "redirect_kind": "VARCHAR", "stored_redirects": "BIGINT", "downgraded": "BOOLEAN", "soft_404": "VARCHAR", "rel_canonical": "VARCHAR", "failures": "BIGINT", "failing_since": "TIMESTAMPTZ", "was": {"verdict": "VARCHAR", "status": "BIGINT", "checked_at": "TIMESTAMPTZ"}, "archived": {"url": "VARCHAR", "at": "TIMESTAMPTZ"}, "chain": [{"url": "VARCHAR", "status": "BIGINT"}], "page_text": "VARCHAR", "checked_at": "TIMESTAMPTZ", "retry_at": "TIMESTAMPTZ", "error": "VARCHAR"}], "annotations": "JSON"},
    "attachments": {"media_keys": ["VARCHAR"], "media": [{"media_key": "VARCHAR", "type": "VARCHAR", "url": "VARCHAR", "alt_text": "VARCHAR", "width": "BIGINT", "height": "BIGINT", "preview_image_url": "VARCHAR", "duration_ms": "BIGINT", "public_metrics": "JSON", "variants": "JSON", "picture": {"key": "VARCHAR", "type": "VARCHAR", "width": "BIGINT", "height": "BIGINT", "bytes": "BIGINT", "fetched_at": "TIMESTAMPTZ", "file": "VARCHAR", "data": "VARCHAR", "default": "BOOLEAN", "error": "VARCHAR"}, "extra": "JSON"}], "poll": {"id": "VARCHAR", "options": [{"position": "BIGINT", "label": "VARCHAR", "votes": "BIGINT"}], "duration_minutes": "BIGINT", "end_datetime": "TIMESTAMPTZ", "voting_status": "VARCHAR", "extra": "JSON"}, "poll_ids": ["VARCHAR"]},
    "in_reply_to_user_id": "VARCHAR",
    "in_reply_to_user": {"id": "VARCHAR", "username": "VARCHAR", "name": "VARCHAR", "profile_image_url": "VARCHAR", "verified": "BOOLEAN", "protected": "BOOLEAN", "description": "VARCHAR", "location": "VARCHAR", "url": "VARCHAR", "created_at": "TIMESTAMPTZ", "public_metrics": {"followers_count": "BIGINT", "following_count": "BIGINT", "tweet_count": "BIGINT", "listed_count": "BIGINT", "like_count": "BIGINT"}, "verified_type": "VARCHAR", "pinned_tweet_id": "VARCHAR", "entities": "JSON", "withheld": {"country_codes": ["VARCHAR"], "copyright": "BOOLEAN", "scope": "VARCHAR"}, "avatar": {"key": "VARCHAR", "type": "VARCHAR", "width": "BIGINT", "height": "BIGINT", "bytes": "BIGINT", "fetched_at": "TIMESTAMPTZ", "file": "VARCHAR", "data": "VARCHAR", "default": "BOOLEAN", "error": "VARCHAR"}, "extra": "JSON"},
    "referenced_tweets": [{"type": "VARCHAR", "id": "VARCHAR", "service": "VARCHAR", "url": "VARCHAR", "created_at": "TIMESTAMPTZ", "text": "VARCHAR", "lang": "VARCHAR", "source": "VARCHAR", "conversation_id": "VARCHAR", "possibly_sensitive": "BOOLEAN", "author_id": "VARCHAR", "author": {"id": "VARCHAR", "username": "VARCHAR", "name": "VARCHAR", "profile_image_url": "VARCHAR", "verified": "BOOLEAN", "protected": "BOOLEAN", "description": "VARCHAR", "location": "VARCHAR", "url": "VARCHAR", "created_at": "TIMESTAMPTZ", "public_metrics": {"followers_count": "BIGINT", "following_count": "BIGINT", "tweet_count": "BIGINT", "listed_count": "BIGINT", "like_count": "BIGINT"}, "verified_type": "VARCHAR", "pinned_tweet_id": "VARCHAR", "entities": "JSON", "withheld": {"country_codes": ["VARCHAR"], "copyright": "BOOLEAN", "scope": "VARCHAR"}, "avatar": {"key": "VARCHAR", "type": "VARCHAR", "width": "BIGINT", "height": "BIGINT", "bytes": "BIGINT", "fetched_at": "TIMESTAMPTZ", "file": "VARCHAR", "data": "VARCHAR", "default": "BOOLEAN", "error": "VARCHAR"}, "extra": "JSON"}, "public_metrics": {"retweet_count": "BIGINT", "reply_count": "BIGINT", "like_count": "BIGINT", "quote_count": "BIGINT", "bookmark_count": "BIGINT", "impression_count": "BIGINT"}, "viewer": {"account": "VARCHAR", "liked": "BOOLEAN", "retweeted": "BOOLEAN", "bookmarked": "BOOLEAN", "retrieved_at": "TIMESTAMPTZ"}, "entities": {"hashtags": [{"start": "BIGINT", "end": "BIGINT", "tag": "VARCHAR"}], "mentions": [{"start": "BIGINT", "end": "BIGINT", "username": "VARCHAR", "id": "VARCHAR"}], "cashtags": [{"start": "BIGINT", "end": "BIGINT", "tag": "VARCHAR"}], "urls": [{"start": "BIGINT", "end": "BIGINT", "url": "VARCHAR", "expanded_url": "VARCHAR", "display_url": "VARCHAR", "media_key": "VARCHAR", "description": "VARCHAR", "images": "JSON", "unwound": "JSON", "unwound_url": "VARCHAR", "canonical_url": "VARCHAR", "status": "BIGINT", "content_type": "VARCHAR", "title": "VARCHAR", "card": {"type": "VARCHAR", "site": "VARCHAR", "title": "VARCHAR", "description": "VARCHAR", "image": "VARCHAR"}, "verdict": "VARCHAR", "link_kind": "VARCHAR", "link_kind_by": "VARCHAR", "music_id": "VARCHAR", "redirects": "BIGINT", "redirect_kind": "VARCHAR", "stored_redirects": "BIGINT", "downgraded": "BOOLEAN", "soft_404": "VARCHAR", "rel_canonical": "VARCHAR", "failures": "BIGINT", "failing_since": "TIMESTAMPTZ", "was": {"verdict": "VARCHAR", "status": "BIGINT", "checked_at": "TIMESTAMPTZ"}, "archived": {"url": "VARCHAR", "at": "TIMESTAMPTZ"}, "chain": [{"url": "VARCHAR", "status": "BIGINT"}], "page_text": "VARCHAR", "checked_at": "TIMESTAMPTZ", "retry_at": "TIMESTAMPTZ", "error": "VARCHAR"}], "annotations": "JSON"}, "attachments": {"media_keys": ["VARCHAR"], "media": [{"media_key": "VARCHAR", "type": "VARCHAR", "url": "VARCHAR", "alt_text": "VARCHAR", "width": "BIGINT", "height": "BIGINT", "preview_image_url": "VARCHAR", "duration_ms": "BIGINT", "public_metrics": "JSON", "variants": "JSON", "picture": {"key": "VARCHAR", "type": "VARCHAR", "width": "BIGINT", "height": "BIGINT", "bytes": "BIGINT", "fetched_at": "TIMESTAMPTZ", "file": "VARCHAR", "data": "VARCHAR", "default": "BOOLEAN", "error": "VARCHAR"}, "extra": "JSON"}], "poll": {"id": "VARCHAR", "options": [{"position": "BIGINT", "label": "VARCHAR", "votes": "BIGINT"}], "duration_minutes": "BIGINT", "end_datetime": "TIMESTAMPTZ", "voting_status": "VARCHAR", "extra": "JSON"}, "poll_ids": ["VARCHAR"]}, "in_reply_to_user_id": "VARCHAR", "in_reply_to_user": {"id": "VARCHAR", "username": "VARCHAR", "name": "VARCHAR", "profile_image_url": "VARCHAR", "verified": "BOOLEAN", "protected": "BOOLEAN", "description": "VARCHAR", "location": "VARCHAR", "url": "VARCHAR", "created_at": "TIMESTAMPTZ", "public_metrics": {"followers_count": "BIGINT", "following_count": "BIGINT", "tweet_count": "BIGINT", "listed_count": "BIGINT", "like_count": "BIGINT"}, "verified_type": "VARCHAR", "pinned_tweet_id": "VARCHAR", "entities": "JSON", "withheld": {"country_codes": ["VARCHAR"], "copyright": "BOOLEAN", "scope": "VARCHAR"}, "avatar": {"key": "VARCHAR", "type": "VARCHAR", "width": "BIGINT", "height": "BIGINT", "bytes": "BIGINT", "fetched_at": "TIMESTAMPTZ", "file": "VARCHAR", "data": "VARCHAR", "default": "BOOLEAN", "error": "VARCHAR"}, "extra": "JSON"}, "referenced_tweets": [{"type": "VARCHAR", "id": "VARCHAR", "service": "VARCHAR", "url": "VARCHAR", "created_at": "TIMESTAMPTZ", "text": "VARCHAR", "lang": "VARCHAR", "source": "VARCHAR", "conversation_id": "VARCHAR", "possibly_sensitive": "BOOLEAN", "author_id": "VARCHAR", "author": {"id": "VARCHAR", "username": "VARCHAR", "name": "VARCHAR", "profile_image_url": "VARCHAR", "verified": "BOOLEAN", "protected": "BOOLEAN", "description": "VARCHAR", "location": "VARCHAR", "url": "VARCHAR", "created_at": "TIMESTAMPTZ", "public_metrics": {"followers_count": "BIGINT", "following_count": "BIGINT", "tweet_count": "BIGINT", "listed_count": "BIGINT", "like_count": "BIGINT"}, "verified_type": "VARCHAR", "pinned_tweet_id": "VARCHAR", "entities": "JSON", "withheld": {"country_codes": ["VARCHAR"], "copyright": "BOOLEAN", "scope": "VARCHAR"}, "avatar": {"key": "VARCHAR", "type": "VARCHAR", "width": "BIGINT", "height": "BIGINT", "bytes": "BIGINT", "fetched_at": "TIMESTAMPTZ", "file": "VARCHAR", "data": "VARCHAR", "default": "BOOLEAN", "error": "VARCHAR"}, "extra": "JSON"}, "public_metrics": {"retweet_count": "BIGINT", "reply_count": "BIGINT", "like_count": "BIGINT", "quote_count": "BIGINT", "bookmark_count": "BIGINT", "impression_count": "BIGINT"}, "viewer": {"account": "VARCHAR", "liked": "BOOLEAN", "retweeted": "BOOLEAN", "bookmarked": "BOOLEAN", "retrieved_at": "TIMESTAMPTZ"}, "entities": {"hashtags": [{"start": "BIGINT", "end": "BIGINT", "tag": "VARCHAR"}], "mentions": [{"start": "BIGINT", "end": "BIGINT", "username": "VARCHAR", "id": "VARCHAR"}], "cashtags": [{"start": "BIGINT", "end": "BIGINT", "tag": "VARCHAR"}], "urls": [{"start": "BIGINT", "end": "BIGINT", "url": "VARCHAR", "expanded_url": "VARCHAR", "display_url": "VARCHAR", "media_key": "VARCHAR", "description": "VARCHAR", "images": "JSON", "unwound": "JSON", "unwound_url": "VARCHAR", "canonical_url": "VARCHAR", "status": "BIGINT", "content_type": "VARCHAR", "title": "VARCHAR", "card": {"type": "VARCHAR", "site": "VARCHAR", "title": "VARCHAR", "description": "VARCHAR", "image": "VARCHAR"}, "verdict": "VARCHAR", "link_kind": "VARCHAR", "link_kind_by": "VARCHAR", "music_id": "VARCHAR", "redirects": "BIGINT", "redirect_kind": "VARCHAR", "stored_redirects": "BIGINT", "downgraded": "BOOLEAN", "soft_404": "VARCHAR", "rel_canonical": "VARCHAR", "failures": "BIGINT", "failing_since": "TIMESTAMPTZ", "was": {"verdict": "VARCHAR", "status": "BIGINT", "checked_at": "TIMESTAMPTZ"}, "archived": {"url": "VARCHAR", "at": "TIMESTAMPTZ"}, "chain": [{"url": "VARCHAR", "status": "BIGINT"}], "page_text": "VARCHAR", "checked_at": "TIMESTAMPTZ", "retry_at": "TIMESTAMPTZ", "error": "VARCHAR"}], "annotations": "JSON"}, "attachments": {"media_keys": ["VARCHAR"], "media": [{"media_key": "VARCHAR", "type": "VARCHAR", "url": "VARCHAR", "alt_text": "VARCHAR", "width": "BIGINT", "height": "BIGINT", "preview_image_url": "VARCHAR", "duration_ms": "BIGINT", "public_metrics": "JSON", "variants": "JSON", "picture": {"key": "VARCHAR", "type": "VARCHAR", "width": "BIGINT", "height": "BIGINT", "bytes": "BIGINT", "fetched_at": "TIMESTAMPTZ", "file": "VARCHAR", "data": "VARCHAR", "default": "BOOLEAN", "error": "VARCHAR"}, "extra": "JSON"}], "poll": {"id": "VARCHAR", "options": [{"position": "BIGINT", "label": "VARCHAR", "votes": "BIGINT"}], "duration_minutes": "BIGINT", "end_datetime": "TIMESTAMPTZ", "voting_status": "VARCHAR", "extra": "JSON"}, "poll_ids": ["VARCHAR"]}, "in_reply_to_user_id": "VARCHAR", "in_reply_to_user": {"id": "VARCHAR", "username": "VARCHAR", "name": "VARCHAR", "profile_image_url": "VARCHAR", "verified": "BOOLEAN", "protected": "BOOLEAN", "description": "VARCHAR", "location": "VARCHAR", "url": "VARCHAR", "created_at": "TIMESTAMPTZ", "public_metrics": {"followers_count": "BIGINT", "following_count": "BIGINT", "tweet_count": "BIGINT", "listed_count": "BIGINT", "like_count": "BIGINT"}, "verified_type": "VARCHAR", "pinned_tweet_id": "VARCHAR", "entities": "JSON", "withheld": {"country_codes": ["VARCHAR"], "copyright": "BOOLEAN", "scope": "VARCHAR"}, "avatar": {"key": "VARCHAR", "type": "VARCHAR", "width": "BIGINT", "height": "BIGINT", "bytes": "BIGINT", "fetched_at": "TIMESTAMPTZ", "file": "VARCHAR", "data": "VARCHAR", "default": "BOOLEAN", "error": "VARCHAR"}, "extra": "JSON"}, "referenced_tweets": "JSON", "geo": "JSON", "withheld": {"country_codes": ["VARCHAR"], "copyright": "BOOLEAN", "scope": "VARCHAR"}, "reply_settings": "VARCHAR", "edit_history_tweet_ids": ["VARCHAR"], "edit_controls": "JSON", "display_text_range": ["BIGINT"], "context_annotations": "JSON", "extra": "JSON"}], "geo": "JSON", "withheld": {"country_codes": ["VARCHAR"], "copyright": "BOOLEAN", "scope": "VARCHAR"}, "reply_settings": "VARCHAR", "edit_history_tweet_ids": ["VARCHAR"], "edit_controls": "JSON", "display_text_range": ["BIGINT"], "context_annotations": "JSON", "extra": "JSON"}],
    "geo": "JSON",
    "matching_rules": [{"id": "VARCHAR", "tag": "VARCHAR"}],
    "feeds": ["VARCHAR"],
    "retrieved_at": "TIMESTAMPTZ",
    "withheld": {"country_codes": ["VARCHAR"], "copyright": "BOOLEAN", "scope": "VARCHAR"},
    "retweeted_by": {"count": "BIGINT", "first": [{"id": "VARCHAR", "username": "VARCHAR", "name": "VARCHAR", "profile_image_url": "VARCHAR", "verified": "BOOLEAN", "protected": "BOOLEAN", "description": "VARCHAR", "location": "VARCHAR", "url": "VARCHAR", "created_at": "TIMESTAMPTZ", "public_metrics": {"followers_count": "BIGINT", "following_count": "BIGINT", "tweet_count": "BIGINT", "listed_count": "BIGINT", "like_count": "BIGINT"}, "verified_type": "VARCHAR", "pinned_tweet_id": "VARCHAR", "entities": "JSON", "withheld": {"country_codes": ["VARCHAR"], "copyright": "BOOLEAN", "scope": "VARCHAR"}, "avatar": {"key": "VARCHAR", "type": "VARCHAR", "width": "BIGINT", "height": "BIGINT", "bytes": "BIGINT", "fetched_at": "TIMESTAMPTZ", "file": "VARCHAR", "data": "VARCHAR", "default": "BOOLEAN", "error": "VARCHAR"}, "extra": "JSON"}]},
    "deleted_at": "TIMESTAMPTZ",
    "reply_settings": "VARCHAR",
    "edit_history_tweet_ids": ["VARCHAR"],
    "edit_controls": "JSON",
    "display_text_range": ["BIGINT"],
    "context_annotations": "JSON",
    "extra": "JSON"
  }'))
  FROM read_ndjson_objects(files) WHERE json->>'$.tw' = 'tweet';

CREATE OR REPLACE MACRO users(files) AS TABLE
  SELECT unnest(json_transform(json, '{
    "tw": "VARCHAR",
    "service": "VARCHAR",
    "id": "VARCHAR",
    "username": "VARCHAR",
    "name": "VARCHAR",
    "profile_image_url": "VARCHAR",
    "verified": "BOOLEAN",
    "protected": "BOOLEAN",
    "description": "VARCHAR",
    "location": "VARCHAR",
    "url": "VARCHAR",
    "created_at": "TIMESTAMPTZ",
    "public_metrics": {"followers_count": "BIGINT", "following_count": "BIGINT", "tweet_count": "BIGINT", "listed_count": "BIGINT", "like_count": "BIGINT"},
    "verified_type": "VARCHAR",
    "pinned_tweet_id": "VARCHAR",
    "entities": "JSON",
    "withheld": {"country_codes": ["VARCHAR"], "copyright": "BOOLEAN", "scope": "VARCHAR"},
    "avatar": {"key": "VARCHAR", "type": "VARCHAR", "width": "BIGINT", "height": "BIGINT", "bytes": "BIGINT", "fetched_at": "TIMESTAMPTZ", "file": "VARCHAR", "data": "VARCHAR", "default": "BOOLEAN", "error": "VARCHAR"},
    "extra": "JSON",
    "retrieved_at": "TIMESTAMPTZ"
  }'))
  FROM read_ndjson_objects(files) WHERE json->>'$.tw' = 'user';

CREATE OR REPLACE MACRO notifications(files) AS TABLE
  SELECT unnest(json_transform(json, '{
    "tw": "VARCHAR",
    "service": "VARCHAR",
    "account": "VARCHAR",
    "id": "VARCHAR",
    "kind": "VARCHAR",
    "type": "VARCHAR",
    "at": "TIMESTAMPTZ",
    "read": "BOOLEAN",
    "user": {"id": "VARCHAR", "username": "VARCHAR", "name": "VARCHAR", "profile_image_url": "VARCHAR", "avatar": {"key": "VARCHAR", "type": "VARCHAR", "width": "BIGINT", "height": "BIGINT", "bytes": "BIGINT", "fetched_at": "TIMESTAMPTZ", "file": "VARCHAR", "data": "VARCHAR", "default": "BOOLEAN", "error": "VARCHAR"}},
    "tweet": {"id": "VARCHAR", "service": "VARCHAR", "url": "VARCHAR", "created_at": "TIMESTAMPTZ", "text": "VARCHAR", "possibly_sensitive": "BOOLEAN", "author_id": "VARCHAR", "author": {"id": "VARCHAR", "username": "VARCHAR", "name": "VARCHAR", "profile_image_url": "VARCHAR", "verified": "BOOLEAN", "protected": "BOOLEAN", "description": "VARCHAR", "location": "VARCHAR", "url": "VARCHAR", "created_at": "TIMESTAMPTZ", "public_metrics": {"followers_count": "BIGINT", "following_count": "BIGINT", "tweet_count": "BIGINT", "listed_count": "BIGINT", "like_count": "BIGINT"}, "verified_type": "VARCHAR", "pinned_tweet_id": "VARCHAR", "entities": "JSON", "withheld": {"country_codes": ["VARCHAR"], "copyright": "BOOLEAN", "scope": "VARCHAR"}, "avatar": {"key": "VARCHAR", "type": "VARCHAR", "width": "BIGINT", "height": "BIGINT", "bytes": "BIGINT", "fetched_at": "TIMESTAMPTZ", "file": "VARCHAR", "data": "VARCHAR", "default": "BOOLEAN", "error": "VARCHAR"}, "extra": "JSON"}, "withheld": {"country_codes": ["VARCHAR"], "copyright": "BOOLEAN", "scope": "VARCHAR"}, "extra": "JSON"},
    "retrieved_at": "TIMESTAMPTZ",
    "extra": "JSON"
  }'))
  FROM read_ndjson_objects(files) WHERE json->>'$.tw' = 'notification';

CREATE OR REPLACE MACRO deletes(files) AS TABLE
  SELECT unnest(json_transform(json, '{
    "tw": "VARCHAR",
    "service": "VARCHAR",
    "id": "VARCHAR",
    "user_id": "VARCHAR",
    "deleted_at": "TIMESTAMPTZ"
  }'))
  FROM read_ndjson_objects(files) WHERE json->>'$.tw' = 'delete';

CREATE OR REPLACE MACRO notices(files) AS TABLE
  SELECT unnest(json_transform(json, '{
    "tw": "VARCHAR",
    "level": "VARCHAR",
    "code": "VARCHAR",
    "message": "VARCHAR",
    "at": "TIMESTAMPTZ",
    "service": "VARCHAR",
    "feed": "VARCHAR",
    "terminal": "VARCHAR"
  }'))
  FROM read_ndjson_objects(files) WHERE json->>'$.tw' = 'notice';

CREATE OR REPLACE MACRO contexts(files) AS TABLE
  SELECT unnest(json_transform(json, '{
    "tw": "VARCHAR",
    "feed": "VARCHAR",
    "service": "VARCHAR",
    "account": "VARCHAR",
    "base": "VARCHAR",
    "at": "TIMESTAMPTZ"
  }'))
  FROM read_ndjson_objects(files) WHERE json->>'$.tw' = 'context';

CREATE OR REPLACE MACRO checkpoints(files) AS TABLE
  SELECT unnest(json_transform(json, '{
    "tw": "VARCHAR",
    "feed": "VARCHAR",
    "service": "VARCHAR",
    "base": "VARCHAR",
    "account": "VARCHAR",
    "at": "TIMESTAMPTZ",
    "newest_id": "VARCHAR",
    "gaps": [{"since_id": "VARCHAR", "until_id": "VARCHAR"}],
    "cursor": "VARCHAR",
    "user": {"id": "VARCHAR", "username": "VARCHAR", "name_taken": "BOOLEAN"}
  }'))
  FROM read_ndjson_objects(files) WHERE json->>'$.tw' = 'checkpoint';

CREATE OR REPLACE MACRO queries(files) AS TABLE
  SELECT unnest(json_transform(json, '{
    "tw": "VARCHAR",
    "feed": "VARCHAR",
    "service": "VARCHAR",
    "at": "TIMESTAMPTZ"
  }'))
  FROM read_ndjson_objects(files) WHERE json->>'$.tw' = 'query';

CREATE OR REPLACE MACRO also_on(files) AS TABLE
  SELECT unnest(json_transform(json, '{
    "tw": "VARCHAR",
    "user": {"service": "VARCHAR", "id": "VARCHAR", "username": "VARCHAR", "url": "VARCHAR"},
    "also_on": {"service": "VARCHAR", "id": "VARCHAR", "username": "VARCHAR", "url": "VARCHAR"},
    "links": [{"url": "VARCHAR", "in": "VARCHAR", "verified_at": "TIMESTAMPTZ"}],
    "links_back": [{"url": "VARCHAR", "in": "VARCHAR", "verified_at": "TIMESTAMPTZ"}]
  }'))
  FROM read_ndjson_objects(files) WHERE json->>'$.tw' = 'also_on';

CREATE OR REPLACE MACRO refreshes(files) AS TABLE
  SELECT unnest(json_transform(json, '{
    "tw": "VARCHAR",
    "feed": "VARCHAR",
    "service": "VARCHAR",
    "at": "TIMESTAMPTZ",
    "new": "BIGINT",
    "status": "BIGINT",
    "next_at": "TIMESTAMPTZ"
  }'))
  FROM read_ndjson_objects(files) WHERE json->>'$.tw' = 'refresh';

CREATE OR REPLACE MACRO links(files) AS TABLE
  SELECT unnest(json_transform(json, '{
    "tw": "VARCHAR",
    "url": "VARCHAR",
    "unwound_url": "VARCHAR",
    "canonical_url": "VARCHAR",
    "status": "BIGINT",
    "content_type": "VARCHAR",
    "title": "VARCHAR",
    "card": {"type": "VARCHAR", "site": "VARCHAR", "title": "VARCHAR", "description": "VARCHAR", "image": "VARCHAR"},
    "verdict": "VARCHAR",
    "link_kind": "VARCHAR",
    "link_kind_by": "VARCHAR",
    "music_id": "VARCHAR",
    "redirects": "BIGINT",
    "redirect_kind": "VARCHAR",
    "stored_redirects": "BIGINT",
    "downgraded": "BOOLEAN",
    "soft_404": "VARCHAR",
    "rel_canonical": "VARCHAR",
    "failures": "BIGINT",
    "failing_since": "TIMESTAMPTZ",
    "was": {"verdict": "VARCHAR", "status": "BIGINT", "checked_at": "TIMESTAMPTZ"},
    "archived": {"url": "VARCHAR", "at": "TIMESTAMPTZ"},
    "chain": [{"url": "VARCHAR", "status": "BIGINT"}],
    "page_text": "VARCHAR",
    "checked_at": "TIMESTAMPTZ",
    "retry_at": "TIMESTAMPTZ",
    "error": "VARCHAR"
  }'))
  FROM read_ndjson_objects(files) WHERE json->>'$.tw' = 'link';

-- Top hashtags of each day, by how many people used them.
SELECT day, tag, people, tweets FROM (
  SELECT day, tag, count(DISTINCT author.id) AS people, count(*) AS tweets,
    row_number() OVER (PARTITION BY day ORDER BY count(DISTINCT author.id) DESC, count(*) DESC, tag) AS place
  FROM (SELECT day, author, lower(hashtag.tag) AS tag FROM tweets LATERAL VIEW explode(entities.hashtags) AS hashtag)
  GROUP BY day, tag)
WHERE place <= 3 ORDER BY day, place;

-- Who answers whom.
SELECT coalesce(max_by(author.username, created_at), author.id) AS who,
  coalesce(max_by(in_reply_to_user.username, created_at), in_reply_to_user_id) AS whom,
  count(*) AS answers, min(created_at) AS since
FROM tweets WHERE author.id != in_reply_to_user_id
GROUP BY service, author.id, in_reply_to_user_id ORDER BY answers DESC, who, whom LIMIT 20;

-- Dead links by host, of those that tw-linkcheck has looked at.
SELECT try_parse_url(url.expanded_url, 'HOST') AS host, count_if(url.verdict = 'dead') AS dead, count(*) AS checked
FROM (SELECT explode(entities.urls) AS url FROM tweets) WHERE url.verdict IS NOT NULL
GROUP BY host HAVING dead > 0 ORDER BY dead DESC, host LIMIT 20

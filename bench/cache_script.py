"""What a careful person writes in place of tw-cache add: cache_script.py FILE DATABASE

Python's sqlite3 filling the same tables, in transactions of the same size, with the same indexes and full-text index, but
without merging versions, splitting scripts that have no spaces, or checking anything. The schema comes from an empty store
that tw-cache has made.
"""

import json
import sqlite3
import sys

EPOCH = 1136073600000
SNOWFLAKE = 1288834974657
BATCH = 8000


def main():
    source, path = sys.argv[1:]
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA synchronous = FULL")
    database.execute("PRAGMA wal_autocheckpoint = 2048")
    users, feeds = {}, {}
    run = database.execute
    with open(source, encoding="utf-8") as file:
        run("BEGIN")
        for number, line in enumerate(file):
            if number % BATCH == 0 and number:
                run("COMMIT")
                run("BEGIN")
            add(run, json.loads(line), line.rstrip("\n"), users, feeds)
        run("COMMIT")
    run("PRAGMA wal_checkpoint(TRUNCATE)")


def user(run, profile, service, seen, users):
    if "id" not in profile:
        return None
    identity = (service, profile["id"])
    if identity in users:
        key, known = users[identity]
        if known != profile:
            run("UPDATE users SET json = ?, retrieved_at = ? WHERE key = ?", (json.dumps(profile), seen, key))
            users[identity] = (key, profile)
        return key
    key = run(
        "INSERT INTO users (service, id, username, name, first_seen, retrieved_at, json) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (*identity, profile.get("username"), profile.get("name"), seen, seen, json.dumps(profile))).lastrowid
    users[identity] = (key, profile)
    return key


def add(run, tweet, line, users, feeds):
    service, identity = tweet["service"], int(tweet["id"])
    seen = tweet.get("retrieved_at", "2021-11-03T21:30:00.000Z")
    key = ((identity >> 22) + SNOWFLAKE - EPOCH) << 22 | identity & 0x3FFFFF
    counts, entities = tweet.get("public_metrics", {}), tweet.get("entities", {})
    media = 1 if tweet.get("attachments", {}).get("media") else None
    links = 1 if any("media_key" not in link for link in entities.get("urls", ())) else None
    run(
        "INSERT INTO tweets (key, service, id, author, created_at, lang, conversation_id, like_count, retweet_count,"
        " reply_count, quote_count, media, has_links, first_seen, last_seen, retrieved_at, text, json)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (key, service, tweet["id"], user(run, tweet.get("author", {}), service, seen, users), tweet.get("created_at"),
         tweet.get("lang"), tweet.get("conversation_id"), counts.get("like_count"), counts.get("retweet_count"),
         counts.get("reply_count"), counts.get("quote_count"), media, links, seen, seen, tweet.get("retrieved_at"),
         tweet["text"], line))
    run("INSERT INTO tweet_search (rowid, text) VALUES (?, ?)", (key, tweet["text"]))
    run("INSERT INTO recent (tweet) VALUES (?)", (key,))
    for tag in entities.get("hashtags", ()):
        run("INSERT OR IGNORE INTO tweet_hashtags VALUES (?, ?)", (tag["tag"].lower(), key))
    for mention in entities.get("mentions", ()):
        run("INSERT OR IGNORE INTO tweet_mentions VALUES (?, ?, ?)", (mention["username"], key, mention.get("id")))
    for link in entities.get("urls", ()):
        run("INSERT OR IGNORE INTO tweet_urls (url, tweet, short_url) VALUES (?, ?, ?)",
            (link.get("expanded_url") or link["url"], key, link["url"]))
    for feed in tweet.get("feeds", ()):
        if feed not in feeds:
            feeds[feed] = run("INSERT INTO feeds (service, feed) VALUES (?, ?)", (service, feed)).lastrowid
        run("INSERT OR IGNORE INTO tweet_feeds (feed, tweet, first_seen, last_seen) VALUES (?, ?, ?, ?)",
            (feeds[feed], key, seen, seen))
    refer(run, tweet, key, service, seen, users, "")


def refer(run, tweet, key, service, seen, users, outer):
    for other in tweet.get("referenced_tweets", ()):
        author = user(run, other.get("author", {}), service, seen, users)
        run("INSERT OR IGNORE INTO tweet_references VALUES (?, ?, ?, ?)", (key, outer + other["type"], other["id"], author))
        refer(run, other, key, service, seen, users, outer + other["type"] + " ")


main()

"""The script a Python user would write instead of tw-parse: tweets on standard input to the same records, with orjson.

It makes what matters of a record: author, counts, entities, media, what it refers to; of v1.1 tweets and of v2 pages. It
keeps nothing it does not know, checks nothing, and stops at the first bad line.
"""

import html
import sys

import orjson

MONTHS = {name: f"{number:02}" for number, name in enumerate(
    "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)}


def time(text):
    """Wed Nov 03 21:30:00 +0000 2021"""
    _, month, day, clock, _, year = text.split(" ")
    return f"{year}-{MONTHS[month]}-{day}T{clock}.000Z"


def known(record):
    return {key: value for key, value in record.items() if value not in (None, "", [], {})}


def v1_user(user):
    return known({
        "id": user["id_str"], "username": user["screen_name"], "name": user["name"],
        "profile_image_url": user.get("profile_image_url_https"), "verified": user["verified"],
        "protected": user["protected"], "description": html.unescape(user["description"] or ""),
        "location": user["location"], "url": user["url"], "created_at": time(user["created_at"]),
        "public_metrics": {
            "followers_count": user["followers_count"], "following_count": user["friends_count"],
            "tweet_count": user["statuses_count"], "listed_count": user["listed_count"],
            "like_count": user["favourites_count"]}})


def v1_entities(entities, shift):
    def place(entity):
        return {"start": shift(entity["indices"][0]), "end": shift(entity["indices"][1])}

    urls = [
        {**place(url), "url": url["url"], "expanded_url": url["expanded_url"], "display_url": url["display_url"]}
        for url in entities["urls"] + entities.get("media", [])]
    return known({
        "hashtags": [{**place(tag), "tag": tag["text"]} for tag in entities["hashtags"]],
        "cashtags": [{**place(tag), "tag": tag["text"]} for tag in entities["symbols"]],
        "mentions": [
            {**place(user), "username": user["screen_name"], "id": user["id_str"], "name": user["name"]}
            for user in entities["user_mentions"]],
        "urls": urls})


def v1_media(tweet):
    media = tweet.get("extended_entities", tweet["entities"]).get("media", [])
    return known({
        "media_keys": ["3_" + one["id_str"] for one in media],
        "media": [
            {"media_key": "3_" + one["id_str"], "type": one["type"], "url": one["media_url_https"],
             "width": one["sizes"]["large"]["w"], "height": one["sizes"]["large"]["h"]} for one in media]})


def v1_tweet(tweet):
    text = tweet.get("full_text") or tweet["text"]
    plain = html.unescape(text) if "&" in text else text
    if plain is text:
        def shift(place): return place
    else:
        def shift(place): return len(html.unescape(text[:place]))
    user = v1_user(tweet["user"])
    references = []
    if retweeted := tweet.get("retweeted_status"):
        references.append({"type": "retweeted", **v1_tweet(retweeted)})
    if quoted := tweet.get("quoted_status"):
        references.append({"type": "quoted", **v1_tweet(quoted)})
    if tweet["in_reply_to_status_id_str"]:
        references.append({"type": "replied_to", "id": tweet["in_reply_to_status_id_str"]})
    source = tweet["source"] or ""
    return known({
        "id": tweet["id_str"], "service": "x", "url": f"https://x.com/{user['username']}/status/{tweet['id_str']}",
        "created_at": time(tweet["created_at"]), "text": plain, "lang": tweet["lang"],
        "source": html.unescape(source[source.find(">") + 1:].removesuffix("</a>")),
        "possibly_sensitive": tweet.get("possibly_sensitive"), "author_id": user["id"], "author": user,
        "public_metrics": {"retweet_count": tweet["retweet_count"], "like_count": tweet["favorite_count"]},
        "viewer": {"liked": tweet["favorited"], "retweeted": tweet["retweeted"]},
        "entities": v1_entities(tweet["entities"], shift), "attachments": v1_media(tweet),
        "in_reply_to_user_id": tweet["in_reply_to_user_id_str"], "referenced_tweets": references,
        "geo": tweet["geo"]})


def v2_tweet(tweet, users, tweets, media, places, depth):
    record = {"id": tweet["id"], "service": "x", **tweet}
    text = tweet["text"]
    if "&" in text:
        record["text"] = html.unescape(text)
        for entities in tweet.get("entities", {}).values():
            for entity in entities:
                entity["start"] = len(html.unescape(text[:entity["start"]]))
                entity["end"] = len(html.unescape(text[:entity["end"]]))
    if author := users.get(tweet["author_id"]):
        record["author"] = author
        record["url"] = f"https://x.com/{author['username']}/status/{tweet['id']}"
    if replied := users.get(tweet.get("in_reply_to_user_id")):
        record["in_reply_to_user"] = replied
    if keys := tweet.get("attachments", {}).get("media_keys"):
        record["attachments"] = {**tweet["attachments"], "media": [media[key] for key in keys if key in media]}
    if place := places.get(tweet.get("geo", {}).get("place_id")):
        record["geo"] = {**tweet["geo"], **place}
    if references := tweet.get("referenced_tweets"):
        record["referenced_tweets"] = [
            {**reference, **v2_tweet(tweets[reference["id"]], users, tweets, media, places, depth + 1)}
            if reference["id"] in tweets and depth < 2 else reference
            for reference in references]
    return record


def v2_page(page):
    includes = page.get("includes", {})
    users = {user["id"]: user for user in includes.get("users", [])}
    tweets = {tweet["id"]: tweet for tweet in includes.get("tweets", [])}
    media = {one["media_key"]: one for one in includes.get("media", [])}
    places = {place["id"]: place for place in includes.get("places", [])}
    for tweet in page["data"]:
        yield {"tw": "tweet", **v2_tweet(tweet, users, tweets, media, places, 0)}


def main():
    out = sys.stdout.buffer
    for line in sys.stdin.buffer:
        document = orjson.loads(line)
        if "data" in document:
            for record in v2_page(document):
                out.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
        else:
            out.write(orjson.dumps({"tw": "tweet", **v1_tweet(document)}, option=orjson.OPT_APPEND_NEWLINE))


main()

"""The input of bench/parse: recorded tweets where $TW_TEST_DATA has them, else made ones, repeated up to a size."""

import json
import os
import random
import re
from pathlib import Path


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def recordings():
    """The recordings' directory, or None."""
    directory = Path(os.environ.get("TW_TEST_DATA") or Path(__file__).parent.parent.parent / "shared" / "data")
    return directory if directory.is_dir() else None


def lines(shape):
    """One round of the input, and where it comes from."""
    directory = recordings()
    if directory and shape == "v1.1":
        file = directory / "v1" / "simdjson" / "twitter.json"
        if file.is_file():
            statuses = json.loads(file.read_bytes())["statuses"]
            return [compact(status) for status in statuses], f"{len(statuses)} recorded tweets, a line each"
    if directory and shape == "v2":
        pages = []
        for file in sorted((directory / "v2" / "pages" / "twarc-csv").glob("*.jsonl")):
            pages += [line for line in file.read_bytes().splitlines(keepends=True) if is_page(line)]
        if pages:
            return pages, f"{len(pages)} recorded pages of up to 100 tweets"
    chance = random.Random(20211103)
    if shape == "v1.1":
        return [compact(made_status(chance, number)) for number in range(200)], "200 made tweets, a line each"
    return [compact(made_page(chance, number * 100)) for number in range(4)], "4 made pages of 100 tweets"


def is_page(line):
    """A page of tweets with what they refer to, as a search gives it; a few lines of the recordings are cut off."""
    if not re.match(rb'\{"(data|includes|meta|errors)"', line):
        return False
    try:
        page = json.loads(line)
    except ValueError:
        return False
    tweets = page.get("data")
    return isinstance(tweets, list) and len(tweets) >= 100 and "author_id" in tweets[0]


def write(shape, size, path):
    """Writes at least `size` bytes of whole rounds; gives their count, what they are, and one round's lines."""
    round_lines, origin = lines(shape)
    one = b"".join(round_lines)
    many = one * max(1, (8 << 20) // len(one))
    written = 0
    with open(path, "wb") as file:
        while written < size:
            piece = many if size - written >= len(many) else one
            file.write(piece)
            written += len(piece)
    return written, origin, round_lines


# What follows makes tweets when nothing was recorded.

WORDS = (
    "the of and morning coffee tonight 今日は 名前 思い出 こんにちは привет сегодня más también où été straße 👍🏽 ❤️ 😊 "
    "swift release kernel pipe &amp; &lt;3 R&amp;D …").split()
TAGS = ["swift", "opensource", "音楽", "caturday", "grün"]


def text_of(chance, entities, key, place):
    """Words with hashtags, mentions and links between them; notes where those stand."""
    parts, length = [], 0
    for _ in range(chance.randint(6, 24)):
        kind = chance.random()
        if kind < 0.08:
            tag = chance.choice(TAGS)
            word = "#" + tag
            entities["hashtags"].append({**place(length, length + len(word)), key: tag})
        elif kind < 0.14:
            link = "https://t.co/" + "".join(chance.choices("abcdefghijklmnop0123456789", k=10))
            word = link
            entities["urls"].append({
                "url": link, "expanded_url": f"https://example.com/{chance.randint(1, 10**6)}",
                "display_url": "example.com/…", **place(length, length + len(word))})
        else:
            word = chance.choice(WORDS)
        parts.append(word)
        length += len(word) + 1
    return " ".join(parts)


def number_of(chance):
    return str(chance.randint(10**17, 2 * 10**18))


def made_user(chance):
    number = chance.randint(1, 10**9)
    return {
        "id": number, "id_str": str(number), "name": " ".join(chance.choices(WORDS, k=2)),
        "screen_name": f"user{number}", "location": "", "description": " ".join(chance.choices(WORDS, k=12)),
        "url": None, "protected": False, "followers_count": chance.randint(0, 9999), "friends_count": 10,
        "listed_count": 0, "created_at": "Mon Mar 21 20:50:14 +0000 2016", "favourites_count": 7,
        "verified": False, "statuses_count": chance.randint(1, 99999), "lang": "en",
        "profile_background_color": "C0DEED", "profile_link_color": "0084B4", "default_profile": True,
        "profile_image_url_https": f"https://pbs.twimg.com/profile_images/{number}/x_normal.jpeg"}


def made_status(chance, number, nested=False):
    entities = {"hashtags": [], "symbols": [], "urls": [], "user_mentions": []}
    identity = number_of(chance)
    status = {
        "created_at": f"Wed Nov 03 21:{number % 60:02}:00 +0000 2021", "id": int(identity), "id_str": identity,
        "text": text_of(chance, entities, "text", lambda start, end: {"indices": [start, end]}),
        "source": '<a href="https://example.com" rel="nofollow">Web</a>', "truncated": False,
        "in_reply_to_status_id_str": None, "in_reply_to_user_id_str": None, "in_reply_to_screen_name": None,
        "user": made_user(chance), "geo": None, "coordinates": None, "place": None, "contributors": None,
        "retweet_count": chance.randint(0, 99), "favorite_count": chance.randint(0, 99), "entities": entities,
        "favorited": False, "retweeted": False, "possibly_sensitive": False, "lang": "en"}
    if not nested and chance.random() < 0.4:
        status["retweeted_status"] = made_status(chance, number, nested=True)
        status["text"] = "RT @" + status["retweeted_status"]["user"]["screen_name"] + ": …"
        status["entities"] = {key: [] for key in entities}
    return status


def made_page(chance, first):
    users, tweets, included = [], [], []
    for number in range(first, first + 100):
        user = made_user(chance)
        users.append({
            "id": user["id_str"], "username": user["screen_name"], "name": user["name"], "verified": False,
            "protected": False, "description": user["description"], "created_at": "2016-03-21T20:50:14.000Z",
            "profile_image_url": user["profile_image_url_https"],
            "public_metrics": {"followers_count": 1, "following_count": 2, "tweet_count": 3, "listed_count": 0}})
        entities = {"hashtags": [], "urls": []}
        identity = number_of(chance)
        tweet = {
            "id": identity, "author_id": user["id_str"], "conversation_id": identity, "lang": "en",
            "created_at": f"2021-11-03T21:{number % 60:02}:00.000Z", "source": "Web", "reply_settings": "everyone",
            "text": text_of(chance, entities, "tag", lambda start, end: {"start": start, "end": end}),
            "possibly_sensitive": False,
            "public_metrics": {"retweet_count": 1, "reply_count": 0, "like_count": 2, "quote_count": 0},
            "entities": {key: value for key, value in entities.items() if value}}
        if tweets and chance.random() < 0.4:
            included.append({**chance.choice(tweets), "id": number_of(chance)})
            tweet["referenced_tweets"] = [{"type": "quoted", "id": included[-1]["id"]}]
        tweets.append(tweet)
    return {
        "data": tweets, "includes": {"users": users, "tweets": included},
        "meta": {"newest_id": tweets[0]["id"], "oldest_id": tweets[-1]["id"], "result_count": len(tweets)}}

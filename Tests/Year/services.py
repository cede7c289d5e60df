"""X, a server with Mastodon's API and Bluesky in one program, whose clock somebody else sets."""

import json
import re
import threading
import time
from bisect import bisect_left, bisect_right
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

DAY = 86_400
# X's search reaches back this far (docs.x.com, "Search recent posts").
WINDOW = 7 * DAY
X_EPOCH = 1_288_834_974_657
KEY_DIGITS = "234567abcdefghijklmnopqrstuvwxyz"


def stamp(now):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + ".000Z"


class Feed:
    """Posts at even times, from the first second to the last: their place in the list is their number."""

    count = 0

    def __init__(self, service, author, begin, end, per_day, shift=0):
        self.service, self.author = service, author
        step = DAY / per_day
        self.times = [int(begin + shift + step * n) for n in range(int((end - begin - shift) / step))]
        Feed.count += 1
        self.number = Feed.count
        self.ids = [self.id(n) for n in range(len(self.times))]

    def id(self, n):
        ms = self.times[n] * 1000
        if self.service == "x":
            return str(ms - X_EPOCH << 22 | self.number)
        if self.service == "mastodon":
            return str(ms << 16 | self.number)
        value = ms * 1000 << 10 | self.number
        return "".join(KEY_DIGITS[value >> 60 - 5 * place & 31] for place in range(13))

    def made(self, now):
        """How many posts there are at a time."""
        return bisect_right(self.times, now)


class World:
    """What the services have and are, and what they were asked. One lock guards all of it."""

    def __init__(self, begin, days):
        end = begin + days * DAY
        self.lock = threading.Lock()
        self.now = begin
        self.feeds = {
            "#swift": Feed("x", ("12", "ann"), begin, end, 20),
            "@jack": Feed("x", ("34", "jack"), begin, end, 3, 100),
            "@carol": Feed("x", ("56", "carol"), begin, end, 5, 200),
            "mastodon:#swift": Feed("mastodon", ("7", "maja"), begin, end, 30, 300),
            "mastodon:@maja": Feed("mastodon", ("7", "maja"), begin, end, 4, 400),
            "mastodon:@dora": Feed("mastodon", ("8", "dora"), begin, end, 6, 500),
            "bluesky:@alice.example": Feed("bluesky", ("did:plc:alicealicealicealice2345", "alice.example"), begin, end, 6, 600),
            "bluesky:@bob.example": Feed("bluesky", ("did:plc:bobbobbobbobbobbobbob234", "bob.example"), begin, end, 2, 700),
        }
        # Halfway carol is called carol_new, and somebody else carol; at three quarters dora's account is gone.
        self.renamed, self.gone = begin + days * DAY // 2, begin + days * DAY * 3 // 4
        self.other = Feed("x", ("99", "carol"), self.renamed, end, 5, 250)
        # By service: times between which it does not answer, or answers 429.
        self.away, self.full = [], []
        # Ids that X has delivered, by days: it bills each once a day.
        self.billed = {}
        self.tokens, self.strange = set(), []

    def state(self, service):
        for kind, spans in (("away", self.away), ("full", self.full)):
            for name, first, last in spans:
                if name == service and first <= self.now < last:
                    return kind, last
        return None, 0

    def bill(self, kind, ids):
        day = time.strftime("%Y-%m-%d", time.gmtime(self.now))
        self.billed.setdefault((day, kind), set()).update(ids)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    world = None

    def log_message(self, *_):
        pass

    def answer(self, body, status=200, fields=()):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in fields:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        url = urlparse(self.path)
        self.query = {key: values[0] for key, values in parse_qs(url.query).items()}
        path = url.path
        service = "x" if path.startswith("/2/") else "bluesky" if path.startswith("/xrpc/") else "mastodon"
        world = self.world
        with world.lock:
            token = self.headers.get("Authorization")
            if token:
                world.tokens.add((service, token))
            state, until = world.state(service)
            if state == "away":
                return self.answer({"error": "away"}, 503)
            if state == "full":
                reset = stamp(until) if service == "mastodon" else str(int(until))
                name = "ratelimit-reset" if service == "bluesky" else "x-rate-limit-reset" if service == "x" else "X-RateLimit-Reset"
                return self.answer({"error": "RateLimitExceeded", "title": "Too Many Requests"}, 429, [(name, reset)])
            found = getattr(self, service)(path)
            if found is None:
                world.strange.append(self.path)
                found = ({"error": "not found"}, 404)
        self.answer(*found)

    def range(self, feed, size, older=None, newer=None, oldest=0):
        """The newest numbers of posts between two ids, each without the id itself, and whether there are more."""
        # Ids of a service have one length, so their order is that of their letters.
        last = bisect_left(feed.ids, older) if older is not None else len(feed.ids)
        last = min(last, feed.made(self.world.now))
        first = bisect_right(feed.ids, newer) if newer is not None else 0
        first = max(first, bisect_left(feed.times, oldest))
        return list(range(max(first, last - size), last))[::-1], last - size > first

    # MARK: X

    def x_user(self, feed):
        id, name = feed.author
        if feed is self.world.feeds["@carol"] and self.world.now >= self.world.renamed:
            name = "carol_new"
        return {"id": id, "username": name, "name": name}

    def x_feeds(self):
        feeds = [self.world.feeds[name] for name in ("@jack", "@carol")]
        return feeds + ([self.world.other] if self.world.now >= self.world.renamed else [])

    def x(self, path):
        world = self.world
        if match := re.fullmatch(r"/2/users/by/username/(\w+)", path):
            users = [self.x_user(feed) for feed in self.x_feeds()]
            user = next((user for user in users if user["username"] == match[1]), None)
            if not user:
                return {"errors": [{"title": "Not Found Error", "detail": "no such user", "type": "https://api.twitter.com/2/problems/resource-not-found"}]}, 200
            world.bill("users", [user["id"]])
            return ({"data": user},)
        if match := re.fullmatch(r"/2/users/(\d+)", path):
            user = next((self.x_user(feed) for feed in self.x_feeds() if feed.author[0] == match[1]), None)
            if user:
                world.bill("users", [user["id"]])
                return ({"data": user},)
        feed, oldest = None, 0
        if match := re.fullmatch(r"/2/users/(\d+)/tweets", path):
            feed = next((feed for feed in self.x_feeds() if feed.author[0] == match[1]), None)
        elif path == "/2/tweets/search/recent":
            feed, oldest = world.feeds["#swift"], world.now - WINDOW
            since = self.query.get("since_id")
            if since and (int(since) >> 22) + X_EPOCH < oldest * 1000:
                return {"errors": [{"message": "'since_id' must be a tweet id created after the window"}], "title": "Invalid Request"}, 400
        if not feed:
            return None
        older = self.query.get("next_token") or self.query.get("pagination_token") or self.query.get("until_id")
        numbers, more = self.range(feed, int(self.query.get("max_results", 10)), older, self.query.get("since_id"), oldest)
        user = self.x_user(feed)
        posts = [{"id": feed.ids[n], "text": f"#swift post {n}", "author_id": user["id"], "created_at": stamp(feed.times[n])} for n in numbers]
        meta = {"result_count": len(posts)}
        if posts:
            meta |= {"newest_id": posts[0]["id"], "oldest_id": posts[-1]["id"]}
            if more:
                meta["next_token"] = posts[-1]["id"]
        world.bill("posts", [post["id"] for post in posts])
        return ({"data": posts, "includes": {"users": [user]}, "meta": meta} if posts else {"meta": meta},)

    # MARK: Mastodon

    def account(self, feed):
        id, name = feed.author
        return {"id": id, "username": name, "acct": name, "display_name": name, "url": f"https://tea.example/@{name}"}

    def mastodon(self, path):
        world = self.world
        if path in ("/api/v2/instance", "/api/v1/instance"):
            return ({"domain": "tea.example", "version": "4.5.2", "api_versions": {"mastodon": 7}, "configuration": {}},)
        people = {feed.author: feed for name, feed in world.feeds.items() if name.startswith("mastodon:@")}
        if world.now >= world.gone:
            people = {author: feed for author, feed in people.items() if author[1] != "dora"}
        if path == "/api/v1/accounts/lookup":
            feed = next((feed for author, feed in people.items() if author[1] == self.query.get("acct", "").split("@")[0]), None)
            return (self.account(feed),) if feed else ({"error": "Record not found"}, 404)
        if path == "/api/v1/timelines/tag/swift":
            feed = world.feeds["mastodon:#swift"]
        elif match := re.fullmatch(r"/api/v1/accounts/(\d+)(/statuses)?", path):
            feed = next((feed for author, feed in people.items() if author[0] == match[1]), None)
            if not feed:
                return {"error": "Record not found"}, 404
            if not match[2]:
                return (self.account(feed),)
        else:
            return None
        size = int(self.query.get("limit", 20))
        below = self.query.get("min_id")
        newer = below or self.query.get("since_id")
        if below:
            # The page just above it.
            numbers, _ = self.range(feed, 1 << 30, self.query.get("max_id"), newer)
            more, numbers = len(numbers) > size, numbers[-size:]
        else:
            numbers, more = self.range(feed, size, self.query.get("max_id"), newer)
        posts = [{
            "id": feed.ids[n], "created_at": stamp(feed.times[n]), "visibility": "public", "language": "en", "content": f"<p>#swift post {n}</p>",
            "url": f"https://tea.example/@{feed.author[1]}/{feed.ids[n]}", "uri": f"https://tea.example/users/{feed.author[1]}/statuses/{feed.ids[n]}",
            "media_attachments": [], "mentions": [], "tags": [], "emojis": [], "account": self.account(feed)} for n in numbers]
        links = []
        if posts:
            base = f"http://{self.headers['Host']}{path}?limit={size}"
            links.append(f'<{base}&min_id={posts[0]["id"]}>; rel="prev"')
            if more and not below:
                links.append(f'<{base}&max_id={posts[-1]["id"]}>; rel="next"')
        return posts, 200, [("Link", ", ".join(links))] if links else []

    # MARK: Bluesky

    def bluesky(self, path):
        world = self.world
        people = {feed.author: feed for name, feed in world.feeds.items() if name.startswith("bluesky:")}

        def profile(author):
            return {"did": author[0], "handle": author[1], "displayName": author[1], "labels": [], "createdAt": "2024-01-01T00:00:00.000Z"}

        method = path.removeprefix("/xrpc/")
        wanted = self.query.get("actor") or self.query.get("handle") or self.query.get("actors")
        author = next((author for author in people if wanted in author), None)
        if method == "com.atproto.identity.resolveHandle" and author:
            return ({"did": author[0]},)
        if method == "app.bsky.actor.getProfile" and author:
            return (profile(author),)
        if method == "app.bsky.actor.getProfiles" and author:
            return ({"profiles": [profile(author)]},)
        if method != "app.bsky.feed.getAuthorFeed" or not author:
            return None
        feed = people[author]
        size = int(self.query.get("limit", 50))
        numbers, more = self.range(feed, size, self.query.get("cursor"))
        posts = [{"post": {
            "uri": f"at://{author[0]}/app.bsky.feed.post/{feed.ids[n]}", "cid": "bafyreiapzyf65cmq55jklpnrihiygze2jmmdqvvkwqeiomd72pbp2iazuu",
            "author": profile(author), "indexedAt": stamp(feed.times[n]), "labels": [], "likeCount": 0, "replyCount": 0, "repostCount": 0, "quoteCount": 0,
            "record": {"$type": "app.bsky.feed.post", "createdAt": stamp(feed.times[n]), "langs": ["en"], "text": f"#swift post {n}"}}} for n in numbers]
        answer = {"feed": posts}
        if more:
            answer["cursor"] = feed.ids[numbers[-1]]
        return (answer,)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        pass


def serve(world):
    """Starts the services on a free port of this machine, and returns the port."""
    Handler.world = world
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]

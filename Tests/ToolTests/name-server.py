# Runs a command in a network of its own, which has a name server and a web server for every address there is:
#
#   unshare --user --map-root-user --net --mount python3 name-server.py LOG COMMAND...
#
# The first label of a name says how the name server behaves. LOG gets a line for each question ("A silent.example") and
# for each request ("HEAD / bad.example at 93.184.216.34").
import ctypes, http.server, os, signal, socket, socketserver, struct, subprocess, sys, threading, time

PUBLIC, PRIVATE, DEAD = "93.184.216.34", "127.0.0.1", "93.184.216.99"
NXDOMAIN, SERVFAIL, FORMERR, REFUSED = 3, 2, 1, 5

log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


def note(text):
    os.write(log, (text + "\n").encode())


def answer(name, kind):
    """The response code and the addresses; None for no answer."""
    label = name.split(".")[0]
    codes = {"nx": NXDOMAIN, "servfail": SERVFAIL, "formerr": FORMERR, "refused": REFUSED}
    if label.startswith("silent"):
        return None
    if label in codes:
        return codes[label], []
    if label == "half" and kind != 1:
        return None
    if kind != 1 or label == "nodata":
        return 0, []
    if label == "moved":
        # Nobody can be reached at the first one.
        with open(sys.argv[1]) as file:
            return 0, [DEAD if file.readlines().count(f"A {name}\n") == 1 else PUBLIC]
    if label == "home":
        return 0, [PRIVATE]
    if label == "mixed":
        return 0, [PRIVATE, PUBLIC]
    if label == "rebind":
        # This question is in the log already; that of an earlier run may be.
        with open(sys.argv[1]) as file:
            return 0, [PUBLIC if file.readlines().count(f"A {name}\n") == 1 else PRIVATE]
    return 0, [PUBLIC]


def serve_names(server):
    while True:
        question, sender = server.recvfrom(4096)
        labels, at = [], 12
        while question[at]:
            labels.append(question[at + 1 : at + 1 + question[at]].decode("latin-1"))
            at += question[at] + 1
        kind = struct.unpack(">H", question[at + 1 : at + 3])[0]
        name = ".".join(labels).lower()
        note(("A " if kind == 1 else "AAAA ") + name)
        found = answer(name, kind)
        if found is None:
            continue
        code, addresses = found
        head = question[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, len(addresses), 0, 0)
        records = b"".join(
            b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + socket.inet_aton(address) for address in addresses)
        server.sendto(head + question[12 : at + 5] + records, sender)


class Site(http.server.BaseHTTPRequestHandler):
    def reply(self):
        note(f"{self.command} {self.path} {self.headers['Host']} at {self.connection.getsockname()[0]}")
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", "http://" + self.path[4:])
        else:
            self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_HEAD = reply

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
# Every address of IPv4 is this machine; so there is a default route too.
subprocess.run(["ip", "route", "add", "local", "default", "dev", "lo"], check=True)
subprocess.run(["ip", "route", "add", "unreachable", DEAD], check=True)
resolver = sys.argv[1] + ".resolv"
with open(resolver, "w") as file:
    # Longer than any test waits.
    file.write("nameserver 127.0.0.1\noptions timeout:30 attempts:5\n")
subprocess.run(["mount", "--bind", resolver, "/etc/resolv.conf"], check=True)
names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
names.bind(("127.0.0.1", 53))
site = Server(("0.0.0.0", 80), Site)
parent = os.getpid()
if os.fork() == 0:
    # The servers end with the command, and hold none of its descriptors.
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    nothing = os.open("/dev/null", os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    if os.getppid() == parent:
        threading.Thread(target=serve_names, args=(names,), daemon=True).start()
        site.serve_forever()
    os._exit(0)
os.execvp(sys.argv[2], sys.argv[2:])

# HTTPS servers on loopback ports, each with another fault. Makes a certificate authority and certificates in the folder
# FOLDER, where ca.pem is, prints a line of JSON with the ports, and serves until its standard input ends:
#
#   python3 tls-server.py FOLDER [PORT]
#
# With a PORT of an HTTP server, "relay" is one more that hands on what that one says, many messages of it in one piece,
# and "proxy" a proxy that leads to such a relay whatever host it is asked for. A line of the file "tunnels" is such a
# host. A line of the file "credentials" there is the path of a request that had some.
import http.server, json, os, socket, ssl, subprocess, sys, threading, time

os.chdir(sys.argv[1])


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


NEW = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]


def authority(name):
    openssl("req", "-x509", *NEW, "-keyout", name + ".key", "-out", name + ".pem", "-days", "30", "-subj", "/CN=" + name)


def certificate(name, issuer, names="DNS:localhost,IP:127.0.0.1", start="20200101000000Z", end="20990101000000Z"):
    with open("ca.conf", "w") as file:
        file.write(
            "[ca]\ndefault_ca=d\n[d]\nnew_certs_dir=.\ndatabase=index\nrand_serial=yes\ndefault_md=sha256\npolicy=p\n"
            f"unique_subject=no\n[p]\ncommonName=supplied\n[x]\nsubjectAltName={names}\n")
    open("index", "w").close()
    openssl("req", *NEW, "-keyout", name + ".key", "-out", name + ".csr", "-subj", "/CN=" + name)
    openssl(
        "ca", "-batch", "-notext", "-config", "ca.conf", "-cert", issuer + ".pem", "-keyfile", issuer + ".key", "-in",
        name + ".csr", "-out", name + ".pem", "-startdate", start, "-enddate", end, "-extensions", "x")


authority("ca")
authority("other")
certificate("good", "ca")
certificate("expired", "ca", end="20200201000000Z")
certificate("early", "ca", start="20980101000000Z")
certificate("name", "ca", names="DNS:another.example")
certificate("issuer", "other")
openssl(
    "req", "-x509", *NEW, "-keyout", "self.key", "-out", "self.pem", "-days", "30", "-subj", "/CN=localhost", "-addext",
    "subjectAltName=DNS:localhost,IP:127.0.0.1")


class Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if "Authorization" in self.headers:
            with open("credentials", "a") as file:
                file.write(self.path + "\n")
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        pass


def hand_on(source, target, pause):
    """Copies bytes. With a pause many messages come together, and so in one record of TLS."""
    try:
        while data := source.recv(1 << 18):
            target.sendall(data)
            time.sleep(pause)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def join(client, port):
    server = socket.create_connection(("127.0.0.1", port))
    threading.Thread(target=hand_on, args=(server, client, 0.1), daemon=True).start()
    hand_on(client, server, 0)


def accept(serve):
    """Serves each connection in a thread of its own.
    Returns: the port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def loop():
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=loop, daemon=True).start()
    return listener.getsockname()[1]


def relay(name, port):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(name + ".pem", name + ".key")

    def serve(client):
        try:
            client = context.wrap_socket(client, server_side=True)
        except OSError:
            return
        join(client, port)

    return accept(serve)


def proxy(port):
    def serve(client):
        head = b""
        while b"\r\n\r\n" not in head:
            data = client.recv(4096)
            if not data:
                return
            head += data
        method, host = head.split()[:2]
        if method != b"CONNECT":
            return client.sendall(b"HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n")
        with open("tunnels", "a") as file:
            file.write(host.decode() + "\n")
        client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        join(client, port)

    return accept(serve)


ports = {}
if len(sys.argv) > 2:
    ports["relay"] = relay("good", int(sys.argv[2]))
    ports["proxy"] = proxy(relay("name", int(sys.argv[2])))
for name in ["good", "expired", "early", "name", "issuer", "self", "old"]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    file = "good" if name == "old" else name
    context.load_cert_chain(file + ".pem", file + ".key")
    if name == "old":
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1
    server = Server(("127.0.0.1", 0), Site)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    ports[name] = server.server_address[1]
print(json.dumps(ports), flush=True)
sys.stdin.read()

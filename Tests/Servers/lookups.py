"""A DNS server and a web server on 127.0.0.1, for the search for mail servers."""
import http.server
import socket
import ssl
import struct
import threading


def encoded(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".") if label) + b"\0"


class NameServer:
    """Answers SRV, MX and TXT from `records`: {("srv", name): [(priority, port, target)], ("mx", name): [(preference, name)],
    ("txt", name): [(text,)]}."""

    def __init__(self, records):
        self.records, self.asked = records, []
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                query, client = self.socket.recvfrom(4096)
            except OSError:
                return
            labels, index = [], 12
            while query[index]:
                labels.append(query[index + 1:index + 1 + query[index]].decode("ascii", "replace"))
                index += 1 + query[index]
            name, kind = ".".join(labels).lower(), struct.unpack(">H", query[index + 1:index + 3])[0]
            word = {33: "srv", 15: "mx", 16: "txt"}.get(kind, str(kind))
            self.asked.append((word, name))
            answers = b""
            found = self.records.get((word, name), [])
            for row in found:
                data = (struct.pack(">HHH", row[0], 1, row[1]) + encoded(row[2]) if word == "srv"
                        else b"".join(bytes([len(row[0][i:i + 200])]) + row[0][i:i + 200].encode()
                                      for i in range(0, len(row[0]), 200)) if word == "txt"
                        else struct.pack(">H", row[0]) + encoded(row[1]))
                answers += b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 60, len(data)) + data
            flags = 0x8180 if found else 0x8183
            self.socket.sendto(query[:2] + struct.pack(">HHHHH", flags, 1, len(found), 0, 0) + query[12:index + 5]
                               + answers, client)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


class ConfigurationServer:
    """Serves one autoconfiguration file per path, over TLS unless there is no certificate."""

    def __init__(self, files, certificate=None):
        self.asked = asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                found = files.get(self.path)
                self.send_response(200 if found is not None else 404)
                body = found if found is not None else b"<html><body>Not found"
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Quiet(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):
                """A client that hangs up is a part of the tests."""

        self.server = Quiet(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        scheme = "https" if certificate else "http"
        self.base = f"{scheme}://localhost:{self.server.server_address[1]}/v1.1/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

"""A provider's login server on 127.0.0.1: authorization with PKCE, token endpoint with rotation, device codes.

The tokens are whatever `token(user, seconds)` makes; Dovecot checks them. Every secret that it gives out is in `secrets`.
"""
import base64
import hashlib
import http.server
import json
import secrets as random
import threading
import time
import urllib.parse


class OAuthServer:
    """A context manager. `url` is its address.

    `rotates`: each refresh gives a new refresh token, and the old one ends. `life`: seconds of an access token. `answers` is a
    list of functions that answer the next token requests in place of the server: they get the handler and the fields.
    """

    def __init__(self, token, user="ana", life=3600, rotates=True, refresh_life=None):
        self.token, self.user, self.life, self.rotates = token, user, life, rotates
        self.codes, self.devices, self.refresh_tokens = {}, {}, set()
        self.secrets, self.requests, self.answers = set(), [], []
        self.refusal, self.device_polls, self.refresh_life = None, 0, refresh_life
        self.metadata, self.registered, self.registration_refusal = {}, [], None
        self._lock = threading.Lock()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *words):
                pass

            def do_GET(self):
                if self.path.startswith("/.well-known/"):
                    return outer.reply(self, 200, outer.metadata) if outer.metadata else outer.reply(self, 404, {})
                outer.authorize(self)

            def do_POST(self):
                length = int(self.headers.get("Content-Length") or 0)
                if self.path == "/register":
                    return outer.register(self, json.loads(self.rfile.read(length)))
                fields = dict(urllib.parse.parse_qsl(self.rfile.read(length).decode(), keep_blank_values=True))
                with outer._lock:
                    outer.requests.append(fields)
                    special = outer.answers.pop(0) if outer.answers else None
                if special:
                    return special(self, fields)
                if self.path == "/device":
                    return outer.device(self, fields)
                return outer.exchange(self, fields)

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    @staticmethod
    def reply(handler, status, document):
        body = json.dumps(document).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def refuse(self, handler, error, words=""):
        self.reply(handler, 400, {"error": error, "error_description": words})

    def authorize(self, handler):
        """The person agrees at once: redirects the browser with a code."""
        fields = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(handler.path).query))
        if self.refusal:
            answer = {"error": self.refusal[0], "error_description": self.refusal[1], "state": fields["state"]}
        else:
            code = "code-" + random.token_urlsafe(16)
            self.codes[code] = fields
            self.secrets.add(code)
            answer = {"code": code, "state": fields["state"]}
        handler.send_response(302)
        handler.send_header("Location", fields["redirect_uri"] + "?" + urllib.parse.urlencode(answer))
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    def is_open(self, **changes):
        """Registers clients of anyone: RFC 8414 metadata with the changes, RFC 7591."""
        self.metadata = {
            "issuer": self.url, "authorization_endpoint": self.url + "/authorize", "token_endpoint": self.url + "/token",
            "device_authorization_endpoint": self.url + "/device", "registration_endpoint": self.url + "/register",
            "code_challenge_methods_supported": ["S256"],
            "scopes_supported": ["urn:ietf:params:oauth:scope:mail", "offline_access"], **changes}
        self.metadata = {key: value for key, value in self.metadata.items() if value is not None}

    def register(self, handler, wish):
        if self.registration_refusal:
            return self.refuse(handler, *self.registration_refusal)
        self.registered.append(wish)
        self.reply(handler, 201, {**wish, "client_id": f"client-{len(self.registered)}"})

    def device(self, handler, fields):
        code = "device-" + random.token_urlsafe(16)
        self.secrets.add(code)
        self.devices[code] = None
        self.reply(handler, 200, {"device_code": code, "user_code": "ABCD-EFGH", "verification_uri": self.url + "/go",
                                  "expires_in": 60, "interval": 1})

    def exchange(self, handler, fields):
        kind = fields.get("grant_type")
        if kind == "authorization_code":
            asked = self.codes.pop(fields.get("code"), None)
            if not asked or asked["redirect_uri"] != fields.get("redirect_uri"):
                return self.refuse(handler, "invalid_grant", "no such code")
            made = base64.urlsafe_b64encode(hashlib.sha256(fields.get("code_verifier", "").encode()).digest())
            if asked.get("code_challenge_method") != "S256" or asked.get("code_challenge") != made.rstrip(b"=").decode():
                return self.refuse(handler, "invalid_grant", "PKCE verification failed")
            self.secrets.add(fields["code_verifier"])
        elif kind == "refresh_token":
            with self._lock:
                if fields.get("refresh_token") not in self.refresh_tokens:
                    return self.refuse(handler, "invalid_grant", "the token was revoked")
                if self.rotates:
                    self.refresh_tokens.discard(fields["refresh_token"])
        elif kind == "urn:ietf:params:oauth:grant-type:device_code":
            self.device_polls += 1
            if self.device_polls == 1:
                return self.refuse(handler, "authorization_pending")
            if fields.get("device_code") not in self.devices:
                return self.refuse(handler, "expired_token")
        else:
            return self.refuse(handler, "unsupported_grant_type")
        self.reply(handler, 200, self.tokens(kind != "refresh_token" or self.rotates))

    def tokens(self, is_new):
        access = self.token(self.user, self.life)
        answer = {"access_token": access, "token_type": "Bearer", "expires_in": self.life}
        self.secrets.add(access)
        if is_new and self.refresh_life:
            answer["refresh_token_expires_in"] = self.refresh_life
        if is_new:
            answer["refresh_token"] = "refresh-" + random.token_urlsafe(24)
            self.secrets.add(answer["refresh_token"])
            with self._lock:
                self.refresh_tokens.add(answer["refresh_token"])
        return answer

    def revoke(self):
        self.refresh_tokens.clear()

    def refreshes(self):
        return [fields for fields in self.requests if fields.get("grant_type") == "refresh_token"]

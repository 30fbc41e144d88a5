"""Keys and signed claims for a NATS server in operator mode, as the tool nsc makes them: nkeys are Ed25519
keys in base32 with a kind and a CRC-16 (github.com/nats-io/nkeys), claims are JSON Web Tokens that these sign."""

import base64
import binascii
import json

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (Encoding, NoEncryption, PrivateFormat,
                                                          PublicFormat)

OPERATOR, ACCOUNT, USER, SEED = 14 << 3, 0, 20 << 3, 18 << 3
ANY = -1  # no limit
LIMITS = {name: ANY for name in ("subs", "data", "payload")}
ACCOUNT_LIMITS = LIMITS | {"imports": ANY, "exports": ANY, "conn": ANY, "leaf": ANY, "wildcards": True}
STREAM_LIMITS = {name: ANY for name in ("mem_storage", "disk_storage", "streams", "consumer")}


def encode(raw):
    check = binascii.crc_hqx(raw, 0).to_bytes(2, "little")
    return base64.b32encode(raw + check).decode().rstrip("=")


def text(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


class Key:
    def __init__(self, kind):
        self.kind, self.private = kind, Ed25519PrivateKey.generate()
        public = self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.name = encode(bytes([kind]) + public)

    def seed(self):
        raw = self.private.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
        return encode(bytes([SEED | self.kind >> 5, (self.kind & 31) << 3]) + raw)

    def claim(self, subject, kind, **nats):
        """A token in which this key says so of another one."""
        body = {"jti": "test", "iat": 1, "iss": self.name, "name": kind, "sub": subject.name,
                "nats": nats | {"type": kind, "version": 2}}
        signed = text({"typ": "JWT", "alg": "ed25519-nkey"}) + "." + text(body)
        signature = base64.urlsafe_b64encode(self.private.sign(signed.encode())).decode().rstrip("=")
        return signed + "." + signature


class Operator:
    """One account that may keep streams, and users of it."""

    def __init__(self):
        self.key, self.account, self.system = Key(OPERATOR), Key(ACCOUNT), Key(ACCOUNT)

    def config(self):
        """For nats-server."""
        account = self.key.claim(self.account, "account", limits=ACCOUNT_LIMITS | STREAM_LIMITS)
        system = self.key.claim(self.system, "account", limits=ACCOUNT_LIMITS)
        return (f"operator: {self.key.claim(self.key, 'operator')}\n"
                f"system_account: {self.system.name}\n"
                "resolver: MEMORY\n"
                f"resolver_preload: {{ {self.account.name}: {account}, {self.system.name}: {system} }}\n")

    def credentials(self):
        """The text of a .creds file of a new user."""
        user = Key(USER)
        token = self.account.claim(user, "user", pub={}, sub={}, **LIMITS)
        return (f"-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n"
                f"-----BEGIN USER NKEY SEED-----\n{user.seed()}\n------END USER NKEY SEED------\n")

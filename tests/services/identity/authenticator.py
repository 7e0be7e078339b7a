"""A passkey in software, which responds like a browser with an authenticator."""

import base64
import hashlib
import json
import secrets
import struct
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from webauthn.helpers import encode_cbor

from masthead.model.identity.relying_party import RelyingParty

PARTY = RelyingParty("desk.acme.test", "https://desk.acme.test")
PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


def text_of(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def bytes_of(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Authenticator:
    """A passkey. origin, party_id: of the page. counts: whether it has a counter."""

    origin: str = PARTY.origin
    party_id: str = PARTY.id
    is_verifying: bool = True
    counts: bool = True
    count: int = 0
    handle: str | None = None
    id: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    key: Any = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def create(self, options: str) -> str:
        """The answer to `navigator.credentials.create()`."""
        asked = json.loads(options)
        self.handle = asked["user"]["id"]
        numbers = self.key.public_key().public_numbers()
        point = {-2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        public_key = encode_cbor({1: 2, 3: -7, -1: 1, **point})
        attested = bytes(16) + struct.pack(">H", len(self.id)) + self.id + public_key
        data = self._data(ATTESTED) + attested
        attestation = encode_cbor({"fmt": "none", "attStmt": {}, "authData": data})
        client_data = self._client_data("webauthn.create", asked["challenge"])
        return self._answer(
            {"clientDataJSON": text_of(client_data), "attestationObject": text_of(attestation)}
        )

    def get(self, options: str) -> str:
        """The answer to `navigator.credentials.get()`."""
        self.count += self.counts
        client_data = self._client_data("webauthn.get", json.loads(options)["challenge"])
        data = self._data(0)
        signed = data + hashlib.sha256(client_data).digest()
        response = {
            "clientDataJSON": text_of(client_data),
            "authenticatorData": text_of(data),
            "signature": text_of(self.key.sign(signed, ec.ECDSA(hashes.SHA256()))),
        }
        if self.handle is not None:
            response["userHandle"] = self.handle
        return self._answer(response)

    def _data(self, flags: int) -> bytes:
        flags |= PRESENT | (VERIFIED if self.is_verifying else 0)
        digest = hashlib.sha256(self.party_id.encode()).digest()
        return digest + struct.pack(">BI", flags, self.count)

    def _client_data(self, type: str, challenge: str) -> bytes:
        client_data = {
            "type": type,
            "challenge": challenge,
            "origin": self.origin,
            "crossOrigin": False,
        }
        return json.dumps(client_data).encode()

    def _answer(self, response: dict[str, str]) -> str:
        id = text_of(self.id)
        return json.dumps({"id": id, "rawId": id, "type": "public-key", "response": response})

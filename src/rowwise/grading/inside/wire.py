"""Messages over a socket: four bytes of length, then JSON. The reader sets the limits, never the writer."""

import json
import socket
import struct
import time


class Lost(Exception):
    """The other side is gone, late, or not speaking the protocol; the text says which."""


def send(link: socket.socket, message: dict) -> None:
    """Send one message whole."""
    body = json.dumps(message, separators=(",", ":"), default=str).encode()
    link.sendall(struct.pack("!I", len(body)) + body)


def receive(link: socket.socket, seconds: float | None = None, limit: int = 16_000_000) -> dict:
    """The next message, within ``seconds`` in all and ``limit`` bytes. Raises Lost."""
    until = None if seconds is None else time.monotonic() + seconds
    (size,) = struct.unpack("!I", _exactly(link, 4, until))
    if size > limit:
        raise Lost("sent more than a result may hold")
    try:
        message = json.loads(_exactly(link, size, until))
    except (ValueError, RecursionError):
        raise Lost("sent something that is no message") from None
    if not isinstance(message, dict):
        raise Lost("sent something that is no message")
    return message


def _exactly(link: socket.socket, size: int, until: float | None) -> bytes:
    got = bytearray()
    while len(got) < size:
        left = None if until is None else until - time.monotonic()
        if left is not None and left <= 0:
            raise Lost("did not answer in time")
        try:
            link.settimeout(left)
            part = link.recv(min(1 << 20, size - len(got)))
        except TimeoutError:
            raise Lost("did not answer in time") from None
        except OSError:
            raise Lost("ended") from None
        if not part:
            raise Lost("ended")
        got += part
    return bytes(got)

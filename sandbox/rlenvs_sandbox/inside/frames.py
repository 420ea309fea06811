"""Messages over a stream: a length, and that many bytes of JSON."""

import json
import os
import struct
from typing import Any

MAX_FRAME = 16 * 2**20
_LENGTH = struct.Struct(">I")
_READ = 1 << 16


class EndedError(Exception):
    """The other side has closed the stream, or breaks its rules."""


class TooLongError(EndedError):
    """A message is longer than one may be."""


class Stream:
    """One end of a stream."""

    def __init__(self, file: int) -> None:
        self.file = file
        self._left = b""

    def send(self, message: Any) -> None:
        """Send a message.

        Raises:
            TooLongError: it is longer than `MAX_FRAME`.
            EndedError: nobody is there.
        """
        data = json.dumps(message, allow_nan=False, ensure_ascii=False).encode(errors="surrogatepass")
        if len(data) > MAX_FRAME:
            raise TooLongError(f"a message of {len(data)} bytes; {MAX_FRAME} at most")
        data = memoryview(_LENGTH.pack(len(data)) + data)  # type: ignore[assignment]
        try:
            while data:
                data = data[os.write(self.file, data) :]
        except OSError as error:
            raise EndedError(str(error)) from error

    def receive(self) -> Any:
        """The next message.

        Raises:
            EndedError: there is none, or it is no message.
        """
        (length,) = _LENGTH.unpack(self._take(_LENGTH.size))
        if length > MAX_FRAME:
            raise EndedError(f"a message of {length} bytes; {MAX_FRAME} at most")
        try:
            return json.loads(self._take(length).decode(errors="surrogatepass"))
        except (ValueError, RecursionError) as error:
            raise EndedError(f"no message: {type(error).__name__}") from error

    def _take(self, count: int) -> bytes:
        parts, size = [self._left], len(self._left)
        while size < count:
            try:
                part = os.read(self.file, max(_READ, count - size))
            except OSError as error:
                raise EndedError(str(error)) from error
            if not part:
                raise EndedError("the stream has ended")
            parts.append(part)
            size += len(part)
        data = b"".join(parts)
        self._left = data[count:]
        return data[:count]

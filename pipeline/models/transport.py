"""HTTP for the SDKs with two bounds that they lack, wall-clock time and size of the body, and what it means when it fails.

The timeouts of an HTTP client count from one packet to the next: a body that drips never ends. Here every single read and write gets
what is left of the one deadline, so that connecting, headers and body together end in time. Imports the HTTP packages of the SDKs:
only modules that are about to send import this one.
"""

from __future__ import annotations

import ipaddress
import ssl
import time
import urllib.request
from collections.abc import Iterable, Iterator
from functools import cache
from urllib.parse import SplitResult, unquote, urlsplit

import httpcore2
import httpx2

from pipeline.models.failures import Endpoint, bad_body, by_status, shown
from pipeline.models.protocol import TransientError
from schemas.errors import IsopodError, OutsideError, RefusedError

_TIMEOUTS = (httpcore2.TimeoutException, httpx2.TimeoutException, TimeoutError)
_BROKEN = (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.ProxyError, httpx2.TransportError)


class Bounds:
    """The limits of one exchange and how far it got; `seconds` count from when this is made."""

    def __init__(self, seconds: float, most_bytes: int) -> None:
        self._end = time.monotonic() + seconds
        self.seconds = seconds
        self.most_bytes = most_bytes
        self.sent = False
        """Whether bytes went out: then the model may have worked."""
        self.answered = False
        """Whether a body came to its end."""

    def left(self) -> float:
        """Seconds until the deadline, negative after it."""
        return self._end - time.monotonic()

    def wait(self) -> float:
        """How long the next read or write may take. Raises httpcore2.ReadTimeout after the deadline."""
        left = self.left()
        if left <= 0:
            raise httpcore2.ReadTimeout("the time is over")
        return left


class _Stream(httpcore2.NetworkStream):
    """A connection whose every step ends at the deadline."""

    def __init__(self, inner: httpcore2.NetworkStream, bounds: Bounds) -> None:
        self._inner = inner
        self._bounds = bounds

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._bounds.wait())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        wait = self._bounds.wait()
        self._bounds.sent = True
        self._inner.write(buffer, wait)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, self._bounds.wait()), self._bounds)

    def get_extra_info(self, info: str) -> object:
        return self._inner.get_extra_info(info)


class _Backend(httpcore2.SyncBackend):
    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        wait = self._bounds.wait()
        return _Stream(super().connect_tcp(host, port, wait, local_address, socket_options), self._bounds)


class _Body(httpx2.SyncByteStream):
    def __init__(self, inner: Iterable[bytes], bounds: Bounds) -> None:
        self._inner = inner
        self._bounds = bounds

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._inner:
            size += len(chunk)
            if size > self._bounds.most_bytes:
                raise _too_big(self._bounds)
            yield chunk
        self._bounds.answered = True

    def close(self) -> None:
        close = getattr(self._inner, "close", None)
        if close is not None:
            close()


class _Transport(httpx2.BaseTransport):
    """One exchange at a time over httpcore2, within its bounds."""

    def __init__(self, pool: httpcore2.ConnectionPool, bounds: Bounds) -> None:
        self._pool = pool
        self._bounds = bounds

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        url = request.url
        response = self._pool.handle_request(
            httpcore2.Request(
                method=request.method,
                url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        assert isinstance(response.stream, Iterable)
        body = _Body(response.stream, self._bounds)
        if httpx2.Headers(response.headers).get("content-encoding", "identity").lower() != "identity":
            body.close()
            # Nothing compressed was asked for, and a small packed body may unpack to any size.
            raise OutsideError("packed-answer", "the server sends a compressed answer although none was asked for")
        return httpx2.Response(response.status, headers=response.headers, stream=body, extensions=response.extensions)

    def close(self) -> None:
        self._pool.close()


def client_for(url: str, bounds: Bounds) -> httpx2.Client:
    """An HTTP client for one exchange with the server at `url`; the caller closes it.

    It follows no redirect (a key would go along) and goes through the proxy that the environment or the system names, never for
    loopback. Raises RefusedError for a proxy that is not HTTP.
    """
    backend, context = _Backend(bounds), _tls()
    proxy = proxy_for(url)
    pool = (
        httpcore2.ConnectionPool(ssl_context=context, network_backend=backend)
        if proxy is None
        else httpcore2.HTTPProxy(_bare(proxy), _credentials(proxy), ssl_context=context, network_backend=backend)
    )
    return httpx2.Client(
        transport=_Transport(pool, bounds),
        timeout=bounds.seconds,
        headers={"Accept-Encoding": "identity"},
        follow_redirects=False,
        trust_env=False,
    )


def proxy_for(url: str) -> SplitResult | None:
    """The proxy on the way to `url` by the environment or the system, None for the straight way.

    Raises RefusedError for one that is not HTTP or no URL.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    proxies = urllib.request.getproxies()
    named = proxies.get(parts.scheme) or proxies.get("all")
    if not named or _is_loopback(host) or urllib.request.proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    try:
        proxy = urlsplit(named if "://" in named else f"http://{named}")
        usable = proxy.scheme in ("http", "https") and bool(proxy.hostname) and proxy.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise RefusedError(
            "proxy-unknown",
            f"the proxy for {parts.scheme} that the environment names is none that isopod can use (http or https only)",
            fix=f"set {parts.scheme.upper()}_PROXY to the URL of an http proxy, or list {host} in NO_PROXY",
        )
    return proxy


def failure_of(error: Exception, endpoint: Endpoint, bounds: Bounds, model: str | None) -> Exception:
    """The failure that an SDK's exception stands for; the exception itself when it is none of theirs but a bug."""
    chain = _chain(error)
    for one in chain:
        if isinstance(one, IsopodError):
            return one
        if isinstance(one, httpx2.InvalidURL):
            return RefusedError(
                "bad-address", f"no server can have the address in base_url: {shown(str(one), endpoint.key)}"
            )
        response = getattr(one, "response", None)
        if isinstance(response, httpx2.Response) and response.status_code >= 300:
            return by_status(response.status_code, getattr(one, "body", None), response.headers, endpoint, model)
    if bounds.left() <= 0 or any(isinstance(one, _TIMEOUTS) for one in chain):
        return TransientError(
            "timed-out", f"{endpoint.who} did not answer within {bounds.seconds:.0f} s", sent=bounds.sent
        )
    if bounds.answered:
        return bad_body(endpoint.who, "the body is no JSON, or not of the form that this provider sends")
    if any(isinstance(one, ssl.SSLCertVerificationError) for one in chain):
        return OutsideError(
            "certificate",
            f"the certificate of {endpoint.who} cannot be trusted",
            fix="look at base_url; behind a proxy with certificates of its own, set SSL_CERT_FILE to them",
        )
    broken = next((one for one in chain if isinstance(one, _BROKEN)), None)
    if broken is None:
        return error
    said = shown(str(broken), endpoint.key) or type(broken).__name__
    if bounds.sent:
        return TransientError("connection-lost", f"the connection to {endpoint.who} broke: {said}", sent=True)
    return TransientError(
        "no-connection",
        f"no connection to {endpoint.who}: {said}",
        fix="look at base_url of the reader in config.yaml, and whether the server runs and the network is up",
    )


def _chain(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in found:
        found.append(at)
        at = at.__cause__ or at.__context__
    return found


def _too_big(bounds: Bounds) -> OutsideError:
    return OutsideError(
        "answer-too-big",
        f"the answer is larger than {bounds.most_bytes / 1_000_000:.0f} MB: it was not read to the end",
        fix="look at what answers at base_url: a model's answer is never that large",
    )


@cache
def _tls() -> ssl.SSLContext:
    """One for all: it takes a while to read every certificate."""
    return httpx2.create_ssl_context()


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _bare(proxy: SplitResult) -> httpcore2.URL:
    return httpcore2.URL(scheme=proxy.scheme, host=proxy.hostname or "", port=proxy.port, target="/")


def _credentials(proxy: SplitResult) -> tuple[str, str] | None:
    return None if proxy.username is None else (unquote(proxy.username), unquote(proxy.password or ""))

"""A server in a thread, with small limits."""

import contextlib
import threading
import time

from bayes_distnet.serve.limits import Limits

LIMITS = Limits(body=2**18, upload=2**20, seconds=1.0, upload_seconds=1.0, feature_seconds=20.0, connections=40)


@contextlib.contextmanager
def running(app, limits):
    """Run a server in a thread; yields its port."""
    from bayes_distnet.serve.run import bind, server_of

    with bind("127.0.0.1", 0, limits) as listening:
        server = server_of(app, limits)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        until = time.monotonic() + 20
        while not server.started and time.monotonic() < until:
            time.sleep(0.01)
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(20)
            assert not thread.is_alive()


def client_of(port):
    """Return a client of a server on this machine; proxies of the environment are left out."""
    import httpx

    return httpx.Client(base_url=f"http://localhost:{port}", timeout=60, trust_env=False)

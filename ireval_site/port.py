"""The check that a port is free: the web server would silently share it with another one, and each would get some requests."""

import socket


class CannotServe(RuntimeError):
    """Nothing can be served; the message says why and what to do."""


def check_port(host: str, port: int) -> None:
    if not 0 < port < 65536:
        raise CannotServe(f"There is no port {port}; choose one from 1024 to 65535: PORT=8000.")
    if not is_free(host, port):
        other = next((number for number in range(port + 1, min(port + 100, 65536)) if is_free(host, number)), 0)
        raise CannotServe(
            f"Port {port} is used by another program. Choose another one: PORT={other}, as in `make demo PORT={other}`."
        )


def is_free(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port that only waits for late packets is free
        try:
            listener.bind((host, port))
        except OSError as error:
            if isinstance(error, PermissionError):
                raise CannotServe(f"Port {port} may not be opened by this user; choose one from 1024 on: PORT=8000.") from error
            if isinstance(error, socket.gaierror):
                raise CannotServe(f"{host!r} is no address of this machine; try --host 127.0.0.1.") from error
            return False
    return True

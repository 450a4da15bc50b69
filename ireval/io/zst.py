"""Python's zstd, which it has from 3.14 on, and its backport for those before; both tell a file that was cut short."""

import sys

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["zstd"]

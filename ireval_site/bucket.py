"""Stored files in a bucket: Amazon S3's, or that of MinIO, Garage, Ceph and others that speak its language.

boto3 reads keys, region and the address of the service from the AWS_ variables, or the role of the machine.
"""

import os
from datetime import datetime
from typing import Any

from botocore.config import Config
from botocore.exceptions import ClientError
from storages.backends.s3 import S3Storage

IN_MEMORY = 8 * 2**20  # of a file that is being read; the rest goes through a temporary file


class Bucket(S3Storage):
    """Waits less for a service that is away than boto3 does by itself."""

    def get_default_settings(self) -> dict[str, Any]:
        return {**super().get_default_settings(), "max_memory_size": IN_MEMORY, "client_config": client_config()}

    def get_modified_time(self, name: str) -> datetime:
        try:
            return super().get_modified_time(name)
        except ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] == 404:
                raise FileNotFoundError(name) from None  # as folders say it
            raise


def client_config() -> Config:
    """Amazon's own buckets have host names; other services have all under one, and not each knows the newest checksums."""
    waiting = Config(connect_timeout=5, read_timeout=30, retries={"mode": "standard", "total_max_attempts": 3})
    if not {"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"} & os.environ.keys():
        return waiting
    plain = Config(
        s3={"addressing_style": "path"},
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    return waiting.merge(plain)

import pytest

from tests.judging.collections.parsers.readers import Files


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)

import pytest

from .reading import Files


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)

"""What several files of tests are given."""

import pytest

from results import MAKERS


@pytest.fixture(scope="module", params=MAKERS)
def result(request):
    return MAKERS[request.param]()

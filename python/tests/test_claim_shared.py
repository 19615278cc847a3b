"""Claims of one's own from a shared object, compiled here with the header that the package carries."""

import pathlib
import pickle
import shutil
import subprocess

import pytest

import tropism as tr

ROOT = pathlib.Path(__file__).parents[2]
CARRIED = pathlib.Path(tr.__file__).parent / "include"
HEADERS = CARRIED if CARRIED.is_dir() else ROOT / "include"  # the latter when the sources themselves are run

pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")


@pytest.fixture(scope="module")
def diameter(tmp_path_factory):
    made = tmp_path_factory.mktemp("claims") / "diameter.so"
    source = ROOT / "examples" / "claims" / "diameter.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-I", HEADERS, source, "-o", made], check=True)
    return str(made)


def test_a_claim_of_a_shared_object_is_checked(diameter, tmp_path):
    with pytest.warns(UserWarning, match="diameter.so: the code in this file is run"):
        result = tr.check(f"{diameter}:my-lem-diameter")
    assert result.verdict == "holds" and result.untested is False
    assert [spoil.caught for spoil in result.spoils] == [True, True]
    file = tmp_path / "x.h5"
    with pytest.warns(UserWarning, match="is run"):
        result = tr.check(f"{diameter}:my-lem-contraction", counterexample=str(file))
    with pytest.warns(UserWarning, match="is run"):
        again = tr.check(f"{diameter}:my-lem-contraction", instance=str(file))
    assert (result.verdict, again.verdict, again.attempted) == ("violated", "violated", 1)
    # What came from the file stays when the file is closed.
    assert pickle.loads(pickle.dumps(result)).statement == result.statement


def test_its_claims_are_listed(diameter):
    with pytest.warns(UserWarning, match="is run"):
        listed = tr.claims(diameter)
    assert [claim.id for claim in listed.claims] == ["my-lem-diameter", "my-lem-contraction"]


def test_what_is_no_such_file_is_refused(diameter, tmp_path):
    for text, sentence in ((diameter, "has 2 claims, name one as"), (f"{diameter}:my-lem", "did you mean my-lem-diameter?"),
                           (f"{tmp_path}/none.so", "No such file"), (f"{__file__}:x", "is not a shared object")):
        with pytest.raises(tr.Error, match=sentence):
            tr.check(text)

"""The command that installs an optional part, for every way in which the package may have been installed."""

import json

import pytest

from querykin.installation import install_command


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Writes the metadata of an installed package, as pip does."""

    def write(origin=None):
        folder = tmp_path / "sample_part-1.0.dist-info"
        folder.mkdir(exist_ok=True)
        (folder / "METADATA").write_text(
            "Metadata-Version: 2.4\nName: sample-part\nVersion: 1.0\nRequires-Dist: numpy\n"
            'Requires-Dist: fastapi>=0.130; extra == "server"\nRequires-Dist: jinja2; extra == "server"\n'
            'Requires-Dist: yake; extra == "other"\n'
        )
        if origin:
            (folder / "direct_url.json").write_text(json.dumps(origin))
        return install_command("server", "sample-part")

    monkeypatch.syspath_prepend(tmp_path)
    return write


def test_a_checkout_is_installed_again_the_same_way(install, tmp_path):
    origin = {"url": tmp_path.as_uri(), "dir_info": {"editable": True}}
    assert install(origin) == f"pip install --editable '{tmp_path}[server]'"
    assert install(origin | {"dir_info": {}}) == f"pip install '{tmp_path}[server]'"


def test_a_wheel_is_named_as_long_as_it_exists(install, tmp_path):
    wheel = tmp_path / "with space-1.0-py3-none-any.whl"
    wheel.touch()
    origin = {"url": wheel.as_uri(), "archive_info": {}}
    assert install(origin) == f"pip install '{wheel}[server]'"
    wheel.unlink()
    assert install(origin) == "pip install 'fastapi>=0.130' jinja2"


def test_addresses_and_repositories_are_named(install):
    url = "https://example.org/x-1.0-py3-none-any.whl"
    assert install({"url": url, "archive_info": {}}) == f"pip install 'sample-part[server] @ {url}'"
    origin = {"url": "https://example.org/x.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}}
    assert install(origin) == "pip install 'sample-part[server] @ git+https://example.org/x.git@abc'"


def test_from_an_index_the_name_is_sufficient(install):
    assert install() == "pip install 'sample-part[server]'"


def test_sources_that_were_not_installed_refer_to_the_checkout():
    assert install_command("server", "no-such-package") == "pip install '.[server]' in the checkout"

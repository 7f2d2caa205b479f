# Two commands on a fresh machine: `make demo` and `make test`. Only python3.11+, pip and make are assumed.
PYTHON ?= python3
BIN := .venv/bin
DIST := dist
# Exactly what the lock files name: versions and hashes (requirements/lock.py).
INSTALL := install --quiet --disable-pip-version-check --require-hashes --requirement
# Tests that start servers and kill processes, or start many processes.
CLUSTER_TESTS := tests/cluster tests/cli/test_cli_engines.py tests/compute/test_code_cache.py tests/index/test_build_killed.py \
	tests/server/test_api_process.py tests/server/test_jobs.py tests/server/test_slow_clients.py \
	tests/storage/test_object_storage.py tests/storage/test_bucket_parts.py tests/test_read_only_workspace.py
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: demo test test-browser test-install test-cluster lint types check wheel docs reproduce studies bench bench-service torture lock audit licenses clean

.venv/ready: pyproject.toml requirements/development.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "querykin needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip $(INSTALL) requirements/development.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

demo: .venv/ready  ## set up and run the main job on the demo corpus
	$(BIN)/querykin demo --workspace .demo-workspace

test: .venv/ready  ## set up and run the tests
	$(BIN)/pytest -n auto --ignore tests/browser --ignore tests/install $(addprefix --ignore ,$(CLUSTER_TESTS)) --ignore tests/test_docs.py

test-browser: .venv/ready  ## the pages before Debian's Chromium; screenshots go to tests/browser/screenshots
	command -v chromium > /dev/null || { $(SUDO) apt-get update && $(SUDO) apt-get install -y chromium; }
	$(BIN)/python -c 'import axe_playwright_python, playwright' 2> /dev/null || $(BIN)/pip $(INSTALL) requirements/browser.txt
	$(BIN)/pytest -n 0 tests/browser

test-install: .venv/ready  ## the wheel in an empty environment, and the steps of the container: minutes
	$(BIN)/pytest -n 0 tests/install

test-cluster: .venv/cluster .venv/mediawiki  ## Spark, OpenSearch, MediaWiki and object storage: real servers, started, killed and stopped; minutes
	QUERYKIN_MEDIAWIKI=$(CURDIR)/.venv/mediawiki PATH=$(CURDIR)/.venv/azurite/node_modules/.bin:$$PATH $(BIN)/pytest -n 2 --dist loadfile $(CLUSTER_TESTS)

.venv/cluster: .venv/ready requirements/cluster.txt
	{ command -v java && command -v mvn && command -v npm; } > /dev/null || \
		{ $(SUDO) apt-get update && $(SUDO) apt-get install -y openjdk-17-jdk-headless maven npm; }
	$(BIN)/pip $(INSTALL) requirements/cluster.txt --no-build-isolation  # pyspark is built here, by the locked setuptools
	npm install --silent --no-audit --no-fund --prefix .venv/azurite azurite
	touch $@

# Unpacked, because the package would install and start a web server.
.venv/mediawiki: .venv/ready
	$(SUDO) apt-get update
	php -m 2> /dev/null | grep -q sqlite3 || $(SUDO) apt-get install -y --no-install-recommends php-cli php-sqlite3 php-mbstring php-xml php-intl
	rm -rf $@ $@-packages && mkdir $@-packages
	cd $@-packages && apt-get download mediawiki mediawiki-classes && for package in *.deb; do dpkg-deb --extract $$package .; done
	cd $@-packages/usr/share/mediawiki && find . -type l -delete && mkdir config extensions images
	mv $@-packages/usr/share/mediawiki $@ && rm -rf $@-packages && touch $@

lint: .venv/ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: .venv/ready
	$(BIN)/mypy

check: lint types test  ## everything a change must pass

wheel: build/venv/ready  ## build dist/querykin-VERSION-py3-none-any.whl
	rm -rf build/lib build/bdist*  # setuptools would pack files that no longer exist
	build/venv/bin/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir $(DIST) .

build/venv/ready: requirements/build.txt
	$(PYTHON) -m venv build/venv
	build/venv/bin/pip $(INSTALL) requirements/build.txt
	touch $@

docs: .venv/docs  ## regenerate the measure pages, run the examples, build the documentation in build/docs; warnings are errors
	$(BIN)/python docs/generate.py
	$(BIN)/pytest -n auto tests/test_docs.py
	$(BIN)/sphinx-build -W --keep-going -b html docs build/docs

.venv/docs: .venv/ready requirements/docs.txt
	$(BIN)/pip $(INSTALL) requirements/docs.txt
	touch $@

reproduce: .venv/reproduce  ## the papers' tables on real data (QUERYKIN_DATA)
	$(BIN)/python -m reproduce results

studies: .venv/ready  ## what our own choices rest on, measured again
	$(BIN)/python -m reproduce studies

.venv/reproduce: .venv/ready requirements/reproduce.txt
	$(BIN)/pip $(INSTALL) requirements/reproduce.txt
	touch $@

bench: .venv/bench  ## us and the peers on the same data (QUERYKIN_DATA, or made up); minutes, the first time an hour
	$(BIN)/python -m bench

.venv/bench: .venv/ready requirements/bench.txt
	$(BIN)/pip $(INSTALL) requirements/bench.txt
	touch $@

bench-service: .venv/ready  ## 50,000 requests to the service over the demo corpus
	$(BIN)/python -m bench.service

torture: .venv/ready  ## kills, damaged files, power loss, hostile input, a soak of the service: hours; parts singly with python -m torture PART
	$(BIN)/python -m torture

lock: .venv/audit  ## write the lock files again after a change of pyproject.toml; LOCK=--upgrade: with the newest versions
	$(BIN)/python requirements/lock.py $(LOCK)

audit: .venv/audit  ## known vulnerabilities of what the lock files pin, asked of the package index
	$(BIN)/python requirements/audit.py

licenses: .venv/audit .venv/docs .venv/reproduce .venv/bench  ## write docs/reference/licenses.md again after make lock
	$(BIN)/pip $(INSTALL) requirements/browser.txt
	$(BIN)/pip $(INSTALL) requirements/cluster.txt --no-build-isolation
	$(BIN)/python requirements/licenses.py

.venv/audit: .venv/ready requirements/audit.txt
	$(BIN)/pip $(INSTALL) requirements/audit.txt
	touch $@

clean:
	rm -rf .venv .demo-workspace build dist

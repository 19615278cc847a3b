#!/bin/bash
# version.sh -- VERSION is the only file that says the version. CHANGELOG.md tells
# the history, and a test file of a released version keeps its own.
set -eu
cd "$(dirname "$0")/.."

version=$(cat VERSION)
if ! [[ "$version" =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]; then
    echo "VERSION says '$version': must be three numbers"
    exit 1
fi
pattern="(^|[^0-9.])${version//./\\.}(\.?[^0-9.]|\.?\$)"
if git rev-parse --git-dir >/dev/null 2>&1; then
    found=$(git grep -nIE --untracked "$pattern" -- . ':!VERSION' ':!CHANGELOG.md' || true)
else
    found=$(grep -rnIE --exclude-dir=build --exclude=VERSION --exclude=CHANGELOG.md "$pattern" . || true)
fi
if [ -n "$found" ]; then
    echo "$found"
    echo "version: $version is written outside VERSION"
    exit 1
fi
if ! grep -q "^## \[*$version" CHANGELOG.md; then
    echo "version: CHANGELOG.md has no section for $version"
    exit 1
fi

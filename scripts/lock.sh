#!/bin/sh
# Rewrites requirements-dev.lock: exact versions and hashes for Python 3.10 to 3.13, without the address of any index.
# The index is the one pip is configured to use. Versions already locked stay, unless `--upgrade` is given.
set -eu
cd "$(dirname "$0")/.."

tool=.venv/lock-tool
[ -x "$tool/bin/uv" ] || { python3 -m venv "$tool" && "$tool/bin/pip" install --quiet uv; }

index=$("$tool/bin/pip" config get global.index-url 2>/dev/null || true)
[ -z "$index" ] || export UV_DEFAULT_INDEX="$index"

"$tool/bin/uv" pip compile pyproject.toml --extra dev --extra spark \
    --constraint scripts/lock-constraints.txt \
    --universal --python-version 3.10 --generate-hashes \
    --no-emit-index-url --no-emit-find-links --no-annotate \
    --custom-compile-command "make lock" \
    --quiet --output-file requirements-dev.lock "$@"

#!/bin/sh
# Makes .venv with the locked packages and this one, and sees to it that there is a Java for Spark, and a browser for the
# tests of the HTML page.
# Safe to call again: a second call only checks. As root on Debian or Ubuntu it installs what the system lacks.
set -eu
cd "$(dirname "$0")/.."

say() { echo "setup: $*" >&2; }

# The first Python >= 3.10 that can make virtual environments (Debian keeps that part in python3-venv).
find_python() {
    for python in ${PYTHON:-} python3 python3.13 python3.12 python3.11 python3.10; do
        if "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
            echo "$python"
            return
        fi
    done
    return 1
}

# Spark takes JAVA_HOME before the java of the PATH, and so do we.
have_java() {
    java=${JAVA_HOME:+$JAVA_HOME/bin/}java
    major=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
    [ "${major:-0}" -ge 17 ]
}

# The tests look for the same names (tests/browser.py).
have_browser() {
    command -v chromedriver >/dev/null || return 1
    for browser in chromium chromium-browser google-chrome google-chrome-stable; do
        ! command -v "$browser" >/dev/null || return 0
    done
    return 1
}

browser_packages="chromium chromium-driver fonts-dejavu-core"

can_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

install() {
    say "installing $*"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

missing_packages() {
    find_python >/dev/null || echo python3 python3-venv
    have_java || echo default-jre-headless
}

install_missing() {
    missing=$(missing_packages | xargs)
    [ -n "$missing" ] || return 0
    # shellcheck disable=SC2086  # a list of names
    ! can_install || install $missing
    find_python >/dev/null || say "no Python 3.10 or newer with venv found (set PYTHON to choose one)."
    have_java || say "no Java 17 or newer found."
    [ -z "$(missing_packages)" ] || {
        say "Please install what is missing, then run this again. On Debian or Ubuntu:"
        say "    sudo apt-get update && sudo apt-get install $missing"
        exit 1
    }
}

# Only the tests of the page need one: without it they are skipped, and all else works.
install_browser() {
    have_browser && return 0
    # shellcheck disable=SC2086  # a list of names
    ! can_install || install $browser_packages || true
    have_browser || {
        say "no Chromium with chromedriver found: the tests of the HTML page will be skipped. On Debian:"
        say "    sudo apt-get update && sudo apt-get install $browser_packages"
    }
}

make_venv() {
    stamp=.venv/setup-stamp
    wanted=$(cat requirements-dev.lock pyproject.toml scripts/setup.sh | cksum)
    [ "$(cat $stamp 2>/dev/null)" != "$wanted" ] || return 0
    say "making .venv (the first time this downloads Spark, about 450 MB)"
    rm -f $stamp
    .venv/bin/python -m pip --version >/dev/null 2>&1 || "$(find_python)" -m venv --clear .venv
    .venv/bin/python -m pip install --quiet --no-input --require-hashes -r requirements-dev.lock
    .venv/bin/python -m pip install --quiet --no-input --no-deps --no-build-isolation -e .
    echo "$wanted" >$stamp
}

if [ -n "${JAVA_HOME:-}" ] && ! have_java; then
    say "JAVA_HOME ($JAVA_HOME) is no Java 17 or newer. Please correct or unset it."
    exit 1
fi
install_missing
install_browser
make_venv

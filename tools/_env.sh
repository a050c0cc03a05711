# Sourced by the scripts of this folder: a Python environment in .venv, made once and kept up to date.
# After `ensure_venv`, "$VENV_PYTHON" is a Python that has this package and its test tools.

REPO_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
VENV="${VENV:-$REPO_ROOT/.venv}"
VENV_EXTRA="${VENV_EXTRA:-test}"  # which of setup.py's extras it has
VENV_PYTHON="$VENV/bin/python"
# Present while the environment is being made: a run that was cut off leaves it, and the next run starts anew.
VENV_UNFINISHED="$VENV/.unfinished"
VENV_STAMP="$VENV/.installed"

say() { printf '==> %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 2; }

# Whether $1 is a Python that the package runs on.
fits() { "$1" -c 'import sys; sys.exit(not (3, 9) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; }

find_python() {
  local candidate
  if [ -n "${PYTHON:-}" ]; then
    fits "$PYTHON" || die "PYTHON=$PYTHON is not a Python 3.9 to 3.13"
    printf '%s\n' "$PYTHON"
    return
  fi
  # First those with TensorFlow 2.15, with which the results were made; 3.12 and 3.13 have a later one.
  for candidate in python3.11 python3.10 python3.9 python3.12 python3.13 python3; do
    if fits "$candidate"; then
      printf '%s\n' "$candidate"
      return
    fi
  done
  die "found no Python 3.9 to 3.13; install one or set PYTHON=/path/to/python"
}

# What the installed state depends on: the requirements, and the place of this clone.
stamp() {
  "$VENV_PYTHON" -c 'import hashlib, sys
print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest(), sys.argv[2])' "$REPO_ROOT/setup.py" "$REPO_ROOT"
}

make_venv() {
  local python
  python="$(find_python)" || exit 2
  say "making ${VENV##*/} with $("$python" --version)"
  rm -rf "$VENV"
  mkdir "$VENV"
  touch "$VENV_UNFINISHED"
  "$python" -m venv "$VENV" || die "'$python -m venv' failed; on Debian and Ubuntu, install python3-venv"
}

ensure_venv() {
  if [ -e "$VENV_UNFINISHED" ] || ! fits "$VENV_PYTHON"; then
    make_venv
  fi
  if [ "$(cat "$VENV_STAMP" 2>/dev/null)" != "$(stamp)" ]; then
    say "installing the package and its requirements into ${VENV##*/} (the first time takes some minutes)"
    touch "$VENV_UNFINISHED"
    "$VENV_PYTHON" -m pip install --quiet --disable-pip-version-check --editable "$REPO_ROOT[$VENV_EXTRA]" \
      || die "pip could not install the requirements (see above); run this command again when that is mended"
    stamp >"$VENV_STAMP"
    rm -f "$VENV_UNFINISHED"
  fi
}

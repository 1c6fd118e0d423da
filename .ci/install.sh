#!/bin/sh
# install.sh PYTHON VENV STAMP WHAT: install WHAT (. or .[test]) into VENV unless the stamp says that it is done.
set -eu
python=$1 venv=$2 stamp=$2/$3 what=$4
sum=$(cat setup.cfg constraints.txt | cksum)
if [ -x "$venv/bin/python" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$sum" ]; then
    touch "$stamp"
    exit 0
fi
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "error: $python is older than 3.11; name a newer one: make PYTHON=python3.12 ..." >&2
    exit 2
}
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
"$venv/bin/python" -m pip install -qq --disable-pip-version-check -c constraints.txt -e "$what"
echo "$sum" > "$stamp"

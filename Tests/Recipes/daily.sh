# shellcheck shell=bash
# What the tests of recipes have in common: a package, its tools on PATH, and the demo's service, in a home of their
# own. Use: . daily.sh PACKAGE
set -euo pipefail
package=$1
fail() { echo "$*"; exit 1; }
need() { for program; do command -v "$program" > /dev/null || { echo "needs $program" >&2; exit 77; }; done; }
tools=$(dirname "$(command -v tw-cache)")
mkdir -p "$HOME/recipes"
# As make install would put them where the tools are.
for recipe in "$package"/docs/examples/tw-*; do
  sed "s|/usr/local/bin|$tools|g; s|/usr/local/lib/tw|$package/.build|g" "$recipe" > "$HOME/recipes/${recipe##*/}"
done
chmod 755 "$HOME"/recipes/*
PATH=$HOME/recipes:$PATH
# As cron(8) starts a program: with a shell, no terminal, and its small environment.
cron() { env -i HOME="$HOME" LOGNAME=you SHELL=/bin/sh PATH=/usr/bin:/bin /bin/sh -c "$1" < /dev/null; }
# The settings that cron's jobs find, of the service in whose shell this runs.
configure() {
  printf '%s\n' "$TW_TOKEN" > "$HOME/token"
  chmod 600 "$HOME/token"
  mkdir -p "$HOME/.config/tw"
  printf '%s\n' "service = $TW_SERVICE" "endpoint = $TW_ENDPOINT" "token-file.$TW_SERVICE = $HOME/token" "db = $HOME/.local/share/tw/tw.db" \
    > "$HOME/.config/tw/config"
  unset "${!TW_@}" "${!XDG_@}"
}
# tweet NUMBER TEXT [MORE]: a record of now.
tweet() {
  printf '{"tw":"tweet","id":"%s","service":"x","url":"https://x.com/a%s/status/%s","created_at":"%s","text":"%s","author":{"id":"%s","username":"a%s","name":"A %s"}%s}\n' \
    "$1" "$1" "$1" "$(date -u +%FT%T.000Z)" "$2" "$1" "$1" "$1" "${3:-}"
}
# link ADDRESS MORE: entities of a text that is the address.
link() { printf ',"entities":{"urls":[{"start":0,"end":%s,"url":"%s","expanded_url":"%s"%s}]}' "${#1}" "$1" "$1" "${2:-}"; }

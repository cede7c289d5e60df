#!/usr/bin/env bash
# The whole pipeline against a service on this machine, for some seconds: docs/demo.sh DIRECTORY-OF-THE-TOOLS
#
# tw-local runs the pipeline with store, settings and state in a temporary folder, and removes it at the end.
set -euo pipefail
PATH=$(cd "$1" && pwd):$PATH
export PATH

cat <<'TEXT'
A service of its own on this machine, some people talking there, and the pipeline that watches them:

  tw-stream '#swift' '#opensource' '#music' | tw-parse | tw-cache add | tw-avatar | tw-linkcheck | tw-render

TEXT

# Set in the inner shell, whose children are the stages: the first status that is not 0 is the demo's.
# shellcheck disable=SC2016
tw-local --demo --rate 4 -- bash -c '
  set -euo pipefail
  tw-stream --quiet --for 30s --count 14 "#swift" "#opensource" "#music" |
    tw-parse | tw-cache add | tw-avatar | tw-linkcheck | tw-render
  echo
  echo "What was stored, found again:  tw-cache list --search"
  tw-cache list --limit 3 | tw-render --format line
'

cat <<TEXT

Try next:  $1/tw-local --demo -- bash     a shell with that service; 'man man/tw.7' has pipelines to paste
TEXT

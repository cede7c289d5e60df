#!/usr/bin/env bash
# Runs the whole pipeline against a service on this machine for some seconds: docs/demo.sh DIRECTORY-OF-THE-TOOLS
#
# tw-local runs the pipeline with store, settings and state in a temporary folder, and removes the folder at the end.
set -euo pipefail
tools=$1
PATH=$(cd "$tools" && pwd):$PATH
export PATH

cat <<'TEXT'
A service on this machine, a conversation of ten people, and the pipeline that shows it:

  tw-stream '#swift' '#opensource' '#music' | tw-parse | tw-cache add | tw-avatar | tw-linkcheck | tw-render

TEXT

# With pipefail and -e the first stage that fails ends the demo with its status.
# shellcheck disable=SC2016
tw-local --demo --rate 4 -- bash -euo pipefail -c '
  # The newest posts, then the live ones.
  {
    tw-stream --quiet --once --no-records --count 4 "#opensource"
    tw-stream --quiet --no-records --for 30s --count 14 "#swift" "#opensource" "#music"
  } | tw-parse | tw-cache add | tw-avatar | tw-linkcheck | tw-render

  printf "\n%s\n\n" "The tweets are in the store:  tw-cache list --tag swift --limit 3 | tw-render --format line"
  tw-cache list --tag swift --limit 3 | tw-render --format line
'

cat <<TEXT

Try next:  $tools/tw-local --demo -- bash    (a shell with this service; "man man/tw.7" has pipelines to paste)
TEXT

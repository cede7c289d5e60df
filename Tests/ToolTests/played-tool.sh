#!/bin/sh
# A tool of the kit as InnerBrowser.swift plays it: a link HOME/bin/tw-NAME leads here. It notes its words as a line of
# HOME/asked, and runs HOME/tw-NAME.do; without that it reads its input to the end.
name=${0##*/}
home=${0%/bin/*}
echo "$name $*" >> "$home/asked"
# shellcheck source=/dev/null
if [ -f "$home/$name.do" ]; then . "$home/$name.do"; else cat > /dev/null; fi

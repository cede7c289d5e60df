function __tw-browse_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __tw-browse_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __tw-browse_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __tw-browse_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __tw-browse_parse_tokens -S
    set -l unparsed_tokens (__tw-browse_tokens -pc)
    switch $unparsed_tokens[1]
    case 'tw-browse'
        __tw-browse_parse_subcommand -r 1 'every=' 'live' 'offline' 'thread=' 'query=' 'plain' 'pictures=' 'ascii' 'since=' 'until=' 'author=+' 'tag=+' 'search=' 'match=' 'lang=' 'has=+' 'links=' 'host=+' 'is=+' 'min-likes=' 'max-likes=' 'min-retweets=' 'label=+' 'without-label=+' 'service=' 'feed=' 'all' 'hide=' 'no-mute' 'account=' 'db=' 'q/quiet' 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'help'
            __tw-browse_parse_subcommand -r 1 'version'
        end
    end
end

function __tw-browse_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __tw-browse_parse_subcommand -S -a positional_count
    argparse -s r -- $argv
    set -l option_specs $argv[2..]
    set -l is_repeating_positional $_flag_r
    set -el _flag_r
    set -a commands $unparsed_tokens[1]
    set positional_index 0
    while true
        set -e unparsed_tokens[1]
        argparse -sn "$commands" $option_specs -- $unparsed_tokens 2> /dev/null
        set unparsed_tokens $argv
        set positional_index (math $positional_index + 1)
        for non_repeating_flag_or_option in $non_repeating_flags_or_options
            if set -ql "_flag_$(string replace -a - _ -- $non_repeating_flag_or_option)"
                set non_repeating_flags_or_options_absent 1
                break
            end
        end
        test (count $unparsed_tokens) -eq 0 -o \( -z "$is_repeating_positional" -a "$positional_index" -gt "$positional_count" \) && break
    end
end

function __tw-browse_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __tw-browse_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__tw-browse_tokens -p)
    if test -z "$(__tw-browse_tokens -t)"
        set -l index (count (__tw-browse_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'tw-browse' -f
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_positional "tw-browse" -ge 1' -fka '(__tw-browse_custom_completion ---completion -- positional@0 (count (__tw-browse_tokens -pc)) (__tw-browse_tokens -tC))'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" every' -l 'every' -d 'Refresh the sources after this time (default: 60s).' -rfka ''
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" live' -l 'live' -d 'Read the sources as live streams, and do not poll them.'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" offline' -l 'offline' -d 'Do not refresh: read only what is stored.'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" thread' -l 'thread' -d 'Show the thread of this tweet: an id, a URL or service:id.' -rfka ''
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" query' -l 'query' -d 'Tweets that a saved query finds.' -rfka '(__tw-browse_custom_completion ---completion -- --query (count (__tw-browse_tokens -pc)) (__tw-browse_tokens -tC))'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" plain' -l 'plain' -d 'Print one tweet at a time and ask what to do, for screen readers and any terminal.'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" pictures' -l 'pictures' -d 'How pictures are shown: auto (default: as the terminal can), kitty, iterm2, sixel, symbols or none.' -rfka 'auto kitty iterm2 sixel symbols none'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" ascii' -l 'ascii' -d 'Draw with ASCII characters only.'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" since' -l 'since' -d 'Tweets posted at this time or later: 2h, 7d, a date, or RFC 3339.' -rfka ''
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" until' -l 'until' -d 'Tweets posted before this time.' -rfka ''
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse"' -l 'author' -d 'Tweets by this user, or by any of several; a former user name works too.' -rfka '(__tw-browse_custom_completion ---completion -- --author (count (__tw-browse_tokens -pc)) (__tw-browse_tokens -tC))'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse"' -l 'tag' -d 'Tweets with this hashtag, or with all of several.' -rfka '(__tw-browse_custom_completion ---completion -- --tag (count (__tw-browse_tokens -pc)) (__tw-browse_tokens -tC))'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" search' -l 'search' -d 'Tweets with all these words, "words that stand together", #tag and @name, without -word, and with a or b: a OR b.' -rfka ''
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" match' -l 'match' -d 'Tweets that a query in the language of SQLite\'s FTS5 finds.' -rfka ''
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" lang' -l 'lang' -d 'Tweets in this language, by its code.' -rfka 'ar de en es fr hi id it ja ko nl pl pt ru sv tr uk zh'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse"' -l 'has' -d 'Tweets with photos or videos (media), with photos, with videos, or with links.' -rfka 'media photo video links'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" links' -l 'links' -d 'Tweets with a link to this kind of thing.' -rfka 'page image video audio music playlist document feed archive download other'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse"' -l 'host' -d 'Tweets with a link to this host or one below it, or to any of several.' -rfka ''
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse"' -l 'is' -d 'Replies, retweets, quotes, tweets that are none of these (original), or those that you liked or bookmarked.' -rfka 'reply retweet quote original liked bookmarked'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" min-likes' -l 'min-likes' -d 'Tweets with at least this many likes.' -rfka ''
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" max-likes' -l 'max-likes' -d 'Tweets with at most this many likes.' -rfka ''
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" min-retweets' -l 'min-retweets' -d 'Tweets with at least this many retweets.' -rfka ''
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse"' -l 'label' -l 'mark' -d 'Tweets with this label, or with all of several.' -rfka '(__tw-browse_custom_completion ---completion -- --label (count (__tw-browse_tokens -pc)) (__tw-browse_tokens -tC))'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse"' -l 'without-label' -d 'Tweets without this label.' -rfka '(__tw-browse_custom_completion ---completion -- --without-label (count (__tw-browse_tokens -pc)) (__tw-browse_tokens -tC))'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" service' -l 'service' -d 'Tweets of this service.' -rfka '(__tw-browse_custom_completion ---completion -- --service (count (__tw-browse_tokens -pc)) (__tw-browse_tokens -tC))'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" feed' -l 'feed' -d 'Tweets that this source brought, such as \'#swift\' or @jack.' -rfka '(__tw-browse_custom_completion ---completion -- --feed (count (__tw-browse_tokens -pc)) (__tw-browse_tokens -tC))'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" all' -l 'all' -d 'Also tweets that were edited later, are withheld everywhere, or were deleted and kept.'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" hide' -l 'hide' -d 'Do not show retweets, replies, or both.' -rfka '(__tw-browse_custom_completion ---completion -- --hide (count (__tw-browse_tokens -pc)) (__tw-browse_tokens -tC))'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" no-mute' -l 'no-mute' -d 'Also show what the setting \'mute\' hides.'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" account' -l 'account' -d 'The account that asks, and has its own sources (default: $TW_ACCOUNT).' -rfka '(__tw-browse_custom_completion ---completion -- --account (count (__tw-browse_tokens -pc)) (__tw-browse_tokens -tC))'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" version' -l 'version' -d 'Show the version.'
complete -c 'tw-browse' -n '__tw-browse_should_offer_completions_for_flags_or_options "tw-browse" h help' -s 'h' -l 'help' -d 'Show help information.'

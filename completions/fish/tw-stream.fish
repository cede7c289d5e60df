function __tw-stream_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __tw-stream_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __tw-stream_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __tw-stream_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __tw-stream_parse_tokens -S
    set -l unparsed_tokens (__tw-stream_tokens -pc)
    switch $unparsed_tokens[1]
    case 'tw-stream'
        __tw-stream_parse_subcommand -r 1 'once' 'every=' 'since-id=' 'until-id=' 'since=' 'until=' 'pages=' 'all' 'archive' 'budget=' 'pace=' 'keep=' 'n/limit=' 'for=' 'state=' 'resume=' 'keep-rules' 'buffer=' 'fill-gaps' 'no-fill-gaps' 'search-lag=' 'fallback=' 'api=' 'undelimited' 'replay=' 'speed=' 'metrics=' 'metrics-format=' 'check-plugin' 'no-records' 'ca-file=' 'account=' 'q/quiet' 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'help'
            __tw-stream_parse_subcommand -r 1 'version'
        end
    end
end

function __tw-stream_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __tw-stream_parse_subcommand -S -a positional_count
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

function __tw-stream_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __tw-stream_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__tw-stream_tokens -p)
    if test -z "$(__tw-stream_tokens -t)"
        set -l index (count (__tw-stream_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'tw-stream' -f
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_positional "tw-stream" -ge 1' -fka 'home mentions notifications bookmarks likes followers following list: conversation: search: ids: sample mastodon: bluesky:'
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" once' -l 'once' -d 'Poll each source once, then end; a hashtag is searched for.'
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" every' -l 'every' -d 'Poll sources that are not live again after this time (default: 60s).' -rfka ''
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" since-id' -l 'since-id' -d 'Only posts newer than this one.' -rfka ''
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" until-id' -l 'until-id' -d 'Only posts older than this one; needs --once.' -rfka ''
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" since' -l 'since' -d 'Only posts of this time or later: 2h, 7d, a date, or RFC 3339.' -rfka ''
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" until' -l 'until' -d 'Only posts from before this time; needs --once.' -rfka ''
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" pages' -l 'pages' -d 'Ask for at most this many pages per poll round.' -rfka ''
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" all' -l 'all' -d 'Follow the pages back to the oldest post that the service has.'
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" archive' -l 'archive' -d 'Search posts of all time, not only of the last seven days; few accounts may.'
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" budget' -l 'budget' -d 'Spend at most this much: 5000/day, \'$5/month\', unlimited (default for x: $5/day).' -rfka ''
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" pace' -l 'pace' -d 'Spread the budget over its period and the sources, with this many rounds left today; needs --once.' -rfka ''
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" keep' -l 'keep' -d 'With --pace: leave this much of a day\'s part to other runs.' -rfka ''
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" count limit n' -s 'n' -l 'limit' -l 'count' -d 'End after this many posts.' -rfka ''
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" for' -l 'for' -d 'End after this time.' -rfka ''
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" state' -l 'state' -d 'Keep in this file how far each source was delivered, and continue from there.' -rF
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" resume' -l 'resume' -d 'Continue as with --state, but let \'tw-cache add --state\' save what it has stored.' -rF
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" keep-rules' -l 'keep-rules' -d 'Do not remove the stream rules from the service at the end.'
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" buffer' -l 'buffer' -d 'Hold up to this many bytes in memory for a slow reader, such as 64M.' -rfka ''
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" fill-gaps' -l 'fill-gaps' -d 'Fetch the posts that were made while the connection was lost; servers of Mastodon are asked by default.'
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" no-fill-gaps' -l 'no-fill-gaps' -d 'Fetch the posts that were made while the connection was lost; servers of Mastodon are asked by default.'
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" search-lag' -l 'search-lag' -d 'Wait this long after a reconnect before searching (default: 30s, for local 0s).' -rfka ''
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" fallback' -l 'fallback' -d 'If the account has no live stream, poll by searching instead.' -rfka 'poll'
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" api' -l 'api' -d 'The version of the X API that the service speaks.' -rfka '2 1.1'
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" undelimited' -l 'undelimited' -d 'With --api 1.1, ask for messages without their lengths.'
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" replay' -l 'replay' -d 'Print the lines of a capture at the speed at which they came; \'-\' is standard input.' -rF
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" speed' -l 'speed' -d 'Replay this many times as fast, such as 10x; with \'max\' without pauses.' -rfka ''
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" metrics' -l 'metrics' -d 'Write each minute to this file how the run goes.' -rF
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" metrics-format' -l 'metrics-format' -d 'The format of the file of --metrics.' -rfka 'records prometheus'
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" check-plugin' -l 'check-plugin' -d 'Check that a source\'s plugin does what tw-source(7) says, and print each fault.'
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" no-records' -l 'no-records' -d 'Do not print \'notice\' and \'refresh\' records.'
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" ca-file cacert' -l 'ca-file' -l 'cacert' -d 'Trust the certificate authorities in this file, not the system\'s.' -rF
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" account' -l 'account' -d 'The account that asks, and has its own sources (default: $TW_ACCOUNT).' -rfka '(__tw-stream_custom_completion ---completion -- --account (count (__tw-stream_tokens -pc)) (__tw-stream_tokens -tC))'
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" version' -l 'version' -d 'Show the version.'
complete -c 'tw-stream' -n '__tw-stream_should_offer_completions_for_flags_or_options "tw-stream" h help' -s 'h' -l 'help' -d 'Show help information.'

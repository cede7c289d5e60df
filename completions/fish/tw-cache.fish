function __tw-cache_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __tw-cache_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __tw-cache_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __tw-cache_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __tw-cache_parse_tokens -S
    set -l unparsed_tokens (__tw-cache_tokens -pc)
    switch $unparsed_tokens[1]
    case 'tw-cache'
        __tw-cache_parse_subcommand 0 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'add'
            __tw-cache_parse_subcommand -r 1 'max-record=' 'rejects=' 'q/quiet' 'db=' 'new-only' 'version' 'h/help'
        case 'list'
            __tw-cache_parse_subcommand 0 'db=' 'limit=' 'since=' 'until=' 'author=' 'tag=' 'search=' 'service=' 'feed=' 'after=' 'before=' 'oldest-first' 'version' 'h/help'
        case 'stats'
            __tw-cache_parse_subcommand 0 'db=' 'version' 'h/help'
        case 'help'
            __tw-cache_parse_subcommand -r 1 'version'
        end
    end
end

function __tw-cache_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __tw-cache_parse_subcommand -S -a positional_count
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

function __tw-cache_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __tw-cache_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__tw-cache_tokens -p)
    if test -z "$(__tw-cache_tokens -t)"
        set -l index (count (__tw-cache_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'tw-cache' -f
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'add' -d 'Store records and pass them on: what was printed is on disk.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'list' -d 'Print stored tweets as records, newest first.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'stats' -d 'Tell what the store holds.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'help' -d 'Show subcommand help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache add" -ge 1' -F
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" max-record' -l 'max-record' -d 'Skip records longer than this.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" rejects' -l 'rejects' -d 'Write bad records to this file, unchanged.' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" q quiet' -l 'quiet' -s 'q' -d 'Say nothing but errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" db' -l 'db' -d 'The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" new-only' -l 'new-only' -d 'Pass on only what was not there before.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" db' -l 'db' -d 'The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" limit' -l 'limit' -d 'Print at most so many.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" since' -l 'since' -d 'Posted at this time or later: 2h, 7d, or RFC 3339.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" until' -l 'until' -d 'Posted before this time.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" author' -l 'author' -d 'By this user, under the present or a former name.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" tag' -l 'tag' -d 'With this hashtag.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" search' -l 'search' -d 'With all these words in the text; those in double quotes stand together.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" service' -l 'service' -d 'Of this service only.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" feed' -l 'feed' -d 'Brought by this source, as tw-stream takes it.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" after' -l 'after' -d 'Newer than this tweet: an id, a URL or service:id.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" before' -l 'before' -d 'Older than this tweet.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" oldest-first' -l 'oldest-first' -d 'Begin with the oldest.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache stats" db' -l 'db' -d 'The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache stats" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache stats" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache help" version' -l 'version' -d 'Show the version.'

function __tw-parse_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __tw-parse_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __tw-parse_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __tw-parse_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __tw-parse_parse_tokens -S
    set -l unparsed_tokens (__tw-parse_tokens -pc)
    switch $unparsed_tokens[1]
    case 'tw-parse'
        __tw-parse_parse_subcommand -r 1 'strict' 'only=' 'owner=' 'from=' 'users' 'summary' 'max-record=' 'rejects=' 'q/quiet' 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'help'
            __tw-parse_parse_subcommand -r 1 'version'
        end
    end
end

function __tw-parse_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __tw-parse_parse_subcommand -S -a positional_count
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

function __tw-parse_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __tw-parse_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__tw-parse_tokens -p)
    if test -z "$(__tw-parse_tokens -t)"
        set -l index (count (__tw-parse_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'tw-parse' -f
complete -c 'tw-parse' -n '__tw-parse_should_offer_completions_for_flags_or_options "tw-parse" strict' -l 'strict' -d 'Stop at the first bad record, with status 65.'
complete -c 'tw-parse' -n '__tw-parse_should_offer_completions_for_flags_or_options "tw-parse" only' -l 'only' -d 'Print only records of these types.' -rfka '(__tw-parse_custom_completion ---completion -- --only (count (__tw-parse_tokens -pc)) (__tw-parse_tokens -tC))'
complete -c 'tw-parse' -n '__tw-parse_should_offer_completions_for_flags_or_options "tw-parse" owner' -l 'owner' -d 'The author of tweets that have no user, as in X\'s archives.' -rfka ''
complete -c 'tw-parse' -n '__tw-parse_should_offer_completions_for_flags_or_options "tw-parse" from' -l 'from' -d 'Read every document as this shape, and do not recognise each.' -rfka 'records x-v2 x-v1 gnip x-archive mastodon bluesky'
complete -c 'tw-parse' -n '__tw-parse_should_offer_completions_for_flags_or_options "tw-parse" users' -l 'users' -d 'Also print each profile once, as a \'user\' record before the first record that has it.'
complete -c 'tw-parse' -n '__tw-parse_should_offer_completions_for_flags_or_options "tw-parse" summary' -l 'summary' -d 'At the end, report how many documents were read and how many records were printed.'
complete -c 'tw-parse' -n '__tw-parse_should_offer_completions_for_positional "tw-parse" -ge 1' -F
complete -c 'tw-parse' -n '__tw-parse_should_offer_completions_for_flags_or_options "tw-parse" max-record' -l 'max-record' -d 'Skip records longer than this (default: 16M).' -rfka ''
complete -c 'tw-parse' -n '__tw-parse_should_offer_completions_for_flags_or_options "tw-parse" rejects' -l 'rejects' -d 'Write bad records to this file, unchanged.' -rF
complete -c 'tw-parse' -n '__tw-parse_should_offer_completions_for_flags_or_options "tw-parse" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-parse' -n '__tw-parse_should_offer_completions_for_flags_or_options "tw-parse" version' -l 'version' -d 'Show the version.'
complete -c 'tw-parse' -n '__tw-parse_should_offer_completions_for_flags_or_options "tw-parse" h help' -s 'h' -l 'help' -d 'Show help information.'

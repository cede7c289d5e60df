function __tw-local_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __tw-local_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __tw-local_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __tw-local_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __tw-local_parse_tokens -S
    set -l unparsed_tokens (__tw-local_tokens -pc)
    switch $unparsed_tokens[1]
    case 'tw-local'
        __tw-local_parse_subcommand -r 1 'port=' 'demo' 'rate=' 'keep-alive=' 'rate-window=' 'rate-limit=' 'rule-delay=' 'latency=' 'fault=+' 'token-life=' 'db=' 'q/quiet' 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'help'
            __tw-local_parse_subcommand -r 1 'version'
        end
    end
end

function __tw-local_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __tw-local_parse_subcommand -S -a positional_count
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

function __tw-local_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __tw-local_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__tw-local_tokens -p)
    if test -z "$(__tw-local_tokens -t)"
        set -l index (count (__tw-local_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'tw-local' -f
complete -c 'tw-local' -n '__tw-local_should_offer_completions_for_flags_or_options "tw-local" port' -l 'port' -d 'Listen on this port of 127.0.0.1; 0 means any free port.' -rfka ''
complete -c 'tw-local' -n '__tw-local_should_offer_completions_for_flags_or_options "tw-local" demo' -l 'demo' -d 'Fill an empty service with a conversation, and continue it.'
complete -c 'tw-local' -n '__tw-local_should_offer_completions_for_flags_or_options "tw-local" rate' -l 'rate' -d 'How fast the demo continues: 20, 20/s, 30/m, 100/h; 0 for no new posts.' -rfka ''
complete -c 'tw-local' -n '__tw-local_should_offer_completions_for_flags_or_options "tw-local" keep-alive' -l 'keep-alive' -d 'How often a keep-alive is sent on a stream (default: 20s, and 30s for v1.1).' -rfka ''
complete -c 'tw-local' -n '__tw-local_should_offer_completions_for_flags_or_options "tw-local" rate-window' -l 'rate-window' -d 'The length of a rate-limit window (default: 15m).' -rfka ''
complete -c 'tw-local' -n '__tw-local_should_offer_completions_for_flags_or_options "tw-local" rate-limit' -l 'rate-limit' -d 'Allow this many requests of each kind per window, instead of X\'s own numbers.' -rfka ''
complete -c 'tw-local' -n '__tw-local_should_offer_completions_for_flags_or_options "tw-local" rule-delay' -l 'rule-delay' -d 'Wait this long before a new stream rule takes effect (default: 0s).' -rfka ''
complete -c 'tw-local' -n '__tw-local_should_offer_completions_for_flags_or_options "tw-local" latency' -l 'latency' -d 'Hold each answer back for this long (default: 0s).' -rfka ''
complete -c 'tw-local' -n '__tw-local_should_offer_completions_for_flags_or_options "tw-local"' -l 'fault' -d 'Let requests fail: \'POST /2/tweets=503:2\' the first two of these. Instead of a status: close, lost, cut, garbled, silent.' -rfka ''
complete -c 'tw-local' -n '__tw-local_should_offer_completions_for_flags_or_options "tw-local" token-life' -l 'token-life' -d 'How long an access token of OAuth 2.0 lives before it must be refreshed (default: 2h).' -rfka ''
complete -c 'tw-local' -n '__tw-local_should_offer_completions_for_flags_or_options "tw-local" db' -l 'db' -d 'Keep the data of the service in this file; without it they are removed at the end.' -rfka ''
complete -c 'tw-local' -n '__tw-local_should_offer_completions_for_flags_or_options "tw-local" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-local' -n '__tw-local_should_offer_completions_for_flags_or_options "tw-local" version' -l 'version' -d 'Show the version.'
complete -c 'tw-local' -n '__tw-local_should_offer_completions_for_flags_or_options "tw-local" h help' -s 'h' -l 'help' -d 'Show help information.'

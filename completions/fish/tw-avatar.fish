function __tw-avatar_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __tw-avatar_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __tw-avatar_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __tw-avatar_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __tw-avatar_parse_tokens -S
    set -l unparsed_tokens (__tw-avatar_tokens -pc)
    switch $unparsed_tokens[1]
    case 'tw-avatar'
        __tw-avatar_parse_subcommand -r 1 'max-age=' 'max-bytes=' 'size=' 'get=' 'export=' 'media' 'archive=' 'inline' 'no-cache' 'jobs-per-host=' 'jobs=' 'host-interval=' 'retries=' 'host-stats' 'timeout=' 'patience=' 'db=' 'allow-private' 'proxy=' 'ca-file=' 'max-record=' 'rejects=' 'q/quiet' 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'help'
            __tw-avatar_parse_subcommand -r 1 'version'
        end
    end
end

function __tw-avatar_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __tw-avatar_parse_subcommand -S -a positional_count
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

function __tw-avatar_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __tw-avatar_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__tw-avatar_tokens -p)
    if test -z "$(__tw-avatar_tokens -t)"
        set -l index (count (__tw-avatar_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'tw-avatar' -f
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" max-age' -l 'max-age' -d 'Ask the server after this time whether a picture has changed (default: 7d); after a failure, an hour at most.' -rfka ''
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" max-bytes' -l 'max-bytes' -d 'Do not fetch larger pictures (default: 2M, at most 500M).' -rfka ''
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" size' -l 'size' -d 'Fetch this size, if there are several.' -rfka 'mini normal bigger 400x400 original'
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" get' -l 'get' -d 'Write the picture of this user of the store to standard output, such as \'@jack\', and no records.' -rfka ''
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" export' -l 'export' -d 'Also write the pictures as files into this directory.' -rfa '(__tw-avatar_complete_directories)'
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" media' -l 'media' -d 'Also fetch photos, and the preview pictures of videos.'
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" archive' -l 'archive' -d 'Take pictures that an unpacked archive of X has, in this directory, without a request.' -rfa '(__tw-avatar_complete_directories)'
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" inline' -l 'inline' -d 'Also put a small PNG of each picture into the record, as a data URI.'
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" no-cache' -l 'no-cache' -d 'Neither use nor keep what is stored.'
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" jobs-per-host' -l 'jobs-per-host' -d 'Make at most this many requests to one host at the same time (default: 8).' -rfka ''
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" jobs' -l 'jobs' -d 'Make at most this many requests at the same time (default: 32).' -rfka ''
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" host-interval' -l 'host-interval' -d 'Wait this long between the starts of two requests to one host (default: none).' -rfka ''
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" retries' -l 'retries' -d 'Try again this many times after a failure that may pass, or a refusal (default: 2).' -rfka ''
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" host-stats' -l 'host-stats' -d 'At the end, print a table of the hosts on standard error: requests, refusals, times.'
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" timeout' -l 'timeout' -d 'The longest time for one look-up, redirects included (default: 10s).' -rfka ''
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" patience' -l 'patience' -d 'How long a record waits for its look-ups; after that it is printed as it is, and again when they are complete (default: 500ms while more input may come, else no limit).' -rfka ''
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" db' -l 'db' -d 'The store of tweets; pictures and links are in media.db beside it.' -rF
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" allow-private' -l 'allow-private' -d 'Also send requests to addresses that are not on the public internet.'
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" proxy' -l 'proxy' -d 'Use this proxy; proxies of the environment are not used.' -rfka ''
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" ca-file cacert' -l 'ca-file' -l 'cacert' -d 'Trust the certificate authorities in this file (PEM), not the system\'s.' -rF
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_positional "tw-avatar" -ge 1' -F
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" max-record' -l 'max-record' -d 'Skip records longer than this (default: 16M).' -rfka ''
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" rejects' -l 'rejects' -d 'Write bad records to this file, unchanged.' -rF
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" version' -l 'version' -d 'Show the version.'
complete -c 'tw-avatar' -n '__tw-avatar_should_offer_completions_for_flags_or_options "tw-avatar" h help' -s 'h' -l 'help' -d 'Show help information.'

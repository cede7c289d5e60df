function __tw-linkcheck_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __tw-linkcheck_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __tw-linkcheck_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __tw-linkcheck_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __tw-linkcheck_parse_tokens -S
    set -l unparsed_tokens (__tw-linkcheck_tokens -pc)
    switch $unparsed_tokens[1]
    case 'tw-linkcheck'
        __tw-linkcheck_parse_subcommand -r 1 'jobs-per-host=' 'max-age=' 'no-cache' 'titles' 'chain' 'include=+' 'exclude=+' 'verdict=' 'only-kind=' 'changed' 'unordered' 'summary' 'fail-on=' 'accept=' 'header=+' 'user-agent=' 'get' 'max-redirects=' 'offline' 'recheck=' 'wayback' 'wayback-save' 'save=' 'save-hosts=' 'save-page-size=' 'save-file-size=' 'save-total-size=' 'jobs=' 'host-interval=' 'retries=' 'host-stats' 'timeout=' 'patience=' 'db=' 'allow-private' 'proxy=' 'ca-file=' 'max-record=' 'rejects=' 'q/quiet' 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'help'
            __tw-linkcheck_parse_subcommand -r 1 'version'
        end
    end
end

function __tw-linkcheck_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __tw-linkcheck_parse_subcommand -S -a positional_count
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

function __tw-linkcheck_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __tw-linkcheck_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__tw-linkcheck_tokens -p)
    if test -z "$(__tw-linkcheck_tokens -t)"
        set -l index (count (__tw-linkcheck_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'tw-linkcheck' -f
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" jobs-per-host' -l 'jobs-per-host' -d 'Make at most this many requests to one host at the same time (default: 8).' -rfka ''
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" max-age' -l 'max-age' -d 'Use a stored verdict again for this time (default: 1d); a failure that may pass, for an hour at most.' -rfka ''
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" no-cache' -l 'no-cache' -d 'Do not use or store verdicts.'
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" titles' -l 'titles' -d 'Read pages to get their titles.'
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" chain' -l 'chain' -d 'Also write the redirects of each link, as \'chain\'.'
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck"' -l 'include' -d 'Check only links that match one of these regular expressions.' -rfka ''
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck"' -l 'exclude' -d 'Check no links that match one of these regular expressions.' -rfka ''
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" verdict' -l 'verdict' -d 'Print only records that have a link with one of these verdicts.' -rfka '(__tw-linkcheck_custom_completion ---completion -- --verdict (count (__tw-linkcheck_tokens -pc)) (__tw-linkcheck_tokens -tC))'
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" only-kind' -l 'only-kind' -d 'Print only records that have a link of one of these kinds.' -rfka '(__tw-linkcheck_custom_completion ---completion -- --only-kind (count (__tw-linkcheck_tokens -pc)) (__tw-linkcheck_tokens -tC))'
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" changed' -l 'changed' -d 'Print only records that have a link with another verdict than at the check before.'
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" unordered' -l 'unordered' -d 'Print each record when its look-ups are complete, without regard to the order.'
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" summary' -l 'summary' -d 'At the end, print a table of the links by verdict and kind on standard error.'
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" fail-on' -l 'fail-on' -d 'End with status 1 if a link has one of these verdicts: ok, moved, dead, blocked, limited, error, unknown.' -rfka '(__tw-linkcheck_custom_completion ---completion -- --fail-on (count (__tw-linkcheck_tokens -pc)) (__tw-linkcheck_tokens -tC))'
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" accept' -l 'accept' -d 'Count these HTTP statuses as ok, such as 403,999.' -rfka ''
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck"' -l 'header' -d 'Send this header with each request, such as \'Accept-Language: de\'.' -rfka ''
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" user-agent' -l 'user-agent' -d 'Send this as the name of the program.' -rfka ''
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" get' -l 'get' -d 'Ask by GET from the beginning, for sites whose answers to HEAD are wrong.'
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" max-redirects' -l 'max-redirects' -d 'Follow at most this many redirects (default: 20).' -rfka ''
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" offline' -l 'offline' -d 'Make no requests: use stored verdicts, however old.'
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" recheck' -l 'recheck' -d 'Check links with these stored verdicts anew, \'all\' for every link, and take the others from the store.' -rfka '(__tw-linkcheck_custom_completion ---completion -- --recheck (count (__tw-linkcheck_tokens -pc)) (__tw-linkcheck_tokens -tC))'
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" wayback' -l 'wayback' -d 'Ask the Internet Archive for a copy of each dead link.'
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" wayback-save' -l 'wayback-save' -d 'Have the Internet Archive make a copy of each page that works and that it has no copy of.'
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" save' -l 'save' -d 'Save what working links lead to as WARC files in this directory, and write the text of pages into the records; includes --titles and --get.' -rfa '(__tw-linkcheck_complete_directories)'
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" save-hosts' -l 'save-hosts' -d 'Save only what is at these hosts and their subdomains.' -rfka ''
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" save-page-size' -l 'save-page-size' -d 'Save at most this much of a page (default: 4M).' -rfka ''
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" save-file-size' -l 'save-file-size' -d 'Begin another WARC file after this much (default: 1G).' -rfka ''
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" save-total-size' -l 'save-total-size' -d 'Save no more when all WARC files of the directory have this size (default: 10G).' -rfka ''
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" jobs' -l 'jobs' -d 'Make at most this many requests at the same time (default: 32).' -rfka ''
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" host-interval' -l 'host-interval' -d 'Wait this long between the starts of two requests to one host (default: none).' -rfka ''
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" retries' -l 'retries' -d 'Try again this many times after a failure that may pass, or a refusal (default: 2).' -rfka ''
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" host-stats' -l 'host-stats' -d 'At the end, print a table of the hosts on standard error: requests, refusals, times.'
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" timeout' -l 'timeout' -d 'The longest time for one look-up, redirects included (default: 10s).' -rfka ''
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" patience' -l 'patience' -d 'How long a record waits for its look-ups; after that it is printed as it is, and again when they are complete (default: 500ms while more input may come, else no limit).' -rfka ''
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" db' -l 'db' -d 'The store of tweets; pictures and links are in media.db beside it.' -rF
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" allow-private' -l 'allow-private' -d 'Also send requests to addresses that are not on the public internet.'
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" proxy' -l 'proxy' -d 'Use this proxy; proxies of the environment are not used.' -rfka ''
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" ca-file cacert' -l 'ca-file' -l 'cacert' -d 'Trust the certificate authorities in this file (PEM), not the system\'s.' -rF
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_positional "tw-linkcheck" -ge 1' -F
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" max-record' -l 'max-record' -d 'Skip records longer than this (default: 16M).' -rfka ''
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" rejects' -l 'rejects' -d 'Write bad records to this file, unchanged.' -rF
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" version' -l 'version' -d 'Show the version.'
complete -c 'tw-linkcheck' -n '__tw-linkcheck_should_offer_completions_for_flags_or_options "tw-linkcheck" h help' -s 'h' -l 'help' -d 'Show help information.'

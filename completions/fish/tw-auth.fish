function __tw-auth_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __tw-auth_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __tw-auth_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __tw-auth_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __tw-auth_parse_tokens -S
    set -l unparsed_tokens (__tw-auth_tokens -pc)
    switch $unparsed_tokens[1]
    case 'tw-auth'
        __tw-auth_parse_subcommand 0 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'login'
            __tw-auth_parse_subcommand 1 'service=' 'endpoint=' 'method=' 'client-id=' 'redirect-uri=' 'scopes=' 'owns-app' 'no-browser' 'user=' 'create=' 'client-secret-file=' 'client-secret-command=' 'password-file=' 'password-command=' 'token-file=' 'token-command=' 'account=' 'ca-file=' 'q/quiet' 'version' 'h/help'
        case 'status'
            __tw-auth_parse_subcommand 0 'account=' 'q/quiet' 'version' 'h/help'
        case 'reach'
            __tw-auth_parse_subcommand -r 1 'timeout=' 'q/quiet' 'version' 'h/help'
        case 'list'
            __tw-auth_parse_subcommand 0 'q/quiet' 'version' 'h/help'
        case 'lists'
            __tw-auth_parse_subcommand 0 'account=' 'q/quiet' 'version' 'h/help'
        case 'follows'
            __tw-auth_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'export'
                __tw-auth_parse_subcommand 0 'account=' 'q/quiet' 'version' 'h/help'
            case 'import'
                __tw-auth_parse_subcommand 1 'wait' 'dry-run' 'yes' 'account=' 'q/quiet' 'version' 'h/help'
            end
        case 'use'
            __tw-auth_parse_subcommand 1 'q/quiet' 'version' 'h/help'
        case 'logout'
            __tw-auth_parse_subcommand 1 'account=' 'q/quiet' 'version' 'h/help'
        case 'token'
            __tw-auth_parse_subcommand 0 'account=' 'q/quiet' 'version' 'h/help'
        case 'import'
            __tw-auth_parse_subcommand 2 'q/quiet' 'version' 'h/help'
        case 'help'
            __tw-auth_parse_subcommand -r 1 'version'
        end
    end
end

function __tw-auth_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __tw-auth_parse_subcommand -S -a positional_count
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

function __tw-auth_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __tw-auth_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__tw-auth_tokens -p)
    if test -z "$(__tw-auth_tokens -t)"
        set -l index (count (__tw-auth_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'tw-auth' -f
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth" version' -l 'version' -d 'Show the version.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_positional "tw-auth" -eq 1' -fa 'login' -d 'Sign in to a service.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_positional "tw-auth" -eq 1' -fa 'status' -d 'Show the account in use, ask the service about it, and show what the budget has left.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_positional "tw-auth" -eq 1' -fa 'reach' -d 'Ask whether services answer, without an account and at no cost.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_positional "tw-auth" -eq 1' -fa 'list' -d 'List the accounts.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_positional "tw-auth" -eq 1' -fa 'lists' -d 'Show the lists of an account, which \'list:NAME\' reads.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_positional "tw-auth" -eq 1' -fa 'follows' -d 'Write whom an account follows as CSV, or follow the accounts of such a file.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_positional "tw-auth" -eq 1' -fa 'use' -d 'Make an account the one in use of its service.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_positional "tw-auth" -eq 1' -fa 'logout' -d 'Revoke an account\'s tokens at the service, and forget the account.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_positional "tw-auth" -eq 1' -fa 'token' -d 'Print a token that works now, for other programs.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_positional "tw-auth" -eq 1' -fa 'import' -d 'Take over the accounts of another tool: twurl, xurl or twarc.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_positional "tw-auth" -eq 1' -fa 'help' -d 'Show subcommand help information.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" service' -l 'service' -d 'The service: x, local, mastodon:HOST or bluesky (default: $TW_SERVICE, or x).' -rfka 'x local bluesky'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" endpoint' -l 'endpoint' -d 'The address of the service, if it is not the usual one.' -rfka ''
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" method' -l 'method' -d 'How to sign in (default: what the other options allow; at Bluesky a password, since oauth2 ends after two weeks).' -rfka 'oauth2 oauth1 xauth app token password'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" client-id' -l 'client-id' -d 'The client id of your application, or its API key.' -rfka ''
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" redirect-uri' -l 'redirect-uri' -d 'Where the browser comes back to, as your application has registered it (default: http://127.0.0.1:8080/callback).' -rfka ''
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" scopes' -l 'scopes' -d 'What to ask for, separated by spaces or commas (default: all that the tools can use).' -rfka ''
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" owns-app' -l 'owns-app' -d 'The account owns the application: at X it pays less for reading its own posts and mentions.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" no-browser' -l 'no-browser' -d 'Only print the address of the page, and read the answer from standard input.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" user' -l 'user' -d 'Sign in with this name and its password.' -rfka ''
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" create' -l 'create' -d 'Make an account of this name at a tw-local, and sign in with it.' -rfka ''
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" client-secret-file' -l 'client-secret-file' -d 'Read the secret of the client id or the API key from this file.' -rF
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" client-secret-command' -l 'client-secret-command' -d 'Have this command print that secret, now and each time.' -rfka ''
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" password-file' -l 'password-file' -d 'Read the password from this file.' -rF
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" password-command' -l 'password-command' -d 'Have this command print the password.' -rfka ''
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" token-file' -l 'token-file' -d 'Read a token that you have from this file; \'-\' is standard input.' -rF
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" token-command' -l 'token-command' -d 'Have this command print the token, now and each time.' -rfka ''
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" account' -l 'account' -d 'Keep the account under this name (default: the one at the service).' -rfka ''
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" ca-file cacert' -l 'ca-file' -l 'cacert' -d 'Trust the certificate authorities in this file, not the system\'s.' -rF
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" version' -l 'version' -d 'Show the version.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth login" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth status" account' -l 'account' -d 'The account that asks, and has its own sources (default: $TW_ACCOUNT).' -rfka '(__tw-auth_custom_completion ---completion status -- --account (count (__tw-auth_tokens -pc)) (__tw-auth_tokens -tC))'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth status" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth status" version' -l 'version' -d 'Show the version.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth status" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth reach" timeout' -l 'timeout' -d 'Wait at most this long for an answer (default: 5s).' -rfka ''
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth reach" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth reach" version' -l 'version' -d 'Show the version.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth reach" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth list" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth list" version' -l 'version' -d 'Show the version.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth lists" account' -l 'account' -d 'The account that asks, and has its own sources (default: $TW_ACCOUNT).' -rfka '(__tw-auth_custom_completion ---completion lists -- --account (count (__tw-auth_tokens -pc)) (__tw-auth_tokens -tC))'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth lists" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth lists" version' -l 'version' -d 'Show the version.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth lists" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth follows" version' -l 'version' -d 'Show the version.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth follows" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_positional "tw-auth follows" -eq 1' -fa 'export' -d 'Print the accounts that an account follows, as CSV with a header.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_positional "tw-auth follows" -eq 1' -fa 'import' -d 'Follow the accounts of a CSV file that are not followed yet.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth follows export" account' -l 'account' -d 'The account that asks, and has its own sources (default: $TW_ACCOUNT).' -rfka '(__tw-auth_custom_completion ---completion follows export -- --account (count (__tw-auth_tokens -pc)) (__tw-auth_tokens -tC))'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth follows export" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth follows export" version' -l 'version' -d 'Show the version.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth follows export" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_positional "tw-auth follows import" -eq 1' -F
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth follows import" wait' -l 'wait' -d 'Wait for rate limits and for a service that does not answer, however long it takes.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth follows import" dry-run' -l 'dry-run' -d 'Follow nobody: print who would be followed, one per line.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth follows import" yes' -l 'yes' -d 'Do not ask first. Where no terminal is there to ask on, this is needed.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth follows import" account' -l 'account' -d 'The account that asks, and has its own sources (default: $TW_ACCOUNT).' -rfka '(__tw-auth_custom_completion ---completion follows import -- --account (count (__tw-auth_tokens -pc)) (__tw-auth_tokens -tC))'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth follows import" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth follows import" version' -l 'version' -d 'Show the version.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth follows import" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth use" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth use" version' -l 'version' -d 'Show the version.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth use" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth logout" account' -l 'account' -d 'The account that asks, and has its own sources (default: $TW_ACCOUNT).' -rfka '(__tw-auth_custom_completion ---completion logout -- --account (count (__tw-auth_tokens -pc)) (__tw-auth_tokens -tC))'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth logout" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth logout" version' -l 'version' -d 'Show the version.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth logout" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth token" account' -l 'account' -d 'The account that asks, and has its own sources (default: $TW_ACCOUNT).' -rfka '(__tw-auth_custom_completion ---completion token -- --account (count (__tw-auth_tokens -pc)) (__tw-auth_tokens -tC))'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth token" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth token" version' -l 'version' -d 'Show the version.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth token" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_positional "tw-auth import" -eq 1' -fka 'twurl xurl twarc'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_positional "tw-auth import" -eq 2' -F
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth import" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth import" version' -l 'version' -d 'Show the version.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth import" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-auth' -n '__tw-auth_should_offer_completions_for_flags_or_options "tw-auth help" version' -l 'version' -d 'Show the version.'

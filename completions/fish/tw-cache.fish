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
            __tw-cache_parse_subcommand -r 1 'max-record=' 'rejects=' 'q/quiet' 'db=' 'new-only' 'keep-deleted' 'no-sync' 'version' 'h/help'
        case 'list'
            __tw-cache_parse_subcommand 0 'db=' 'since=' 'until=' 'author=' 'tag=' 'search=' 'match=' 'lang=' 'has=+' 'links=' 'service=' 'feed=' 'all' 'limit=' 'after=' 'before=' 'oldest-first' 'follow' 'version' 'h/help'
        case 'refresh'
            __tw-cache_parse_subcommand -r 1 'db=' 'print' 'every=' 'backlog=' 'older' 'budget=' 'complain-after=' 'fetch-avatars' 'no-fetch-avatars' 'summary' 'verbose' 'version' 'h/help'
        case 'source'
            __tw-cache_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'add'
                __tw-cache_parse_subcommand 1 'db=' 'every=' 'version' 'h/help'
            case 'list'
                __tw-cache_parse_subcommand 0 'db=' 'version' 'h/help'
            case 'remove'
                __tw-cache_parse_subcommand 1 'db=' 'version' 'h/help'
            case 'pause'
                __tw-cache_parse_subcommand 1 'db=' 'version' 'h/help'
            case 'resume'
                __tw-cache_parse_subcommand 1 'db=' 'version' 'h/help'
            end
        case 'log'
            __tw-cache_parse_subcommand 1 'db=' 'limit=' 'version' 'h/help'
        case 'show'
            __tw-cache_parse_subcommand 1 'db=' 'service=' 'versions' 'version' 'h/help'
        case 'users'
            __tw-cache_parse_subcommand 1 'db=' 'service=' 'names' 'version' 'h/help'
        case 'top'
            __tw-cache_parse_subcommand 1 'db=' 'since=' 'until=' 'limit=' 'version' 'h/help'
        case 'stats'
            __tw-cache_parse_subcommand 0 'db=' 'version' 'h/help'
        case 'prune'
            __tw-cache_parse_subcommand 0 'db=' 'older-than=' 'max-size=' 'q/quiet' 'version' 'h/help'
        case 'export'
            __tw-cache_parse_subcommand 0 'db=' 'version' 'h/help'
        case 'import'
            __tw-cache_parse_subcommand -r 1 'max-record=' 'rejects=' 'q/quiet' 'db=' 'version' 'h/help'
        case 'check'
            __tw-cache_parse_subcommand 0 'db=' 'repair' 'q/quiet' 'version' 'h/help'
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
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'refresh' -d 'Fetch what is new from sources into the store.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'source' -d 'Say which sources are refreshed, and how often.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'log' -d 'List past refreshes, newest first.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'show' -d 'Print a tweet with its thread: what it answers and what answers it, as far as stored.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'users' -d 'Print stored profiles as records, ordered by service and id.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'top' -d 'Tell which hashtags, links or authors most tweets have.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'stats' -d 'Tell what the store holds.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'prune' -d 'Take out what is old, and give its room back.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'export' -d 'Print all that the store holds, as of one moment; import reads it.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'import' -d 'Store what export has printed.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'check' -d 'Look whether the store is whole.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'help' -d 'Show subcommand help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache add" -ge 1' -F
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" max-record' -l 'max-record' -d 'Skip records longer than this.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" rejects' -l 'rejects' -d 'Write bad records to this file, unchanged.' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" q quiet' -l 'quiet' -s 'q' -d 'Say nothing but errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" db' -l 'db' -d 'The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" new-only' -l 'new-only' -d 'Pass on only what was not there before.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" keep-deleted' -l 'keep-deleted' -d 'Keep tweets that were deleted, marked and out of lists.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" no-sync' -l 'no-sync' -d 'Do not wait for the disk: faster, but what was printed may be lost when the machine crashes.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" db' -l 'db' -d 'The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" since' -l 'since' -d 'Posted at this time or later: 2h, 7d, or RFC 3339.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" until' -l 'until' -d 'Posted before this time.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" author' -l 'author' -d 'By this user, under the present or a former name.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" tag' -l 'tag' -d 'With this hashtag.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" search' -l 'search' -d 'With all these words in the text; those in double quotes stand together; #tag and @name.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" match' -l 'match' -d 'That this query in FTS5\'s own language finds.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" lang' -l 'lang' -d 'In this language, by its code.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list"' -l 'has' -d 'With media, or with links.' -rfka 'media links'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" links' -l 'links' -d 'With a link to this kind of thing, as tw-linkcheck found: music, video, ...' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" service' -l 'service' -d 'Of this service only.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" feed' -l 'feed' -d 'Brought by this source, as tw-stream takes it.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" all' -l 'all' -d 'Those too that were edited since, are withheld everywhere, or were deleted and kept.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" limit' -l 'limit' -d 'Print at most so many.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" after' -l 'after' -d 'Newer than this tweet: an id, a URL or service:id.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" before' -l 'before' -d 'Older than this tweet.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" oldest-first' -l 'oldest-first' -d 'Begin with the oldest.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" follow' -l 'follow' -d 'Begin with the oldest of those that --limit leaves, and go on with what any program stores.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" db' -l 'db' -d 'The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" print' -l 'print' -d 'Print the new tweets.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" every' -l 'every' -d 'Keep on, a round every so often, and print the new tweets.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" backlog' -l 'backlog' -d 'Print so many stored tweets first (default: 20 with --every, else none).' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" older' -l 'older' -d 'Fetch the page before the oldest tweet stored, not what is new.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" budget' -l 'budget' -d 'Read at most so many posts a day: 5000/day, unlimited.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" complain-after' -l 'complain-after' -d 'Say nothing of failures that will pass until they have lasted so long.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" fetch-avatars' -l 'fetch-avatars' -d 'Fetch the profile pictures of the authors of new tweets (default).'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" no-fetch-avatars' -l 'no-fetch-avatars' -d 'Fetch the profile pictures of the authors of new tweets (default).'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" summary' -l 'summary' -d 'Tell how each round went, on standard error.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" verbose' -l 'verbose' -d 'Show what tw-stream and tw-parse say, and how each round went.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache source" -eq 1' -fa 'add' -d 'Register a source, or change how often it is refreshed.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache source" -eq 1' -fa 'list' -d 'List the sources.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache source" -eq 1' -fa 'remove' -d 'Forget a source and its runs; its tweets stay.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache source" -eq 1' -fa 'pause' -d 'Do not refresh a source until it is resumed.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache source" -eq 1' -fa 'resume' -d 'Go on with a source that was paused.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source add" db' -l 'db' -d 'The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source add" every' -l 'every' -d 'How often (default: 15m).' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source add" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source add" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source list" db' -l 'db' -d 'The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source list" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source remove" db' -l 'db' -d 'The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source remove" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source remove" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source pause" db' -l 'db' -d 'The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source pause" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source pause" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source resume" db' -l 'db' -d 'The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source resume" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source resume" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache log" db' -l 'db' -d 'The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache log" limit' -l 'limit' -d 'List at most so many (default: 50).' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache log" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache log" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache show" db' -l 'db' -d 'The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache show" service' -l 'service' -d 'Of this service only.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache show" versions' -l 'versions' -d 'Print all stored versions of the tweet, the first one first, in place of its thread.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache show" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache users" db' -l 'db' -d 'The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache users" service' -l 'service' -d 'Of this service only.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache users" names' -l 'names' -d 'Print the names they were seen under: service, id, user name, name, since when, with tabs between.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache users" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache users" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache top" db' -l 'db' -d 'The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache top" -eq 1' -fka 'hashtags links authors'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache top" since' -l 'since' -d 'In tweets posted at this time or later: 7d, or RFC 3339.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache top" until' -l 'until' -d 'In tweets posted before this time.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache top" limit' -l 'limit' -d 'Print at most so many.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache top" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache top" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache stats" db' -l 'db' -d 'The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache stats" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache stats" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache prune" db' -l 'db' -d 'The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache prune" older-than' -l 'older-than' -d 'Take out tweets posted, and pictures and links last looked at, so long ago.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache prune" max-size' -l 'max-size' -d 'Take out the oldest until both stores together are no larger.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache prune" q quiet' -l 'quiet' -s 'q' -d 'Say nothing but errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache prune" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache prune" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache export" db' -l 'db' -d 'The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache export" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache export" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache import" -ge 1' -F
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache import" max-record' -l 'max-record' -d 'Skip records longer than this.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache import" rejects' -l 'rejects' -d 'Write bad records to this file, unchanged.' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache import" q quiet' -l 'quiet' -s 'q' -d 'Say nothing but errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache import" db' -l 'db' -d 'The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache import" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache import" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache check" db' -l 'db' -d 'The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache check" repair' -l 'repair' -d 'Save what can be read into a new store, and put it in the place of the old one, which is kept.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache check" q quiet' -l 'quiet' -s 'q' -d 'Say nothing but errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache check" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache check" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache help" version' -l 'version' -d 'Show the version.'

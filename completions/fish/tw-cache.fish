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
            __tw-cache_parse_subcommand -r 1 'new-only' 'keep-deleted' 'no-sync' 'state=' 'db=' 'max-record=' 'rejects=' 'q/quiet' 'version' 'h/help'
        case 'list'
            __tw-cache_parse_subcommand -r 1 'query=' 'n/limit=' 'after=' 'before=' 'since-last=' 'oldest-first' 'follow' 'sort=' 'count' 'all-copies' 'account=' 'hide=' 'no-mute' 'since=' 'until=' 'author=+' 'tag=+' 'search=' 'match=' 'lang=' 'has=+' 'links=' 'host=+' 'is=+' 'min-likes=' 'max-likes=' 'min-retweets=' 'label=+' 'without-label=+' 'service=' 'feed=' 'all' 'db=' 'q/quiet' 'version' 'h/help'
        case 'refresh'
            __tw-cache_parse_subcommand -r 1 'print' 'every=' 'backlog=' 'older' 'budget=' 'complain-after=' 'fetch-avatars' 'no-fetch-avatars' 'summary' 'verbose' 'hide=' 'no-mute' 'account=' 'db=' 'q/quiet' 'version' 'h/help'
        case 'source'
            __tw-cache_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'add'
                __tw-cache_parse_subcommand 1 'service=' 'account=' 'every=' 'db=' 'q/quiet' 'version' 'h/help'
            case 'list'
                __tw-cache_parse_subcommand 0 'service=' 'db=' 'q/quiet' 'version' 'h/help'
            case 'remove'
                __tw-cache_parse_subcommand 1 'service=' 'account=' 'dry-run' 'yes' 'db=' 'q/quiet' 'version' 'h/help'
            case 'pause'
                __tw-cache_parse_subcommand 1 'service=' 'account=' 'db=' 'q/quiet' 'version' 'h/help'
            case 'resume'
                __tw-cache_parse_subcommand 1 'service=' 'account=' 'db=' 'q/quiet' 'version' 'h/help'
            end
        case 'status'
            __tw-cache_parse_subcommand 0 'format=' 'db=' 'q/quiet' 'version' 'h/help'
        case 'cron'
            __tw-cache_parse_subcommand 0 'db=' 'q/quiet' 'version' 'h/help'
        case 'log'
            __tw-cache_parse_subcommand 1 'n/limit=' 'account=' 'db=' 'q/quiet' 'version' 'h/help'
        case 'show'
            __tw-cache_parse_subcommand 1 'service=' 'versions' 'copies' 'counts' 'account=' 'db=' 'q/quiet' 'version' 'h/help'
        case 'label'
            __tw-cache_parse_subcommand -r 1 'print' 'service=' 'db=' 'q/quiet' 'version' 'h/help'
        case 'forget'
            __tw-cache_parse_subcommand -r 1 'author=' 'person=' 'label=' 'service=' 'undo' 'list' 'deleted' 'since=' 'feed=' 'dry-run' 'yes' 'db=' 'q/quiet' 'version' 'h/help'
        case 'query'
            __tw-cache_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'save'
                __tw-cache_parse_subcommand -r 2 'dry-run' 'yes' 'db=' 'q/quiet' 'version' 'h/help'
            case 'list'
                __tw-cache_parse_subcommand 0 'db=' 'q/quiet' 'version' 'h/help'
            case 'show'
                __tw-cache_parse_subcommand 1 'db=' 'q/quiet' 'version' 'h/help'
            case 'remove'
                __tw-cache_parse_subcommand 1 'dry-run' 'yes' 'db=' 'q/quiet' 'version' 'h/help'
            end
        case 'users'
            __tw-cache_parse_subcommand 1 'service=' 'names' 'also-on' 'db=' 'q/quiet' 'version' 'h/help'
        case 'notifications'
            __tw-cache_parse_subcommand 0 'kind=' 'service=' 'account=' 'since=' 'until=' 'n/limit=' 'oldest-first' 'no-mute' 'db=' 'q/quiet' 'version' 'h/help'
        case 'top'
            __tw-cache_parse_subcommand 1 'since=' 'until=' 'n/limit=' 'db=' 'q/quiet' 'version' 'h/help'
        case 'stats'
            __tw-cache_parse_subcommand 0 'db=' 'q/quiet' 'version' 'h/help'
        case 'prune'
            __tw-cache_parse_subcommand 0 'older-than=' 'max-size=' 'unused-pictures' 'dry-run' 'yes' 'db=' 'q/quiet' 'version' 'h/help'
        case 'export'
            __tw-cache_parse_subcommand 0 'db=' 'q/quiet' 'version' 'h/help'
        case 'import'
            __tw-cache_parse_subcommand -r 1 'db=' 'max-record=' 'rejects=' 'q/quiet' 'version' 'h/help'
        case 'check'
            __tw-cache_parse_subcommand -r 1 'repair' 'quick' 'trace=' 'clock' 'db=' 'q/quiet' 'version' 'h/help'
        case 'backup'
            __tw-cache_parse_subcommand 1 'db=' 'q/quiet' 'version' 'h/help'
        case 'restore'
            __tw-cache_parse_subcommand 1 'dry-run' 'yes' 'db=' 'q/quiet' 'version' 'h/help'
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
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'add' -d 'Store records, and print them when they are on disk.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'list' -d 'Print stored tweets as records, the newest first.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'refresh' -d 'Fetch new posts from sources and store them.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'source' -d 'Register the sources for \'refresh\'.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'status' -d 'Show how the refreshes of all sources go, those that fail first.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'cron' -d 'Print the line for cron that refreshes the registered sources.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'log' -d 'List past refreshes, the newest first.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'show' -d 'Print a tweet and its thread: the tweets that it answers, and the answers to it.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'label' -d 'Give labels to stored tweets and take them away, or print them.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'forget' -d 'Remove tweets from the store for good, or bring them back.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'query' -d 'Save queries for \'list --query\'.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'users' -d 'Print stored profiles as records, ordered by service and id.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'notifications' -d 'Print stored notifications as records, the newest first.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'top' -d 'Count tweets by hashtag, link, author or time.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'stats' -d 'Print what the store holds.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'prune' -d 'Remove old data, and give its space back to the file system.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'export' -d 'Print all that the store holds, as it was at one moment.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'import' -d 'Store what \'export\' has printed.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'check' -d 'Find the faults of a damaged store.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'backup' -d 'Copy the store to one file, and check the copy.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'restore' -d 'Make the store from a copy that \'backup\' has written.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache" -eq 1' -fa 'help' -d 'Show subcommand help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" new-only' -l 'new-only' -d 'Print only what was not in the store before.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" keep-deleted' -l 'keep-deleted' -d 'Keep tweets that were deleted; \'list\' leaves them out.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" no-sync' -l 'no-sync' -d 'Do not wait for the disk: faster, but a crash of the machine may lose what was printed.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" state' -l 'state' -d 'Save in this file the checkpoints that \'tw-stream --resume\' prints.' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache add" -ge 1' -F
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" max-record' -l 'max-record' -d 'Skip records longer than this (default: 16M).' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" rejects' -l 'rejects' -d 'Write bad records to this file, unchanged.' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache add" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" query' -l 'query' -d 'Tweets that a saved query finds.' -rfka '(__tw-cache_custom_completion ---completion list -- --query (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" limit n' -s 'n' -l 'limit' -d 'Print at most this many tweets.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" after' -l 'after' -d 'Tweets that are newer than this one: an id, a URL or service:id.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" before' -l 'before' -d 'Tweets that are older than this one.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" since-last' -l 'since-last' -d 'Tweets that were stored since the last list of this name ended.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" oldest-first' -l 'oldest-first' -d 'Print the oldest tweet first.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" follow' -l 'follow' -d 'Print the oldest tweet first, then wait and print each tweet that any program stores.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" sort' -l 'sort' -d 'Print the newest tweets first (time), or those with the most likes.' -rfka 'time likes'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" count' -l 'count' -d 'Print only how many tweets there are.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" all-copies' -l 'all-copies' -d 'List a post once for each server and network that it was read from, and for each retweet of it.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" account' -l 'account' -d 'Print as viewer what this account did with each tweet.' -rfka '(__tw-cache_custom_completion ---completion list -- --account (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" hide' -l 'hide' -d 'Do not show retweets, replies, or both.' -rfka '(__tw-cache_custom_completion ---completion list -- --hide (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" no-mute' -l 'no-mute' -d 'Also show what the setting \'mute\' hides.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" since' -l 'since' -d 'Tweets posted at this time or later: 2h, 7d, a date, or RFC 3339.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" until' -l 'until' -d 'Tweets posted before this time.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list"' -l 'author' -d 'Tweets by this user, or by any of several; a former user name works too.' -rfka '(__tw-cache_custom_completion ---completion list -- --author (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list"' -l 'tag' -d 'Tweets with this hashtag, or with all of several.' -rfka '(__tw-cache_custom_completion ---completion list -- --tag (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" search' -l 'search' -d 'Tweets with all these words, "words that stand together", #tag and @name, without -word, and with a or b: a OR b.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" match' -l 'match' -d 'Tweets that a query in the language of SQLite\'s FTS5 finds.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" lang' -l 'lang' -d 'Tweets in this language, by its code.' -rfka 'ar de en es fr hi id it ja ko nl pl pt ru sv tr uk zh'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list"' -l 'has' -d 'Tweets with photos or videos (media), with photos, with videos, or with links.' -rfka 'media photo video links'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" links' -l 'links' -d 'Tweets with a link to this kind of thing.' -rfka 'page image video audio music playlist document feed archive download other'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list"' -l 'host' -d 'Tweets with a link to this host or one below it, or to any of several.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list"' -l 'is' -d 'Replies, retweets, quotes, tweets that are none of these (original), or those that you liked or bookmarked.' -rfka 'reply retweet quote original liked bookmarked'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" min-likes' -l 'min-likes' -d 'Tweets with at least this many likes.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" max-likes' -l 'max-likes' -d 'Tweets with at most this many likes.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" min-retweets' -l 'min-retweets' -d 'Tweets with at least this many retweets.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list"' -l 'label' -l 'mark' -d 'Tweets with this label, or with all of several.' -rfka '(__tw-cache_custom_completion ---completion list -- --label (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list"' -l 'without-label' -d 'Tweets without this label.' -rfka '(__tw-cache_custom_completion ---completion list -- --without-label (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" service' -l 'service' -d 'Tweets of this service.' -rfka '(__tw-cache_custom_completion ---completion list -- --service (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" feed' -l 'feed' -d 'Tweets that this source brought, such as \'#swift\' or @jack.' -rfka '(__tw-cache_custom_completion ---completion list -- --feed (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" all' -l 'all' -d 'Also tweets that were edited later, are withheld everywhere, or were deleted and kept.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache refresh" -ge 1' -fka '(__tw-cache_custom_completion ---completion refresh -- positional@0 (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" print' -l 'print' -d 'Print the new tweets as records.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" every' -l 'every' -d 'Keep running, poll again after this time, and print the new tweets.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" backlog' -l 'backlog' -d 'First print this many stored tweets (default: 20 with --every, else 0).' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" older' -l 'older' -d 'Fetch the page of posts before the oldest stored tweet, not what is new.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" budget' -l 'budget' -d 'Spend at most this much: 5000/day, \'$5/month\', unlimited.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" complain-after' -l 'complain-after' -d 'Report a failure that may pass only when it has lasted this long.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" fetch-avatars' -l 'fetch-avatars' -d 'Fetch the profile pictures of new tweets\' authors, or do not (default: the setting \'avatars\', else do).'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" no-fetch-avatars' -l 'no-fetch-avatars' -d 'Fetch the profile pictures of new tweets\' authors, or do not (default: the setting \'avatars\', else do).'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" summary' -l 'summary' -d 'Report the result of each poll round on standard error.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" verbose' -l 'verbose' -d 'As --summary, and also show the messages of tw-stream and tw-parse.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" hide' -l 'hide' -d 'Do not show retweets, replies, or both.' -rfka '(__tw-cache_custom_completion ---completion refresh -- --hide (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" no-mute' -l 'no-mute' -d 'Also show what the setting \'mute\' hides.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" account' -l 'account' -d 'The account that asks, and has its own sources (default: $TW_ACCOUNT).' -rfka '(__tw-cache_custom_completion ---completion refresh -- --account (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache refresh" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache source" -eq 1' -fa 'add' -d 'Register a source, or change how often it is refreshed.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache source" -eq 1' -fa 'list' -d 'List the sources.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache source" -eq 1' -fa 'remove' -d 'Remove a source and its log; its tweets stay.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache source" -eq 1' -fa 'pause' -d 'Stop refreshing a source when it is due.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache source" -eq 1' -fa 'resume' -d 'Refresh a paused source again when it is due.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache source add" -eq 1' -fka '(__tw-cache_custom_completion ---completion source add -- positional@0 (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source add" service' -l 'service' -d 'The service of the source (default: that of your settings, or of your accounts).' -rfka '(__tw-cache_custom_completion ---completion source add -- --service (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source add" account' -l 'account' -d 'The account that asks, and has its own sources (default: $TW_ACCOUNT).' -rfka '(__tw-cache_custom_completion ---completion source add -- --account (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source add" every' -l 'every' -d 'How often to refresh the source (default: 15m).' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source add" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source add" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source add" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source add" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source list" service' -l 'service' -d 'Only the sources of this service.' -rfka '(__tw-cache_custom_completion ---completion source list -- --service (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source list" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source list" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source list" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache source remove" -eq 1' -fka '(__tw-cache_custom_completion ---completion source remove -- positional@0 (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source remove" service' -l 'service' -d 'The service of the source (default: that of your settings, or of your accounts).' -rfka '(__tw-cache_custom_completion ---completion source remove -- --service (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source remove" account' -l 'account' -d 'The account that asks, and has its own sources (default: $TW_ACCOUNT).' -rfka '(__tw-cache_custom_completion ---completion source remove -- --account (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source remove" dry-run' -l 'dry-run' -d 'Change nothing: say what would be done.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source remove" yes' -l 'yes' -d 'Do not ask first. Where no terminal is there to ask on, this is needed.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source remove" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source remove" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source remove" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source remove" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache source pause" -eq 1' -fka '(__tw-cache_custom_completion ---completion source pause -- positional@0 (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source pause" service' -l 'service' -d 'The service of the source (default: that of your settings, or of your accounts).' -rfka '(__tw-cache_custom_completion ---completion source pause -- --service (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source pause" account' -l 'account' -d 'The account that asks, and has its own sources (default: $TW_ACCOUNT).' -rfka '(__tw-cache_custom_completion ---completion source pause -- --account (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source pause" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source pause" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source pause" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source pause" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache source resume" -eq 1' -fka '(__tw-cache_custom_completion ---completion source resume -- positional@0 (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source resume" service' -l 'service' -d 'The service of the source (default: that of your settings, or of your accounts).' -rfka '(__tw-cache_custom_completion ---completion source resume -- --service (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source resume" account' -l 'account' -d 'The account that asks, and has its own sources (default: $TW_ACCOUNT).' -rfka '(__tw-cache_custom_completion ---completion source resume -- --account (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source resume" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source resume" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source resume" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache source resume" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache status" format' -l 'format' -d 'How to print it.' -rfka 'text json prometheus'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache status" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache status" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache status" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache status" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache cron" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache cron" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache cron" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache cron" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache log" -eq 1' -fka '(__tw-cache_custom_completion ---completion log -- positional@0 (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache log" limit n' -s 'n' -l 'limit' -d 'List at most this many refreshes (default: 50).' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache log" account' -l 'account' -d 'The account that asks, and has its own sources (default: $TW_ACCOUNT).' -rfka '(__tw-cache_custom_completion ---completion log -- --account (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache log" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache log" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache log" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache log" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache show" service' -l 'service' -d 'Look for the tweet in this service only.' -rfka '(__tw-cache_custom_completion ---completion show -- --service (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache show" versions' -l 'versions' -d 'Print all stored versions of the tweet, the first version first, and not its thread.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache show" copies' -l 'copies' -d 'Print the tweet as each server and network has it, and its retweets there, and not its thread.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache show" counts' -l 'counts' -d 'Print how often the tweet was liked, retweeted, answered and quoted, each time that this was read.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache show" account' -l 'account' -d 'Print as viewer what this account did with each tweet.' -rfka '(__tw-cache_custom_completion ---completion show -- --account (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache show" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache show" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache show" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache label" -ge 1' -fka '(__tw-cache_custom_completion ---completion label -- positional@0 (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache label" print' -l 'print' -d 'Print the records of standard input when their labels are on disk.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache label" service' -l 'service' -d 'The service of tweets that are named by their id alone.' -rfka '(__tw-cache_custom_completion ---completion label -- --service (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache label" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache label" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache label" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache label" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache forget" author' -l 'author' -d 'Forget all stored tweets by this user.' -rfka '(__tw-cache_custom_completion ---completion forget -- --author (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache forget" person' -l 'person' -d 'Forget all that is stored of this person: a user name, or service:id.' -rfka '(__tw-cache_custom_completion ---completion forget -- --person (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache forget" label' -l 'label' -d 'Forget all tweets with this label.' -rfka '(__tw-cache_custom_completion ---completion forget -- --label (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache forget" service' -l 'service' -d 'Tweets of this service.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache forget" undo' -l 'undo' -d 'Bring back the tweets, or all that can come back if none is named.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache forget" list' -l 'list' -d 'Print the tweets that can come back as records, the one that was forgotten last first.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache forget" deleted' -l 'deleted' -d 'With --undo or --list: the tweets that their service said are deleted.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache forget" since' -l 'since' -d 'With --deleted: only those that were deleted at this time or later.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache forget" feed' -l 'feed' -d 'With --deleted: only those that this source had brought.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache forget" dry-run' -l 'dry-run' -d 'Change nothing: say what would be done.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache forget" yes' -l 'yes' -d 'Do not ask first. Where no terminal is there to ask on, this is needed.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache forget" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache forget" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache forget" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache forget" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache query" -eq 1' -fa 'save' -d 'Save a query under a name, in place of one that has it.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache query" -eq 1' -fa 'list' -d 'List the saved queries: name, tab, query.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache query" -eq 1' -fa 'show' -d 'Print a saved query.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache query" -eq 1' -fa 'remove' -d 'Remove a saved query; no tweet is removed.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache query save" -eq 1' -fka '(__tw-cache_custom_completion ---completion query save -- positional@0 (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query save" dry-run' -l 'dry-run' -d 'Change nothing: say what would be done.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query save" yes' -l 'yes' -d 'Do not ask first. Where no terminal is there to ask on, this is needed.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query save" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query save" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query save" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query save" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query list" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query list" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query list" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache query show" -eq 1' -fka '(__tw-cache_custom_completion ---completion query show -- positional@0 (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query show" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query show" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query show" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache query remove" -eq 1' -fka '(__tw-cache_custom_completion ---completion query remove -- positional@0 (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query remove" dry-run' -l 'dry-run' -d 'Change nothing: say what would be done.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query remove" yes' -l 'yes' -d 'Do not ask first. Where no terminal is there to ask on, this is needed.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query remove" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query remove" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query remove" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache query remove" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache users" -eq 1' -fka '(__tw-cache_custom_completion ---completion users -- positional@0 (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache users" service' -l 'service' -d 'Users of this service only.' -rfka '(__tw-cache_custom_completion ---completion users -- --service (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache users" names' -l 'names' -d 'Print every name that the users were seen under, and since when.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache users" also-on' -l 'also-on' -d 'Print who has accounts on two networks whose profiles link to each other, and by which links.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache users" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache users" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache users" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache users" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache notifications" kind' -l 'kind' -d 'Notifications of these kinds only: like, repost, follow, follow_request, mention, reply, quote, poll, post, edit, reaction, other.' -rfka '(__tw-cache_custom_completion ---completion notifications -- --kind (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache notifications" service' -l 'service' -d 'Notifications of this service only.' -rfka '(__tw-cache_custom_completion ---completion notifications -- --service (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache notifications" account' -l 'account' -d 'Notifications that this account was sent.' -rfka '(__tw-cache_custom_completion ---completion notifications -- --account (count (__tw-cache_tokens -pc)) (__tw-cache_tokens -tC))'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache notifications" since' -l 'since' -d 'Of what was done at this time or later: 2h, 7d, a date, or RFC 3339.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache notifications" until' -l 'until' -d 'Of what was done before this time.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache notifications" limit n' -s 'n' -l 'limit' -d 'Print at most this many notifications.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache notifications" oldest-first' -l 'oldest-first' -d 'Print the oldest notification first.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache notifications" no-mute' -l 'no-mute' -d 'Also print what the setting \'mute\' hides.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache notifications" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache notifications" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache notifications" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache notifications" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache top" -eq 1' -fka 'hashtags links authors languages services hours days months'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache top" since' -l 'since' -d 'Tweets posted at this time or later: 2h, 7d, a date, or RFC 3339.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache top" until' -l 'until' -d 'Tweets posted before this time.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache top" limit n' -s 'n' -l 'limit' -d 'Print at most this many lines (default: 10).' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache top" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache top" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache top" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache top" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache stats" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache stats" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache stats" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache stats" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache prune" older-than' -l 'older-than' -d 'Remove tweets posted before this time, and notifications, checked links and pictures from before it: 365d, 6mo, 1y, a date.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache prune" max-size' -l 'max-size' -d 'Remove the oldest data until both databases together are not larger than this.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache prune" unused-pictures' -l 'unused-pictures' -d 'Remove profile pictures that no profile of the store names any more.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache prune" dry-run' -l 'dry-run' -d 'Change nothing: say what would be done.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache prune" yes' -l 'yes' -d 'Do not ask first. Where no terminal is there to ask on, this is needed.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache prune" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache prune" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache prune" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache prune" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache export" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache export" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache export" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache export" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache import" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache import" -ge 1' -F
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache import" max-record' -l 'max-record' -d 'Skip records longer than this (default: 16M).' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache import" rejects' -l 'rejects' -d 'Write bad records to this file, unchanged.' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache import" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache import" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache import" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache check" repair' -l 'repair' -d 'Save all that is sound into a new store, and use that one; the old one is kept.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache check" quick' -l 'quick' -d 'Look only at what takes a moment: kinds and versions of the files, the log, the schema, the lock.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache check" trace' -l 'trace' -d 'Print where a word is: in rows of the store, its other files, what lies beside it, and saved pages.' -rfka ''
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache check" clock' -l 'clock' -d 'Look only whether the clock can be believed: what removes old copies asks this first.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache check" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache check" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache check" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache check" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache backup" -eq 1' -F
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache backup" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache backup" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache backup" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache backup" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_positional "tw-cache restore" -eq 1' -F
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache restore" dry-run' -l 'dry-run' -d 'Change nothing: say what would be done.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache restore" yes' -l 'yes' -d 'Do not ask first. Where no terminal is there to ask on, this is needed.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache restore" db' -l 'db' -d 'The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).' -rF
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache restore" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache restore" version' -l 'version' -d 'Show the version.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache restore" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'tw-cache' -n '__tw-cache_should_offer_completions_for_flags_or_options "tw-cache help" version' -l 'version' -d 'Show the version.'

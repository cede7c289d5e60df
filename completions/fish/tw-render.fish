function __tw-render_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __tw-render_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __tw-render_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __tw-render_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __tw-render_parse_tokens -S
    set -l unparsed_tokens (__tw-render_tokens -pc)
    switch $unparsed_tokens[1]
    case 'tw-render'
        __tw-render_parse_subcommand -r 1 'f/format=' 'width=' 'color=' 'ascii' 'time=' 'locale=' 'hyperlink=' 'pictures=' 'photos' 'no-avatars' 'numbers' 'no-numbers' 'shown=' 'ids' 'rows=' 'warnings=' 'include=+' 'all-copies' 'tweet=' 'highlight=+' 'updates' 'no-updates' 'fields=' 'no-guard' 'ids-as-text' 'bom' 'title=' 'to=+' 'from=' 'unless-empty' 'hide=' 'no-mute' 'dry-run' 'yes' 'max-record=' 'rejects=' 'q/quiet' 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'help'
            __tw-render_parse_subcommand -r 1 'version'
        end
    end
end

function __tw-render_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __tw-render_parse_subcommand -S -a positional_count
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

function __tw-render_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __tw-render_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__tw-render_tokens -p)
    if test -z "$(__tw-render_tokens -t)"
        set -l index (count (__tw-render_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'tw-render' -f
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" f format' -s 'f' -l 'format' -d 'A timeline, one line per tweet, all about a tweet, only the ids, or a document.' -rfka 'text line detail ids csv tsv twarc html atom json-feed markdown mbox m3u site mail'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" width' -l 'width' -d 'Wrap text at this many columns (default: the terminal\'s, $COLUMNS or 80, at most 100).' -rfka ''
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" color' -l 'color' -d 'When to use colours (default: auto, on a terminal, unless $NO_COLOR is set).' -rfka 'auto always never'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" ascii' -l 'ascii' -d 'Add only ASCII characters to the text of tweets.'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" time' -l 'time' -d 'How times are shown (default: clock on a terminal, else iso; with \'--format line\' iso).' -rfka 'relative clock iso'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" locale' -l 'locale' -d 'The language of times, counts and words, such as de or pt-BR.' -rfka 'ar de en es fr hi id it ja ko nl pl pt ru sv tr uk zh'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" hyperlink' -l 'hyperlink' -d 'When addresses are links of the terminal, and short (default: auto, with colours, but not in tmux).' -rfka 'auto always never'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" pictures' -l 'pictures' -d 'How the pictures of authors are shown (default: auto, as the terminal can; elsewhere there are none).' -rfka 'auto kitty iterm2 sixel symbols none'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" photos' -l 'photos' -d 'Also show the photos of tweets, as far as tw-avatar has fetched them.'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" no-avatars' -l 'no-avatars' -d 'Show neither the pictures of authors nor their initials.'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" numbers' -l 'numbers' -d 'Show numbers by which the tools on this terminal know the tweets for a day: tw-post like 3.'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" no-numbers' -l 'no-numbers' -d 'Show numbers by which the tools on this terminal know the tweets for a day: tw-post like 3.'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" shown' -l 'shown' -d 'Add the name of each tweet to this file, service:id on a line, when it has been shown.' -rF
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" ids' -l 'ids' -d 'Show the ids of tweets: before each line and a tab, below each tweet of a timeline.'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" rows' -l 'rows' -d 'In a timeline, fold texts that have more rows; in csv and tsv, a row for each of links, hashtags or media.' -rfka ''
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" warnings' -l 'warnings' -d 'Show what stands behind a content warning, only the warning, or neither (default: show; in a page and a feed, fold).' -rfka 'show fold hide'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render"' -l 'include' -d 'Documents also have posts that are private, or that you only liked or bookmarked.' -rfka 'private marked'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" all-copies' -l 'all-copies' -d 'Show a post each time that another server or network has it too, not only once.'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" tweet' -l 'tweet' -d 'In detail, the tweet that was asked for: the others are its thread.' -rfka ''
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render"' -l 'highlight' -d 'Highlight this word in the text of tweets, where there are colours; may be given several times.' -rfka ''
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" updates' -l 'updates' -d 'Also show new counts of tweets that were shown before, or not even new link verdicts and texts.'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" no-updates' -l 'no-updates' -d 'Also show new counts of tweets that were shown before, or not even new link verdicts and texts.'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" fields' -l 'fields' -d 'The columns of csv and tsv, such as \'author.username,text\' (default: those of twarc-csv).' -rfka '(__tw-render_custom_completion ---completion -- --fields (count (__tw-render_tokens -pc)) (__tw-render_tokens -tC))'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" no-guard' -l 'no-guard' -d 'In csv and tsv, do not put a \' before texts that a spreadsheet would take for formulas.'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" ids-as-text' -l 'ids-as-text' -d 'In csv and tsv, write ids as formulas, so that a spreadsheet does not round them.'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" bom' -l 'bom' -d 'In csv and tsv, write a byte order mark first, by which Excel knows UTF-8.'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" title' -l 'title' -d 'The title of html, site, mail, atom, json-feed and markdown (default: Tweets).' -rfka ''
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render"' -l 'to' -d 'Who gets the mail: me, me@example.org; may be given several times.' -rfka ''
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" from' -l 'from' -d 'Who sends the mail (default: left to the program that sends it).' -rfka ''
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" unless-empty' -l 'unless-empty' -d 'Of no tweets write no mail, and end with status 1.'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" hide' -l 'hide' -d 'Do not show retweets, replies, or both.' -rfka '(__tw-render_custom_completion ---completion -- --hide (count (__tw-render_tokens -pc)) (__tw-render_tokens -tC))'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" no-mute' -l 'no-mute' -d 'Also show what the setting \'mute\' hides.'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" dry-run' -l 'dry-run' -d 'Change nothing: say what would be done.'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" yes' -l 'yes' -d 'Do not ask first. Where no terminal is there to ask on, this is needed.'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_positional "tw-render" -ge 1' -F
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" max-record' -l 'max-record' -d 'Skip records longer than this (default: 16M).' -rfka ''
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" rejects' -l 'rejects' -d 'Write bad records to this file, unchanged.' -rF
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" version' -l 'version' -d 'Show the version.'
complete -c 'tw-render' -n '__tw-render_should_offer_completions_for_flags_or_options "tw-render" h help' -s 'h' -l 'help' -d 'Show help information.'

function __tw-post_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __tw-post_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __tw-post_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __tw-post_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __tw-post_parse_tokens -S
    set -l unparsed_tokens (__tw-post_tokens -pc)
    switch $unparsed_tokens[1]
    case 'tw-post'
        __tw-post_parse_subcommand -r 1 'e/edit' 'thread' 'number' 'long' 'poll=+' 'poll-for=' 'm/media=+' 'd/alt=+' 'keep-metadata' 'reply-settings=' 'v/visibility=' 'p/warning=' 'l/language=+' 's/sensitive' 'quote-settings=' 'card=' 'card-optional' 'no-mentions' 'poll-multiple' 'poll-hide-totals' 'server' 'at=' 'to=' 'dry-run' 'yes' 'wait' 'later' 'lines' 'not-after=' 'again' 'ca-file=' 'account=' 'q/quiet' 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'help'
            __tw-post_parse_subcommand -r 1 'version'
        end
    end
end

function __tw-post_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __tw-post_parse_subcommand -S -a positional_count
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

function __tw-post_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __tw-post_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__tw-post_tokens -p)
    if test -z "$(__tw-post_tokens -t)"
        set -l index (count (__tw-post_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'tw-post' -f
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_positional "tw-post" -ge 1' -fka 'reply quote edit retweet unretweet like unlike bookmark unbookmark follow unfollow delete undo flush outbox length'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" e edit' -l 'edit' -s 'e' -d 'Write the text in $VISUAL or $EDITOR; a text that is empty or left unchanged is not posted.'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" thread' -l 'thread' -d 'Split a text at lines of \'---\' and, if it is long, at paragraphs and sentences into posts that answer each other.'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" number' -l 'number' -d 'End the posts of a thread with 1/3, 2/3, 3/3.'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" long' -l 'long' -d 'Allow long posts of up to 25000 characters, which not every account may post.'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post"' -l 'poll' -d 'Add a choice of a poll; give it two to four times.' -rfka ''
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" poll-for' -l 'poll-for' -d 'How long the poll is open, 5m to 7d (default: 1d).' -rfka ''
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post"' -l 'media' -s 'm' -d 'Show a picture or video with the post, or with post N of a thread (N:FILE); give it up to four times.' -rF
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post"' -l 'alt' -s 'd' -d 'What is in the picture; in the order of --media.' -rfka ''
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" keep-metadata' -l 'keep-metadata' -d 'Post pictures and videos with what their files say besides, such as where they were made.'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" reply-settings' -l 'reply-settings' -d 'Who may answer besides those whom the post mentions: the accounts that you follow, your followers, nobody else (mentioned), your subscribers or verified accounts; or nobody at all (default: everybody).' -rfka 'following followers mentioned nobody subscribers verified'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" v visibility' -l 'visibility' -s 'v' -d 'Who sees the post, at a service that knows that: everybody, also in public timelines (public), everybody (unlisted), your followers (private) or those whom it mentions (direct).' -rfka 'public unlisted private direct'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" p warning' -l 'warning' -s 'p' -d 'What a reader sees before the post, at a service that knows that.' -rfka ''
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post"' -l 'language' -s 'l' -d 'The language of the text, at a service that knows that: en, pt-BR.' -rfka 'ar de en es fr hi id it ja ko nl pl pt ru sv tr uk zh'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" s sensitive' -l 'sensitive' -s 's' -d 'Cover the pictures until a reader opens them, at a service that knows that.'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" quote-settings' -l 'quote-settings' -d 'Who may quote the post, at a service that knows that: everybody, your followers or nobody.' -rfka 'everybody followers nobody'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" card' -l 'card' -d 'Show the title, the text and the picture of a page below the post, at a service that does not do so itself: its address, or \'first\' for the first link of the text.' -rfka ''
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" card-optional' -l 'card-optional' -d 'Post without the card if its page cannot be read.'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" no-mentions' -l 'no-mentions' -d 'Do not begin an answer with the names of those whom it answers, at a service where it does.'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" poll-multiple' -l 'poll-multiple' -d 'Let several answers of the poll be chosen, at a service that knows that.'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" poll-hide-totals' -l 'poll-hide-totals' -d 'Show the numbers of the poll only at its end, at a service that knows that.'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" server' -l 'server' -d 'With --at: have the service publish the post itself at that time, where it can.'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" at' -l 'at' -d 'Put it into the outbox; \'tw-post flush\' sends it at this time or later: 18:30, 2h, \'2026-11-27 18:30\'.' -rfka ''
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" to' -l 'to' -d 'Write at several services, or at accounts of them: x,mastodon:HOST,bluesky:NAME, or all; with \'delete\' and \'undo\' take back the copies there alone.' -rfka '(__tw-post_custom_completion ---completion -- --to (count (__tw-post_tokens -pc)) (__tw-post_tokens -tC))'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" dry-run' -l 'dry-run' -d 'Print the request that would be made, on a terminal or with --to the posts with their lengths, and make none.'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" yes' -l 'yes' -d 'Do not ask before many tweets are changed.'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" wait' -l 'wait' -d 'Wait for rate limits and for a service that does not answer, however long it takes.'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" later' -l 'later' -d 'Put it into the outbox; \'tw-post flush\' sends it.'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" lines' -l 'lines' -d 'With \'length\': measure each line of standard input, a string in JSON, and print a line for each.'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" not-after' -l 'not-after' -d 'With --at or --later: do not send it after this time.' -rfka ''
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" again' -l 'again' -d 'Do what a list on standard input names also where it was done before.'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" ca-file cacert' -l 'ca-file' -l 'cacert' -d 'Trust the certificate authorities in this file, not the system\'s.' -rF
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" account' -l 'account' -d 'The account that asks, and has its own sources (default: $TW_ACCOUNT).' -rfka '(__tw-post_custom_completion ---completion -- --account (count (__tw-post_tokens -pc)) (__tw-post_tokens -tC))'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" q quiet' -l 'quiet' -s 'q' -d 'Print no messages except errors.'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" version' -l 'version' -d 'Show the version.'
complete -c 'tw-post' -n '__tw-post_should_offer_completions_for_flags_or_options "tw-post" h help' -s 'h' -l 'help' -d 'Show help information.'

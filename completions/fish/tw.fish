# Completes the names of tools and plugins, then what each of them completes by itself.

function __tw_names
    complete -C tw- | string replace -r '^tw-(\S+).*' '$1' | sort -u
end

# The line without "tw ", as "tw-NAME ...".
function __tw_rest
    set -l words (commandline -opc) (commandline -ct)
    complete -C "tw-"(string join ' ' -- (string escape -- $words[2..]))
end

function __tw_words
    count (commandline -opc)
end

complete -c tw -f
complete -c tw -n 'test (__tw_words) -eq 1' -a '(__tw_names)'
complete -c tw -n 'test (__tw_words) -eq 1' -a budget -d 'show what was spent'
complete -c tw -n 'test (__tw_words) -eq 1' -a config -d 'read and change the settings'
complete -c tw -n 'test (__tw_words) -eq 1' -a doctor -d 'look for what does not work'
complete -c tw -n 'test (__tw_words) -eq 1' -a open -d 'open a tweet or a link in the browser'
complete -c tw -n 'test (__tw_words) -eq 1' -a home -d 'fetch and show the home timeline'
complete -c tw -n 'test (__tw_words) -eq 1' -a read -d 'show unread tweets'
complete -c tw -n 'test (__tw_words) -eq 1' -a search -d 'show stored tweets with these words'
complete -c tw -n 'test (__tw_words) -eq 1' -a thread -d 'show a stored tweet in its thread'
complete -c tw -n 'test (__tw_words) -eq 1' -a '(tw config alias 2>/dev/null | string replace -r " = .*" "")'
complete -c tw -n '__fish_seen_subcommand_from home read search thread; and test (__tw_words) -ge 2' -l show -d 'print the pipe'
complete -c tw -n '__fish_seen_subcommand_from open' -l print -d 'print the address'
complete -c tw -n '__fish_seen_subcommand_from open' -l links -d 'print the links'
complete -c tw -n '__fish_seen_subcommand_from open' -l db -r -d 'the store'
complete -c tw -n '__fish_seen_subcommand_from open' -s q -l quiet -d 'print no messages except errors'
complete -c tw -n 'test (__tw_words) -eq 1' -a help -d 'show a man page'
complete -c tw -n 'test (__tw_words) -eq 1' -s h -l help -d 'show help'
complete -c tw -n 'test (__tw_words) -eq 1' -l version -d 'show the version'
complete -c tw -n '__fish_seen_subcommand_from help; and test (__tw_words) -eq 2' -a '(__tw_names)'
complete -c tw -n '__fish_seen_subcommand_from budget' -l by -x -a 'day week month' -d 'add up by this'
complete -c tw -n '__fish_seen_subcommand_from budget' -l since -x -d 'begin with the period that this is in'
complete -c tw -n '__fish_seen_subcommand_from budget' -l app -x -d 'only this application'
complete -c tw -n '__fish_seen_subcommand_from budget' -l text -d 'print text for people'
complete -c tw -n '__fish_seen_subcommand_from budget' -l json -d 'print JSON'
complete -c tw -n '__fish_seen_subcommand_from budget' -s q -l quiet -d 'print no messages except errors'
complete -c tw -n '__fish_seen_subcommand_from doctor' -l offline -d 'ask no service'
complete -c tw -n '__fish_seen_subcommand_from doctor' -l json -d 'print JSON'
complete -c tw -n '__fish_seen_subcommand_from doctor' -s q -l quiet -d 'print no messages except errors'
complete -c tw -n '__fish_seen_subcommand_from config; and test (__tw_words) -eq 2' -a 'get set unset list alias'
complete -c tw -n '__fish_seen_subcommand_from get set unset; and test (__tw_words) -eq 3' -a 'service account endpoint token-file db ca-file budget avatars new-labels mute numbers to require-alt player browse.feeds browse.player browse.pager browse.opener'
complete -c tw -n '__fish_seen_subcommand_from set; and __fish_seen_subcommand_from avatars numbers; and test (__tw_words) -eq 4' -a 'on off'
complete -c tw -n 'test (__tw_words) -ge 2; and not __fish_seen_subcommand_from budget config doctor help open home read search thread' -a '(__tw_rest)'

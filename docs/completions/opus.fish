function __opus_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __opus_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __opus_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __opus_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __opus_parse_tokens -S
    set -l unparsed_tokens (__opus_tokens -pc)
    switch $unparsed_tokens[1]
    case 'opus'
        __opus_parse_subcommand 0 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'demo'
            __opus_parse_subcommand 0 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'keep' 'version' 'h/help'
        case 'doctor'
            __opus_parse_subcommand 0 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'offline' 'version' 'h/help'
        case 'run'
            __opus_parse_subcommand 0 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'y/yes' 'max=' 'allow-mass-delete' 'version' 'h/help'
        case 'sync'
            __opus_parse_subcommand 0 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'version' 'h/help'
        case 'triage'
            __opus_parse_subcommand -r 1 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'dry-run' 'out=' 'y/yes' 'detailed-exitcode' 'max=' 'version' 'h/help'
        case 'apply'
            __opus_parse_subcommand 1 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'old' 'version' 'h/help'
        case 'list'
            __opus_parse_subcommand -r 1 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'folder=' 'all' 'version' 'h/help'
        case 'search'
            __opus_parse_subcommand -r 1 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'limit=' 'version' 'h/help'
        case 'show'
            __opus_parse_subcommand 1 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'headers' 'raw' 'part=' 'save=' 'version' 'h/help'
        case 'thread'
            __opus_parse_subcommand 1 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'version' 'h/help'
        case 'explain'
            __opus_parse_subcommand 1 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'rule=' 'version' 'h/help'
        case 'runs'
            __opus_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'list'
                __opus_parse_subcommand 0 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'limit=' 'version' 'h/help'
            case 'show'
                __opus_parse_subcommand 1 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'version' 'h/help'
            end
        case 'task'
            __opus_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'list'
                __opus_parse_subcommand 1 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'all' 'version' 'h/help'
            case 'show'
                __opus_parse_subcommand 1 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'version' 'h/help'
            case 'done'
                __opus_parse_subcommand -r 1 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'version' 'h/help'
            case 'path'
                __opus_parse_subcommand 1 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'version' 'h/help'
            end
        case 'rules'
            __opus_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'check'
                __opus_parse_subcommand 0 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'version' 'h/help'
            case 'test'
                __opus_parse_subcommand 0 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'only=' 'version' 'h/help'
            case 'list'
                __opus_parse_subcommand 0 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'version' 'h/help'
            end
        case 'account'
            __opus_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'list'
                __opus_parse_subcommand 0 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'version' 'h/help'
            case 'check'
                __opus_parse_subcommand 1 'workspace=' 'a/account=' 'json' 'q/quiet' 'v/verbose' 'color=' 'now=' 'version' 'h/help'
            end
        case 'help'
            __opus_parse_subcommand -r 1 'version'
        end
    end
end

function __opus_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __opus_parse_subcommand -S -a positional_count
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

function __opus_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __opus_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__opus_tokens -p)
    if test -z "$(__opus_tokens -t)"
        set -l index (count (__opus_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'opus' -f
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus" -eq 1' -fa 'demo' -d 'The whole flow on a built-in mailbox, in a temporary folder.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus" -eq 1' -fa 'doctor' -d 'What works and what is missing: libraries, workspace, rules, store, accounts.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus" -eq 1' -fa 'run' -d 'The whole morning: sync, task files both ways, triage by the rules, report.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus" -eq 1' -fa 'sync' -d 'Bring the store up to date with the accounts; changes no mail.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus" -eq 1' -fa 'triage' -d 'Plan what the rules do with the inbox, show it, ask, apply it.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus" -eq 1' -fa 'apply' -d 'Apply a plan that opus triage --out saved; it was reviewed, so nothing is asked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus" -eq 1' -fa 'list' -d 'Show the inbox, or the messages of it that match.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus" -eq 1' -fa 'search' -d 'Find messages in every mailbox.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus" -eq 1' -fa 'show' -d 'Show one message; control characters of strangers stay visible, not active.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus" -eq 1' -fa 'thread' -d 'Show the conversation that holds a message, oldest first.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus" -eq 1' -fa 'explain' -d 'Why each rule did or did not match a message, and what runs did with it.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus" -eq 1' -fa 'runs' -d 'What was applied, run by run.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus" -eq 1' -fa 'task' -d 'The task files: one .ics each, for any program to edit.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus" -eq 1' -fa 'rules' -d 'The rule files: check them, run their tests, list them.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus" -eq 1' -fa 'account' -d 'The accounts of opus.yaml.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus" -eq 1' -fa 'help' -d 'Show subcommand help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus demo" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus demo" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus demo" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus demo" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus demo" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus demo" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus demo" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus demo" keep' -l 'keep' -d 'Keep the folder, to try the other commands in it.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus demo" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus demo" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus doctor" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus doctor" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus doctor" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus doctor" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus doctor" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus doctor" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus doctor" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus doctor" offline' -l 'offline' -d 'Do not connect to servers.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus doctor" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus doctor" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus run" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus run" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus run" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus run" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus run" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus run" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus run" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus run" y yes' -l 'yes' -s 'y' -d 'Apply without asking.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus run" max' -l 'max' -d 'Touch at most so many messages, the newest first; none lifts the limit.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus run" allow-mass-delete' -l 'allow-mass-delete' -d 'Believe it when most task files are gone.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus run" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus run" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus sync" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus sync" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus sync" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus sync" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus sync" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus sync" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus sync" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus sync" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus sync" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus triage" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus triage" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus triage" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus triage" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus triage" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus triage" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus triage" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus triage" dry-run' -l 'dry-run' -d 'Show the plan and stop.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus triage" out' -l 'out' -d 'Save the plan to a file for opus apply, and stop.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus triage" y yes' -l 'yes' -s 'y' -d 'Apply without asking.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus triage" detailed-exitcode' -l 'detailed-exitcode' -d 'With --dry-run: exit 2 when the plan has changes, 0 when it has none.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus triage" max' -l 'max' -d 'Touch at most so many messages, the newest first; none lifts the limit.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus triage" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus triage" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus apply" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus apply" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus apply" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus apply" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus apply" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus apply" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus apply" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus apply" old' -l 'old' -d 'Also apply a plan that is older than a day.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus apply" -eq 1' -F
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus apply" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus apply" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus list" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus list" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus list" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus list" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus list" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus list" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus list" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus list" folder' -l 'folder' -d 'Another mailbox, by name or role.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus list" all' -l 'all' -d 'Every mailbox.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus list" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus search" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus search" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus search" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus search" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus search" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus search" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus search" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus search" limit' -l 'limit' -d 'At most so many, the newest first.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus search" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus search" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus show" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus show" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus show" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus show" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus show" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus show" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus show" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus show" headers' -l 'headers' -d 'Every header field.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus show" raw' -l 'raw' -d 'The bytes as they are on the account. They may hold control characters.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus show" part' -l 'part' -d 'The decoded bytes of one part, by its section number.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus show" save' -l 'save' -d 'Save the attachments into a folder, never over a file.' -rfa '(__opus_complete_directories)'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus show" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus thread" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus thread" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus thread" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus thread" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus thread" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus thread" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus thread" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus thread" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus thread" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus explain" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus explain" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus explain" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus explain" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus explain" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus explain" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus explain" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus explain" rule' -l 'rule' -d 'Only this rule.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus explain" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus explain" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus runs" -eq 1' -fa 'list' -d 'The last runs, newest first.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus runs" -eq 1' -fa 'show' -d 'The steps of one run.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs list" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs list" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs list" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs list" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs list" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs list" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs list" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs list" limit' -l 'limit' -d 'At most so many.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs list" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs show" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs show" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs show" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs show" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs show" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs show" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs show" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs show" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus runs show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus task" -eq 1' -fa 'list' -d 'Open tasks, by list and due date.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus task" -eq 1' -fa 'show' -d 'One task.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus task" -eq 1' -fa 'done' -d 'Complete tasks in their files; their mail follows with the next opus run.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus task" -eq 1' -fa 'path' -d 'The path of a task\'s file, for an editor.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task list" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task list" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task list" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task list" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task list" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task list" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task list" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task list" all' -l 'all' -d 'Also tasks that are completed or cancelled.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task list" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task show" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task show" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task show" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task show" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task show" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task show" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task show" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task show" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task done" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task done" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task done" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task done" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task done" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task done" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task done" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task done" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task done" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task path" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task path" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task path" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task path" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task path" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task path" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task path" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task path" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus task path" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus rules" -eq 1' -fa 'check' -d 'Every error and warning of every rule file, at once.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus rules" -eq 1' -fa 'test' -d 'Run the tests that the rule files carry.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus rules" -eq 1' -fa 'list' -d 'The rules in the order in which they are tried.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules check" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules check" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules check" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules check" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules check" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules check" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules check" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules check" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules check" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules test" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules test" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules test" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules test" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules test" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules test" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules test" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules test" only' -l 'only' -d 'Only tests whose name holds this text.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules test" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules test" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules list" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules list" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules list" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules list" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules list" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules list" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules list" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules list" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus rules list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus account" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus account" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus account" -eq 1' -fa 'list' -d 'Every account and where its mail is.'
complete -c 'opus' -n '__opus_should_offer_completions_for_positional "opus account" -eq 1' -fa 'check' -d 'Connect, log in, and show what the server can do; changes nothing.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus account list" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus account list" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus account list" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus account list" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus account list" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus account list" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus account list" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus account list" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus account list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus account check" workspace' -l 'workspace' -d 'The folder that holds opus.yaml (else $OPUS_WORKSPACE, the nearest parent, XDG).' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus account check" a account' -l 'account' -s 'a' -d 'Only this account.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus account check" json' -l 'json' -d 'One JSON document on standard output.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus account check" q quiet' -l 'quiet' -s 'q' -d 'Only results and errors.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus account check" v verbose' -l 'verbose' -s 'v' -d 'Protocol and steps on standard error, secrets blanked.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus account check" color' -l 'color' -d 'auto, always or never.' -rfka 'auto always never'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus account check" now' -l 'now' -d 'A fixed clock (RFC 3339), for tests and screenshots.' -rfka ''
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus account check" version' -l 'version' -d 'Show the version.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus account check" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'opus' -n '__opus_should_offer_completions_for_flags_or_options "opus help" version' -l 'version' -d 'Show the version.'

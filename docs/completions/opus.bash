#!/bin/bash

__opus_cursor_index_in_current_word() {
    local remaining="${COMP_LINE}"

    local word
    for word in "${COMP_WORDS[@]::COMP_CWORD}"; do
        remaining="${remaining##*([[:space:]])"${word}"*([[:space:]])}"
    done

    local -ir index="$((COMP_POINT - ${#COMP_LINE} + ${#remaining}))"
    if [[ "${index}" -le 0 ]]; then
        printf 0
    else
        printf %s "${index}"
    fi
}

# positional arguments:
#
# - 1: the current (sub)command's count of positional arguments
#
# required variables:
#
# - repeating_flags: the repeating flags that the current (sub)command can accept
# - non_repeating_flags: the non-repeating flags that the current (sub)command can accept
# - repeating_options: the repeating options that the current (sub)command can accept
# - non_repeating_options: the non-repeating options that the current (sub)command can accept
# - positional_number: value ignored
# - unparsed_words: unparsed words from the current command line
#
# modified variables:
#
# - non_repeating_flags: remove flags for this (sub)command that are already on the command line
# - non_repeating_options: remove options for this (sub)command that are already on the command line
# - positional_number: set to the current positional number
# - unparsed_words: remove all flags, options, and option values for this (sub)command
__opus_offer_flags_options() {
    local -ir positional_count="${1}"
    positional_number=0

    local was_flag_option_terminator_seen=false
    local is_parsing_option_value=false

    local -ar unparsed_word_indices=("${!unparsed_words[@]}")
    local -i word_index
    for word_index in "${unparsed_word_indices[@]}"; do
        if "${is_parsing_option_value}"; then
            # This word is an option value:
            # Reset marker for next word iff not currently the last word
            [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]] && is_parsing_option_value=false
            unset "unparsed_words[${word_index}]"
            # Do not process this word as a flag or an option
            continue
        fi

        local word="${unparsed_words["${word_index}"]}"
        if ! "${was_flag_option_terminator_seen}"; then
            case "${word}" in
            --)
                unset "unparsed_words[${word_index}]"
                # by itself -- is a flag/option terminator, but if it is the last word, it is the start of a completion
                if [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]]; then
                    was_flag_option_terminator_seen=true
                fi
                continue
                ;;
            -*)
                # ${word} is a flag or an option
                # If ${word} is an option, mark that the next word to be parsed is an option value
                local option
                for option in "${repeating_options[@]}" "${non_repeating_options[@]}"; do
                    [[ "${word}" = "${option}" ]] && is_parsing_option_value=true && break
                done

                # Remove ${word} from ${non_repeating_flags} or ${non_repeating_options} so it isn't offered again
                local not_found=true
                local -i index
                for index in "${!non_repeating_flags[@]}"; do
                    if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                        unset "non_repeating_flags[${index}]"
                        non_repeating_flags=("${non_repeating_flags[@]}")
                        not_found=false
                        break
                    fi
                done
                if "${not_found}"; then
                    for index in "${!non_repeating_flags[@]}"; do
                        if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                            unset "non_repeating_flags[${index}]"
                            non_repeating_flags=("${non_repeating_flags[@]}")
                            break
                        fi
                    done
                fi
                unset "unparsed_words[${word_index}]"
                continue
                ;;
            esac
        fi

        # ${word} is neither a flag, nor an option, nor an option value
        if [[ "${positional_number}" -lt "${positional_count}" || "${positional_count}" -lt 0 ]]; then
            # ${word} is a positional
            ((positional_number++))
            unset "unparsed_words[${word_index}]"
        else
            if [[ -z "${word}" ]]; then
                # Could be completing a flag, option, or subcommand
                positional_number=-1
            else
                # ${word} is a subcommand or invalid, so stop processing this (sub)command
                positional_number=-2
            fi
            break
        fi
    done

    unparsed_words=("${unparsed_words[@]}")

    if\
        ! "${was_flag_option_terminator_seen}"\
        && ! "${is_parsing_option_value}"\
        && [[ ("${cur}" = -* && "${positional_number}" -ge 0) || "${positional_number}" -eq -1 ]]
    then
        COMPREPLY+=($(compgen -W "${repeating_flags[*]} ${non_repeating_flags[*]} ${repeating_options[*]} ${non_repeating_options[*]}" -- "${cur}"))
    fi
}

__opus_add_completions() {
    local completion
    while IFS='' read -r completion; do
        COMPREPLY+=("${completion}")
    done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
}

__opus_custom_complete() {
    if [[ -n "${cur}" || -z ${COMP_WORDS[${COMP_CWORD}]} || "${COMP_LINE:${COMP_POINT}:1}" != ' ' ]]; then
        local -ar words=("${COMP_WORDS[@]}")
    else
        local -ar words=("${COMP_WORDS[@]::${COMP_CWORD}}" '' "${COMP_WORDS[@]:${COMP_CWORD}}")
    fi

    "${COMP_WORDS[0]}" "${@}" "${words[@]}"
}

_opus() {
    local state
    state="$(shopt -p;shopt -po)"
    trap "${state//$'\n'/;}" RETURN
    shopt -s extglob
    set +o history +o posix

    local -xr SAP_SHELL=bash
    local -x SAP_SHELL_VERSION
    SAP_SHELL_VERSION="$(IFS='.';printf %s "${BASH_VERSINFO[*]}")"
    local -r SAP_SHELL_VERSION

    local -r cur="${2}"
    local -r prev="${3}"

    local -i positional_number
    local -a unparsed_words=("${COMP_WORDS[@]:1:${COMP_CWORD}}")

    local -a repeating_flags=()
    local -a non_repeating_flags=(--version -h --help)
    local -a repeating_options=()
    local -a non_repeating_options=()
    __opus_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    init|demo|doctor|run|briefing|sync|watch|triage|apply|list|bundle|search|show|threads|thread|explain|inspect|runs|status|inbox|defer|screener|archive|trash|junk|move|copy|label|unlabel|flag|unflag|read|unread|undo|compose|reply|reply-all|forward|drafts|send|outbox|answer|unsubscribe|task|next|waiting|wait|delegate|nudge|scheduled|someday|projects|review|rules|account|mailbox|config|service|store|help)
        # Offer subcommand argument completions
        "_opus_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'init demo doctor run briefing sync watch triage apply list bundle search show threads thread explain inspect runs status inbox defer screener archive trash junk move copy label unlabel flag unflag read unread undo compose reply reply-all forward drafts send outbox answer unsubscribe task next waiting wait delegate nudge scheduled someday projects review rules account mailbox config service store help' -- "${cur}"))
        ;;
    esac
}

_opus_init() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --yes -y --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --imap --smtp --maildir --user --password-command --token-command --ca-file --pin --name --from)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--imap')
        return
        ;;
    '--smtp')
        return
        ;;
    '--maildir')
        return
        ;;
    '--user')
        return
        ;;
    '--password-command')
        return
        ;;
    '--token-command')
        return
        ;;
    '--ca-file')
        __opus_add_completions -f
        return
        ;;
    '--pin')
        return
        ;;
    '--name')
        return
        ;;
    '--from')
        return
        ;;
    esac
}

_opus_demo() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --keep --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_doctor() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --offline --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_run() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --yes -y --one-by-one -p --dry-run --allow-mass-delete --allow-trash --allow-mass-move --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --rule --query --max)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--rule')
        return
        ;;
    '--query')
        return
        ;;
    '--max')
        return
        ;;
    esac
}

_opus_briefing() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --mail --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --date --format)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--date')
        return
        ;;
    '--format')
        __opus_add_completions -W 'text'$'\n''html'$'\n''json'
        return
        ;;
    esac
}

_opus_sync() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_watch() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --once --events --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --metrics)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--metrics')
        return
        ;;
    esac
}

_opus_triage() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --dry-run --yes -y --one-by-one -p --detailed-exitcode --again --first --version -h --help)
    repeating_options=(--plan)
    non_repeating_options=(--workspace --account -a --trace --color --now --out --max --query --rule)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--out')
        return
        ;;
    '--max')
        return
        ;;
    '--plan')
        return
        ;;
    '--query')
        return
        ;;
    '--rule')
        return
        ;;
    esac
}

_opus_apply() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --old --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __opus_add_completions -f
        return
        ;;
    esac
}

_opus_list() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --all --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --folder --limit)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--folder')
        return
        ;;
    '--limit')
        return
        ;;
    esac
}

_opus_bundle() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __opus_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|clear)
        # Offer subcommand argument completions
        "_opus_bundle_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list clear' -- "${cur}"))
        ;;
    esac
}

_opus_bundle_list() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_bundle_clear() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_search() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --threads --count --saved --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --limit --in --sort --save --remove)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--limit')
        return
        ;;
    '--in')
        __opus_add_completions -W 'mail'$'\n''tasks'$'\n''all'
        return
        ;;
    '--sort')
        __opus_add_completions -W 'date'$'\n''rank'
        return
        ;;
    '--save')
        return
        ;;
    '--remove')
        return
        ;;
    esac
}

_opus_show() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --text --html --headers --structure --raw --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --part --save)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--part')
        return
        ;;
    '--save')
        __opus_add_completions -d
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __opus_add_completions -f
        return
        ;;
    esac
}

_opus_threads() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --all --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --folder --limit)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--folder')
        return
        ;;
    '--limit')
        return
        ;;
    esac
}

_opus_thread() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __opus_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    show|split|join)
        # Offer subcommand argument completions
        "_opus_thread_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'show split join' -- "${cur}"))
        ;;
    esac
}

_opus_thread_show() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --tree --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_thread_split() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_thread_join() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_explain() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --rule)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--rule')
        return
        ;;
    esac
}

_opus_inspect() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __opus_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    message|header|html|compose|imap|task|threads)
        # Offer subcommand argument completions
        "_opus_inspect_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'message header html compose imap task threads' -- "${cur}"))
        ;;
    esac
}

_opus_inspect_message() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --fields)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--fields')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __opus_add_completions -f
        return
        ;;
    esac
}

_opus_inspect_header() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_inspect_html() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --text --sanitized --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __opus_add_completions -f
        return
        ;;
    esac
}

_opus_inspect_compose() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __opus_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    esac
}

_opus_inspect_imap() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --chunk)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--chunk')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __opus_add_completions -f
        return
        ;;
    esac
}

_opus_inspect_task() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --roundtrip --complete --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--workspace --account -a --trace --color --now --uid)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--set')
        return
        ;;
    '--uid')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __opus_add_completions -o plusdirs -fX '!*.@(ics)'
        return
        ;;
    esac
}

_opus_inspect_threads() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --no-subjects --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __opus_add_completions -f
        return
        ;;
    esac
}

_opus_runs() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __opus_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|show)
        # Offer subcommand argument completions
        "_opus_runs_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list show' -- "${cur}"))
        ;;
    esac
}

_opus_runs_list() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --limit)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--limit')
        return
        ;;
    esac
}

_opus_runs_show() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_status() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_inbox() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --all --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_defer() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --dry-run --message --list --cancel --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --plan --limit)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--plan')
        return
        ;;
    '--limit')
        return
        ;;
    esac
}

_opus_screener() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __opus_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|approve|deny|clear|history)
        # Offer subcommand argument completions
        "_opus_screener_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list approve deny clear history' -- "${cur}"))
        ;;
    esac
}

_opus_screener_list() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_screener_approve() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --all --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --to)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--to')
        return
        ;;
    esac
}

_opus_screener_deny() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --all --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_screener_clear() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --all --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_screener_history() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_archive() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --dry-run --message --thread --force --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --plan)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--plan')
        return
        ;;
    esac
}

_opus_trash() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --dry-run --message --thread --force --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --plan)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--plan')
        return
        ;;
    esac
}

_opus_junk() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --dry-run --message --thread --force --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --plan)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--plan')
        return
        ;;
    esac
}

_opus_move() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --dry-run --message --thread --force --create --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --plan --to)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--plan')
        return
        ;;
    '--to')
        return
        ;;
    esac
}

_opus_copy() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --dry-run --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --plan --to)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--plan')
        return
        ;;
    '--to')
        return
        ;;
    esac
}

_opus_label() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --dry-run --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --plan)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--plan')
        return
        ;;
    esac
}

_opus_unlabel() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --dry-run --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --plan)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--plan')
        return
        ;;
    esac
}

_opus_flag() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --dry-run --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --plan)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--plan')
        return
        ;;
    esac
}

_opus_unflag() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --dry-run --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --plan)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--plan')
        return
        ;;
    esac
}

_opus_read() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --dry-run --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --plan)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--plan')
        return
        ;;
    esac
}

_opus_unread() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --dry-run --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --plan)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--plan')
        return
        ;;
    esac
}

_opus_undo() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --dry-run --yes -y --force --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --rule)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--rule')
        return
        ;;
    esac
}

_opus_compose() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --send --draft --yes -y --no-hold --detach --version -h --help)
    repeating_options=(--to --cc --bcc --attach)
    non_repeating_options=(--workspace --account -a --trace --color --now --subject --body --from --template --wait)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--to')
        return
        ;;
    '--cc')
        return
        ;;
    '--bcc')
        return
        ;;
    '--subject')
        return
        ;;
    '--body')
        __opus_add_completions -f
        return
        ;;
    '--attach')
        __opus_add_completions -f
        return
        ;;
    '--from')
        return
        ;;
    '--template')
        return
        ;;
    '--wait')
        return
        ;;
    esac
}

_opus_reply() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --send --draft --yes -y --no-hold --detach --no-quote --version -h --help)
    repeating_options=(--to --cc --bcc --attach)
    non_repeating_options=(--workspace --account -a --trace --color --now --subject --body --from --template --wait)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--to')
        return
        ;;
    '--cc')
        return
        ;;
    '--bcc')
        return
        ;;
    '--subject')
        return
        ;;
    '--body')
        __opus_add_completions -f
        return
        ;;
    '--attach')
        __opus_add_completions -f
        return
        ;;
    '--from')
        return
        ;;
    '--template')
        return
        ;;
    '--wait')
        return
        ;;
    esac
}

_opus_reply-all() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --send --draft --yes -y --no-hold --detach --no-quote --version -h --help)
    repeating_options=(--to --cc --bcc --attach)
    non_repeating_options=(--workspace --account -a --trace --color --now --subject --body --from --template --wait)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--to')
        return
        ;;
    '--cc')
        return
        ;;
    '--bcc')
        return
        ;;
    '--subject')
        return
        ;;
    '--body')
        __opus_add_completions -f
        return
        ;;
    '--attach')
        __opus_add_completions -f
        return
        ;;
    '--from')
        return
        ;;
    '--template')
        return
        ;;
    '--wait')
        return
        ;;
    esac
}

_opus_forward() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --send --draft --yes -y --no-hold --detach --version -h --help)
    repeating_options=(--to --cc --bcc --attach)
    non_repeating_options=(--workspace --account -a --trace --color --now --subject --body --from --template --wait)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--to')
        return
        ;;
    '--cc')
        return
        ;;
    '--bcc')
        return
        ;;
    '--subject')
        return
        ;;
    '--body')
        __opus_add_completions -f
        return
        ;;
    '--attach')
        __opus_add_completions -f
        return
        ;;
    '--from')
        return
        ;;
    '--template')
        return
        ;;
    '--wait')
        return
        ;;
    esac
}

_opus_drafts() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __opus_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|show|edit|discard)
        # Offer subcommand argument completions
        "_opus_drafts_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list show edit discard' -- "${cur}"))
        ;;
    esac
}

_opus_drafts_list() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --limit)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--limit')
        return
        ;;
    esac
}

_opus_drafts_show() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_drafts_edit() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --body)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--body')
        __opus_add_completions -f
        return
        ;;
    esac
}

_opus_drafts_discard() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --yes -y --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_send() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --yes -y --no-hold --detach --again --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_outbox() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __opus_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|retry|discard|settle|wait)
        # Offer subcommand argument completions
        "_opus_outbox_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list retry discard settle wait' -- "${cur}"))
        ;;
    esac
}

_opus_outbox_list() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --all --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_outbox_retry() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_outbox_discard() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_outbox_settle() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --sent --not-sent --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_outbox_wait() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --timeout)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--timeout')
        return
        ;;
    esac
}

_opus_answer() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --yes -y --no-hold --detach --again --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --note)
    __opus_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--note')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    2)
        __opus_add_completions -W 'yes'$'\n''no'$'\n''maybe'
        return
        ;;
    esac
}

_opus_unsubscribe() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --yes -y --no-hold --detach --by-sender --again --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --ca-file)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--ca-file')
        __opus_add_completions -f
        return
        ;;
    esac
}

_opus_task() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __opus_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|show|add|edit|done|reopen|cancel|start|move|defer|block|project|from|link|path|conflicts|check|sync|sync-setup)
        # Offer subcommand argument completions
        "_opus_task_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list show add edit done reopen cancel start move defer block project from link path conflicts check sync sync-setup' -- "${cur}"))
        ;;
    esac
}

_opus_task_list() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --overdue --reverse --all --version -h --help)
    repeating_options=(--context -c --text)
    non_repeating_options=(--workspace --account -a --trace --color --now --project --due --sort --limit)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--context'|'-c')
        return
        ;;
    '--project')
        return
        ;;
    '--due')
        return
        ;;
    '--text')
        return
        ;;
    '--sort')
        __opus_add_completions -W 'list'$'\n''due'$'\n''start'$'\n''priority'$'\n''created'$'\n''summary'
        return
        ;;
    '--limit')
        return
        ;;
    esac
}

_opus_task_show() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_task_add() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=(--context -c)
    non_repeating_options=(--workspace --account -a --trace --color --now --due --start --priority --project --notes --contact --list)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--due')
        return
        ;;
    '--start')
        return
        ;;
    '--priority')
        return
        ;;
    '--context'|'-c')
        return
        ;;
    '--project')
        return
        ;;
    '--notes')
        return
        ;;
    '--contact')
        return
        ;;
    '--list')
        return
        ;;
    esac
}

_opus_task_edit() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=(--context -c --add-context --remove-context)
    non_repeating_options=(--workspace --account -a --trace --color --now --due --start --priority --project --notes --contact --title)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--due')
        return
        ;;
    '--start')
        return
        ;;
    '--priority')
        return
        ;;
    '--context'|'-c')
        return
        ;;
    '--project')
        return
        ;;
    '--notes')
        return
        ;;
    '--contact')
        return
        ;;
    '--title')
        return
        ;;
    '--add-context')
        return
        ;;
    '--remove-context')
        return
        ;;
    esac
}

_opus_task_done() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_task_reopen() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_task_cancel() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_task_start() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_task_move() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_task_defer() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_task_block() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --remove --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_task_project() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --none --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --of --new)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--of')
        return
        ;;
    '--new')
        return
        ;;
    esac
}

_opus_task_from() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --again --version -h --help)
    repeating_options=(--context -c)
    non_repeating_options=(--workspace --account -a --trace --color --now --due --start --priority --project --notes --contact --title --list)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--due')
        return
        ;;
    '--start')
        return
        ;;
    '--priority')
        return
        ;;
    '--context'|'-c')
        return
        ;;
    '--project')
        return
        ;;
    '--notes')
        return
        ;;
    '--contact')
        return
        ;;
    '--title')
        return
        ;;
    '--list')
        return
        ;;
    esac
}

_opus_task_link() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --no --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_task_path() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_task_conflicts() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=(--ours --theirs)
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--ours')
        return
        ;;
    '--theirs')
        return
        ;;
    esac
}

_opus_task_check() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_task_sync() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --allow-mass-delete --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_task_sync-setup() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --print --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --with --url --user --password-command --conflict --ca-file --config)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--with')
        __opus_add_completions -W 'vdirsyncer'$'\n''pimsync'
        return
        ;;
    '--url')
        return
        ;;
    '--user')
        return
        ;;
    '--password-command')
        return
        ;;
    '--conflict')
        __opus_add_completions -W 'keep'$'\n''here'$'\n''server'
        return
        ;;
    '--ca-file')
        __opus_add_completions -f
        return
        ;;
    '--config')
        return
        ;;
    esac
}

_opus_next() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --overdue --reverse --version -h --help)
    repeating_options=(--context -c --text)
    non_repeating_options=(--workspace --account -a --trace --color --now --project --due --sort --limit)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--context'|'-c')
        return
        ;;
    '--project')
        return
        ;;
    '--due')
        return
        ;;
    '--text')
        return
        ;;
    '--sort')
        __opus_add_completions -W 'list'$'\n''due'$'\n''start'$'\n''priority'$'\n''created'$'\n''summary'
        return
        ;;
    '--limit')
        return
        ;;
    esac
}

_opus_waiting() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --overdue --reverse --version -h --help)
    repeating_options=(--context -c --text)
    non_repeating_options=(--workspace --account -a --trace --color --now --project --due --sort --limit)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--context'|'-c')
        return
        ;;
    '--project')
        return
        ;;
    '--due')
        return
        ;;
    '--text')
        return
        ;;
    '--sort')
        __opus_add_completions -W 'list'$'\n''due'$'\n''start'$'\n''priority'$'\n''created'$'\n''summary'
        return
        ;;
    '--limit')
        return
        ;;
    esac
}

_opus_wait() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --dry-run --version -h --help)
    repeating_options=(--who)
    non_repeating_options=(--workspace --account -a --trace --color --now --on-reply --until)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--on-reply')
        return
        ;;
    '--who')
        return
        ;;
    '--until')
        return
        ;;
    esac
}

_opus_delegate() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --dry-run --send --yes -y --no-hold --detach --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --on-reply --note --until)
    __opus_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--on-reply')
        return
        ;;
    '--note')
        return
        ;;
    '--until')
        return
        ;;
    esac
}

_opus_nudge() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --again --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --body --until)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--body')
        __opus_add_completions -f
        return
        ;;
    '--until')
        return
        ;;
    esac
}

_opus_scheduled() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --overdue --reverse --version -h --help)
    repeating_options=(--context -c --text)
    non_repeating_options=(--workspace --account -a --trace --color --now --project --due --sort --limit)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--context'|'-c')
        return
        ;;
    '--project')
        return
        ;;
    '--due')
        return
        ;;
    '--text')
        return
        ;;
    '--sort')
        __opus_add_completions -W 'list'$'\n''due'$'\n''start'$'\n''priority'$'\n''created'$'\n''summary'
        return
        ;;
    '--limit')
        return
        ;;
    esac
}

_opus_someday() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --overdue --reverse --version -h --help)
    repeating_options=(--context -c --text)
    non_repeating_options=(--workspace --account -a --trace --color --now --project --due --sort --limit)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--context'|'-c')
        return
        ;;
    '--project')
        return
        ;;
    '--due')
        return
        ;;
    '--text')
        return
        ;;
    '--sort')
        __opus_add_completions -W 'list'$'\n''due'$'\n''start'$'\n''priority'$'\n''created'$'\n''summary'
        return
        ;;
    '--limit')
        return
        ;;
    esac
}

_opus_projects() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --all --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --limit)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--limit')
        return
        ;;
    esac
}

_opus_review() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --restart --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --inbox)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--inbox')
        return
        ;;
    esac
}

_opus_rules() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __opus_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    check|test|list|stats|diff|new|suggest|add-to|rename-mailbox|import|export|schema)
        # Offer subcommand argument completions
        "_opus_rules_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'check test list stats diff new suggest add-to rename-mailbox import export schema' -- "${cur}"))
        ;;
    esac
}

_opus_rules_check() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __opus_add_completions -o plusdirs -fX '!*.@(yaml|yml)'
        return
        ;;
    esac
}

_opus_rules_test() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --only)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--only')
        return
        ;;
    esac
}

_opus_rules_list() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_rules_stats() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_rules_diff() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --today --detailed-exitcode --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --over --samples)
    __opus_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--over')
        return
        ;;
    '--samples')
        return
        ;;
    esac
}

_opus_rules_new() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=(--from --then)
    non_repeating_options=(--workspace --account -a --trace --color --now --write)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--from')
        return
        ;;
    '--then')
        return
        ;;
    '--write')
        return
        ;;
    esac
}

_opus_rules_suggest() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_rules_add-to() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --dry-run --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_rules_rename-mailbox() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --dry-run --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_rules_import() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --format --out)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--format')
        __opus_add_completions -W 'gmail'$'\n''sieve'$'\n''thunderbird'
        return
        ;;
    '--out')
        return
        ;;
    esac
}

_opus_rules_export() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __opus_add_completions -W 'sieve'
        return
        ;;
    esac
}

_opus_rules_schema() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_account() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __opus_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|check|login|add|remove)
        # Offer subcommand argument completions
        "_opus_account_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list check login add remove' -- "${cur}"))
        ;;
    esac
}

_opus_account_list() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_account_check() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_account_login() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --paste --device --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_account_add() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --yes -y --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --imap --smtp --maildir --user --password-command --token-command --ca-file --pin --name --from)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--imap')
        return
        ;;
    '--smtp')
        return
        ;;
    '--maildir')
        return
        ;;
    '--user')
        return
        ;;
    '--password-command')
        return
        ;;
    '--token-command')
        return
        ;;
    '--ca-file')
        __opus_add_completions -f
        return
        ;;
    '--pin')
        return
        ;;
    '--name')
        return
        ;;
    '--from')
        return
        ;;
    esac
}

_opus_account_remove() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --yes -y --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_mailbox() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __opus_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|create)
        # Offer subcommand argument completions
        "_opus_mailbox_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list create' -- "${cur}"))
        ;;
    esac
}

_opus_mailbox_list() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_mailbox_create() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_config() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __opus_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    show|get|set|check|edit|path|schema)
        # Offer subcommand argument completions
        "_opus_config_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'show get set check edit path schema' -- "${cur}"))
        ;;
    esac
}

_opus_config_show() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --origin --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_config_get() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_config_set() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_config_check() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_config_edit() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_config_path() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_config_schema() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_service() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __opus_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    install|status|logs|remove)
        # Offer subcommand argument completions
        "_opus_service_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'install status logs remove' -- "${cur}"))
        ;;
    esac
}

_opus_service_install() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --print --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --name --briefing --run)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--name')
        return
        ;;
    '--briefing')
        return
        ;;
    '--run')
        return
        ;;
    esac
}

_opus_service_status() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --name)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--name')
        return
        ;;
    esac
}

_opus_service_logs() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --follow --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --name --lines)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--name')
        return
        ;;
    '--lines')
        return
        ;;
    esac
}

_opus_service_remove() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --name)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--name')
        return
        ;;
    esac
}

_opus_store() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __opus_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    verify|compact|rebuild|export)
        # Offer subcommand argument completions
        "_opus_store_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'verify compact rebuild export' -- "${cur}"))
        ;;
    esac
}

_opus_store_verify() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_store_compact() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_store_rebuild() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now)
    __opus_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    esac
}

_opus_store_export() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --no-pager --version -h --help)
    repeating_options=()
    non_repeating_options=(--workspace --account -a --trace --color --now --format)
    __opus_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--workspace')
        return
        ;;
    '--account'|'-a')
        return
        ;;
    '--trace')
        return
        ;;
    '--color')
        __opus_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--now')
        return
        ;;
    '--format')
        __opus_add_completions -W 'maildir'$'\n''mbox'
        return
        ;;
    esac
}

_opus_help() {
    repeating_flags=()
    non_repeating_flags=(--version)
    repeating_options=()
    non_repeating_options=()
    __opus_offer_flags_options -1
}

complete -o filenames -F _opus opus

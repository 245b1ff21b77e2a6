# What luvus adds to the bash of a pane: it marks prompts and commands (OSC 133) and tells the folder
# (OSC 7). bash reads this file in place of ~/.bashrc, which is read from here, or, when it was started
# with options of its own, at its first prompt (with the word `prompt`).
#
# Marks stand in PS1 and PS0 by way of variables that are not exported, so that another shell that
# inherits a PS1 shows none. No trap is set. Aliases are not there yet when this is read.

__luvus_hook='__luvus_prompt "$?" "$(trap -p DEBUG)"'

# Runs with every prompt: $1 is the status of the last command, $2 the person's DEBUG trap.
__luvus_prompt() {
    { local - __luvus_flags=$-; set +aeux; } 2>/dev/null
    local __luvus_new='\#'
    # The number of commands grows with every command, and not with an empty line or Ctrl+C.
    __luvus_new=${__luvus_new@P}
    if [[ $__luvus_new != "${__luvus_number-$__luvus_new}" ]]; then
        builtin printf '\e]133;D;%s\a' "$1" >&2
    fi
    __luvus_number=$__luvus_new
    __luvus_tell_folder
    __luvus_mark_prompt
    __luvus_place "$2"
    # bash 5.1 brings the status back by itself between the commands of the list.
    if [[ -n ${__luvus_list-} || $__luvus_flags == *e* ]]; then
        return 0
    fi
    return "$1"
}

# Wraps PS1 and PS0, which the person's commands may have set anew.
__luvus_mark_prompt() {
    local __luvus_before='${__luvus_a-}' __luvus_after='${__luvus_b-}' __luvus_start='${__luvus_c-}'
    if ! builtin shopt -q promptvars; then
        PS1=${PS1//'${__luvus_a-}'/$__luvus_a}
        PS1=${PS1//'${__luvus_b-}'/$__luvus_b}
        PS0=${PS0//'${__luvus_c-}'/$__luvus_c}
        __luvus_before=$__luvus_a __luvus_after=$__luvus_b __luvus_start=$__luvus_c
    fi
    if [[ ${PS1-} != *'__luvus_b'* && ${PS1-} != *']133;'* ]]; then
        # A prompt that is set anew after this has run shows no mark of its own.
        if [[ -z ${__luvus_list-} || ${PROMPT_COMMAND[@]: -1} != "$__luvus_hook" ]]; then
            builtin printf '%s' "$__luvus_a" >&2
        fi
        PS1="\\[$__luvus_before\\]${PS1-}\\[$__luvus_after\\]"
    fi
    if [[ ${PS0-} != *'__luvus_c'* && ${PS0-} != *']133;'* ]]; then
        PS0=$__luvus_start${PS0-}
    fi
}

# Keeps the hook in PROMPT_COMMAND: at the end, to see the PS1 that the others make; before the others
# where a DEBUG trap would take it for a command of the person's, and where bash has no list.
__luvus_place() {
    if [[ ${PROMPT_COMMAND@a} == *r* ]]; then
        return 0
    fi
    if [[ -z ${__luvus_list-} ]]; then
        if [[ ${PROMPT_COMMAND-} != *"$__luvus_hook"* ]]; then
            PROMPT_COMMAND=$__luvus_hook${PROMPT_COMMAND:+$'\n'$PROMPT_COMMAND}
        fi
        builtin export -n PROMPT_COMMAND
        return 0
    fi
    local __luvus_command
    local -a __luvus_others=()
    for __luvus_command in ${PROMPT_COMMAND[@]+"${PROMPT_COMMAND[@]}"}; do
        if [[ -n $__luvus_command && $__luvus_command != "$__luvus_hook" ]]; then
            __luvus_others+=("$__luvus_command")
        fi
    done
    if [[ -n $1 ]]; then
        PROMPT_COMMAND=("$__luvus_hook" ${__luvus_others[@]+"${__luvus_others[@]}"})
    else
        PROMPT_COMMAND=(${__luvus_others[@]+"${__luvus_others[@]}"} "$__luvus_hook")
    fi
}

__luvus_tell_folder() {
    if [[ $PWD != "${__luvus_pwd-}" ]]; then
        local LC_ALL=C __luvus_at __luvus_char __luvus_code
        __luvus_pwd=$PWD __luvus_url=
        for ((__luvus_at = 0; __luvus_at < ${#PWD}; __luvus_at++)); do
            __luvus_char=${PWD:__luvus_at:1}
            case $__luvus_char in
                [a-zA-Z0-9/._~-]) ;;
                *)
                    builtin printf -v __luvus_code '%d' "'$__luvus_char"
                    builtin printf -v __luvus_char '%%%02X' "$((__luvus_code & 255))"
                    ;;
            esac
            __luvus_url+=$__luvus_char
        done
    fi
    builtin printf '\e]7;file://%s%s\a' "${HOSTNAME-}" "$__luvus_url" >&2
}

# $1 is the status that the person's file left behind, $2 the person's DEBUG trap.
__luvus_install() {
    { local - __luvus_flags=$-; set +aeux; } 2>/dev/null
    # Before 4.4 bash cannot tell when a command starts: then nothing is marked at all.
    if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)); then
        if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then
            __luvus_list=1
        fi
        __luvus_a=$'\e]133;A\a' __luvus_b=$'\e]133;B\a' __luvus_c=$'\e]133;C\a'
        __luvus_place "$2"
    fi
    if [[ $__luvus_flags == *e* ]]; then
        return 0
    fi
    return "$1"
}

if [[ ${1-} != prompt ]]; then
    if [[ -r ~/.bashrc ]]; then
        . ~/.bashrc
    fi
    __luvus_install "$?" "$(trap -p DEBUG)"
elif [[ -z ${__luvus_number-} ]]; then
    PROMPT_COMMAND=${PROMPT_COMMAND/. \'*luvus.bash\' prompt/}
    builtin export -n PROMPT_COMMAND
    __luvus_install 0 ''
    __luvus_prompt 0 ''
fi

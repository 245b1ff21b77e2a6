# What luvus adds to the zsh of a pane: it marks prompts and commands (OSC 133) and tells the folder
# (OSC 7). zsh reads this as the .zshenv of the folder that ZDOTDIR names at its start; the person's own
# ZDOTDIR is put back first, so that every other file is read as without luvus.
#
# PS1 has its marks only while the prompt stands: a command and its children see the person's own.
# Aliases are not there yet when this is read.

if [[ -n ${LUVUS_ZDOTDIR+set} ]]; then
    builtin export ZDOTDIR=$LUVUS_ZDOTDIR
    builtin unset LUVUS_ZDOTDIR
else
    builtin unset ZDOTDIR
fi

if [[ -o interactive ]]; then
    # Before every prompt, after what the person does there.
    _luvus_precmd() {
        builtin local -i _luvus_status=$? _luvus_marks=0
        [[ -o promptpercent ]] && _luvus_marks=1
        builtin emulate -L zsh
        builtin setopt no_err_exit no_err_return unset no_xtrace no_warn_create_global
        if (( ${_luvus_running:-0} )); then
            builtin print -n "\e]133;D;$_luvus_status\a" > $TTY
        fi
        _luvus_running=0
        _luvus_tell_folder
        # The last of the list sees the PS1 that the others make.
        if [[ ${precmd_functions[-1]-} != _luvus_precmd ]]; then
            precmd_functions=(${precmd_functions:#_luvus_precmd} _luvus_precmd)
            _luvus_marks=0
        fi
        if (( ! _luvus_marks )); then
            builtin print -n '\e]133;A\a' > $TTY
        elif [[ $PS1 != *$'\e]133;'[AB]* ]]; then
            _luvus_own=$PS1
            PS1=$'%{\e]133;A\a%}'$PS1$'%{\e]133;B\a%}'
            _luvus_marked=$PS1
        fi
        if (( ! ${preexec_functions[(Ie)_luvus_preexec]:-0} )); then
            preexec_functions+=(_luvus_preexec)
        fi
    }

    # Before every command.
    _luvus_preexec() {
        builtin emulate -L zsh
        builtin setopt no_err_exit no_err_return unset no_xtrace no_warn_create_global
        if [[ -n ${_luvus_marked-} && $PS1 == "$_luvus_marked" ]]; then
            PS1=$_luvus_own
        fi
        if (( ! ${precmd_functions[(Ie)_luvus_precmd]:-0} )); then
            precmd_functions+=(_luvus_precmd)
        fi
        builtin print -n '\e]133;C\a' > $TTY
        _luvus_running=1
    }

    _luvus_tell_folder() {
        if [[ $PWD != "${_luvus_pwd-}" ]]; then
            builtin setopt local_options no_multibyte
            builtin local _luvus_char
            builtin local -i _luvus_code
            _luvus_pwd=$PWD _luvus_url=
            for _luvus_char in ${(s::)PWD}; do
                if [[ $_luvus_char != [a-zA-Z0-9/._~-] ]]; then
                    _luvus_code=$(( #_luvus_char & 255 ))
                    builtin printf -v _luvus_char '%%%02X' $_luvus_code
                fi
                _luvus_url+=$_luvus_char
            done
        fi
        builtin print -rn -- $'\e]7;file://'$HOST$_luvus_url$'\a' > $TTY
    }

    builtin typeset -ga precmd_functions preexec_functions
    # At the first prompt, after the files that may set these lists anew, and after what runs before a prompt.
    if builtin zmodload -F zsh/sched b:sched 2> /dev/null; then
        builtin sched +0 'precmd_functions+=(_luvus_precmd); _luvus_precmd'
    else
        precmd_functions+=(_luvus_precmd)
    fi
fi

if [[ -r ${ZDOTDIR-$HOME}/.zshenv ]]; then
    builtin source -- "${ZDOTDIR-$HOME}/.zshenv"
fi

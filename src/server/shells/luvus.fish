# What luvus adds to the fish of a pane: it marks prompts and commands (OSC 133) and tells the folder
# (OSC 7). fish reads this once, after the person's own configuration.

# From version 4 on fish marks by itself.
if status is-interactive; and string match -qr '^[0-3]\.' -- $version
    function __luvus_prompt --on-event fish_prompt --on-event fish_posterror
        printf '\e]7;file://%s%s\a\e]133;A\a' $hostname (string escape --style=url -- $PWD | string collect)
        # The prompt may have been set anew.
        if not string match -q '*__luvus_own_prompt*' -- (functions fish_prompt)
            __luvus_wrap
        end
    end

    function __luvus_wrap
        functions --erase __luvus_own_prompt
        if functions -q fish_prompt
            functions --copy fish_prompt __luvus_own_prompt
        else
            function __luvus_own_prompt
                printf '%s> ' (prompt_pwd)
            end
        end
        function fish_prompt
            # Without the line end that fish itself would drop.
            printf '%s\e]133;B\a' (__luvus_own_prompt | string collect)
        end
    end

    function __luvus_start --on-event fish_preexec
        printf '\e]133;C\a'
    end

    function __luvus_end --on-event fish_postexec
        printf '\e]133;D;%s\a' $status
    end

    __luvus_wrap
end

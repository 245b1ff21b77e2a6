//! What a command ends with: exit codes and the one line on standard error.

use std::fmt::Display;

/// How a process ends (`product.md` section 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It worked.
    Ok,
    /// It did not.
    Failed,
    /// A wait ran out, or its target is gone.
    Gone,
    /// The command line is wrong; nothing was done.
    Usage,
}

impl Exit {
    /// The number.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Failed => 1,
            Self::Gone => 2,
            Self::Usage => 64,
        }
    }

    /// What an error code of UHP or of the runtime protocol means for a script.
    #[must_use]
    pub fn of_error_code(code: &str) -> Self {
        match code {
            "timeout" | "not_found" | "target_not_found" | "pane_exited" | "pane_closed" | "agent_exited"
            | "agent_replaced" | "agent_not_running" | "terminal_gone" | "stale_terminal" | "stale_route" => {
                Self::Gone
            }
            _ => Self::Failed,
        }
    }
}

/// A command that did not work: one line for a person and the exit code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CliError {
    /// What happened and what to do, on one line.
    pub message: String,
    /// How the process ends.
    pub exit: Exit,
}

impl CliError {
    /// Something did not work.
    pub fn failed(message: impl Display) -> Self {
        Self { message: message.to_string(), exit: Exit::Failed }
    }

    /// The command line is wrong.
    pub fn usage(message: impl Display) -> Self {
        Self { message: message.to_string(), exit: Exit::Usage }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_that_say_the_target_is_gone_end_with_two() {
        for code in ["timeout", "target_not_found", "pane_closed", "pane_exited", "not_found"] {
            assert_eq!(Exit::of_error_code(code).code(), 2, "{code}");
        }
        for code in ["confirmation_required", "runtime_unavailable", "invalid_params", ""] {
            assert_eq!(Exit::of_error_code(code).code(), 1, "{code}");
        }
    }
}

//! (skeleton)

/// Runs the command line and returns the exit code of `product.md` section 8.
pub fn run() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}

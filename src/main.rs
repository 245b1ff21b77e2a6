//! The `luvus` program: hands over to [`luvus::cli`] and turns its answer into an exit code.

fn main() -> std::process::ExitCode {
    luvus::cli::run()
}

# Everyday commands. `just` lists them.

default:
    @just --list

# Everything that a change must pass.
check: fmt-check lint test

# Build and start (or attach to) the default session.
run *arguments:
    cargo run --release -- {{arguments}}

# All tests; an argument selects by name (`just test keys::`).
test *filter:
    cargo test {{filter}}

# Look at the pictures of the main screens that have changed, and accept them.
bless:
    INSTA_UPDATE=always INSTA_FORCE_PASS=1 cargo test --lib client::tests::pictures
    git --no-pager diff --stat -- src/client/tests/snapshots

# Lints, as strict as in CI.
lint:
    cargo clippy --all-targets -- -D warnings

# Format the code.
fmt:
    cargo fmt

fmt-check:
    cargo fmt --check

# Measure beside tmux (docs/benchmarks.md).
bench *arguments:
    cargo build --release
    python3 bench/latency.py {{arguments}}

# Measure end to end, beside tmux, how long a pane takes for what a program prints.
throughput *arguments:
    cargo build --release
    python3 bench/throughput.py {{arguments}}

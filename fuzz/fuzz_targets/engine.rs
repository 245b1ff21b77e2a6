//! Any bytes as a script of output and changes of size; the properties are in `tests/engine/script.rs`.

#![no_main]

#[path = "../../tests/engine/script.rs"]
mod script;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| script::run(bytes));

# One word for each of the commands in the README.

# List the recipes.
default:
    @just --list

# Run every experiment and write reports/.
reproduce *IDS:
    cargo run --release -p lab -- reproduce {{IDS}}

# Compare reports/ with what the code makes.
check *IDS:
    cargo run --release -p lab -- check {{IDS}}

# Run every test.
test:
    cargo test --workspace

# Formatting, clippy and documentation, warnings as errors.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# Run every bench, or those whose name contains FILTER.
bench *FILTER:
    cargo bench -- {{FILTER}}

# Record the last bench's results with a description of this machine.
hardware:
    cargo run --release -p lab -- hardware record

//! How two runs of a program differ: `trace_diff A.jsonl B.jsonl`, of files that the trace wrote. The exit code is 1 where they do.
//!
//! ```sh
//! WARPCALL_TRACE=a.jsonl cargo run --example graph_decode
//! WARPCALL_TRACE=b.jsonl cargo run --example graph_decode
//! cargo run --example trace_diff -- a.jsonl b.jsonl
//! ```

use std::process::ExitCode;

use warpcall::diagnose::trace::Recording;

fn main() -> anyhow::Result<ExitCode> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let [before, after] = &files[..] else {
        anyhow::bail!(
            "expected the names of two files of JSON lines, as in `trace_diff a.jsonl b.jsonl`; found {}",
            files.len()
        );
    };
    let diff = Recording::load(before)?.diff(&Recording::load(after)?);
    println!("{diff}");
    Ok(if diff.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

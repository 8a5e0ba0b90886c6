//! Prints the kernels of CUDA sources, PTX, cubins and fatbins:
//! `signatures [-DNAME[=VALUE]…] [-IFOLDER…] FILE…`.
//!
//! With a source and an image of it, it also says where the two differ.

use std::error::Error;

use warpcall_signature::source::SourceReader;
use warpcall_signature::{Module, compare, detect, read};

fn main() -> Result<(), Box<dyn Error>> {
    let mut sources: Vec<Module> = Vec::new();
    let mut reader = SourceReader::new();
    for path in std::env::args().skip(1) {
        if let Some(define) = path.strip_prefix("-D") {
            let (name, value) = define.split_once('=').unwrap_or((define, "1"));
            reader = reader.define(name, value);
            continue;
        }
        if let Some(folder) = path.strip_prefix("-I") {
            reader = reader.include_folder(folder);
            continue;
        }
        let bytes = std::fs::read(&path)?;
        if detect(&bytes).is_none() {
            let module = reader.read_file(&path)?;
            print(&path, &module);
            sources.push(module);
            continue;
        }
        for module in read(&bytes)? {
            print(&path, &module);
            for compiled in &module.kernels {
                for written in sources.iter().filter_map(|s| s.kernel(&compiled.name)) {
                    for difference in compare(written, compiled) {
                        println!("  `{}` differs from the source: {difference}", compiled.name);
                    }
                }
            }
        }
    }
    Ok(())
}

fn print(path: &str, module: &Module) {
    println!("{path}{}", module.target.as_ref().map(|t| format!(" for {t}")).unwrap_or_default());
    for kernel in &module.kernels {
        println!("  {kernel}");
        for note in &kernel.notes {
            println!("    note: {note}");
        }
    }
    for note in &module.notes {
        println!("  note: {note}");
    }
}

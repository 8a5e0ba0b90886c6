//! Writes the generated declarations and their CUDA kernels.

use std::{env, error::Error, path::PathBuf};

mod generator;

/// The seed of the generated program where `WARPCALL_GENERATOR_SEED` names no other.
const SEED: u64 = 0x5eed_0001;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=generator");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=WARPCALL_GENERATOR_SEED");
    let seed = match env::var("WARPCALL_GENERATOR_SEED") {
        Ok(seed) => seed.parse()?,
        Err(_) => SEED,
    };
    let folder = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    generator::Program::of_seed(seed).write(&folder)?;
    println!("cargo::rustc-env=WARPCALL_GENERATOR_SEED={seed}");
    Ok(())
}

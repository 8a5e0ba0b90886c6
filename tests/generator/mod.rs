//! Declarations of kernels by the hundred, the same ones for the same seed, with arguments of which every byte
//! is known: the model is laid out here, by C's rules, without a line of the crate that it tests.
//!
//! The build script writes the same signatures twice: for Rust alone (`equivalence.rs`), and as kernels
//! that copy every byte of their parameters to memory (`echo.rs` and `echo_*.cu`).

mod cuda;
mod rust;
mod signature;
mod structure;
mod types;
mod value;

use std::{fs, io, path::Path};

use structure::Catalogue;

/// All signatures of one seed, and the structs they use.
pub(crate) struct Program {
    structs: Catalogue,
    signatures: Vec<signature::Signature>,
}

impl Program {
    /// The program of this seed.
    pub(crate) fn of_seed(seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let structs = Catalogue::new(&mut rng);
        let signatures = signature::plan(&structs, &mut rng);
        Self { structs, signatures }
    }

    /// Writes all files of the program into `folder`.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        fs::write(folder.join("structs.rs"), rust::structs(&self.structs))?;
        fs::write(folder.join("equivalence.rs"), rust::equivalence(&self.structs, &self.signatures))?;
        fs::write(folder.join("echo.rs"), rust::echo(&self.signatures))?;
        for (unit, signatures) in cuda::units(&self.signatures).enumerate() {
            fs::write(folder.join(format!("echo_{unit}.cu")), cuda::unit(&self.structs, signatures))?;
        }
        Ok(())
    }
}

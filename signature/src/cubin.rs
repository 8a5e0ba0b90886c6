//! Reading kernels out of cubins, the ELF files that `ptxas` writes.
//!
//! NVIDIA does not document the format; what is read here is what CUDA 11 to 13 write. A kernel is a
//! function symbol with the entry bit, and its section `.nv.info.<kernel>` is a list of attributes:
//! one for each parameter (index, offset, size), and those of the launch bounds. Types are gone,
//! unless the symbol is mangled; of the alignment the offset is left.

use object::Endianness;
use object::elf::{FileHeader64, STB_LOCAL, STT_FUNC};
use object::read::elf::{FileHeader, SectionHeader, Sym};

use crate::bytes::{slice, u16_at, u32_at};
use crate::demangle::{Budget, add_types, kernel_within};
use crate::{Alignments, Constant, Diagnostic, Kernel, Module, Parameter, Problem, Result};

const EM_CUDA: u16 = 190;
/// The bit of a symbol's `st_other` that marks an entry.
const STO_CUDA_ENTRY: u8 = 0x10;
const INFO_PREFIX: &[u8] = b".nv.info.";
/// Parameters take at most 32,764 bytes, and each at least one.
const MOST_PARAMETERS: usize = 32_768;

// Attribute ids, as `cuobjdump -elf` names them: EIATTR_…
const MAX_THREADS: u8 = 0x05;
const PARAM_CBANK: u8 = 0x0a;
const REQNTID: u8 = 0x10;
const KPARAM_INFO: u8 = 0x17;
const CTA_PER_CLUSTER: u8 = 0x3d;
const MAX_CLUSTER_RANK: u8 = 0x3f;
const KPARAM_INFO_V2: u8 = 0x45;
/// The attribute format whose value has a length of its own; all others take two bytes.
const EIFMT_SVAL: u8 = 4;

/// Whether the bytes begin like an ELF file for NVIDIA's GPUs.
pub fn is_cubin(data: &[u8]) -> bool {
    data.starts_with(b"\x7fELF") && u16_at(data, 18, "the ELF header").is_ok_and(|machine| machine == EM_CUDA)
}

/// Reads the kernels of a cubin.
///
/// # Errors
///
/// The bytes are no 64-bit cubin, end too early, or contradict themselves: a parameter past the end
/// of the parameter space, one that overlaps the next, one that is missing.
pub fn read(data: &[u8]) -> Result<Module> {
    if !is_cubin(data) {
        return Err(Problem::NotAnImage.into());
    }
    if data.get(4) != Some(&2) {
        let reason = "only 64-bit images are read".to_owned();
        return Err(Problem::Unsupported { what: "the cubin", reason }.into());
    }
    let header = FileHeader64::<Endianness>::parse(data).map_err(malformed)?;
    let endian = header.endian().map_err(malformed)?;
    let sections = header.sections(endian, data).map_err(malformed)?;
    let symbols = sections.symbols(endian, data, object::elf::SHT_SYMTAB).map_err(malformed)?;
    let mut module = Module { target: target(data), ..Module::default() };
    let mut infos = std::collections::HashMap::new();
    for section in sections.iter() {
        let name = sections.section_name(endian, section).map_err(malformed)?;
        if let Some(kernel) = name.strip_prefix(INFO_PREFIX) {
            infos.insert(kernel, section);
        }
    }
    let mut budget = Budget::of(data.len());
    let mut names_left = data.len();
    for symbol in symbols.iter() {
        let is_entry = symbol.st_type() == STT_FUNC && symbol.st_other().0 & STO_CUDA_ENTRY != 0;
        if !is_entry || symbol.st_shndx(endian).0 == 0 {
            continue;
        }
        let name = symbols.symbol_name(endian, symbol).map_err(malformed)?;
        let text = std::str::from_utf8(name).map_err(|_| malformed("a kernel's name is not UTF-8"))?;
        // Each section belongs to one kernel; a symbol that is there twice must not double the work.
        let Some(section) = infos.remove(name) else {
            let reason = format!("the kernel `{text}` has no section .nv.info.{text}");
            return Err(Problem::Malformed { what: "the cubin", reason }.into());
        };
        // In a string table one name may stand inside another, and so on without end.
        names_left = names_left
            .checked_sub(text.len())
            .ok_or_else(|| malformed("the names of its kernels are longer than the file"))?;
        let info = section.data(endian, data).map_err(malformed)?;
        let mut kernel = kernel(text, info, &mut budget)?;
        kernel.is_static |= symbol.st_bind() == STB_LOCAL;
        module.kernels.push(kernel);
    }
    // The symbol table lists them in the reverse of the source's order; neither means anything.
    module.kernels.sort_by(|a, b| a.symbol.cmp(&b.symbol));
    Ok(module)
}

fn malformed(fault: impl std::fmt::Display) -> Diagnostic {
    Problem::Malformed { what: "the cubin", reason: fault.to_string() }.into()
}

/// The architecture out of the ELF header's flags, whose place depends on the ABI version.
fn target(data: &[u8]) -> Option<String> {
    let flags = u32_at(data, 48, "the ELF header").ok()?;
    let number = if data.get(7) == Some(&0x41) { (flags >> 8) & 0xff } else { flags & 0xff };
    Some(format!("sm_{number}"))
}

/// Where one parameter lies, as an attribute has it.
struct Place {
    ordinal: u16,
    offset: u16,
    size: u32,
}

/// Where all parameters lie in the constant bank, and how many bytes they take.
struct Space {
    base: u64,
    size: u32,
}

fn kernel(symbol: &str, info: &[u8], budget: &mut Budget) -> Result<Kernel> {
    let (mut kernel, types) = kernel_within(symbol, budget);
    let mut places = Vec::new();
    let mut space = None;
    let mut at = 0;
    while at < info.len() {
        let what = "an attribute";
        let [format, id] = u16_at(info, at, what)?.to_le_bytes();
        let small = u16_at(info, at + 2, what)?;
        at += 4;
        if format != EIFMT_SVAL {
            if !(1..EIFMT_SVAL).contains(&format) {
                return Err(malformed(format!("the attribute format {format} is not known")));
            }
            continue;
        }
        let value = slice(info, at, usize::from(small), what)?;
        at += value.len();
        match id {
            KPARAM_INFO => places.push(Place {
                ordinal: u16_at(value, 4, what)?,
                offset: u16_at(value, 6, what)?,
                size: u32_at(value, 8, what)? >> 18,
            }),
            KPARAM_INFO_V2 => places.push(Place {
                ordinal: u16_at(value, 4, what)?,
                offset: u16_at(value, 6, what)?,
                size: u32::from(u16_at(value, 8, what)?),
            }),
            PARAM_CBANK => {
                let bank = u32_at(value, 4, what)?;
                space = Some(Space { base: u64::from(bank & 0xffff), size: bank >> 16 });
            }
            MAX_THREADS => {
                let product = three(value)?.iter().try_fold(1_u64, |a, b| a.checked_mul(u64::from(*b)));
                kernel.bounds.max_threads_per_block = product.map(Constant::Known);
            }
            REQNTID => kernel.bounds.required_block = Some(known(three(value)?)),
            CTA_PER_CLUSTER => {
                let cluster = three(value)?;
                // One block a cluster is what a kernel without clusters has.
                if cluster != [1, 1, 1] {
                    kernel.bounds.cluster_dimensions = Some(known(cluster));
                }
            }
            MAX_CLUSTER_RANK => {
                let blocks = u64::from(u32_at(value, 0, what)?);
                kernel.bounds.max_blocks_per_cluster = Some(Constant::Known(blocks));
            }
            _ => {}
        }
        if places.len() > MOST_PARAMETERS {
            let limit = MOST_PARAMETERS;
            return Err(Problem::LimitExceeded { what: "the parameters of one kernel", limit }.into());
        }
    }
    kernel.parameters = parameters(symbol, places, space.as_ref())?;
    if let Some(types) = types {
        add_types(&mut kernel, types);
    }
    Ok(kernel)
}

/// The parameters in order. They may stand in any order in the image, and must not overlap.
fn parameters(symbol: &str, mut places: Vec<Place>, space: Option<&Space>) -> Result<Vec<Parameter>> {
    places.sort_by_key(|p| p.ordinal);
    let mut end = 0;
    let mut parameters = Vec::with_capacity(places.len());
    for (i, place) in places.iter().enumerate() {
        if usize::from(place.ordinal) != i {
            return Err(malformed(format!("`{symbol}` has no parameter {i}, or has it twice")));
        }
        let offset = u32::from(place.offset);
        if offset < end {
            return Err(malformed(format!("parameter {i} of `{symbol}` overlaps the one before")));
        }
        let base = space.map(|space| space.base);
        let placed_by = Alignments::that_place(u64::from(end), u64::from(offset), base);
        end = offset + place.size;
        if space.is_some_and(|space| end > space.size) {
            return Err(malformed(format!("parameter {i} of `{symbol}` ends past the parameter space")));
        }
        parameters.push(Parameter {
            size: Some(u64::from(place.size)),
            offset: Some(u64::from(offset)),
            placed_by,
            ..Parameter::unknown()
        });
    }
    Ok(parameters)
}

fn three(value: &[u8]) -> Result<[u32; 3]> {
    let what = "an attribute";
    Ok([u32_at(value, 0, what)?, u32_at(value, 4, what)?, u32_at(value, 8, what)?])
}

fn known(values: [u32; 3]) -> [Constant; 3] {
    values.map(|v| Constant::Known(u64::from(v)))
}

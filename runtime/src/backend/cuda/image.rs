//! What an image is and whether a device can run it, by its content.

use std::fmt;

use warpcall_signature as signature;

/// The formats of compiled code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ImageFormat {
    /// PTX text, which the driver compiles for the device when it loads it.
    Ptx,
    /// Code for one architecture.
    Cubin,
    /// Several of the two, of which the driver takes the one that fits.
    Fatbin,
}

impl ImageFormat {
    /// The format of `bytes`, by their content; `None` where they are no image.
    ///
    /// ```
    /// use warpcall::backend::cuda::ImageFormat;
    ///
    /// assert_eq!(ImageFormat::detect(b".version 8.0\n.target sm_90\n"), Some(ImageFormat::Ptx));
    /// assert_eq!(ImageFormat::detect(b"__global__ void k() {}"), None);
    /// ```
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        signature::detect(bytes).map(|format| match format {
            signature::Format::Ptx => Self::Ptx,
            signature::Format::Cubin => Self::Cubin,
            signature::Format::Fatbin => Self::Fatbin,
        })
    }
}

impl fmt::Display for ImageFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ptx => "PTX",
            Self::Cubin => "cubin",
            Self::Fatbin => "fatbin",
        })
    }
}

/// Why the device cannot run the image, as far as the image says; `None` where it can or where the driver has to say.
pub(super) fn misfit(bytes: &[u8], format: ImageFormat, device: (u32, u32)) -> Option<String> {
    let target = match format {
        // The driver takes the entry that fits, and refuses where there is none.
        ImageFormat::Fatbin => return None,
        ImageFormat::Ptx => signature::ptx::target(bytes)?,
        ImageFormat::Cubin => signature::cubin::read(bytes).ok()?.target?,
    };
    (!runs_on(&target, format, device)?).then(|| {
        let (major, minor) = device;
        format!("it is {format} for {target}, and the device is sm_{major}{minor}")
    })
}

/// Whether code for `target` runs on the device; `None` where the target is none that is known.
pub(super) fn runs_on(target: &str, format: ImageFormat, device: (u32, u32)) -> Option<bool> {
    Some(Architecture::parse(target)?.runs_on(device, format))
}

/// An architecture as a target names it: `sm_90`, `sm_90a`, `sm_100f`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Architecture {
    major: u32,
    minor: u32,
    features: Features,
}

/// Which features code may use beyond those that every later device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Features {
    Common,
    /// Of the family: devices of the same major number.
    Family,
    /// Of this architecture alone.
    Architecture,
}

impl Architecture {
    fn parse(target: &str) -> Option<Self> {
        let name = target.strip_prefix("sm_").or_else(|| target.strip_prefix("compute_"))?;
        let (number, features) = if let Some(number) = name.strip_suffix('a') {
            (number, Features::Architecture)
        } else if let Some(number) = name.strip_suffix('f') {
            (number, Features::Family)
        } else {
            (name, Features::Common)
        };
        let number: u32 = number.parse().ok()?;
        Some(Self { major: number / 10, minor: number % 10, features })
    }

    /// PTX runs on later devices, a cubin on those of the same major number that are not older.
    fn runs_on(self, (major, minor): (u32, u32), format: ImageFormat) -> bool {
        let same_family = self.major == major && self.minor <= minor;
        match self.features {
            Features::Architecture => (self.major, self.minor) == (major, minor),
            Features::Common if format == ImageFormat::Ptx => (self.major, self.minor) <= (major, minor),
            Features::Common | Features::Family => same_family,
        }
    }
}

/// Why the image is not all there; `None` where it is. The driver is told where an image starts and not where it ends, so a
/// shortened one would be read beyond its end.
pub(super) fn missing_part(bytes: &[u8], format: ImageFormat) -> Option<String> {
    let end = match format {
        ImageFormat::Ptx => return None,
        ImageFormat::Cubin => elf_end(bytes),
        ImageFormat::Fatbin => fatbin_end(bytes),
    };
    match end {
        Some(end) if end <= bytes.len() as u64 => None,
        Some(end) => Some(format!("it is {format} of {end} bytes, of which {} are there", bytes.len())),
        None => Some(format!("it is {format} whose header is cut off or makes no sense")),
    }
}

/// Where the last part of an ELF file ends: the tables of programs and sections, and each section's content.
fn elf_end(bytes: &[u8]) -> Option<u64> {
    const WITHOUT_CONTENT: u32 = 8;
    /// The sizes of an entry in the tables of a 64-bit ELF file.
    const PROGRAM_HEADER: u64 = 56;
    const SECTION_HEADER: u64 = 64;
    /// There are more program headers than the number can say.
    const MORE_PROGRAMS: u64 = 0xffff;
    let (program_at, section_at) = (u64_at(bytes, 32)?, u64_at(bytes, 40)?);
    let [program_size, programs, section_size, sections] =
        [54, 56, 58, 60].map(|at| u16_at(bytes, at).map(u64::from));
    let (program_size, section_size) = (program_size?, section_size?);
    let (mut programs, mut sections) = (programs?, sections?);
    let end_of = |at: u64, size: u64, count: u64| at.checked_add(size.checked_mul(count)?);
    if section_at != 0 && (sections == 0 || programs == MORE_PROGRAMS) {
        // What is too large for the header stands in the first section's.
        let first = usize::try_from(section_at).ok()?;
        if sections == 0 {
            sections = u64_at(bytes, first.checked_add(32)?)?;
        }
        if programs == MORE_PROGRAMS {
            programs = u64::from(u32_at(bytes, first.checked_add(44)?)?);
        }
    }
    // With entries of another size the driver would look elsewhere than here, and a table may hold more than there are bytes.
    if (programs > 0 && program_size != PROGRAM_HEADER) || (sections > 0 && section_size != SECTION_HEADER) {
        return None;
    }
    let mut end =
        64.max(end_of(program_at, program_size, programs)?).max(end_of(section_at, section_size, sections)?);
    if end > bytes.len() as u64 {
        return Some(end);
    }
    for index in 0..sections {
        let header = usize::try_from(section_at + index * section_size).ok()?;
        let (kind, start, length) =
            (u32_at(bytes, header + 4)?, u64_at(bytes, header + 24)?, u64_at(bytes, header + 32)?);
        if kind != WITHOUT_CONTENT && kind != 0 {
            end = end.max(start.checked_add(length)?);
        }
    }
    Some(end)
}

/// Where the first container of a fatbin ends.
fn fatbin_end(bytes: &[u8]) -> Option<u64> {
    u64::from(u16_at(bytes, 6)?).checked_add(u64_at(bytes, 8)?)
}

fn array_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    array_at(bytes, at).map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    array_at(bytes, at).map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    array_at(bytes, at).map(u64::from_le_bytes)
}

/// The names of the kernels in an image, as far as it can be read.
pub(super) fn kernel_names(bytes: &[u8]) -> Vec<String> {
    let mut names: Vec<String> = signature::read(bytes)
        .unwrap_or_default()
        .into_iter()
        .flat_map(|module| module.kernels)
        .map(|kernel| kernel.symbol.unwrap_or(kernel.name))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_apart_by_content() {
        let ptx = b"//\n// Generated by a compiler\n//\n\n.version 8.8\n.target sm_90\n.address_size 64\n";
        assert_eq!(ImageFormat::detect(ptx), Some(ImageFormat::Ptx));
        let mut cubin = vec![0; 64];
        cubin[..6].copy_from_slice(b"\x7fELF\x02\x01");
        cubin[18] = 190;
        assert_eq!(ImageFormat::detect(&cubin), Some(ImageFormat::Cubin));
        assert_eq!(ImageFormat::detect(&0xBA55_ED50_u32.to_le_bytes()), Some(ImageFormat::Fatbin));
        assert_eq!(ImageFormat::detect(b"extern \"C\" __global__ void k() {}"), None);
        assert_eq!(ImageFormat::detect(b""), None);
    }

    #[test]
    fn ptx_runs_on_later_devices_unless_it_is_for_one_architecture() {
        let misfit = |target: &str, device| {
            misfit(format!(".version 8.8\n.target {target}, debug\n").as_bytes(), ImageFormat::Ptx, device)
        };
        assert_eq!(misfit("sm_80", (9, 0)), None);
        assert_eq!(misfit("sm_90", (10, 0)), None);
        assert_eq!(misfit("sm_90a", (9, 0)), None);
        assert_eq!(misfit("sm_100f", (10, 3)), None);
        assert!(misfit("sm_90a", (10, 0)).is_some());
        assert!(misfit("sm_100f", (12, 0)).is_some());
        let reason = misfit("sm_100", (9, 0)).expect("newer than the device");
        assert!(reason.contains("sm_100") && reason.contains("sm_90"), "{reason}");
    }

    #[test]
    fn the_target_of_ptx_is_found_behind_comments_and_before_a_nul() {
        let ptx = b"/* \xe9t\xe9\n.target sm_100\n*/ .version 8.8 // .target sm_100\n.target sm_80\n\0.target sm_100\n";
        assert_eq!(misfit(ptx, ImageFormat::Ptx, (9, 0)), None);
        let reason = misfit(ptx, ImageFormat::Ptx, (7, 5)).expect("older than the code");
        assert!(reason.contains("sm_80") && reason.contains("sm_75"), "{reason}");
        let behind = b".version 8.8\n\0.target sm_100\n";
        assert_eq!(misfit(behind, ImageFormat::Ptx, (9, 0)), None, "the driver has to say");
    }

    /// A cubin without sections, for this architecture.
    fn cubin(architecture: u8) -> Vec<u8> {
        let mut elf = vec![0; 64];
        elf[..8].copy_from_slice(b"\x7fELF\x02\x01\x01\x33");
        elf[18] = 190;
        elf[20] = 1;
        elf[48] = architecture;
        elf[52] = 64;
        elf
    }

    #[test]
    fn a_cubin_for_another_family_does_not_fit() {
        assert_eq!(misfit(&cubin(90), ImageFormat::Cubin, (9, 0)), None);
        let reason = misfit(&cubin(80), ImageFormat::Cubin, (9, 0)).expect("another family");
        assert_eq!(reason, "it is cubin for sm_80, and the device is sm_90");
        assert!(misfit(&cubin(86), ImageFormat::Cubin, (8, 0)).is_some());
        assert_eq!(misfit(&cubin(80), ImageFormat::Cubin, (8, 6)), None);
        // What cannot be read is the driver's to judge.
        assert_eq!(misfit(&cubin(80)[..20], ImageFormat::Cubin, (9, 0)), None);
    }

    #[test]
    fn a_cubin_runs_on_its_own_family() {
        let runs = |target: &str, device| {
            Architecture::parse(target).expect("a target").runs_on(device, ImageFormat::Cubin)
        };
        assert!(runs("sm_80", (8, 6)));
        assert!(!runs("sm_86", (8, 0)));
        assert!(!runs("sm_80", (9, 0)));
        assert!(runs("sm_120a", (12, 0)));
        assert!(!runs("sm_120a", (12, 1)));
    }

    /// Puts a number into the bytes, as long as the number.
    fn put<const N: usize>(bytes: &mut [u8], at: usize, number: [u8; N]) {
        bytes[at..at + N].copy_from_slice(&number);
    }

    /// An ELF file: its header, two program headers, 10 bytes of a section, and a table of three: none, those
    /// bytes, and one without content that says it has 1,000 bytes. The table comes last, or else the bytes.
    fn elf(table_is_last: bool) -> Vec<u8> {
        let (content, table) = if table_is_last { (176, 186_u64) } else { (368, 176) };
        let mut elf = cubin(90);
        elf.resize(378, 0);
        put(&mut elf, 32, 64_u64.to_le_bytes());
        put(&mut elf, 40, table.to_le_bytes());
        put(&mut elf, 54, 56_u16.to_le_bytes());
        put(&mut elf, 56, 2_u16.to_le_bytes());
        put(&mut elf, 58, 64_u16.to_le_bytes());
        put(&mut elf, 60, 3_u16.to_le_bytes());
        let table = usize::try_from(table).expect("small");
        for (index, kind, start, length) in [(1, 1_u32, content, 10_u64), (2, 8, content, 1000)] {
            let header = table + index * 64;
            put(&mut elf, header + 4, kind.to_le_bytes());
            put(&mut elf, header + 24, u64::to_le_bytes(start));
            put(&mut elf, header + 32, length.to_le_bytes());
        }
        elf
    }

    fn is_whole(elf: &[u8]) -> bool {
        missing_part(elf, ImageFormat::Cubin).is_none()
    }

    #[test]
    fn a_cubin_that_is_cut_off_is_missed() {
        for elf in [elf(true), elf(false)] {
            assert!(is_whole(&elf));
            for length in 0..elf.len() {
                assert!(!is_whole(&elf[..length]), "{length} bytes");
            }
            let reason = missing_part(&elf[..377], ImageFormat::Cubin).expect("a byte is missing");
            assert_eq!(reason, "it is cubin of 378 bytes, of which 377 are there");
        }
    }

    #[test]
    fn a_table_of_programs_that_comes_last_is_missed() {
        let mut programs = cubin(90);
        programs.resize(64 + 2 * 56, 0);
        put(&mut programs, 32, 64_u64.to_le_bytes());
        put(&mut programs, 54, 56_u16.to_le_bytes());
        put(&mut programs, 56, 2_u16.to_le_bytes());
        assert!(is_whole(&programs));
        assert!((0..programs.len()).all(|length| !is_whole(&programs[..length])));
    }

    #[test]
    fn numbers_too_large_for_the_header_are_in_the_first_section() {
        for table_is_last in [true, false] {
            let mut extended = elf(table_is_last);
            let table = if table_is_last { 186 } else { 176 };
            put(&mut extended, 60, 0_u16.to_le_bytes());
            put(&mut extended, table + 32, 3_u64.to_le_bytes());
            assert!(is_whole(&extended));
            assert!((0..extended.len()).all(|length| !is_whole(&extended[..length])));
            // More sections than fit into memory.
            put(&mut extended, table + 32, u64::MAX.to_le_bytes());
            assert!(!is_whole(&extended));
        }
        let mut extended = elf(true);
        put(&mut extended, 56, 0xffff_u16.to_le_bytes());
        put(&mut extended, 186 + 44, 2_u32.to_le_bytes());
        assert!(is_whole(&extended));
        put(&mut extended, 186 + 44, 6_u32.to_le_bytes());
        assert!(!is_whole(&extended), "six program headers end behind the file");
    }

    #[test]
    fn a_table_whose_entries_are_of_another_size_is_no_table() {
        for (at, size) in [(54, 0_u16), (54, 55), (58, 0), (58, 63), (58, 128)] {
            let mut elf = elf(true);
            put(&mut elf, at, size.to_le_bytes());
            assert!(!is_whole(&elf), "{size} at {at}");
        }
        // Of a table of nothing there is no end.
        let mut elf = elf(true);
        put(&mut elf, 58, 0_u16.to_le_bytes());
        put(&mut elf, 60, 0_u16.to_le_bytes());
        put(&mut elf, 186 + 32, u64::MAX.to_le_bytes());
        assert!(!is_whole(&elf));
    }

    #[test]
    fn a_fatbin_that_is_cut_off_is_missed() {
        let mut fatbin = vec![0; 16 + 20];
        fatbin[6] = 16;
        fatbin[8] = 20;
        assert_eq!(missing_part(&fatbin, ImageFormat::Fatbin), None);
        for length in 0..fatbin.len() {
            assert!(missing_part(&fatbin[..length], ImageFormat::Fatbin).is_some(), "{length} bytes");
        }
    }
}

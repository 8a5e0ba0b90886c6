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
        ImageFormat::Ptx => ptx_target(bytes)?,
        ImageFormat::Cubin => signature::cubin::read(bytes).ok()?.target?,
    };
    let fits = Architecture::parse(&target)?.runs_on(device, format);
    (!fits).then(|| {
        let (major, minor) = device;
        format!("it is {format} for {target}, and the device is sm_{major}{minor}")
    })
}

/// The first target of a PTX file. Reading the whole file for it would cost what the driver's own reading does.
fn ptx_target(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let directive = text.lines().find_map(|line| line.trim_start().strip_prefix(".target"))?;
    let target = directive.split([',', ' ', '\t']).find(|word| !word.is_empty())?;
    Some(target.trim_end().to_owned())
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
        None => Some(format!("it is {format} that ends within its header")),
    }
}

/// Where the last part of an ELF file ends: the tables of programs and sections, and each section's content.
fn elf_end(bytes: &[u8]) -> Option<u64> {
    const WITHOUT_CONTENT: u32 = 8;
    let (program_at, section_at) = (u64_at(bytes, 32)?, u64_at(bytes, 40)?);
    let [program_size, programs, section_size, sections] =
        [54, 56, 58, 60].map(|at| u16_at(bytes, at).map(u64::from));
    let (section_size, sections) = (section_size?, sections?);
    let mut end = 64
        .max(program_at.checked_add(program_size? * programs?)?)
        .max(section_at.checked_add(section_size * sections)?);
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

    #[test]
    fn what_is_cut_off_is_missed() {
        let mut elf = vec![0; 64 + 64 + 10];
        elf[40] = 64;
        elf[58] = 64;
        elf[60] = 1;
        elf[64 + 4] = 1;
        elf[64 + 24] = 128;
        elf[64 + 32] = 10;
        assert_eq!(missing_part(&elf, ImageFormat::Cubin), None);
        for length in 0..elf.len() {
            assert!(missing_part(&elf[..length], ImageFormat::Cubin).is_some(), "{length} bytes");
        }
        let mut fatbin = vec![0; 16 + 20];
        fatbin[6] = 16;
        fatbin[8] = 20;
        assert_eq!(missing_part(&fatbin, ImageFormat::Fatbin), None);
        for length in 0..fatbin.len() {
            assert!(missing_part(&fatbin[..length], ImageFormat::Fatbin).is_some(), "{length} bytes");
        }
    }
}

//! Cubins as `ptxas` writes them, as far as the reader looks: an ELF file with the symbol of each kernel and the section
//! of its attributes.

// Bytes of small numbers, in a test.
#![allow(clippy::cast_possible_truncation, clippy::format_collect, clippy::doc_markdown)]

/// Where the parameters of a kernel start in the constant bank, on sm_90.
pub(super) const BASE: usize = 0x210;

/// A cubin with one kernel, whose parameters have these sizes and alignments.
pub(super) fn with_kernel(name: &str, parameters: &[(usize, usize)]) -> Vec<u8> {
    let mut info = Vec::new();
    let mut end = BASE;
    for (ordinal, (size, alignment)) in parameters.iter().enumerate() {
        let offset = end.next_multiple_of(*alignment);
        end = offset + size;
        // EIATTR_KPARAM_INFO: an index, the ordinal and the offset, the size above 18 other bits.
        info.extend([4, 0x17, 12, 0, 0, 0, 0, 0]);
        info.extend(number(ordinal, 2));
        info.extend(number(offset - BASE, 2));
        info.extend(number(size << 18 | 0x1f000, 4));
    }
    // EIATTR_PARAM_CBANK: a symbol, where the parameters start and how many bytes they take.
    info.extend([4, 0x0a, 8, 0, 3, 0, 0, 0]);
    info.extend(number(BASE, 2));
    info.extend(number(end - BASE, 2));
    elf(name, info)
}

fn elf(name: &str, info: Vec<u8>) -> Vec<u8> {
    let symbols = format!("\0{name}\0");
    // Its name, a global function, an entry, in section 4.
    let symbol = [number(1, 4), vec![0x12, 0x10], number(4, 2), number(0, 16)].concat();
    // The name, the type, the link, the size of an entry, and the content of each section.
    let sections = [
        (String::new(), 0, 0, 0, Vec::new()),
        (".shstrtab".to_owned(), 3, 0, 0, Vec::new()),
        (".strtab".to_owned(), 3, 0, 0, symbols.into_bytes()),
        (".symtab".to_owned(), 2, 2, 24, [vec![0; 24], symbol].concat()),
        (format!(".text.{name}"), 1, 3, 0, vec![0; 16]),
        (format!(".nv.info.{name}"), 0x7000_0000, 3, 0, info),
    ];
    let names: String = sections.iter().map(|section| format!("{}\0", section.0)).collect();
    let mut contents = vec![0; 64];
    let mut headers = Vec::new();
    let mut name_at = 0;
    for (name, kind, link, entry, content) in &sections {
        let content = if name == ".shstrtab" { names.as_bytes() } else { content };
        let words = [number(name_at, 4), number(*kind, 4), number(0, 16)];
        headers.extend(words.concat());
        headers.extend([number(contents.len(), 8), number(content.len(), 8)].concat());
        headers.extend([number(*link, 4), number(0, 4), number(1, 8), number(*entry, 8)].concat());
        contents.extend(content);
        name_at += name.len() + 1;
    }
    // 64 bits, little-endian, for CUDA; type, machine and version; then what stands where.
    let head = [
        b"\x7fELF\x02\x01\x01\x33\x07".to_vec(),
        number(0, 7),
        number(2, 2),
        number(190, 2),
        number(130, 4),
        number(0, 16),
        number(contents.len(), 8),
        number(0x5a_055a, 4),
        [64, 56, 0, 64, sections.len(), 1].map(|field| number(field, 2)).concat(),
    ];
    contents[..64].copy_from_slice(&head.concat());
    contents.extend(headers);
    contents
}

/// A number in so many bytes, the lowest first.
fn number(value: usize, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|byte| value.checked_shr(8 * byte as u32).unwrap_or(0) as u8).collect()
}

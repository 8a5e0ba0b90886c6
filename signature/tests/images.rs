//! Cubins and fatbins against the source they were made of.

use warpcall_signature::source::SourceReader;
use warpcall_signature::{
    Constant, Diagnostic, Format, Kernel, Module, Problem, Template, compare, cubin, detect, fatbin, ptx,
    read,
};

const SOURCE: &str = include_str!("data/images.cu");
const CUBIN: &[u8] = include_bytes!("data/images_sm_90.cubin");
const ZSTD: &[u8] = include_bytes!("data/images_zstd.fatbin");
const LZ4: &[u8] = include_bytes!("data/images_lz4.fatbin");
const PLAIN: &[u8] = include_bytes!("data/images_plain.fatbin");

fn source() -> Module {
    SourceReader::new().define("CLUSTER", "1").read_text("images.cu", SOURCE).expect("the source is readable")
}

/// Every ordinary kernel of an image is in the source, and the two agree.
fn agrees(image: &Module) {
    let source = source();
    let mut seen = 0;
    for compiled in &image.kernels {
        let written = source.kernel(&compiled.name).unwrap_or_else(|| panic!("{compiled}"));
        if !written.is_template() {
            assert_eq!(compare(written, compiled), [], "{written}");
            seen += 1;
        }
    }
    assert!(seen >= 5, "{seen}");
}

fn sizes(kernel: &Kernel) -> Vec<(u64, u64)> {
    kernel.parameters.iter().map(|p| (p.offset.unwrap(), p.size.unwrap())).collect()
}

#[test]
fn a_cubin_tells_offsets_and_sizes() {
    assert_eq!(detect(CUBIN), Some(Format::Cubin));
    let module = cubin::read(CUBIN).unwrap();
    assert_eq!(module.target.as_deref(), Some("sm_90"));
    assert_eq!(module.kernels.len(), 9);
    assert_eq!(sizes(module.kernel("scale").unwrap()), [(0, 8), (8, 4), (12, 4)]);
    assert_eq!(sizes(module.kernel("mixed").unwrap()), [(0, 1), (8, 8), (16, 32), (48, 8), (56, 2)]);
    assert_eq!(sizes(module.kernel("nothing").unwrap()), []);
    agrees(&module);
}

#[test]
fn a_large_kernel_has_the_other_form_of_attribute() {
    let module = cubin::read(CUBIN).unwrap();
    assert_eq!(sizes(module.kernel("large").unwrap()), [(0, 4), (4, 4600), (4608, 8)]);
}

#[test]
fn a_cubin_of_the_older_abi_says_the_same() {
    let source = SourceReader::new().read_text("older.cu", include_str!("data/older.cu")).unwrap();
    let module = cubin::read(include_bytes!("data/older_sm_75.cubin")).unwrap();
    assert_eq!(module.target.as_deref(), Some("sm_75"));
    assert_eq!(sizes(&module.kernels[0]), [(0, 1), (8, 8), (16, 32), (48, 8), (56, 2)]);
    assert_eq!(compare(&source.kernels[0], &module.kernels[0]), []);
    assert_eq!(module.kernels[0].bounds.max_threads_per_block, Some(Constant::Known(256)));
}

#[test]
fn a_cubin_tells_launch_bounds() {
    let module = cubin::read(CUBIN).unwrap();
    let source = source();
    for kernel in &module.kernels {
        let written = &source.kernel(&kernel.name).unwrap().bounds;
        assert_eq!(kernel.bounds.max_threads_per_block, written.max_threads_per_block, "{kernel}");
        assert_eq!(kernel.bounds.cluster_dimensions, written.cluster_dimensions, "{kernel}");
        assert_eq!(kernel.bounds.required_block, written.required_block, "{kernel}");
    }
    let block = module.kernel("blocked").unwrap().bounds.required_block.clone();
    assert_eq!(block, Some([64, 2, 1].map(Constant::Known)));
}

#[test]
fn a_mangled_name_brings_the_types_back() {
    for module in [cubin::read(CUBIN).unwrap(), read(PLAIN).unwrap().remove(0)] {
        let fills: Vec<_> = module.kernels_named("detail::fill").collect();
        assert_eq!(fills.len(), 2);
        let float = fills.iter().find(|k| k.to_string().contains("float")).unwrap();
        assert_eq!(float.to_string(), "detail::fill(float*, float, unsigned int)");
        assert_eq!(float.template, Template::Instance { arguments: "float, 4".into() });
        assert_eq!(float.symbol.as_deref(), Some("_ZN6detail4fillIfLi4EEEvPT_S1_j"));
        assert!(module.kernel("fill").is_none(), "the name means two");
    }
}

#[test]
fn a_fatbin_gives_each_image_inside() {
    assert_eq!(detect(ZSTD), Some(Format::Fatbin));
    let images = fatbin::read(ZSTD).unwrap();
    let seen: Vec<_> = images.iter().map(|i| (i.format, i.target.as_str())).collect();
    assert_eq!(seen, [(Format::Cubin, "sm_75"), (Format::Cubin, "sm_90"), (Format::Ptx, "sm_90")]);
    for image in images {
        let module = image.module.expect("the image is readable");
        assert_eq!(module.target.as_deref(), Some(image.target.as_str()));
        assert_eq!(module.kernels.len(), 7);
        agrees(&module);
    }
}

#[test]
fn compressed_and_plain_fatbins_say_the_same() {
    let plain = read(PLAIN).unwrap();
    assert_eq!(plain.len(), 1);
    assert_eq!(read(LZ4).unwrap(), plain);
    assert_eq!(read(ZSTD).unwrap().pop(), plain.last().cloned());
}

#[test]
fn containers_one_after_another_are_all_read() {
    let both = [LZ4, PLAIN].concat();
    assert_eq!(fatbin::read(&both).unwrap().len(), 2);
}

#[test]
fn a_damaged_image_does_not_hide_the_others() {
    // The payload of the first entry begins behind the container's header and the entry's.
    let mut damaged = ZSTD.to_vec();
    damaged[16 + 64..16 + 64 + 200].fill(0x55);
    let images = fatbin::read(&damaged).unwrap();
    let Err(Diagnostic { problem: Problem::Malformed { what, .. }, .. }) = &images[0].module else {
        panic!("{:?}", images[0].module)
    };
    assert_eq!(*what, "a compressed image");
    assert!(images[1].module.is_ok() && images[2].module.is_ok());
    let modules = read(&damaged).unwrap();
    assert_eq!((modules.len(), modules[0].notes.len()), (2, 1));
}

#[test]
fn a_size_that_cannot_be_is_refused_before_memory_is_taken() {
    let mut bomb = LZ4.to_vec();
    bomb[16 + 56..16 + 64].copy_from_slice(&(1_u64 << 40).to_le_bytes());
    let images = fatbin::read(&bomb).unwrap();
    let problem = images[0].module.as_ref().unwrap_err().to_string();
    assert!(problem.contains("are said to become 1099511627776"), "{problem}");
}

#[test]
fn a_cut_image_says_where_it_ends() {
    for cut in [17, 40, 100, PLAIN.len() - 1] {
        let error = fatbin::read(&PLAIN[..cut]).unwrap_err();
        assert!(matches!(error.problem, Problem::Truncated { .. }), "{error}");
    }
    for cut in [20, 64, 5000, CUBIN.len() / 2] {
        assert!(cubin::read(&CUBIN[..cut]).is_err(), "{cut}");
    }
}

#[test]
fn overlapping_parameters_are_refused() {
    // The attribute of `scale`'s second parameter: format 4, id 0x17, 12 bytes, ordinal 1, offset 8.
    let pattern = [4, 0x17, 12, 0, 0, 0, 0, 0, 1, 0, 8, 0, 0, 0xf0, 0x11, 0];
    let at = CUBIN.windows(pattern.len()).position(|w| w == pattern).expect("the attribute is there");
    let mut overlapping = CUBIN.to_vec();
    overlapping[at + 10] = 4;
    let error = cubin::read(&overlapping).unwrap_err().to_string();
    assert!(error.contains("overlaps"), "{error}");
    let mut twice = CUBIN.to_vec();
    twice[at + 8] = 2;
    assert!(cubin::read(&twice).unwrap_err().to_string().contains("twice"));
}

#[test]
fn what_is_no_image_is_refused() {
    for bytes in [&b""[..], b"\x7fELF", b"hello", b"// a comment\n", b"\x50\xed\x55"] {
        assert_eq!(detect(bytes), None);
        assert_eq!(read(bytes).unwrap_err().problem, Problem::NotAnImage);
    }
}

#[test]
fn ptx_is_told_by_its_first_directive() {
    let text = b"//\n/* a */ .version 6.0\n.target sm_50\n.address_size 64\n";
    assert_eq!(detect(text), Some(Format::Ptx));
    assert_eq!(ptx::read(text).unwrap().kernels, []);
}

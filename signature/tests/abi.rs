//! The signatures read from source against what the compiler made of it.

use warpcall_signature::source::SourceReader;
use warpcall_signature::{Class, Module, compare, ptx};

const SOURCE: &str = include_str!("data/abi.cu");

fn source() -> Module {
    SourceReader::new().read_text("abi.cu", SOURCE).expect("the source is readable")
}

fn check(image: &[u8], target: &str) {
    let source = source();
    let image = ptx::read(image).expect("the PTX is readable");
    assert_eq!(image.target.as_deref(), Some(target));
    assert_eq!(source.notes, [], "nothing in the source is unreadable");
    assert_eq!(source.kernels.len(), 11);
    assert_eq!(image.kernels.len(), 11);
    for (written, compiled) in source.kernels.iter().zip(&image.kernels) {
        assert_eq!(written.notes, [], "{written}");
        assert_eq!(written.name, compiled.name);
        assert_eq!(written.parameters.len(), compiled.parameters.len(), "{written}");
        for (i, (a, b)) in written.parameters.iter().zip(&compiled.parameters).enumerate() {
            let layout = b.layout().expect("PTX tells size and alignment");
            assert_eq!(a.size, Some(layout.size), "{written}, parameter {i}");
            assert!(a.accepts_layout(layout), "{written}, parameter {i}: {:?} {layout:?}", a.alignment);
            let pointer = a.class == Class::Pointer && b.class == Class::Integer;
            assert!(pointer || a.class == b.class, "{written}, parameter {i}: {:?} {:?}", a.class, b.class);
        }
        assert_eq!(compare(written, compiled), [], "{written}");
        assert_eq!(compare(compiled, written), [], "{written}");
    }
}

#[test]
fn every_parameter_agrees_with_the_ptx_of_sm_90() {
    check(include_bytes!("data/abi_sm_90.ptx"), "sm_90");
}

#[test]
fn every_parameter_agrees_with_the_ptx_of_sm_100a() {
    check(include_bytes!("data/abi_sm_100a.ptx"), "sm_100a");
}

#[test]
fn the_launch_bounds_agree_with_the_ptx() {
    let source = source();
    for image in [&include_bytes!("data/abi_sm_90.ptx")[..], include_bytes!("data/abi_sm_100a.ptx")] {
        let image = ptx::read(image).unwrap();
        for name in ["k5", "k6", "k7"] {
            let (a, b) = (&source.kernel(name).unwrap().bounds, &image.kernel(name).unwrap().bounds);
            assert_eq!(a.max_threads_per_block, b.max_threads_per_block, "{name}");
            assert_eq!(a.min_blocks_per_multiprocessor, b.min_blocks_per_multiprocessor, "{name}");
            assert_eq!(a.cluster_dimensions, b.cluster_dimensions, "{name}");
            assert_eq!(a.max_registers, b.max_registers, "{name}");
        }
    }
    assert_eq!(source.kernel("k5").unwrap().bounds.max_blocks_per_cluster.as_ref().unwrap().value(), Some(4));
}

#[test]
fn linkage_and_symbols_are_those_of_the_image() {
    let source = source();
    let image = ptx::read(include_bytes!("data/abi_sm_90.ptx")).unwrap();
    assert_eq!(source.kernel("k8").unwrap().symbol.as_deref(), Some("k8"));
    assert_eq!(source.kernel("k8").unwrap().qualified_name(), "ns::k8");
    let (written, compiled) = (source.kernel("k9").unwrap(), image.kernel("k9").unwrap());
    assert_eq!((written.symbol.as_deref(), written.is_static), (None, true));
    assert_eq!((compiled.symbol.as_deref(), compiled.is_static), (Some("_Z2k9i"), true));
    assert_eq!(compiled.to_string(), "k9(int)");
}

#[test]
fn the_written_types_are_told_exactly() {
    let source = source();
    let k3 = source.kernel("k3").unwrap();
    assert_eq!(
        k3.to_string(),
        "k3(__half h, __nv_bfloat16 b, __nv_fp8_e4m3 f, half2 h2, float2 c, const int* const p, \
         const float* const* pp, void** v, float (*)(float) fn, int* arr, const CUtensorMap* tp)"
    );
    assert_eq!(k3.parameters[9].array_extents, [Some(4)]);
    assert!(k3.parameters[5].is_restrict);
    assert_eq!(source.kernel("k6").unwrap().parameters[1].default.as_deref(), Some("3"));
    assert!(source.kernel("k4").unwrap().parameters[0].is_grid_constant);
}

#[test]
fn hard_heads_and_types_agree_with_the_ptx() {
    let source = SourceReader::new().read_text("heads.cu", include_str!("data/heads.cu")).unwrap();
    let image = ptx::read(include_bytes!("data/heads.ptx")).unwrap();
    assert_eq!(source.notes, []);
    assert_eq!(source.kernels.len(), 14);
    for compiled in &image.kernels {
        let written = source.kernel(&compiled.name).unwrap_or_else(|| panic!("{compiled}"));
        assert_eq!(written.notes, [], "{written}");
        assert_eq!(compare(written, compiled), [], "{written}");
        if !written.is_template() {
            for (a, b) in written.parameters.iter().zip(&compiled.parameters) {
                assert_eq!(a.layout(), b.layout(), "{written}: {a}");
            }
        }
        assert_eq!(written.bounds.max_threads_per_block, compiled.bounds.max_threads_per_block, "{written}");
        assert_eq!(
            written.bounds.min_blocks_per_multiprocessor,
            compiled.bounds.min_blocks_per_multiprocessor
        );
    }
    assert_eq!(image.kernels.len(), 14);
}

//! Source, PTX and cubin of the same kernels: 336 generated signatures, compiled by NVRTC.

use warpcall_signature::source::SourceReader;
use warpcall_signature::{Kernel, Module, compare, cubin, ptx};

/// Every kernel in both, with all that `compare` needs to know, and no difference either way.
fn agree(left: &Module, right: &Module) -> usize {
    assert_eq!(left.kernels.len(), right.kernels.len());
    for kernel in &left.kernels {
        let other = right.kernel(&kernel.name).unwrap_or_else(|| panic!("{kernel} is in one of two alone"));
        assert_eq!(kernel.parameters.len(), other.parameters.len(), "{kernel}");
        assert_eq!(compare(kernel, other), [], "{kernel}");
        assert_eq!(compare(other, kernel), [], "{kernel}");
    }
    left.kernels.len()
}

fn sizes(kernel: &Kernel) -> Option<Vec<u64>> {
    kernel.parameters.iter().map(|parameter| parameter.size).collect()
}

#[test]
fn source_ptx_and_cubin_of_generated_kernels_agree() {
    let source = SourceReader::new().read_text("generated.cu", include_str!("data/generated.cu")).unwrap();
    let ptx = ptx::read(include_bytes!("data/generated.ptx")).unwrap();
    let cubin = cubin::read(include_bytes!("data/generated.cubin")).unwrap();
    assert_eq!(source.notes, []);
    for module in [&source, &ptx, &cubin] {
        assert!(module.kernels.iter().all(|kernel| kernel.is_complete && sizes(kernel).is_some()));
    }
    assert_eq!(agree(&source, &ptx), 336);
    assert_eq!(agree(&source, &cubin), 336);
    assert_eq!(agree(&ptx, &cubin), 336);
}

#[test]
fn a_cubin_leaves_few_alignments() {
    let source = SourceReader::new().read_text("generated.cu", include_str!("data/generated.cu")).unwrap();
    let cubin = cubin::read(include_bytes!("data/generated.cubin")).unwrap();
    let (mut all, mut pinned) = (0, 0);
    for kernel in &cubin.kernels {
        let written = source.kernel(&kernel.name).unwrap();
        for (own, compiled) in written.parameters.iter().zip(&kernel.parameters).skip(1) {
            let alignments = compiled.alignments();
            assert!(alignments.contains(own.alignment.unwrap()), "{kernel}: {alignments}");
            all += 1;
            // More than twice what the parameter has is impossible.
            pinned += usize::from(!alignments.contains(4 * own.alignment.unwrap().max(16)));
        }
    }
    assert!(all > 500 && pinned * 10 > all * 5, "{pinned} of {all}");
}

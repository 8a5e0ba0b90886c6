//! What `warpcall bind` prints compiles, with `#[kernel]` comparing each declaration with its CUDA source.
//!
//! The text is kept in `bound/`; that it is still what is printed, `bind.rs` tests.
#![allow(dead_code, unreachable_pub, clippy::pedantic, reason = "pasted as it is, and called by nobody")]

/// The kernels of the repository.
mod kernels {
    include!("bound/kernels.rs");
}

/// Kernels with parameters and names of every kind.
mod shapes {
    include!("bound/shapes.rs");
}

#[test]
fn a_bound_kernel_has_the_parameters_of_its_source() {
    assert_eq!(
        kernels::rope::ROPE.to_string(),
        "rope(data: *mut f32, positions: *const u32, params: RopeParams)"
    );
    let add = shapes::odd::ADD_KERNEL.to_string();
    assert_eq!(
        add,
        "addKernel(outPtr: *mut f32, KVCache: *const f32, numRows2: i32, __leading: i32, trailing_: i32)"
    );
}

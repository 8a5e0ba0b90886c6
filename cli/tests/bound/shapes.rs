/// The kernels of `tests/data/odd.cu`.
pub mod odd {
    use std::ffi::c_void;

    use float8::F8E5M2;
    use half::f16;
    use warpcall::{DevicePtr, KernelParam, kernel};

    /// `Derived`, odd.cu:7.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct Derived {
        /// `int first`, at byte 0.
        pub first: i32,
        /// `double second`, at byte 8.
        pub second: f64,
    }

    /// `Wide`, odd.cu:8.
    #[repr(C, align(32))]
    #[derive(Clone, Copy, KernelParam)]
    pub struct Wide {
        /// `float values[3]`, at byte 0.
        pub values: [f32; 3],
        /// `short _own`, at byte 12.
        pub _own: i16,
    }

    /// The bytes of `Bits`, odd.cu:9: it has members that share them.
    #[repr(C, align(4))]
    #[derive(Clone, Copy, KernelParam)]
    pub struct Bits {
        /// What CUDA finds there.
        pub bytes: [u8; 4],
    }

    /// The bytes of an unnamed union, odd.cu:10.
    #[repr(C, align(4))]
    #[derive(Clone, Copy, KernelParam)]
    pub struct Unnamed {
        /// What CUDA finds there.
        pub bytes: [u8; 4],
    }

    /// `Holder`, odd.cu:10.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct Holder {
        /// `Holder::Nothing nothing`, at byte 0.
        pub nothing: u8,
        /// `union`, at byte 4.
        pub unnamed_4: Unnamed,
        /// `Bits bits`, at byte 8.
        pub bits: Bits,
        /// `const float* table`, at byte 16.
        pub table: DevicePtr,
        /// `int (*)[2] grid`, at byte 24.
        pub grid: DevicePtr,
    }

    /// `rope_params`, odd.cu:11.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct RopeParams {
        /// `unsigned long long stride`, at byte 0.
        pub stride: usize,
        /// `bool isNeox`, at byte 8.
        pub is_neox: bool,
        /// `unsigned char type`, at byte 9.
        pub r#type: u8,
    }

    /// `Option`, odd.cu:12.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct CudaOption {
        /// `rope_params inner`, at byte 0.
        pub inner: RopeParams,
        /// `__half scale`, at byte 16.
        pub scale: f16,
    }

    /// `Float4`, odd.cu:13.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct CudaFloat4 {
        /// `float x[4]`, at byte 0.
        pub x: [f32; 4],
    }

    /// `detail::Op<float, 4>`, odd.cu:21.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct OpFloat4 {
        /// `float v[4]`, at byte 0.
        pub v: [f32; 4],
    }

    /// `Node`, odd.cu:14.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct Node {
        /// `Node* self`, at byte 0.
        pub self_: DevicePtr,
        /// `int (*)(Node) call`, at byte 8.
        pub call: DevicePtr,
        /// `Node::Nothing empty`, at byte 16.
        pub empty: u8,
        /// Nothing, from byte 17 on.
        pub _padding0: [u8; 7],
        /// `char last`, at byte 24.
        pub last: i8,
    }

    /// `other::Option`, odd.cu:22.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct CudaOption2 {
        /// `long long own`, at byte 0.
        pub own: i64,
    }

    /// `Empty`, odd.cu:16.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct Empty {}

    /// `EmptyWide`, odd.cu:17.
    #[repr(C, align(16))]
    #[derive(Clone, Copy, KernelParam)]
    pub struct EmptyWide {}

    /// `Empties`, odd.cu:18.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct Empties {
        /// `Empty each[3]`, at byte 0.
        pub each: [u8; 3],
        /// `int n`, at byte 4.
        pub n: i32,
    }

    #[kernel(module = "odd", source = "tests/data/odd.cu")]
    unsafe extern "C" {
        /// Names that Rust writes otherwise.
        pub unsafe fn addKernel(
            outPtr: *mut f32,
            KVCache: *const f32,
            numRows2: i32,
            __leading: i32,
            trailing_: i32,
        );

        /// `move`, odd.cu:27.
        pub unsafe fn r#move(
            r#type: i32,
            r#in: i32,
            #[name = "self"]
            self_: i32,
            #[name = "crate"]
            crate_: i32,
            #[name = "_"]
            __: i32,
            r#fn: i32,
        );

        /// `add_kernel`, odd.cu:28.
        #[link_name = "add_kernel"]
        pub unsafe fn add_kernel_2(n: i32, N: i32, nRows: i32, n_rows: i32);

        /// `plain$name`, odd.cu:29.
        #[link_name = "plain$name"]
        pub unsafe fn plain_name(
            #[name = "a$b"]
            a_b: i32,
            arg1: i32,
        );

        /// `structs`, odd.cu:30.
        pub unsafe fn structs(
            d: Derived,
            w: Wide,
            b: Bits,
            h: Holder,
            r: RopeParams,
            o: CudaOption,
            f: CudaFloat4,
            p: OpFloat4,
            node: Node,
        );

        /// `others`, odd.cu:31.
        pub unsafe fn others(
            o: CudaOption2,
            behind: *mut CudaOption,
            derived: *const Derived,
            // `Hidden` is not defined in the files read: any memory is taken
            #[unchecked]
            hidden: *mut c_void,
            mode: u16,
            modes: *const u16,
        );

        /// `sizes`, odd.cu:32.
        pub unsafe fn sizes(
            n: usize,
            counts: *const usize,
            d: isize,
            u: u64,
            ull: u64,
            l: i64,
            i: isize,
        );

        /// `floats`, odd.cu:33.
        pub unsafe fn floats(
            // `__nv_fp8_e8m0` has no Rust type: its byte is passed
            #[unchecked]
            e: u8,
            p: *const F8E5M2,
            // `__nv_fp8_e8m0` has no Rust type: any memory is taken
            #[unchecked]
            q: *const c_void,
            v: *const f32,
        );

        /// `empties`, odd.cu:34.
        pub unsafe fn empties(
            e: Empty,
            w: EmptyWide,
            // `Empty` is empty, which takes room in C++ alone: any memory is taken
            #[unchecked]
            p: *const c_void,
            all: Empties,
        );

        // `empty_field` is not bound: parameter `f`: `wide` in `EmptyField`: `EmptyWide` is empty, which takes room in C++ alone

        /// `deep`, odd.cu:36.
        pub unsafe fn deep(
            a: *const *const *const f32,
            b: *const *mut c_void,
            c: *const c_void,
            d: *mut [[f64; 2]; 3],
        );
    }
}

/// The kernels of `../signature/tests/data/abi.cu`.
pub mod abi {
    use std::ffi::c_void;

    use float8::F8E4M3;
    use half::{bf16, f16};
    use warpcall::{Float2, Float4, Half2, Int2, KernelParam, TensorMap, Uint3, kernel};

    /// `Empty`, abi.cu:7.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct Empty {}

    /// `S3`, abi.cu:7.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct S3 {
        /// `char a`, at byte 0.
        pub a: i8,
        /// `char b`, at byte 1.
        pub b: i8,
        /// `char c`, at byte 2.
        pub c: i8,
    }

    /// `A16`, abi.cu:7.
    #[repr(C, align(16))]
    #[derive(Clone, Copy, KernelParam)]
    pub struct A16 {
        /// `float x`, at byte 0.
        pub x: f32,
    }

    /// The bytes of the union `U`, abi.cu:7.
    #[repr(C, align(8))]
    #[derive(Clone, Copy, KernelParam)]
    pub struct U {
        /// What CUDA finds there.
        pub bytes: [u8; 8],
    }

    /// `Op<float>`, abi.cu:8.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct OpFloat {
        /// `float v`, at byte 0.
        pub v: f32,
    }

    #[kernel(module = "abi", source = "../signature/tests/data/abi.cu")]
    unsafe extern "C" {
        /// `k0`, abi.cu:10.
        pub unsafe fn k0();

        /// `k_void`, abi.cu:11.
        pub unsafe fn k_void();

        /// `k1`, abi.cu:12.
        pub unsafe fn k1(
            e: Empty,
            s: S3,
            a: A16,
            x: u32,
            y: u8,
            u: U,
            o: OpFloat,
            f4: Float4,
            u3: Uint3,
            d: Uint3,
            f2: Float2,
            i2: Int2,
        );

        // `k2` is not bound: parameter `i128`: `__int128` has no Rust type that is passed alike

        /// `k3`, abi.cu:14.
        pub unsafe fn k3(
            h: f16,
            b: bf16,
            f: F8E4M3,
            h2: Half2,
            c: Float2,
            p: *const i32,
            pp: *const *const f32,
            v: *mut *mut c_void,
            // `float (float)` is a function of the device: any memory is taken
            #[unchecked]
            r#fn: *mut c_void,
            arr: *mut i32,
            // device memory holds no `TensorMap`, which is passed by value: any memory is taken
            #[unchecked]
            tp: *const c_void,
        );

        /// `k4`, abi.cu:15.
        pub unsafe fn k4(m: TensorMap, t: u64, r: *const i32);

        /// `k5`, abi.cu:16.
        pub unsafe fn k5(arg0: i32);

        /// `k6`, abi.cu:17.
        pub unsafe fn k6(a: i32, arg1: i32);

        /// `k7`, abi.cu:18.
        pub unsafe fn k7(a: i32);

        /// `ns::k8`, abi.cu:20.
        pub unsafe fn k8(a: i32);

        /// `k9`, abi.cu:21.
        #[instance("k9")]
        pub unsafe fn k9(a: i32);
    }
}

/// The kernels of `../signature/tests/data/heads.cu`.
pub mod heads {
    use std::ffi::c_void;

    use half::f16;
    use warpcall::{DevicePtr, Float4, Half2, Int3, KernelParam, Short4, Ulonglong2, kernel};

    /// `util::Vec<float, 4>`, heads.cu:7.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct VecFloat4 {
        /// `float v[4]`, at byte 0.
        pub v: [f32; 4],
    }

    /// `util::Cfg`, heads.cu:7.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct Cfg {
        /// `util::Mode m`, at byte 0.
        pub m: i16,
        /// `util::Vec<float, 4> data`, at byte 4.
        pub data: VecFloat4,
        /// `int (*)(int) cb`, at byte 24.
        pub cb: DevicePtr,
    }

    /// `Outer::In`, heads.cu:17.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct In {
        /// `short s`, at byte 0.
        pub s: i16,
        /// `Outer* o`, at byte 8.
        pub o: DevicePtr,
    }

    /// The bytes of an unnamed union, heads.cu:17.
    #[repr(C, align(8))]
    #[derive(Clone, Copy, KernelParam)]
    pub struct Unnamed {
        /// What CUDA finds there.
        pub bytes: [u8; 8],
    }

    /// `Outer`, heads.cu:17.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct Outer {
        /// `Outer::In in[2]`, at byte 0.
        pub r#in: [In; 2],
        /// `union u`, at byte 32.
        pub u: Unnamed,
        /// `char tail[3]`, at byte 40.
        pub tail: [i8; 3],
    }

    /// `std::array<int, 3>`.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct ArrayInt3 {
        /// `int[3]`, at byte 0.
        pub unnamed_0: [i32; 3],
    }

    /// `std::array<double, 2>`.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct ArrayDouble2 {
        /// `double[2]`, at byte 0.
        pub unnamed_0: [f64; 2],
    }

    /// `Base`, heads.cu:16.
    #[repr(C, align(8))]
    #[derive(Clone, Copy, KernelParam)]
    pub struct Base {
        /// Nothing, from byte 0 on.
        pub _padding0: [u8; 8],
        /// `int x`, at byte 8.
        pub x: i32,
    }

    /// `util::Vec<int, 5>`, heads.cu:7.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct VecInt5 {
        /// `int v[5]`, at byte 0.
        pub v: [i32; 5],
    }

    /// `a::v1::S`, heads.cu:33.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct S {
        /// `int q[3]`, at byte 0.
        pub q: [i32; 3],
    }

    #[kernel(module = "heads", source = "../signature/tests/data/heads.cu")]
    unsafe extern "C" {
        /// `k1`, heads.cu:19.
        pub unsafe fn k1(rows: *const [f32; 16], arr: *mut [f32; 4]);

        /// `k2`, heads.cu:20.
        pub unsafe fn k2(a: *const f32, b: VecFloat4, c: Cfg, m: i16);

        /// `k3`, heads.cu:21.
        pub unsafe fn k3(a: f32, b: i16, c: i32);

        /// `k4`, heads.cu:22.
        pub unsafe fn k4(r#in: *const f16, out: *mut f16, n: i32, o: Outer, i: In);

        /// `k5`, heads.cu:23.
        pub unsafe fn k5(a: ArrayInt3, b: ArrayDouble2, p: *const [Float4; 2]);

        /// `k6`, heads.cu:24.
        pub unsafe fn k6(
            a: *mut [i32; 4],
            b: *mut i32,
            // `void (int)` is a function of the device: any memory is taken
            #[unchecked]
            f: *mut c_void,
            // `int (float)` is a function of the device: any memory is taken
            #[unchecked]
            g: *mut c_void,
            argv: *const *mut i8,
        );

        /// `deep::k7`, heads.cu:25.
        pub unsafe fn k7(b: u8, f: f32, r: *const bool, u: u16);

        /// `k8<float, 4>`, heads.cu:27.
        #[instance("k8<float, 4>")]
        pub unsafe fn k8_float_4(x: *mut f32, v: VecFloat4, a: *const [i32; 4]);

        /// `k9`, heads.cu:29.
        pub unsafe fn k9(o: *mut Outer, m: i16, b: *mut Base, v: *const i32, c: u8, z: u64);

        /// `k10`, heads.cu:30.
        pub unsafe fn k10(x: f32, y: i32, z: VecInt5);

        /// `k11`, heads.cu:31.
        pub unsafe fn k11(b: bool, h: Half2, hp: *mut f16, i3: Int3, s4: Short4, u: Ulonglong2);

        /// `k12`, heads.cu:32.
        pub unsafe fn k12(n: i32, arg1: i32, arg2: *mut f32);

        // `a::(anonymous namespace)::k13` is not bound: it is local to its file, so its name in the module is made up by the compiler

        /// `k14`, heads.cu:34.
        pub unsafe fn k14(s: S, t: S, u: *const S);
    }
}

/// The kernels of `../signature/tests/data/images.cu`.
pub mod images {
    use half::f16;
    use warpcall::{Float4, KernelParam, kernel};

    /// `Wide`, images.cu:2.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct Wide {
        /// `float4 a`, at byte 0.
        pub a: Float4,
        /// `float b`, at byte 16.
        pub b: f32,
    }

    /// `Large`, images.cu:3.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct Large {
        /// `unsigned char bytes[4600]`, at byte 0.
        pub bytes: [u8; 4600],
    }

    #[kernel(module = "images", source = "../signature/tests/data/images.cu")]
    unsafe extern "C" {
        /// `scale`, images.cu:5.
        pub unsafe fn scale(x: *mut f32, by: f32, n: i32);

        /// `mixed`, images.cu:6.
        pub unsafe fn mixed(c: i8, d: f64, w: Wide, h: *const f16, s: i16);

        /// `large`, images.cu:7.
        pub unsafe fn large(n: i32, l: Large, out: *mut f32);

        /// `nothing`, images.cu:8.
        pub unsafe fn nothing();

        /// `detail::fill<float, 4>`, images.cu:10.
        #[instance("detail::fill<float, 4>")]
        pub unsafe fn fill_float_4(p: *mut f32, v: f32, n: u32);

        /// `detail::fill<__half, 2>`, images.cu:10.
        #[instance("detail::fill<__half, 2>")]
        pub unsafe fn fill_half_2(p: *mut f16, v: f16, n: u32);

        /// `bounded`, images.cu:13.
        pub unsafe fn bounded(p: *mut i32);
    }
}

/// The kernels of `../signature/tests/data/images_plain.fatbin`.
pub mod images_plain {
    use half::f16;
    use warpcall::kernel;

    #[kernel(module = "images_plain", image = "../signature/tests/data/images_plain.fatbin")]
    unsafe extern "C" {
        // `scale` is not bound: parameter 1: its type is not kept: an integer with or without sign, or a pointer; bind the CUDA source

        // `mixed` is not bound: parameter 1: its type is not kept: an integer with or without sign, or a `bool`; bind the CUDA source

        // `large` is not bound: parameter 1: its type is not kept: an integer with or without sign; bind the CUDA source

        /// `nothing`.
        pub unsafe fn nothing();

        // `bounded` is not bound: parameter 1: its type is not kept: an integer with or without sign, or a pointer; bind the CUDA source

        /// `detail::fill<float, 4>`.
        #[link_name = "_ZN6detail4fillIfLi4EEEvPT_S1_j"]
        pub unsafe fn fill_float_4(arg0: *mut f32, arg1: f32, arg2: u32);

        /// `detail::fill<__half, 2>`.
        #[link_name = "_ZN6detail4fillI6__halfLi2EEEvPT_S2_j"]
        pub unsafe fn fill_half_2(arg0: *mut f16, arg1: f16, arg2: u32);
    }
}

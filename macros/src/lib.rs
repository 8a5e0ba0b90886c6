//! The macros of warpcall: [`macro@kernel`] and [`macro@KernelParam`].
//!
//! Users reach both through the crate `warpcall`, which the generated code needs.
//!
//! The crate is thin over a model of its own. A declaration is read into types that keep the user's
//! tokens, checked, and expanded; what is wrong with it is collected, so that all of it shows at once, each
//! mistake under its token.

mod crate_path;
mod kernel;
mod param;
mod refusal;
mod report;
mod site;
#[cfg(test)]
mod tests;
mod text;
mod types;

use proc_macro::TokenStream;

use crate::site::Site;

/// Declares CUDA kernels, and generates a typed launch function for each.
///
/// ```
/// use warpcall::kernel;
///
/// #[kernel(module = "norm")]
/// unsafe extern "C" {
///     /// Root-mean-square normalisation, one block a row.
///     pub unsafe fn rms_norm(
///         output: *mut f32,
///         input: *const f32,
///         #[nullable] bias: *const f32,
///         hidden_size: u32,
///         eps: f32,
///     );
/// }
///
/// assert_eq!(
///     RMS_NORM.to_string(),
///     "rms_norm(output: *mut f32, input: *const f32, bias: *const f32, hidden_size: u32, eps: f32)"
/// );
/// ```
///
/// It stands on an `unsafe extern "C"` block of functions, on a module that is [bound to a whole file](#a-whole-file), or on
/// one function without a body:
///
/// ```
/// # use warpcall::kernel;
/// #[kernel(module = "scale")]
/// pub unsafe fn scale(values: *mut f32, factor: f32, n: u32);
/// ```
///
/// # The attribute's arguments
///
/// | argument | meaning |
/// |---|---|
/// | `module = "…"` | the module that the backend loads, in one word; left out, it is the file's name without its extension, the image's before the source's |
/// | `source = "…"` | the CUDA C++ source, with which the declarations are compared; embedded where there is no image, to be compiled for the device at hand |
/// | `image = "…"` | the PTX, cubin or fatbin, with which the declarations are compared; embedded |
/// | `embed_source` | the source is embedded beside the image, and compiled on a device that the image does not fit |
/// | `defines("NAME", "NAME=VALUE")` | macros with which the source is read, and compiled where it is embedded |
/// | `include("folder", …)` | folders in which the source's headers are looked for, in quotes after the including file's own, and in angle brackets |
/// | `crate = path` | where the generated code finds warpcall; `::warpcall` if left out |
///
/// At least one of the first three is given. A path is relative to the folder of `Cargo.toml`; one that
/// begins with `$OUT_DIR/` is relative to where the build script writes. The file has to exist.
///
/// With a source its headers are embedded, those too that stand under conditions of other devices; the machine that compiles
/// it needs none of the folders. The headers of CUDA's toolkit are left out: a source that includes `<cuda_fp16.h>` needs
/// the toolkit's folder there, `CudaBackend::builder(0).include_dir("/usr/local/cuda/include")`.
///
/// A backend tells modules apart by their names alone. Two files of one stem, such as `norm.cu` in two crates of one
/// program, give two modules of one name with different code, and the backend refuses the second
/// (`Error::ModuleConflict`): a library writes a `module` that has its own name in it, `module = "my_crate::norm"`.
///
/// # What is generated
///
/// For a function `rms_norm`, and nothing else:
///
/// - `launch_rms_norm(stream, config, arguments…) -> warpcall::Result<()>`, with the declared visibility and
///   documentation. `stream` is anything that is a [stream], `config` a [`LaunchConfig`]. Sections `# Safety` and
///   `# Errors` are added where the documentation has none.
/// - `RMS_NORM`, a `static` [`Kernel`]: the module, the name, the parameters. It is named after the function in
///   capitals; `addKernel` gives `ADD_KERNEL`.
///
/// # Parameters
///
/// | declared | the launch function takes | the kernel sees |
/// |---|---|---|
/// | `*const T` | `&impl DeviceRef<T>`: a buffer, a slice of one, a `DevicePtr` | an address |
/// | `*mut T` | `&mut impl DeviceMut<T>`: the same, exclusively | an address |
/// | `*const c_void`, `*mut c_void` | the same, of any element type | an address |
/// | `*const *const T` and the like | the same, with `DevicePtr` as element type | an address |
/// | `#[nullable] x: *const T`, `*mut T` | the same, an `Option` of a buffer's reference, or `None` | an address, or null |
/// | a number, `bool`, a CUDA vector type | exactly that type; nothing is converted | the value |
/// | a struct with [`#[derive(KernelParam)]`](macro@KernelParam) | the struct | the struct |
/// | `TensorMap` | `&TensorMap` | the 128 bytes |
///
/// Everything else is a compile error that says what to write in its place. A `TensorMap`, a `DevicePtr`, a half, an 8-bit
/// float and a number are told by their names, so a type of your own that is called the same is declared by an alias.
///
/// # The declaration and the CUDA code
///
/// Where a `source` or an `image` is named, a declaration that disagrees with it does not compile, and the error stands
/// under the parameter that is wrong. Where both are, it has to agree with both.
///
/// ```text
/// error: parameter `hidden_size` is declared `u64`, but `rms_norm` takes `unsigned int hidden_size` (cuda/norm.cu:5)
///        help: write `u32` here, or change the kernel
///  --> src/lib.rs:5:78
///   |
/// 5 |     pub unsafe fn rms_norm(output: *mut f32, input: *const f32, hidden_size: u64, eps: f32);
///   |                                                                              ^^^
/// ```
///
/// The source is preprocessed, with the headers that it includes with quotes or from the folders of `include(…)`; those of
/// CUDA are not read, but their types are known. A kernel is looked for by its name in the module, so one that is not
/// `extern "C"` takes an `#[instance]` with its name in C++, or a `#[link_name]` with its symbol.
///
/// | compared | with the source | with the image |
/// |---|---|---|
/// | the kernel | it is there | it is in one image at least; in a fatbin, each that has it is compared |
/// | the parameters | their number, their order | their number |
/// | a name | the same, apart from case and underscores; a parameter without a name in CUDA matches any | not compared |
/// | a number | the exact type: `size_t` and `unsigned long long` are `u64` or `usize`, plain `char` is `i8` or `u8`, an enumeration is its integer | size, integer or float |
/// | a pointer | what it leads to, and its `const` at each level; a `c_void` is `void` and nothing else | that it may be one |
/// | a vector type, a `TensorMap` | the exact type | size and alignment |
/// | a struct by value | each field's name (as for parameters; a tuple struct's match any), type, offset and size, and the whole; unions and bit-fields by size and alignment | size and alignment |
/// | a struct behind a pointer | size and alignment; one that the source only declares, by its name | nothing |
/// | another name for a type | what it stands for, as the compiler knows it; spell `f16`, `bf16` and the 8-bit floats out | size, alignment and kind |
///
/// A mangled name keeps the types of the parameters, and with it an image tells as much of them as a source.
///
/// What cannot be told, such as a type from a header that is not there, is an error as well. An image then tells size
/// and kind of a value. A declaration may also overrule the comparison, one parameter at a time:
///
/// | attribute on a parameter | meaning |
/// |---|---|
/// | `#[name = "…"]` | its name in CUDA |
/// | `#[assume_const]` | a `*const` for a pointer that CUDA has without `const`: the kernel only reads |
/// | `#[allow_mut]` | a `*mut` for a pointer that CUDA has with `const` |
/// | `#[unchecked]` | the type is taken as declared; of it an image's size alone is compared |
///
/// A header in quotes that does not exist is an error, and so is an `#error` that is reached, and a word in a parameter
/// that nothing defines. Before a kernel's name, as in `MYLIB_API __global__ void k(…)`, such a word is passed over.
///
/// A change of the source, of a header it includes, or of the image compiles the crate again. A file that does not exist
/// yet is not watched: where a new header is to be found before the one that was read, or `__has_include` asked for it, touch
/// the source.
///
/// # Attributes on a function
///
/// | attribute | meaning |
/// |---|---|
/// | `#[link_name = "…"]` | the kernel's name in the module, where it is not the function's: a mangled one, for example |
/// | `#[instance("…")]` | the kernel's name in C++: an instance of a template, or a kernel that is not `extern "C"` (see [below](#templates)) |
/// | `#[host(path)]` | the Rust function that the host backend runs: it takes each parameter in turn, `&mut [T]` or `&[Cell<T>]` for a `*mut T`, `&[T]` or `&[Cell<T>]` for a `*const T`, an `Option` of these for a nullable one, bytes for a `c_void`, and values as declared |
/// | `#[host(path, launch)]` | the same for a function whose first parameter is the launch, a `&HostLaunch` |
/// | doc comments, `#[deprecated]`, `#[must_use]`, `#[expect]` | written on the launch function |
/// | `#[cfg]`, `#[allow]`, `#[warn]`, `#[deny]`, `#[forbid]`, `#[doc(hidden)]` | written on all that is generated |
/// | `#[cfg_attr]` | wherever the attribute that it carries is written |
///
/// On the block, `#[cfg]` and the lint attributes hold of each of its functions.
///
/// # A whole file
///
/// On a module, `#[kernel]` declares all kernels of the file that it names:
///
/// ```
/// use warpcall::kernel;
///
/// #[kernel(source = "tests/files/norm.cu")]
/// pub mod norm {}
///
/// assert_eq!(
///     norm::RMS_NORM.to_string(),
///     "rms_norm(output: *mut f32, input: *const f32, hidden_size: u32, eps: f32)"
/// );
/// ```
///
/// Each kernel becomes `pub unsafe fn launch_NAME` and `pub static NAME` in the module, as if it were declared with the names
/// and types of CUDA, and is compared with the files like any other. The comment above it in CUDA is the function's
/// documentation. A parameter without a name is called `arg0`, `arg1`, by its place; `size_t` is `usize`. The
/// attributes and the items of the module stay, and `crate = path` is a path inside of it.
///
/// | in the module's body | meaning |
/// |---|---|
/// | `use super::Params;`, or an item of that name | the type of the struct `Params`; of `rope_params` it is `rope_params` or `RopeParams` |
/// | a block with a `#[kernel]` of its own | its kernels are not declared again: for a `#[host]`, a `#[nullable]`, another name, an instance of a template. Where it names no module, source or image, it is of the module's, with its `defines` and `include` |
///
/// ```
/// # use warpcall::kernel;
/// #[kernel(source = "tests/files/norm.cu")]
/// pub mod norm {
///     #[kernel]
///     unsafe extern "C" {
///         #[host(on_the_host)]
///         pub unsafe fn rms_norm(output: *mut f32, input: *const f32, hidden_size: u32, eps: f32);
///     }
///
///     fn on_the_host(output: &mut [f32], input: &[f32], _hidden_size: u32, _eps: f32) {
///         output.copy_from_slice(input);
///     }
/// }
///
/// assert_eq!(norm::RMS_NORM.module().name(), "norm");
/// ```
///
/// | argument | meaning |
/// |---|---|
/// | `only("a", "b")` | these kernels of the file and no others, by their names or symbols |
/// | `skip("a")` | all but these |
///
/// | named | what is declared |
/// |---|---|
/// | `source` | kernels that are `extern "C"`; kernels of C++ that are not overloaded and in no namespace without a name, by their names in C++, `static` ones too; the instances of templates that the source itself makes, as `template __global__ void scale<float>(…)` does |
/// | `source`, `image` | as above with the types of the source, as far as the image has them; of templates the instances that the image has; `static` kernels and overloads by their symbols |
/// | `image` | kernels with a mangled symbol, which keeps their types; of the others those that take `float`, `double` and pointers alone, where the PTX marks a pointer as one (`.ptr`, from compute capability 10.0 on): it is a `*mut c_void` |
///
/// Nothing is guessed. Where an image does not tell an `int` from an `unsigned`, or a 64-bit integer from a pointer, and where
/// a struct has no type in the module, the kernel is not declared. Memory behind a pointer is any memory, a `c_void`, where
/// CUDA does not show what it holds. An instance is named after its arguments: `launch_scale_float_4` for `scale<float, 4>`.
///
/// Kernels that are not declared are listed in the module's documentation, under "Not bound", each with the reason, and in a
/// warning of the compiler; so is what could not be read and may hide a kernel, such as a head that makes no sense. `skip("…")`
/// takes a kernel out of both, `only("…")` all that it does not name; `#[allow(deprecated)]` on the module silences the
/// warning as a whole, for it is one of that lint.
///
/// # Templates
///
/// A kernel that is not `extern "C"` is declared by its name in C++. One instance of a template has a function of its own,
/// or several share one that is generic over their types:
///
/// ```
/// # use warpcall::kernel;
/// #[kernel(module = "scale")] // as ever, with `source = "cuda/scale.cu"`, an `image`, or both, each is compared
/// unsafe extern "C" {
///     #[instance("scale<float, 4>")]
///     pub unsafe fn scale_by_4(output: *mut f32, input: *const f32, factor: f32, n: u32);
///
///     #[instance("scale<float>", T = f32)]
///     #[instance("scale<double>", T = f64)]
///     #[host(on_the_host)]
///     pub unsafe fn scale<T>(output: *mut T, input: *const T, factor: T, n: u32);
///
///     #[instance("fft::plain")] // no template
///     pub unsafe fn plain(values: *mut f32, n: u32);
/// }
///
/// fn on_the_host<T: Copy + std::ops::Mul<Output = T>>(output: &mut [T], input: &[T], factor: T, n: u32) {
///     output.iter_mut().zip(input).take(n as usize).for_each(|(output, input)| *output = factor * *input);
/// }
///
/// use warpcall::{Buffer, Gpu, LaunchConfig, Result, Stream};
///
/// // The generated trait is the bound of code that is generic over the type.
/// fn double<T: ScaleInstance>(stream: &Stream, y: &mut Buffer<T>, x: &Buffer<T>, two: T) -> Result<()> {
///     let n = x.len().min(y.len()) as u32;
///     // SAFETY: both have `n` elements.
///     unsafe { launch_scale(stream, LaunchConfig::for_elements(n, 256), y, x, two, n) }
/// }
///
/// let gpu = Gpu::host()?;
/// let stream = gpu.create_stream()?;
/// let (x, mut y) = (gpu.upload(&[1.5_f64, -2.0])?, gpu.zeros::<f64>(2)?);
/// double(&stream, &mut y, &x, 2.0)?;
/// assert_eq!(y.to_vec(&stream)?, [3.0, -4.0]);
///
/// assert_eq!(<f64 as ScaleInstance>::KERNEL.name(), "scale<double>");
/// gpu.register_kernels(&SCALE)?; // all of them
/// # Ok::<(), warpcall::Error>(())
/// ```
///
/// For a family `scale<T>` there are, beside `launch_scale`:
///
/// - `ScaleInstance`, a trait with the constant `KERNEL`, implemented for the types of the instances and for no others. It is
///   named after the function: `RmsNormInstance` for `rms_norm`. A family over `<T, U>` has `T: ConvertInstance<U>`.
///   Where all of the types are numbers, the trait is one of [`Pod`] types, which a `Buffer<T>` needs; else generic code asks
///   for it, `T: ScaleInstance + warpcall::Pod`, or takes `&impl ElementRef<T>` and `&mut impl ElementMut<T>`.
/// - `SCALE`, a static array of the [`Kernel`]s, in the order of the instances.
///
/// The types of the buffers choose the instance. A raw `DevicePtr` has none, and neither has a `None`: where nothing else
/// says what `T` is, the call does, `launch_scale::<f32>(…)`. What is passed by value is a type parameter itself or a type
/// without one. Numbers stand in the C++ name alone. `#[host(path)]` is `path::<T>` for each instance, unless the path has
/// arguments of its own; `path::<>` is a function that is not generic.
///
/// | where | how the kernel is found |
/// |---|---|
/// | the source, when the macro runs | the arguments stand in the place of the template's parameters, with its defaults; a full specialisation takes the place of its instance. What cannot be followed, such as a type out of a header that is not read, is an error under the parameter, which `#[unchecked]` or an `image` answers. Template parameter packs and template template parameters are refused |
/// | the image, when the macro runs | by its mangled symbol: `half` is `__half`, `4` is `(int)4`, and what a name leaves out may be a default. An image has the instances that its source makes: `template __global__ void scale<float, 4>(…);` |
/// | NVRTC | it compiles the instances that are declared, those of all blocks that are known by then. One that is asked for later is compiled by itself, unless the source has variables in device memory, which would be there twice |
/// | code that is given at run time | by its symbol, as in the image |
/// | the host and the mock | by the name as it is written, but for its blanks: `scale<float, 4>`. Errors, look-ups and the audit have it too |
///
/// Of overloads, the one that takes what is declared is meant. NVRTC cannot tell them apart; there they are refused.
///
/// # Safety
///
/// What a declaration says of the CUDA code is its writer's promise, as far as no source and no image is named to
/// prove it, which is why the block is `unsafe`. A
/// launch is `unsafe` as well: nothing here knows how far a kernel reads and writes.
///
/// # Errors
///
/// Mistakes are reported together, under the tokens that are wrong, in three steps: those of the declaration itself; once
/// there are none, all in which it disagrees with its files; and what only the compiler can compare, such as the fields of a
/// struct. The launch functions exist beside the errors, so that their callers add none. A function under a `#[cfg]` that does not hold is checked
/// all the same.
///
/// ```compile_fail
/// # use warpcall::kernel;
/// #[kernel(module = "scale")]
/// unsafe extern "C" {
///     pub unsafe fn scale(values: &mut [f32], factor: f32);
/// }
/// ```
///
/// ```text
/// error: parameter `values` of `scale` is `&mut [f32]`, a Rust slice, but a kernel sees device memory through a pointer
///        help: write `*mut f32`
///  --> src/lib.rs:3:33
///   |
/// 3 |     pub unsafe fn scale(values: &mut [f32], factor: f32);
///   |                                 ^^^^^^^^^^
/// ```
///
/// [`Pod`]: https://docs.rs/warpcall/latest/warpcall/trait.Pod.html
/// [stream]: https://docs.rs/warpcall/latest/warpcall/trait.AsStream.html
/// [`LaunchConfig`]: https://docs.rs/warpcall/latest/warpcall/struct.LaunchConfig.html
/// [`Kernel`]: https://docs.rs/warpcall/latest/warpcall/struct.Kernel.html
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    kernel::kernel(arguments.into(), &item.into(), &Site::current()).into()
}

/// Makes a `#[repr(C)]` struct a kernel parameter that is passed by value.
///
/// ```
/// use warpcall::{KernelParam, kernel};
///
/// #[derive(Clone, Copy, KernelParam)]
/// #[repr(C)]
/// pub struct RopeParams {
///     pub theta: f32,
///     pub interleaved: bool,
///     pub sections: [u32; 3],
/// }
///
/// #[kernel(module = "rope")]
/// pub unsafe fn rope(query: *mut f32, params: RopeParams);
///
/// // The three bytes after `interleaved` are padding, and zero.
/// let params = RopeParams { theta: 1.0, interleaved: true, sections: [2, 3, 4] };
/// assert_eq!(params.pack().arg().slots(), [0x0000_0001_3f80_0000, 0x0000_0003_0000_0002, 4]);
/// ```
///
/// The struct is `Copy`, has `#[repr(C)]` (with `align(N)` if need be) and no generics; it may be a tuple struct or
/// empty. Each field is plain data: a number, `bool`, a CUDA vector type, `DevicePtr` for a pointer, a struct
/// with this derive, or an array of these. A field without size is refused, as C++ gives it a byte.
///
/// `#[kernel_param(crate = path)]` says where the generated code finds warpcall; `::warpcall` if left out.
///
/// # Errors
///
/// A struct whose layout C++ does not share is a compile error, under the field where there is one:
///
/// ```compile_fail
/// # use warpcall::KernelParam;
/// #[derive(Clone, Copy, KernelParam)]
/// #[repr(C)]
/// struct Params {
///     table: *const f32,
/// }
/// ```
///
/// ```text
/// error: field `table` of `Params` is `*const f32`, a host pointer to read from, but a field holds a device address as a `DevicePtr`
///        help: write `DevicePtr`
/// ```
#[proc_macro_derive(KernelParam, attributes(kernel_param))]
pub fn derive_kernel_param(item: TokenStream) -> TokenStream {
    param::kernel_param(item.into()).into()
}

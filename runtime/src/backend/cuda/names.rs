//! From the name of a kernel to its function: a name is a symbol, or one of C++.

use std::ffi::{CStr, CString, c_char};

use cudarc::driver::sys::CUfunction;
use warpcall_signature::{Kernel as Signature, NameExpression, kernel_of_symbol};

use super::driver::code;
use super::module::LoadedModule;
use super::{CudaBackend, image, layout, parameters};
use crate::error::{Error, Result};
use crate::launch::Kernel;

/// A function of a program, and its symbol there.
pub(super) struct Found {
    pub(super) raw: CUfunction,
    pub(super) symbol: String,
}

impl CudaBackend {
    /// The kernel `name` of a program; `None` where it has none. The context is current.
    ///
    /// NVRTC's word comes first, then what the declaration knows, and the name as a symbol. Last, a name of C++ is compared
    /// with what the program's symbols say.
    pub(super) fn find_in(
        &self,
        program: &LoadedModule,
        module: &str,
        name: &str,
        declared: Option<&'static Kernel>,
    ) -> Result<Option<Found>> {
        let told = [program.symbol_of(name), declared.and_then(Kernel::symbol), Some(name)];
        for symbol in told.into_iter().flatten() {
            if let Some(raw) = self.function_of_symbol(program, symbol)? {
                return Ok(Some(Found { raw, symbol: symbol.to_owned() }));
            }
        }
        let Ok(expression) = NameExpression::parse(name) else { return Ok(None) };
        let symbols = self.symbols(program);
        let mangled = symbols.iter().filter(|symbol| symbol.starts_with("_Z"));
        let kernels: Vec<Signature> = mangled.map(|symbol| kernel_of_symbol(symbol).0).collect();
        let symbols: Vec<&str> =
            expression.select(&kernels).into_iter().filter_map(|kernel| kernel.symbol.as_deref()).collect();
        let symbol = match (only_one(&symbols), declared) {
            (Some(symbol), _) => symbol,
            (None, _) if symbols.is_empty() => return Ok(None),
            (None, declared) => {
                // Overloads: those that take what is declared.
                let fits = |symbol: &&str| {
                    let image =
                        parameters::of_image(&program.image, symbol, self.features.compute_capability);
                    let loaded = parameters::merge(None, image);
                    declared.is_some_and(|kernel| {
                        loaded.is_ok_and(|loaded| layout::check(name, kernel.parameters(), &loaded).is_ok())
                    })
                };
                let fitting: Vec<&str> = symbols.iter().copied().filter(fits).collect();
                only_one(&fitting).ok_or_else(|| Error::AmbiguousKernel {
                    module: module.into(),
                    kernel: name.into(),
                    known: symbols.iter().map(|symbol| described(symbol)).collect(),
                })?
            }
        };
        let raw = self.function_of_symbol(program, symbol)?;
        Ok(raw.map(|raw| Found { raw, symbol: symbol.to_owned() }))
    }

    /// The function of a symbol. The context is current.
    fn function_of_symbol(&self, program: &LoadedModule, symbol: &str) -> Result<Option<CUfunction>> {
        let Ok(symbol) = CString::new(symbol) else { return Ok(None) };
        let driver = self.context.driver;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the handle outlives the call, the name ends with a zero, and the module is loaded.
        match unsafe { (driver.cuModuleGetFunction)(&raw mut raw, program.raw, symbol.as_ptr()) } {
            code::SUCCESS => Ok(Some(raw)),
            code::NOT_FOUND => Ok(None),
            code => Err(driver.error("cuModuleGetFunction", code)),
        }
    }

    /// The names of a program's kernels, as a declaration would have them: of C++ where a symbol is mangled.
    pub(super) fn kernel_names(&self, program: &LoadedModule) -> Vec<String> {
        let symbols = self.symbols(program);
        let mut names: Vec<String> =
            symbols.iter().map(|symbol| kernel_of_symbol(symbol).0.expression()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The symbols of a program's kernels: from the driver where it tells them, else from the image.
    fn symbols(&self, program: &LoadedModule) -> Vec<String> {
        self.symbols_by_driver(program).unwrap_or_else(|| image::kernel_names(&program.image))
    }

    /// `None` where the driver is older than CUDA 12.4, or refuses.
    fn symbols_by_driver(&self, program: &LoadedModule) -> Option<Vec<String>> {
        let driver = self.context.driver;
        let (count_of, enumerate, name_of) =
            (driver.cuModuleGetFunctionCount?, driver.cuModuleEnumerateFunctions?, driver.cuFuncGetName?);
        let mut count = 0;
        // SAFETY: the number outlives the call, and the module is loaded.
        if unsafe { count_of(&raw mut count, program.raw) } != code::SUCCESS {
            return None;
        }
        let mut functions = vec![std::ptr::null_mut(); count as usize];
        // SAFETY: the array holds as many handles as are asked for, and the module is loaded.
        if unsafe { enumerate(functions.as_mut_ptr(), count, program.raw) } != code::SUCCESS {
            return None;
        }
        let mut symbols = Vec::new();
        for function in functions {
            let mut name: *const c_char = std::ptr::null();
            // SAFETY: the pointer outlives the call, and the function is one of the module's.
            if unsafe { name_of(&raw mut name, function) } != code::SUCCESS || name.is_null() {
                return None;
            }
            // SAFETY: the driver's name ends with a zero, and lives as long as the module.
            symbols.push(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned());
        }
        Some(symbols)
    }
}

fn only_one<'s>(symbols: &[&'s str]) -> Option<&'s str> {
    match symbols {
        [symbol] => Some(symbol),
        _ => None,
    }
}

/// A kernel with what its symbol says of it: `` `scale<float, 4>(float*, int)` (_Z5scale…) ``.
fn described(symbol: &str) -> String {
    let (kernel, types) = kernel_of_symbol(symbol);
    let types: Vec<String> = types.iter().flatten().map(ToString::to_string).collect();
    format!("`{}({})` ({symbol})", kernel.expression(), types.join(", "))
}

#[cfg(test)]
#[path = "tests/names.rs"]
mod tests;

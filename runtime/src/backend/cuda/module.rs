//! The modules that are known, and those that are loaded.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use cudarc::driver::sys::CUmodule;

use super::CudaBackend;
use super::deferred::Deferred;
use super::handles::address;
use super::image::ImageFormat;
use crate::error::{Error, Result};
use crate::launch::Module;

/// Where a loaded module's code came from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModuleOrigin {
    /// The module's image.
    Image {
        /// The file, as it was named.
        path: String,
        /// What it is.
        format: ImageFormat,
    },
    /// The module's source, compiled by NVRTC.
    Source {
        /// The file, as it was named.
        path: String,
        /// What it was compiled for, such as `sm_90`.
        architecture: String,
    },
}

impl fmt::Display for ModuleOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Image { path, format } => write!(f, "{format} {path}"),
            Self::Source { path, architecture } => write!(f, "source {path}, compiled for {architecture}"),
        }
    }
}

/// What a module is made of.
#[derive(Default)]
pub(super) struct ModuleCode {
    pub(super) image: Option<CodeFile<[u8]>>,
    pub(super) source: Option<CodeFile<str>>,
}

pub(super) struct CodeFile<T: ?Sized + ToOwned + 'static> {
    pub(super) path: Cow<'static, str>,
    pub(super) content: Cow<'static, T>,
}

impl ModuleCode {
    pub(super) fn of(module: &Module) -> Self {
        Self {
            image: module
                .image()
                .map(|image| CodeFile { path: image.path.into(), content: image.bytes.into() }),
            source: module
                .source()
                .map(|source| CodeFile { path: source.path.into(), content: source.text.into() }),
        }
    }

    fn is_empty(&self) -> bool {
        self.image.is_none() && self.source.is_none()
    }

    /// Whether both are the same code; where it came from does not matter.
    fn is_same(&self, other: &Self) -> bool {
        same(self.image_bytes(), other.image_bytes()) && same(self.source_bytes(), other.source_bytes())
    }

    fn image_bytes(&self) -> Option<&[u8]> {
        self.image.as_ref().map(|file| &*file.content)
    }

    fn source_bytes(&self) -> Option<&[u8]> {
        self.source.as_ref().map(|file| file.content.as_bytes())
    }
}

/// Equal, found without reading where both are the same memory: a module's kernels all carry its code.
fn same(left: Option<&[u8]>, right: Option<&[u8]>) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => std::ptr::eq(left, right) || left == right,
        (left, right) => left.is_none() && right.is_none(),
    }
}

/// A module on the device.
pub(super) struct LoadedModule {
    pub(super) raw: CUmodule,
    pub(super) origin: ModuleOrigin,
    /// The image that tells most of the kernels' parameters.
    pub(super) image: Cow<'static, [u8]>,
    /// The names in C++ that a source was compiled with, each with its symbol.
    pub(super) symbols: Vec<(String, String)>,
}

impl LoadedModule {
    /// The symbol of a name in C++, where the module was compiled with it.
    pub(super) fn symbol_of(&self, name: &str) -> Option<&str> {
        self.symbols.iter().find(|(known, _)| known == name).map(|(_, symbol)| symbol.as_str())
    }
}

// SAFETY: a module may be used by any thread in whose context it is, and several at once.
unsafe impl Send for LoadedModule {}
// SAFETY: as above.
unsafe impl Sync for LoadedModule {}

/// A module that is known.
pub(super) struct ModuleEntry {
    pub(super) name: String,
    pub(super) code: ModuleCode,
    /// The kernels that were declared by their names in C++.
    cpp_names: Mutex<BTreeSet<String>>,
    /// The module on the device: several where instances were asked for after it was compiled.
    programs: Mutex<Vec<Arc<LoadedModule>>>,
}

impl ModuleEntry {
    fn new(name: &str, code: ModuleCode) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_owned(),
            code,
            cpp_names: Mutex::default(),
            programs: Mutex::default(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<LoadedModule>>> {
        self.programs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is loaded of it.
    pub(super) fn programs(&self) -> Vec<Arc<LoadedModule>> {
        self.lock().clone()
    }

    fn cpp_names(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.cpp_names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A program with the kernel `name` of C++, made by `make` from the names that no program has yet.
    pub(super) fn add_program(
        &self,
        name: &str,
        make: impl FnOnce(&[String]) -> Result<LoadedModule>,
    ) -> Result<Arc<LoadedModule>> {
        let mut programs = self.lock();
        if let Some(program) = programs.iter().find(|program| program.symbol_of(name).is_some()) {
            return Ok(Arc::clone(program));
        }
        let mut names = self.cpp_names().clone();
        names.insert(name.to_owned());
        let is_new = |name: &String| programs.iter().all(|program| program.symbol_of(name).is_none());
        let names: Vec<String> = names.into_iter().filter(is_new).collect();
        let program = Arc::new(make(&names)?);
        programs.push(Arc::clone(&program));
        Ok(program)
    }
}

/// The modules by name.
#[derive(Default)]
pub(super) struct Modules(RwLock<HashMap<String, Arc<ModuleEntry>>>);

impl Modules {
    pub(super) fn find(&self, name: &str) -> Option<Arc<ModuleEntry>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> =
            self.0.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect();
        names.sort_unstable();
        names
    }

    /// Makes a module known, and the kernels that its declaration knows.
    pub(super) fn register_declared(&self, module: &Module) -> Result<()> {
        self.register(module.name(), ModuleCode::of(module))?;
        if let (false, Some(entry)) = (module.cpp_names().is_empty(), self.find(module.name())) {
            let mut known = entry.cpp_names();
            for name in module.cpp_names().iter().filter(|name| !known.contains(**name)).collect::<Vec<_>>() {
                known.insert((*name).to_owned());
            }
        }
        Ok(())
    }

    /// Makes a module known. One without code fits whatever is known under its name.
    pub(super) fn register(&self, name: &str, code: ModuleCode) -> Result<()> {
        if code.is_empty() {
            return Ok(());
        }
        if let Some(known) = self.find(name) {
            return same_code(&known, &code);
        }
        let mut modules = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = modules.get(name) {
            return same_code(known, &code);
        }
        modules.insert(name.to_owned(), ModuleEntry::new(name, code));
        Ok(())
    }

    fn take_all(&self) -> Vec<Arc<ModuleEntry>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner).drain().map(|(_, entry)| entry).collect()
    }
}

fn same_code(known: &ModuleEntry, code: &ModuleCode) -> Result<()> {
    if known.code.is_same(code) {
        return Ok(());
    }
    Err(Error::ModuleConflict { module: known.name.clone().into() })
}

impl CudaBackend {
    /// Makes an image known that was got at run time: PTX, a cubin or a fatbin, told apart by its content. It is
    /// loaded when the first of its kernels is looked up.
    ///
    /// # Errors
    ///
    /// Where the bytes are no image, or another module of this name is known already.
    pub fn load_module(&self, name: &str, image: impl Into<Vec<u8>>) -> Result<()> {
        let image = image.into();
        if ImageFormat::detect(&image).is_none() {
            return Err(Error::Load {
                module: name.into(),
                origin: "given at run time".into(),
                problem: not_an_image(image.len()).into(),
                log: "".into(),
            });
        }
        let image = CodeFile { path: "given at run time".into(), content: Cow::Owned(image) };
        self.modules.register(name, ModuleCode { image: Some(image), source: None })
    }

    /// Makes CUDA C++ known that was got at run time. NVRTC compiles it when the first of its kernels is looked up.
    ///
    /// # Errors
    ///
    /// Where another module of this name is known already.
    pub fn load_module_source(&self, name: &str, source: impl Into<String>) -> Result<()> {
        let source = CodeFile { path: format!("{name}.cu").into(), content: Cow::Owned(source.into()) };
        self.modules.register(name, ModuleCode { image: None, source: Some(source) })
    }

    /// Where the code of a module came from: its image, or its source through NVRTC. `None` while it is not loaded.
    pub fn module_origin(&self, name: &str) -> Option<ModuleOrigin> {
        let entry = self.modules.find(name)?;
        let programs = entry.lock();
        programs.first().map(|module| module.origin.clone())
    }

    /// The module on the device. Of several threads that ask at once one loads it; a failure is not kept.
    pub(super) fn loaded_module(&self, entry: &ModuleEntry) -> Result<Arc<LoadedModule>> {
        let mut programs = entry.lock();
        if let Some(module) = programs.first() {
            return Ok(Arc::clone(module));
        }
        let names: Vec<String> = entry.cpp_names().iter().cloned().collect();
        let module = Arc::new(self.load(entry, &names)?);
        programs.push(Arc::clone(&module));
        Ok(module)
    }

    /// Takes every module out, to be unloaded. Its kernels are gone.
    pub(super) fn take_modules(&self) -> Vec<Deferred> {
        let entries = self.modules.take_all();
        let programs = entries.iter().flat_map(|entry| std::mem::take(&mut *entry.lock()));
        programs.map(|program| Deferred::Module(address(program.raw))).collect()
    }
}

pub(super) fn not_an_image(length: usize) -> String {
    format!(
        "its {length} bytes are neither PTX nor a cubin nor a fatbin; give the output of nvcc, NVRTC or ptxas"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &'static str) -> ModuleCode {
        ModuleCode::of(&Module::new("m").with_source("m.cu", text))
    }

    #[test]
    fn a_module_may_be_registered_again_with_the_same_code() {
        let modules = Modules::default();
        modules.register("m", source("void k();")).expect("the first");
        modules.register("m", source("void k();")).expect("the same");
        modules.register("m", ModuleCode::default()).expect("no code fits any");
        assert_eq!(modules.names(), ["m"]);
    }

    #[test]
    fn another_module_of_the_same_name_is_refused() {
        let modules = Modules::default();
        modules.register("m", source("void k();")).expect("the first");
        for other in [source("void other();"), ModuleCode::of(&Module::new("m").with_image("m.ptx", b"ptx"))]
        {
            match modules.register("m", other) {
                Err(Error::ModuleConflict { module }) => assert_eq!(&*module, "m"),
                other => panic!("not refused: {other:?}"),
            }
        }
    }

    fn program(names: &[String]) -> LoadedModule {
        LoadedModule {
            raw: std::ptr::null_mut(),
            origin: ModuleOrigin::Source { path: "m.cu".into(), architecture: "sm_90".into() },
            image: Cow::Borrowed(&[]),
            symbols: names.iter().map(|name| (name.clone(), format!("_Z{name}"))).collect(),
        }
    }

    #[test]
    fn the_names_of_all_declarations_that_are_known_are_compiled_together() {
        let modules = Modules::default();
        let module = Module::new("m").with_source("m.cu", "template…");
        modules.register_declared(&module.with_cpp_names(&["k<int>", "k<float>"])).expect("the first");
        modules.register_declared(&module.with_cpp_names(&["k<float>", "k<long>"])).expect("the second");
        let entry = modules.find("m").expect("it is known");
        let first = entry.add_program("k<int>", |names| {
            assert_eq!(names, ["k<float>", "k<int>", "k<long>"]);
            Ok(program(names))
        });
        assert_eq!(first.expect("made").symbol_of("k<long>"), Some("_Zk<long>"));
        // What comes later is compiled by itself, once.
        modules.register_declared(&module.with_cpp_names(&["k<char>"])).expect("the third");
        let second = entry.add_program("k<bool>", |names| {
            assert_eq!(names, ["k<bool>", "k<char>"]);
            Ok(program(names))
        });
        let again = entry.add_program("k<char>", |_| panic!("it is compiled already"));
        assert!(Arc::ptr_eq(&second.expect("made"), &again.expect("found")));
        assert_eq!(entry.programs().len(), 2);
    }

    #[test]
    fn a_module_without_code_is_not_known_by_that() {
        let modules = Modules::default();
        modules.register("m", ModuleCode::default()).expect("nothing to keep");
        assert!(modules.find("m").is_none());
    }
}

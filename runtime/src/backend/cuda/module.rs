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
use super::source::CudaSource;
use crate::error::{Error, Result};
use crate::launch::{Module, is_same};

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
    pub(super) image: Option<ImageFile>,
    pub(super) source: Option<SourceFile>,
}

pub(super) struct ImageFile {
    pub(super) path: Cow<'static, str>,
    pub(super) bytes: Cow<'static, [u8]>,
}

pub(super) struct SourceFile {
    pub(super) path: Cow<'static, str>,
    pub(super) source: CudaSource,
}

impl ModuleCode {
    pub(super) fn of(module: &Module) -> Self {
        Self {
            image: module
                .image()
                .map(|image| ImageFile { path: image.path.into(), bytes: image.bytes.into() }),
            source: module
                .source()
                .map(|source| SourceFile { path: source.path.into(), source: CudaSource::embedded(&source) }),
        }
    }

    fn is_empty(&self) -> bool {
        self.image.is_none() && self.source.is_none()
    }

    /// Whether both are the same code; where it came from does not matter.
    fn is_same(&self, other: &Self) -> bool {
        let images = match (&self.image, &other.image) {
            (Some(own), Some(other)) => is_same(&own.bytes, &other.bytes),
            (own, other) => own.is_none() && other.is_none(),
        };
        images
            && match (&self.source, &other.source) {
                (Some(own), Some(other)) => own.source.is_same(&other.source),
                (own, other) => own.is_none() && other.is_none(),
            }
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
    cpp_names: Arc<Mutex<BTreeSet<String>>>,
    state: Mutex<ModuleState>,
}

struct ModuleState {
    code: Arc<ModuleCode>,
    /// Whether the code was given at run time, and is not a declaration's.
    is_given: bool,
    /// The module on the device: several where instances were asked for after it was compiled.
    programs: Vec<Arc<LoadedModule>>,
}

impl ModuleEntry {
    fn state(&self) -> MutexGuard<'_, ModuleState> {
        // Nothing panics between two steps that belong together.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn code(&self) -> Arc<ModuleCode> {
        Arc::clone(&self.state().code)
    }

    /// What is loaded of it.
    pub(super) fn programs(&self) -> Vec<Arc<LoadedModule>> {
        self.state().programs.clone()
    }

    /// The kernels that were declared by their names in C++.
    fn cpp_names(&self) -> BTreeSet<String> {
        self.cpp_names.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A program with the kernel `name` of C++, made by `make` from the names that no program has yet.
    pub(super) fn add_program(
        &self,
        name: &str,
        make: impl FnOnce(&[String]) -> Result<LoadedModule>,
    ) -> Result<Arc<LoadedModule>> {
        let mut state = self.state();
        let programs = &mut state.programs;
        if let Some(program) = programs.iter().find(|program| program.symbol_of(name).is_some()) {
            return Ok(Arc::clone(program));
        }
        let mut names = self.cpp_names();
        names.insert(name.to_owned());
        let is_new = |name: &String| programs.iter().all(|program| program.symbol_of(name).is_none());
        let names: Vec<String> = names.into_iter().filter(is_new).collect();
        let program = Arc::new(make(&names)?);
        programs.push(Arc::clone(&program));
        Ok(program)
    }

    /// Takes other code for the module, or leaves it at the code that it has.
    fn take(&self, code: ModuleCode, is_given: bool) -> Result<()> {
        let mut state = self.state();
        if state.code.is_same(&code) {
            state.is_given |= is_given;
            return Ok(());
        }
        match (is_given, state.is_given) {
            (false, true) => Ok(()),
            (true, false) if state.programs.is_empty() => {
                (state.code, state.is_given) = (Arc::new(code), true);
                Ok(())
            }
            _ => Err(Error::ModuleConflict { module: self.name.clone().into() }),
        }
    }
}

/// The modules by name.
#[derive(Default)]
pub(super) struct Modules {
    entries: RwLock<HashMap<String, Arc<ModuleEntry>>>,
    /// The kernels that were declared by their names in C++, of modules whose code may come later.
    cpp_names: Mutex<HashMap<String, Arc<Mutex<BTreeSet<String>>>>>,
}

impl Modules {
    pub(super) fn find(&self, name: &str) -> Option<Arc<ModuleEntry>> {
        self.entries.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> =
            self.entries.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect();
        names.sort_unstable();
        names
    }

    /// Makes the module of a declaration known. What was given for it at run time stays.
    pub(super) fn declare(&self, module: &Module) -> Result<()> {
        self.note_names(module);
        self.enter(module.name(), ModuleCode::of(module), false)
    }

    /// Makes a module known that is given at run time. It takes the place of what declarations carry, until that is loaded.
    pub(super) fn give(&self, module: &Module) -> Result<()> {
        self.note_names(module);
        self.enter(module.name(), ModuleCode::of(module), true)
    }

    fn note_names(&self, module: &Module) {
        if module.cpp_names().is_empty() {
            return;
        }
        let known = self.cpp_names_of(module.name());
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        for name in module.cpp_names() {
            if !known.contains(*name) {
                known.insert((*name).to_owned());
            }
        }
    }

    fn cpp_names_of(&self, module: &str) -> Arc<Mutex<BTreeSet<String>>> {
        let mut names = self.cpp_names.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(names.entry(module.to_owned()).or_default())
    }

    /// Makes a module known. One without code fits whatever is known under its name.
    fn enter(&self, name: &str, code: ModuleCode, is_given: bool) -> Result<()> {
        if code.is_empty() {
            return Ok(());
        }
        if let Some(known) = self.find(name) {
            return known.take(code, is_given);
        }
        let cpp_names = self.cpp_names_of(name);
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = entries.get(name).cloned() {
            // Whoever was faster may be loading it, and others are not to wait for that.
            drop(entries);
            return known.take(code, is_given);
        }
        let state = Mutex::new(ModuleState { code: Arc::new(code), is_given, programs: Vec::new() });
        let entry = ModuleEntry { name: name.to_owned(), cpp_names, state };
        entries.insert(name.to_owned(), Arc::new(entry));
        Ok(())
    }

    fn take_all(&self) -> Vec<Arc<ModuleEntry>> {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        entries.drain().map(|(_, entry)| entry).collect()
    }
}

impl CudaBackend {
    /// Makes an image known that was got at run time: PTX, a cubin or a fatbin, told apart by its content. It is
    /// loaded when the first of its kernels is looked up, and in the place of what declarations carry for the module.
    ///
    /// # Errors
    ///
    /// Where the bytes are no image, and as for [`register_module`](crate::backend::KernelLookup::register_module).
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
        let image = ImageFile { path: "given at run time".into(), bytes: Cow::Owned(image) };
        self.modules.enter(name, ModuleCode { image: Some(image), source: None }, true)
    }

    /// Makes CUDA C++ known that was got at run time: a text, or a [`CudaSource`] with headers, macros and options. NVRTC
    /// compiles it when the first of its kernels is looked up, in the place of what declarations carry for the module.
    ///
    /// # Errors
    ///
    /// As for [`register_module`](crate::backend::KernelLookup::register_module).
    pub fn load_module_source(&self, name: &str, source: impl Into<CudaSource>) -> Result<()> {
        let source = SourceFile { path: format!("{name}.cu").into(), source: source.into() };
        self.modules.enter(name, ModuleCode { image: None, source: Some(source) }, true)
    }

    /// Where the code of a module came from: its image, or its source through NVRTC. `None` while it is not loaded.
    ///
    /// ```no_run
    /// # fn of(backend: &warpcall::CudaBackend) {
    /// if let Some(warpcall::ModuleOrigin::Source { .. }) = backend.module_origin("norm") {
    ///     println!("the image of `norm` does not fit this device; its source was compiled");
    /// }
    /// # }
    /// ```
    pub fn module_origin(&self, name: &str) -> Option<ModuleOrigin> {
        let entry = self.modules.find(name)?;
        let state = entry.state();
        state.programs.first().map(|module| module.origin.clone())
    }

    /// The module on the device. Of several threads that ask at once one loads it; a failure is not kept. A source is compiled
    /// with the instance that is looked for, too.
    pub(super) fn loaded_module(
        &self,
        entry: &ModuleEntry,
        instance: Option<&str>,
    ) -> Result<Arc<LoadedModule>> {
        let mut state = entry.state();
        if let Some(module) = state.programs.first() {
            return Ok(Arc::clone(module));
        }
        let mut names = entry.cpp_names();
        names.extend(instance.map(str::to_owned));
        let names: Vec<String> = names.into_iter().collect();
        let module = Arc::new(self.load(&entry.name, &state.code, &names)?);
        state.programs.push(Arc::clone(&module));
        Ok(module)
    }

    /// Takes every module out, to be unloaded. Its kernels are gone.
    pub(super) fn take_modules(&self) -> Vec<Deferred> {
        let entries = self.modules.take_all();
        let programs = entries.iter().flat_map(|entry| std::mem::take(&mut entry.state().programs));
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
    use crate::launch::Header;

    const NAME: &str = "m";
    const SOURCE: Module = Module::new(NAME).with_source("m.cu", "void k();");
    const OTHER: Module = Module::new(NAME).with_source("m.cu", "void other();");
    const IMAGE: Module = Module::new(NAME).with_image("m.ptx", b"ptx");

    fn refused(outcome: Result<()>) {
        match outcome {
            Err(Error::ModuleConflict { module }) => assert_eq!(&*module, NAME),
            other => panic!("not refused: {other:?}"),
        }
    }

    /// The text of the source that the module would be compiled from.
    fn text(modules: &Modules) -> Option<String> {
        modules.find(NAME)?.code().source.as_ref().map(|file| file.source.text.clone().into_owned())
    }

    fn load(modules: &Modules) {
        modules.find(NAME).expect("it is known").state().programs.push(Arc::new(program(&[])));
    }

    #[test]
    fn a_module_may_be_registered_again_with_the_same_code() {
        let modules = Modules::default();
        modules.declare(&SOURCE).expect("the first");
        modules.declare(&Module::new(NAME).with_source("copy/m.cu", "void k();")).expect("the same");
        modules.declare(&Module::new(NAME)).expect("no code fits any");
        modules.give(&SOURCE).expect("the same");
        load(&modules);
        modules.give(&SOURCE).expect("the same as is loaded");
        assert_eq!(modules.names(), [NAME]);
    }

    #[test]
    fn another_declaration_of_the_same_name_is_refused() {
        let headers = SOURCE.with_headers(&[Header { name: "a.cuh", bytes: b"" }]);
        let other_header = SOURCE.with_headers(&[Header { name: "a.cuh", bytes: b"int a;" }]);
        let defines = SOURCE.with_defines(&["N=1"]);
        for (first, second) in
            [(SOURCE, OTHER), (SOURCE, IMAGE), (SOURCE, headers), (headers, other_header), (defines, SOURCE)]
        {
            let modules = Modules::default();
            modules.declare(&first).expect("the first");
            modules.declare(&first).expect("the same");
            refused(modules.declare(&second));
        }
    }

    #[test]
    fn what_is_given_at_run_time_takes_the_place_of_what_declarations_carry() {
        for given_first in [false, true] {
            let modules = Modules::default();
            if !given_first {
                modules.declare(&SOURCE).expect("the first");
            }
            modules.give(&OTHER).expect("given");
            modules.declare(&SOURCE).expect("what was given stays");
            modules.declare(&IMAGE).expect("what was given stays");
            assert_eq!(text(&modules).as_deref(), Some("void other();"));
            load(&modules);
            modules.declare(&SOURCE).expect("what was given stays");
        }
    }

    #[test]
    fn two_that_are_given_at_run_time_must_be_the_same() {
        let modules = Modules::default();
        modules.give(&SOURCE).expect("the first");
        refused(modules.give(&OTHER));
        // The declaration's own code is given, too, from now on.
        let modules = Modules::default();
        modules.declare(&SOURCE).expect("the first");
        modules.give(&SOURCE).expect("the same");
        refused(modules.give(&OTHER));
        assert_eq!(text(&modules).as_deref(), Some("void k();"));
    }

    #[test]
    fn what_is_loaded_is_not_replaced() {
        let modules = Modules::default();
        modules.declare(&SOURCE).expect("the first");
        load(&modules);
        refused(modules.give(&OTHER));
        assert_eq!(text(&modules).as_deref(), Some("void k();"));
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
        modules.declare(&module.with_cpp_names(&["k<int>", "k<float>"])).expect("the first");
        modules.declare(&module.with_cpp_names(&["k<float>", "k<long>"])).expect("the second");
        let entry = modules.find("m").expect("it is known");
        let first = entry.add_program("k<int>", |names| {
            assert_eq!(names, ["k<float>", "k<int>", "k<long>"]);
            Ok(program(names))
        });
        assert_eq!(first.expect("made").symbol_of("k<long>"), Some("_Zk<long>"));
        // What comes later is compiled by itself, once.
        modules.declare(&module.with_cpp_names(&["k<char>"])).expect("the third");
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
        modules.declare(&Module::new(NAME)).expect("nothing to keep");
        modules.give(&Module::new(NAME)).expect("nothing to keep");
        assert!(modules.find(NAME).is_none());
    }
}

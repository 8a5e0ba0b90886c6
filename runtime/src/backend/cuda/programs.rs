//! The programs of a module. An image is one; a source is compiled to one with the kernels that are declared by then, and to
//! another where an instance of a template is asked for later.

use std::sync::Arc;

use warpcall_signature::NameExpression;

use super::CudaBackend;
use super::deferred::Deferred;
use super::handles::address;
use super::load::load_error;
use super::module::{LoadedModule, ModuleEntry, ModuleOrigin};
use super::names::Found;
use crate::error::{Error, Result};
use crate::launch::Kernel;

impl CudaBackend {
    /// The kernel `name` of a module, and the program that has it. What is not loaded is loaded.
    pub(super) fn place(
        &self,
        entry: &ModuleEntry,
        name: &str,
        declared: Option<&'static Kernel>,
    ) -> Result<(Arc<LoadedModule>, Found)> {
        let is_instance = NameExpression::parse(name).is_ok_and(|name| name.is_instance());
        let first = self.loaded_module(entry, is_instance.then_some(name))?;
        self.context.bind()?;
        for program in entry.programs() {
            if let Some(found) = self.find_in(&program, &entry.name, name, declared)? {
                return Ok((program, found));
            }
        }
        // What is loaded is not replaced any more.
        let code = entry.code();
        let source = code.source.as_ref().filter(|_| matches!(first.origin, ModuleOrigin::Source { .. }));
        if let (true, Some(source)) = (is_instance, source) {
            let program = entry.add_program(name, |names| {
                let program = self.load_source(&entry.name, source, names)?;
                if let Some(problem) = not_alone(name, &program.image) {
                    self.dispose(vec![Deferred::Module(address(program.raw))]);
                    return Err(load_error(&entry.name, &source.path, problem, String::new()));
                }
                Ok(program)
            })?;
            if let Some(found) = self.find_in(&program, &entry.name, name, declared)? {
                return Ok((program, found));
            }
        }
        let mut known: Vec<String> =
            entry.programs().iter().flat_map(|program| self.kernel_names(program)).collect();
        known.sort_unstable();
        known.dedup();
        let (module, kernel) = (entry.name.as_str().into(), name.into());
        Err(Error::UnknownKernel { module, kernel, known, hint: "" })
    }
}

/// Why a program that is compiled after the module's first cannot stand beside it: each has device variables of its own,
/// and what a kernel of one writes, a kernel of the other does not see.
fn not_alone(name: &str, ptx: &[u8]) -> Option<String> {
    let variables = variables(&String::from_utf8_lossy(ptx));
    let first = variables.first()?;
    Some(format!(
        "the source was compiled before `{name}` was asked for, and cannot be compiled again for it: its device variable \
         `{first}` would be there twice; make all of its kernels known before the first is used, with \
         `register_kernels(&[…])` or in one `#[kernel]` block"
    ))
}

/// The variables in device memory that PTX has at its outermost level, but for the texts that the compiler makes.
fn variables(ptx: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let mut variables = Vec::new();
    for line in ptx.lines() {
        let mut words = line.split([' ', '\t', ',', ';', '[', '=']).filter(|word| !word.is_empty());
        let linkage = |word: &&str| !matches!(*word, ".visible" | ".weak" | ".common" | ".extern");
        if depth == 0 && words.find(linkage) == Some(".global") {
            let is_name =
                |word: &&str| !word.starts_with('.') && !word.starts_with(|c: char| c.is_ascii_digit());
            // `.attribute(.managed)` is no name.
            let name = words.find(|word| is_name(word) && !word.ends_with(')'));
            let of_compiler = |name: &&str| name.starts_with('$') || name.starts_with("__unnamed");
            variables.extend(name.filter(|name| !of_compiler(name)).map(str::to_owned));
        }
        let count = |brace| line.matches(brace).count();
        depth = (depth + count('{')).saturating_sub(count('}'));
    }
    variables
}

#[cfg(test)]
mod tests {
    use super::*;

    // Of NVRTC 13.0.
    const PTX: &str = "
.version 9.0
.target sm_90
.address_size 64

.visible .global .align 4 .u32 counter;
.global .align 4 .b8 _ZN6detail5tableE[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3};
.const .align 4 .b8 fixed[8];
.global .align 1 .b8 $str[4] = {37, 100, 10};
.visible .global .attribute(.managed) .align 8 .u64 managed;

.visible .entry count(
\t.param .u64 count_param_0
)
{
\t.global .align 4 .u32 inner;
\tld.global.u32 %r1, [counter];
\tret;
}
";

    #[test]
    fn the_variables_of_a_program_are_those_of_its_outermost_level() {
        assert_eq!(variables(PTX), ["counter", "_ZN6detail5tableE", "managed"]);
        let ptx = [b"// \xe9\n".as_slice(), PTX.as_bytes()].concat();
        let problem = not_alone("scale<double>", &ptx).expect("it has variables");
        assert!(problem.contains("`scale<double>`") && problem.contains("`counter`"), "{problem}");
    }

    #[test]
    fn a_program_without_variables_may_be_compiled_again() {
        let without: String = PTX
            .lines()
            .filter(|line| !line.contains(".global") || line.contains("$str"))
            .collect::<Vec<_>>()
            .join("\n");
        assert_eq!(not_alone("scale<double>", without.as_bytes()), None);
    }
}

//! Finding the kernel of a source that a symbol of an image means.

use crate::{Kernel, Linkage, Module, Type, kernel_of_symbol};

/// What looking for a kernel by a symbol gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup<'a> {
    /// The kernel.
    Found(&'a Kernel),
    /// An instance of a template, with the types of the symbol in the place of its parameters.
    Instance(Box<Kernel>),
    /// A kernel of this name, whose own symbol is a mangled one.
    Mangled(&'a Kernel),
    /// A kernel of the symbol's name, but with other parameters.
    OtherTypes(&'a Kernel),
    /// There is none.
    Absent,
}

impl Module {
    /// The kernel of a source that a symbol of an image means, mangled or not.
    ///
    /// ```
    /// use warpcall_signature::{Lookup, source::SourceReader};
    ///
    /// let text = "template <typename T> __global__ void fill(T* x, T value) {}";
    /// let module = SourceReader::new().read_text("fill.cu", text)?;
    /// let Lookup::Instance(kernel) = module.of_symbol("_Z4fillIfEvPT_S0_") else { panic!("it is an instance") };
    /// assert_eq!(kernel.to_string(), "fill(float* x, float value)");
    /// assert!(matches!(module.of_symbol("fill"), Lookup::Mangled(_)));
    /// assert_eq!(module.of_symbol("drain"), Lookup::Absent);
    /// # Ok::<(), warpcall_signature::Diagnostic>(())
    /// ```
    pub fn of_symbol(&self, symbol: &str) -> Lookup<'_> {
        in_source(self, symbol)
    }
}

fn in_source<'a>(module: &'a Module, symbol: &str) -> Lookup<'a> {
    if let Some(kernel) = module.kernels.iter().find(|kernel| kernel.symbol.as_deref() == Some(symbol)) {
        return Lookup::Found(kernel);
    }
    let (of_symbol, types) = kernel_of_symbol(symbol);
    let named: Vec<&Kernel> = module
        .kernels
        .iter()
        .filter(|kernel| kernel.symbol.is_none())
        .filter(|kernel| kernel.name == of_symbol.name && kernel.namespace == of_symbol.namespace)
        .collect();
    if of_symbol.linkage == Linkage::C {
        let by_name =
            module.kernels.iter().find(|kernel| kernel.name == symbol || kernel.qualified_name() == symbol);
        return by_name.map_or(Lookup::Absent, Lookup::Mangled);
    }
    let Some(types) = types else {
        return named.first().map_or(Lookup::Absent, |kernel| Lookup::Found(kernel));
    };
    if let Some(kernel) = named.iter().find(|kernel| fits(kernel, &types)) {
        return instance(kernel, types);
    }
    named.first().map_or(Lookup::Absent, |kernel| Lookup::OtherTypes(kernel))
}

/// Whether the kernel takes what its mangled name says.
fn fits(kernel: &Kernel, types: &[Type]) -> bool {
    let agree = |own: Option<&Type>, other: &Type| {
        own.is_none_or(|own| own.is_dependent() || own.agrees_with(other) != Some(false))
    };
    let same_count = !kernel.is_complete || kernel.parameters.len() == types.len();
    same_count && kernel.parameters.iter().zip(types).all(|(own, other)| agree(own.ty.as_ref(), other))
}

/// A template with what the mangled name of one instance says in the place of what depends on its parameters.
fn instance(kernel: &Kernel, types: Vec<Type>) -> Lookup<'_> {
    let depends = |ty: &Option<Type>| ty.as_ref().is_some_and(Type::is_dependent);
    if !kernel.parameters.iter().any(|parameter| depends(&parameter.ty)) {
        return Lookup::Found(kernel);
    }
    let mut kernel = kernel.clone();
    for (parameter, ty) in kernel.parameters.iter_mut().zip(types) {
        if depends(&parameter.ty) {
            parameter.size = ty.layout().map(|layout| layout.size);
            parameter.alignment = ty.layout().map(|layout| layout.alignment);
            parameter.class = ty.class();
            parameter.ty = Some(ty);
        }
    }
    Lookup::Instance(Box::new(kernel))
}

//! One parameter of a kernel.

use super::{Alignments, Layout, Origin, Type};

/// What kind of value a parameter is, as far as PTX tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// An integer, or a pointer where the image does not tell them apart.
    Integer,
    /// `float` or `double`.
    Float,
    /// A struct, a vector, or one of the small floating-point types.
    Bytes,
    /// A pointer.
    Pointer,
    /// Not told: a cubin knows sizes only.
    Unknown,
}

/// A parameter of a kernel.
///
/// Source fills the type, and through it the size; an image fills the size and the class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The name, if the kernel gives one. A name the compiler made up (`k_param_0`) is none.
    pub name: Option<String>,
    /// The canonical type with its constness at each level; an array or a function has become a
    /// pointer. `None` where an image does not keep it.
    pub ty: Option<Type>,
    /// The type as it is written, for messages.
    pub spelling: Option<String>,
    /// Size in bytes, where known.
    pub size: Option<u64>,
    /// Alignment in bytes, where known. See [`accepts_layout`](Self::accepts_layout).
    pub alignment: Option<u64>,
    /// Offset from the start of the parameters in bytes, in images that tell it.
    pub offset: Option<u64>,
    /// The alignments that would put it at its offset; all of them where that is not known.
    pub placed_by: Alignments,
    /// What kind of value it is.
    pub class: Class,
    /// The extents of an array parameter, outermost first; `None` for an empty one, or for one that
    /// cannot be evaluated.
    pub array_extents: Vec<Option<u64>>,
    /// Whether the pointer is declared `__restrict__`.
    pub is_restrict: bool,
    /// Whether the parameter is declared `__grid_constant__`.
    pub is_grid_constant: bool,
    /// Whether it is a parameter pack, standing for any number of parameters.
    pub is_pack: bool,
    /// The default argument as it is written.
    pub default: Option<String>,
    /// A word in it that the files read do not define: it was taken as a macro that adds nothing, so that the type may
    /// be another one.
    pub unknown_word: Option<String>,
    /// Where it is written.
    pub origin: Option<Origin>,
}

impl Parameter {
    /// A parameter of which nothing is known yet.
    pub fn unknown() -> Self {
        Self {
            name: None,
            ty: None,
            spelling: None,
            size: None,
            alignment: None,
            offset: None,
            placed_by: Alignments::ALL,
            class: Class::Unknown,
            array_extents: Vec::new(),
            is_restrict: false,
            is_grid_constant: false,
            is_pack: false,
            default: None,
            unknown_word: None,
            origin: None,
        }
    }

    /// A parameter of a type, with the size, alignment and class that follow from it.
    pub fn of_type(ty: Type) -> Self {
        let layout = ty.layout();
        Self {
            size: layout.map(|l| l.size),
            alignment: layout.map(|l| l.alignment),
            class: ty.class(),
            ty: Some(ty),
            ..Self::unknown()
        }
    }

    /// Size and alignment, where both are known.
    pub fn layout(&self) -> Option<Layout> {
        Some(Layout { size: self.size?, alignment: self.alignment? })
    }

    /// Whether a size is the parameter's, or could be; `CUtensorMap` inside may be aligned to 64 or 128.
    pub fn accepts_size(&self, size: u64) -> bool {
        let wide = self.ty.as_ref().and_then(Type::wide_layout);
        self.size.is_none_or(|own| own == size) || wide.is_some_and(|l| l.size == size)
    }

    /// The alignments that it may have: its own, where that is known, of a `CUtensorMap` 64 and 128; else those that
    /// put it where it lies.
    pub fn alignments(&self) -> Alignments {
        let Some(own) = self.alignment else { return self.placed_by };
        let wide = self.ty.as_ref().and_then(Type::wide_layout);
        Alignments::of(own).or(wide.map_or(Alignments::NONE, |layout| Alignments::of(layout.alignment)))
    }

    /// Whether an alignment is the parameter's, or could be; a `CUtensorMap` accepts 64 and 128.
    pub fn accepts_alignment(&self, alignment: u64) -> bool {
        self.alignments().contains(alignment)
    }

    /// Whether size and alignment are the parameter's, or could be.
    pub fn accepts_layout(&self, layout: Layout) -> bool {
        self.accepts_size(layout.size) && self.accepts_alignment(layout.alignment)
    }
}

//! The module that `#[kernel]` stands on: what it is called, and what its body has already.

use std::collections::{HashMap, HashSet};

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{
    AttrStyle, Attribute, ForeignItem, Ident, Item, ItemForeignMod, ItemMod, LitStr, Meta, Token, UseTree,
    Visibility,
    ext::IdentExt,
    parse::{ParseStream, Parser},
};
use warpcall_signature::{Kernel, NameExpression, Template, rust::camel_case};

use crate::{kernel::attributes::string, report::Report};

/// A module to be filled.
pub(super) struct Body {
    /// Those of the module, with those that stand inside of it.
    pub(super) attributes: Vec<Attribute>,
    pub(super) visibility: Visibility,
    pub(super) keyword: Token![mod],
    pub(super) ident: Ident,
    pub(super) items: Vec<Item>,
    pub(super) scope: Scope,
}

/// Whether an item is a module.
pub(in crate::kernel) fn is_module(item: &TokenStream) -> bool {
    let parser = |input: ParseStream<'_>| {
        input.call(Attribute::parse_outer)?;
        input.parse::<Visibility>()?;
        input.parse::<Option<Token![unsafe]>>()?;
        let is_module = input.peek(Token![mod]);
        input.parse::<TokenStream>()?;
        Ok(is_module)
    };
    parser.parse2(item.clone()).unwrap_or(false)
}

/// Reads a module. `None` where it cannot be filled, which is then reported.
pub(super) fn read(item: TokenStream, report: &mut Report) -> Option<Body> {
    let module: ItemMod = match syn::parse2(item) {
        Ok(module) => module,
        Err(error) => {
            report.syntax(error);
            return None;
        }
    };
    let ItemMod { attrs, vis, unsafety, mod_token, ident, content, .. } = module;
    if let Some(unsafety) = unsafety {
        let found = format!("the module `{ident}` is `unsafe`");
        report.error(unsafety, found, "a module cannot be", "remove it");
    }
    let Some((_, items)) = content else {
        report.error(
            &ident,
            format!("the module `{ident}` has no body"),
            "its items are generated into it",
            format!("write `mod {ident} {{}}`"),
        );
        return None;
    };
    let mut attributes = attrs;
    for attribute in &mut attributes {
        attribute.style = AttrStyle::Outer;
    }
    let scope = Scope::of(&items);
    Some(Body { attributes, visibility: vis, keyword: mod_token, ident, items, scope })
}

/// Whether an attribute is `#[kernel]`.
pub(super) fn is_declaration(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|last| last.ident == "kernel")
}

/// The names that the items of a module's body have.
#[derive(Default)]
pub(super) struct Scope {
    types: HashSet<String>,
    values: HashMap<String, Ident>,
    /// Whether there may be more: from `use …::*`, or out of a macro.
    is_open: bool,
    /// The kernels that a block in the body declares: their names in Rust, in the module, and in C++.
    declared: HashSet<String>,
    instances: Vec<NameExpression>,
}

impl Scope {
    fn of(items: &[Item]) -> Self {
        let mut scope = Self::default();
        for item in items {
            scope.add(item);
        }
        scope
    }

    fn add(&mut self, item: &Item) {
        match item {
            Item::Struct(item) => {
                self.types.insert(plain(&item.ident));
                if !matches!(item.fields, syn::Fields::Named(_)) {
                    self.value(&item.ident);
                }
            }
            Item::Enum(item) => self.ty(&item.ident),
            Item::Union(item) => self.ty(&item.ident),
            Item::Type(item) => self.ty(&item.ident),
            Item::Trait(item) => self.ty(&item.ident),
            Item::TraitAlias(item) => self.ty(&item.ident),
            Item::Mod(item) => self.ty(&item.ident),
            Item::ExternCrate(item) => {
                self.ty(item.rename.as_ref().map_or(&item.ident, |(_, name)| name));
            }
            Item::Const(item) => self.value(&item.ident),
            Item::Fn(item) => self.value(&item.sig.ident),
            Item::Static(item) => self.value(&item.ident),
            Item::Use(item) => self.import(&item.tree, None),
            Item::ForeignMod(block) => self.block(block),
            Item::Impl(_) => {}
            // A macro makes what it makes, and so does what is not known.
            _ => self.is_open = true,
        }
    }

    fn ty(&mut self, ident: &Ident) {
        self.types.insert(plain(ident));
    }

    fn value(&mut self, ident: &Ident) {
        self.values.insert(plain(ident), ident.clone());
    }

    fn import(&mut self, tree: &UseTree, parent: Option<&Ident>) {
        match tree {
            UseTree::Path(path) => self.import(&path.tree, Some(&path.ident)),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, parent);
                }
            }
            UseTree::Glob(_) => self.is_open = true,
            UseTree::Rename(rename) => self.imported(&rename.rename),
            UseTree::Name(name) if name.ident == "self" => {
                if let Some(parent) = parent {
                    self.imported(parent);
                }
            }
            UseTree::Name(name) => self.imported(&name.ident),
        }
    }

    /// What an import is, a type or a value, only the compiler knows. A function looks like one.
    fn imported(&mut self, ident: &Ident) {
        self.ty(ident);
        if plain(ident).starts_with("launch_") {
            self.value(ident);
        }
    }

    /// A block that is declared with `#[kernel]` makes its items here.
    fn block(&mut self, block: &ItemForeignMod) {
        let is_declaration = block.attrs.iter().any(is_declaration);
        for item in &block.items {
            match item {
                ForeignItem::Fn(function) if is_declaration => {
                    self.declared.insert(plain(&function.sig.ident));
                    self.declared.extend(function.attrs.iter().filter_map(link_name));
                    self.instances.extend(function.attrs.iter().filter_map(instance));
                }
                ForeignItem::Fn(function) => self.value(&function.sig.ident),
                ForeignItem::Static(item) => self.value(&item.ident),
                ForeignItem::Type(item) => self.ty(&item.ident),
                _ => self.is_open = true,
            }
        }
    }

    /// Whether an item or an import of the body may be called so.
    pub(super) fn has(&self, name: &str) -> bool {
        self.is_open || self.types.contains(name) || self.values.contains_key(name)
    }

    /// The item of the body that is a value of this name.
    pub(super) fn value_named(&self, name: &Ident) -> Option<&Ident> {
        self.values.get(&plain(name))
    }

    /// Whether a block of the body declares the kernel, or an instance of it.
    pub(super) fn declares(&self, kernel: &Kernel) -> bool {
        let is_instance =
            |name: &NameExpression| name.name() == kernel.name && name.namespace() == kernel.namespace;
        match &kernel.template {
            Template::Primary { .. } => self.instances.iter().any(is_instance),
            _ => {
                self.declared.contains(&kernel.name)
                    || kernel.symbol.as_ref().is_some_and(|symbol| self.declared.contains(symbol))
                    || self.instances.iter().any(|name| name.names(kernel))
            }
        }
    }

    /// The type that stands for the struct `cuda`: the one of its name, as CUDA writes it or as Rust does.
    pub(super) fn type_for(&self, cuda: &str) -> Option<String> {
        let own = last(cuda);
        let rust = camel_case(cuda);
        if self.types.contains(own) {
            return Some(own.to_owned());
        }
        (self.is_open || self.types.contains(&rust)).then_some(rust)
    }

    /// The type of exactly this name, apart from name spaces.
    pub(super) fn type_named(&self, cuda: &str) -> Option<String> {
        let own = last(cuda);
        self.types.contains(own).then(|| own.to_owned())
    }
}

/// The name without its name spaces.
fn last(cuda: &str) -> &str {
    cuda.rsplit("::").next().unwrap_or(cuda)
}

fn plain(ident: &Ident) -> String {
    ident.unraw().to_string()
}

fn link_name(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    let literal = pair.path.is_ident("link_name").then(|| string(&pair.value))??;
    Some(literal.value())
}

/// The name in `#[instance("…")]`, as far as it is one.
fn instance(attribute: &Attribute) -> Option<NameExpression> {
    let Meta::List(list) = &attribute.meta else { return None };
    if !list.path.is_ident("instance") {
        return None;
    }
    let parser = |input: ParseStream<'_>| {
        let name: LitStr = input.parse()?;
        input.parse::<TokenStream>()?;
        Ok(name)
    };
    NameExpression::parse(&parser.parse2(list.tokens.clone()).ok()?.value()).ok()
}

impl ToTokens for Body {
    /// What stands before its brace.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { visibility, keyword, ident, .. } = self;
        visibility.to_tokens(tokens);
        keyword.to_tokens(tokens);
        ident.to_tokens(tokens);
    }
}

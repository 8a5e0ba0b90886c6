//! From tokens to declarations. Whatever a kernel cannot have is reported here and left out, and reading
//! goes on, so that one mistake hides no other.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Abi, Attribute, Generics, Ident, ReturnType, Token, Type, Visibility, braced, parenthesized,
    parse::{ParseStream, Parser, discouraged::Speculative},
    token,
};

use super::{
    attributes,
    declaration::{Block, Forwarded, Function, Options},
    instance, parse_parameters,
};
use crate::{report::Report, text, types};

/// Reads the item under `#[kernel]`. `None` where it declares no kernel, which is then reported.
pub(super) fn item(item: TokenStream, options: Options, report: &mut Report) -> Option<Block> {
    let parser = |input: ParseStream<'_>| block_or_function(input, options, report);
    match parser.parse2(item) {
        Ok(block) => block,
        Err(error) => {
            report.syntax(error);
            None
        }
    }
}

fn block_or_function(
    input: ParseStream<'_>,
    options: Options,
    report: &mut Report,
) -> syn::Result<Option<Block>> {
    let attributes = input.call(Attribute::parse_outer)?;
    let head = Head::parse(input)?;
    if let Some(abi) = &head.abi
        && input.peek(token::Brace)
    {
        let keyword = abi.to_token_stream();
        check_block_head(&head, abi, report);
        let content;
        braced!(content in input);
        let mut attributes = attributes;
        attributes.extend(content.call(Attribute::parse_inner)?);
        let forwarded = attributes::of_block(attributes, report);
        let functions = functions(&content, report)?;
        return Ok(Some(Block { options, forwarded, keyword, functions }));
    }
    if input.peek(Token![fn]) {
        let keyword = input.fork().parse::<Token![fn]>()?.to_token_stream();
        let alone = true;
        let function = function(input, attributes, head, alone, report)?;
        return Ok(Some(Block {
            options,
            forwarded: Forwarded::default(),
            keyword,
            functions: vec![function],
        }));
    }
    other_item(input, report)?;
    Ok(None)
}

/// What may stand before `fn` or before the brace of a block.
struct Head {
    visibility: Visibility,
    constness: Option<Token![const]>,
    asyncness: Option<Token![async]>,
    safe: Option<Token![safe]>,
    unsafety: Option<Token![unsafe]>,
    abi: Option<Abi>,
}

impl Head {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let visibility = input.parse()?;
        // A `const` or `unsafe` may also begin an item that is no function; then it is left alone.
        let ahead = input.fork();
        let head = Self {
            visibility,
            constness: ahead.parse()?,
            asyncness: ahead.parse()?,
            safe: ahead.parse()?,
            unsafety: ahead.parse()?,
            abi: ahead.parse()?,
        };
        if ahead.peek(Token![fn]) || ahead.peek(token::Brace) {
            input.advance_to(&ahead);
            return Ok(head);
        }
        let visibility = head.visibility;
        Ok(Self { visibility, constness: None, asyncness: None, safe: None, unsafety: None, abi: None })
    }
}

fn check_block_head(head: &Head, abi: &Abi, report: &mut Report) {
    check_abi(abi, "the block", report);
    if head.unsafety.is_none() {
        report.error(
            abi,
            format!("the block is `{}` without `unsafe`", text::of(abi)),
            "what it says of the CUDA code is the writer's promise",
            "write `unsafe extern \"C\"`",
        );
    }
}

fn check_abi(abi: &Abi, what: &str, report: &mut Report) {
    if abi.name.as_ref().is_some_and(|name| name.value() == "C") {
        return;
    }
    let found = match &abi.name {
        Some(name) => format!("{what} has the calling convention {}", name.token()),
        None => format!("{what} names no calling convention"),
    };
    report.error(abi, found, "a kernel is declared as C declares a function", "write `extern \"C\"`");
}

fn other_item(input: ParseStream<'_>, report: &mut Report) -> syn::Result<()> {
    let rest: TokenStream = input.parse()?;
    let mut tokens = rest.into_iter();
    let first = tokens.next();
    let what = first.as_ref().map_or_else(|| "nothing".to_owned(), |token| format!("`{token}`"));
    let start: TokenStream = first.into_iter().chain(tokens.next()).collect();
    report.error(
        start,
        format!("`#[kernel]` stands on {what}"),
        "it declares CUDA kernels",
        "write it on an `unsafe extern \"C\"` block, on an `unsafe fn` that ends with `;`, or on a `mod name {}`",
    );
    Ok(())
}

fn functions(content: ParseStream<'_>, report: &mut Report) -> syn::Result<Vec<Function>> {
    let mut functions = Vec::new();
    while !content.is_empty() {
        // Each item is read by itself, so that one that cannot be read ends where it ends.
        let item = take_item(content)?;
        let parser = |input: ParseStream<'_>| {
            let content;
            parenthesized!(content in input);
            function_of_block(&content, report)
        };
        // In parentheses that are as long as its last token, where an error points that stands at its end.
        let end = types::ends(&item).1;
        match parser.parse2(types::parenthesized(end, item).into_token_stream()) {
            Ok(function) => functions.extend(function),
            Err(error) => report.syntax(error),
        }
    }
    Ok(functions)
}

fn function_of_block(content: ParseStream<'_>, report: &mut Report) -> syn::Result<Option<Function>> {
    let attributes = content.call(Attribute::parse_outer)?;
    let head = Head::parse(content)?;
    if content.peek(Token![fn]) {
        let alone = false;
        return function(content, attributes, head, alone, report).map(Some);
    }
    let item: TokenStream = content.parse()?;
    let what = text::of(item.clone().into_iter().take(2).collect::<TokenStream>());
    report.error(
        item,
        format!("`{what}` stands in a block of kernels"),
        "a block of kernels holds functions alone",
        "move it out of the block",
    );
    Ok(None)
}

/// Takes everything up to the end of an item: its `;` or its body.
fn take_item(content: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut item = TokenStream::new();
    while !content.is_empty() {
        let token: TokenTree = content.parse()?;
        let ends = match &token {
            TokenTree::Punct(punct) => punct.as_char() == ';',
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            _ => false,
        };
        item.extend([token]);
        if ends {
            break;
        }
    }
    Ok(item)
}

fn function(
    input: ParseStream<'_>,
    attributes: Vec<Attribute>,
    head: Head,
    alone: bool,
    report: &mut Report,
) -> syn::Result<Function> {
    let fn_token: Token![fn] = input.parse()?;
    let ident: Ident = input.parse()?;
    let generics: Generics = input.parse()?;
    let generics = instance::type_parameters(&generics, &ident, report);
    let content;
    parenthesized!(content in input);
    let parameters = parse_parameters::parameters(&content, &ident, report)?;
    let output: ReturnType = input.parse()?;
    check_output(&output, &ident, report);
    if let Some(clause) = input.parse::<Option<syn::WhereClause>>()? {
        report.error(
            clause,
            format!("kernel `{ident}` has a `where` clause"),
            "a compiled kernel has one signature",
            "remove it",
        );
    }
    if input.peek(token::Brace) {
        let body: proc_macro2::Group = input.parse()?;
        let mut open = proc_macro2::Group::new(Delimiter::Brace, TokenStream::new());
        open.set_span(body.span());
        report.error(
            open,
            format!("kernel `{ident}` has a body"),
            "its code is written in CUDA and only declared here",
            "end the declaration with `;`",
        );
    } else if !input.is_empty() {
        input.parse::<Token![;]>()?;
    }
    // Without a `;` at the very end the compiler has said so already, and handed the item over all the same.
    let attributes = attributes::of_function(attributes, &ident, report);
    let unsafety = check_head(&head, fn_token, &ident, alone, report);
    Ok(Function {
        forwarded: attributes.forwarded,
        link_name: attributes.link_name,
        instances: attributes.instances,
        has_bad_instance: attributes.has_bad_instance,
        host: attributes.host,
        visibility: head.visibility,
        unsafety,
        ident,
        generics,
        parameters,
    })
}

/// Checks what stands before `fn`; the `unsafe` of the launch function.
fn check_head(
    head: &Head,
    fn_token: Token![fn],
    kernel: &Ident,
    alone: bool,
    report: &mut Report,
) -> Option<Token![unsafe]> {
    if let Some(constness) = &head.constness {
        report.error(
            constness,
            format!("kernel `{kernel}` is `const`"),
            "it runs on the device",
            "remove `const`",
        );
    }
    if let Some(asyncness) = &head.asyncness {
        report.error(
            asyncness,
            format!("kernel `{kernel}` is `async`"),
            "a launch returns as soon as the kernel is queued on its stream",
            "remove `async`, and wait with an event or by synchronizing the stream",
        );
    }
    match &head.abi {
        Some(abi) if alone => check_abi(abi, &format!("kernel `{kernel}`"), report),
        Some(abi) => report.error(
            abi,
            format!("kernel `{kernel}` has a calling convention of its own"),
            "it is that of the block",
            format!("remove `{}`", text::of(abi)),
        ),
        None => {}
    }
    if let Some(safe) = &head.safe {
        report.error(
            safe,
            format!("kernel `{kernel}` is declared `safe`"),
            "that takes contracts on lengths and geometry, which are not supported yet",
            "declare it `unsafe fn`; its caller vouches for them",
        );
        return None;
    }
    // In an `unsafe extern` block a function that says nothing is unsafe; anywhere else it is safe.
    if head.unsafety.is_none() && alone {
        report.error(
            fn_token,
            format!("kernel `{kernel}` is declared as a safe function"),
            "nothing checks what CUDA code does with its arguments",
            "write `unsafe fn`",
        );
        return None;
    }
    Some(head.unsafety.unwrap_or(Token![unsafe](fn_token.span)))
}

fn check_output(output: &ReturnType, kernel: &Ident, report: &mut Report) {
    let ReturnType::Type(_, ty) = output else { return };
    let instead = match &**ty {
        Type::Tuple(tuple) if tuple.elems.is_empty() => "remove `-> ()`".to_owned(),
        Type::Never(_) => "remove `-> !`".to_owned(),
        ty => format!("remove it, and write the result through a parameter `*mut {}`", text::of(ty)),
    };
    report.error(
        output,
        format!("kernel `{kernel}` returns `{}`", text::of(ty)),
        "a kernel returns `void`",
        instead,
    );
}

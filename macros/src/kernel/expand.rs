//! From the model to the generated items. Nothing can fail here any more.
//!
//! Whatever names a parameter's type does so under the type's own span and in one form, so that the
//! compiler reports a type that is no kernel parameter once, and underlines it whole.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Lifetime, LitStr, PointerMutability};

use super::{
    declaration::Host,
    docs, instance,
    model::{Base, Define, Element, File, Kernel, Module, Parameter, Passing},
    names,
    proof::{Header, tracking},
};
use crate::{crate_path::CratePath, site::Site, types};

/// The items of all kernels. `headers` are embedded with the source.
pub(super) fn module(module: &Module, headers: &[Header], site: &Site) -> TokenStream {
    let files = files(module, headers, site);
    let items = module.kernels.iter().map(|kernel| {
        let launch = launch(kernel, module);
        let item = match &kernel.family {
            None => item(kernel, module, &files),
            Some(family) => instance::expand::items(kernel, family, module, &files),
        };
        quote!(#launch #item)
    });
    quote!(#(#items)*)
}

/// The launch function.
fn launch(kernel: &Kernel, module: &Module) -> TokenStream {
    let Module { krate, .. } = module;
    let Kernel { forwarded, visibility, unsafety, launch: name, item, .. } = kernel;
    let docs = docs::of_launch(kernel, module);
    let place = name.span();
    let [stream, config] = ["stream", "config"].map(|name| names::shown(name, place));
    let call = names::hidden("call", place);
    let here = krate.at(place);
    let first = quote_spanned! {place=>
        #stream: &(impl #here::AsStream + ?::core::marker::Sized),
        #config: #here::LaunchConfig,
    };
    let parameters = kernel.parameters.iter().map(|parameter| signature(parameter, krate));
    let arguments = kernel.parameters.iter().map(|parameter| argument(parameter, &call, krate));
    let lifetime = kernel.parameters.iter().any(Parameter::is_nullable).then(memory);
    let mut generics: Vec<TokenStream> = lifetime.into_iter().map(ToTokens::into_token_stream).collect();
    let mut kernel_item = quote!(&#item);
    if let Some(family) = &kernel.family {
        generics.extend(instance::expand::parameters(kernel, family, krate));
        kernel_item = instance::expand::chosen(family);
    }
    let generics = (!generics.is_empty()).then(|| quote!(<#(#generics),*>));
    let non_snake_case = lint_names(kernel);
    // The lints are silenced first, so that an attribute of the user's has the last word.
    //
    // SAFETY of the generated block: the caller of the launch function has taken over what `submit` asks
    // for. That the slots fit the declaration is the doing of this function: both come from one model.
    quote! {
        #[allow(clippy::all, clippy::pedantic #non_snake_case)]
        #forwarded
        #docs
        #[inline]
        #[track_caller]
        #visibility #unsafety fn #name #generics(
            #first
            #(#parameters)*
        ) -> #krate::Result<()> {
            let #call = #krate::__private::Call::new(#kernel_item, #stream);
            unsafe { #call.submit(&#config, &[#(#arguments)*]) }
        }
    }
}

/// A declaration may use the CUDA names as they are; the compiler does not ask them of `extern` items.
fn lint_names(kernel: &Kernel) -> Option<TokenStream> {
    let mut names = std::iter::once(&kernel.launch).chain(kernel.parameters.iter().map(|it| &it.binding));
    (!names.all(names::is_snake_case)).then(|| quote!(, non_snake_case))
}

/// The lifetime of the nullable arguments, which cannot be left out in an `impl Trait`. One is enough: they
/// are borrowed for the call.
pub(super) fn memory() -> Lifetime {
    Lifetime::new("'memory", Span::mixed_site())
}

/// One parameter of the launch function.
///
/// A bound stands under the parameter's name and type, so that the error of an argument that does not
/// fit points at both.
fn signature(parameter: &Parameter, krate: &CratePath) -> TokenStream {
    let Parameter { binding, ty, passing, .. } = parameter;
    let (name, (start, end)) = (binding.span(), types::ends(ty));
    match passing {
        Passing::Value => quote!(#binding: #ty,),
        Passing::TensorMap => {
            let reference = quote_spanned!(start=> &);
            quote!(#binding: #reference #ty,)
        }
        Passing::Pointer { mutability, element, nullable: true } => {
            let element = self::element(element, krate);
            let argument = match mutability {
                PointerMutability::Const(_) => quote_spanned!(start=> NullableRef),
                PointerMutability::Mut(_) => quote_spanned!(start=> NullableMut),
            };
            let memory = memory();
            let open = quote_spanned!(name=> impl ::core::convert::Into<#krate::#argument<#memory,);
            let close = quote_spanned!(end=> >>);
            quote!(#binding: #open #element #close,)
        }
        Passing::Pointer { mutability, element, nullable: false } => {
            let element = self::element(element, krate);
            let reference = match mutability {
                PointerMutability::Const(_) => quote_spanned!(start=> &),
                PointerMutability::Mut(_) => quote_spanned!(start=> &mut),
            };
            let bound = Ident::new(memory_bound(mutability, parameter.is_generic), start);
            let here = krate.at(name);
            let open = quote_spanned!(name=> impl #here::#bound<);
            let close = quote_spanned!(end=> >);
            let memory = types::parenthesized(end, quote!(#open #element #close + ?::core::marker::Sized));
            quote!(#binding: #reference #memory,)
        }
    }
}

/// The trait of the memory that a pointer takes. Where a type parameter stands behind it, the memory has to say what its
/// elements are, so that the call need not.
pub(super) fn memory_bound(mutability: &PointerMutability, is_generic: bool) -> &'static str {
    match (mutability, is_generic) {
        (PointerMutability::Const(_), false) => "DeviceRef",
        (PointerMutability::Mut(_), false) => "DeviceMut",
        (PointerMutability::Const(_), true) => "ElementRef",
        (PointerMutability::Mut(_), true) => "ElementMut",
    }
}

/// One entry of the array of arguments.
fn argument(parameter: &Parameter, call: &Ident, krate: &CratePath) -> TokenStream {
    let Parameter { binding, ty, passing, .. } = parameter;
    match passing {
        Passing::Value => {
            let value = value(parameter, krate);
            let (_, end) = types::ends(ty);
            let pack = quote_spanned!(end=> ::pack(&#binding).arg());
            quote!(#value #pack,)
        }
        // Whatever else is called `TensorMap` is told so under its type.
        Passing::TensorMap => {
            let function = quote_spanned!(types::ends(ty).0=> tensor_map);
            quote!(#krate::__private::#function::<#ty>(#binding),)
        }
        Passing::Pointer { mutability, element, nullable } => {
            let element = self::element(element, krate);
            let method = match (mutability, nullable) {
                (PointerMutability::Const(_), false) => "device_ref",
                (PointerMutability::Mut(_), false) => "device_mut",
                (PointerMutability::Const(_), true) => "nullable_ref",
                (PointerMutability::Mut(_), true) => "nullable_mut",
            };
            let method = Ident::new(method, types::ends(ty).0);
            let memory =
                if *nullable { quote!(::core::convert::Into::into(#binding)) } else { quote!(#binding) };
            quote!(#call.#method::<#element>(#memory),)
        }
    }
}

/// The static.
fn item(kernel: &Kernel, module: &Module, files: &TokenStream) -> TokenStream {
    let Module { krate, .. } = module;
    let Kernel { forwarded, visibility, item, .. } = kernel;
    let both = &forwarded.both;
    let docs = docs::of_item(kernel, module);
    let (value, silenced) = (static_value(kernel, module, files), silenced_in_static(kernel));
    quote! {
        #(#both)*
        #docs
        #[allow(dead_code #silenced)]
        #visibility static #item: #krate::Kernel = #value;
    }
}

/// The lints that a static's value and name may offend.
pub(super) fn silenced_in_static(kernel: &Kernel) -> TokenStream {
    let clippy = kernel.host.is_some().then(|| quote!(, clippy::all, clippy::pedantic));
    let non_upper_case = (!names::is_upper_case(&kernel.item)).then(|| quote!(, non_upper_case_globals));
    quote!(#clippy #non_upper_case)
}

/// The value of a static.
pub(super) fn static_value(kernel: &Kernel, module: &Module, files: &TokenStream) -> TokenStream {
    let Module { krate, name: module_name, .. } = module;
    let Kernel { symbol, .. } = kernel;
    let cpp_names = instance::expand::cpp_names(kernel, module);
    let parameters = kernel.parameters.iter().map(|parameter| description(parameter, krate));
    let mangled = kernel.cpp.as_ref().and_then(|cpp| cpp.symbol.as_ref());
    let mangled = mangled.map(|mangled| quote!(.with_symbol(#mangled)));
    let host = kernel.host.as_ref().map(|host| with_host(host, kernel, krate));
    quote! {
        #krate::Kernel::new(
            #krate::Module::new(#module_name) #files #cpp_names,
            #symbol,
            &[#(#parameters)*],
        ) #mangled #host
    }
}

/// Embeds the image, and the source where there is none or where it is asked for: what a backend loads or compiles.
fn files(module: &Module, headers: &[Header], site: &Site) -> TokenStream {
    let krate = &module.krate;
    let image = module.image.as_ref().map(|image| {
        let (written, path) = (&image.written, embedded_path(image));
        quote!(.with_image(#written, ::core::include_bytes!(#path)))
    });
    let Some(source) = module.embedded_source() else { return quote!(#image) };
    let (written, path) = (&source.written, embedded_path(source));
    let source = quote!(.with_source(#written, ::core::include_str!(#path)));
    let headers = (!headers.is_empty()).then(|| {
        let headers = headers.iter().map(|Header { name, file, text }| {
            let bytes = text.as_ref().map_or_else(
                || {
                    let path = tracking::path(file, site);
                    quote!(::core::include_bytes!(#path))
                },
                |text| Literal::byte_string(text.as_bytes()).into_token_stream(),
            );
            quote!(#krate::Header { name: #name, bytes: #bytes })
        });
        quote!(.with_headers(&[#(#headers),*]))
    });
    let defines = (!module.defines.is_empty()).then(|| {
        let defines = module.defines.iter().map(|Define { name, value }| format!("{name}={value}"));
        quote!(.with_defines(&[#(#defines),*]))
    });
    quote!(#source #headers #defines #image)
}

/// The path as the `include_…!` macros need it: they take a relative one from the file they stand in.
fn embedded_path(file: &File) -> TokenStream {
    let span = file.written.span();
    let relative = |folder: &str, path: &std::path::Path| {
        let path = LitStr::new(&format!("/{}", path.display()), span);
        quote_spanned!(span=> ::core::concat!(::core::env!(#folder), #path))
    };
    match &file.base {
        Base::Absolute(_) => {
            let written = &file.written;
            quote!(#written)
        }
        Base::Manifest(path) => relative("CARGO_MANIFEST_DIR", path),
        Base::OutDir(path) => relative("OUT_DIR", path),
    }
}

/// One entry of the static's array of parameters.
fn description(parameter: &Parameter, krate: &CratePath) -> TokenStream {
    let Parameter { name, written, passing, .. } = parameter;
    match passing {
        Passing::Value => {
            let value = value(parameter, krate);
            let (_, end) = types::ends(&parameter.ty);
            let description = quote_spanned!(end=> ::DESCRIPTION);
            quote!(#krate::Parameter::value(#name, #written, #value #description),)
        }
        Passing::TensorMap => quote!(#krate::Parameter::tensor_map(#name),),
        Passing::Pointer { mutability, element, nullable } => {
            // The size of what is declared: of a `c_void` that is one byte.
            let element = match element {
                Element::Void(ty) => quote!(#ty),
                element => self::element(element, krate),
            };
            let constructor = match mutability {
                PointerMutability::Const(_) => quote!(device_ref),
                PointerMutability::Mut(_) => quote!(device_mut),
            };
            let nullable = nullable.then(|| quote!(.nullable()));
            quote!(#krate::Parameter::#constructor::<#element>(#name, #written) #nullable,)
        }
    }
}

/// `<Ty as KernelParam>`, all of it under the type's span.
fn value(parameter: &Parameter, krate: &CratePath) -> TokenStream {
    let ty = &parameter.ty;
    let (start, end) = types::ends(ty);
    let (open, close) = (quote_spanned!(start=> <), quote_spanned!(end=> as #krate::KernelParam>));
    quote!(#open #ty #close)
}

/// The element type of a pointer: of the device memory that a call may pass.
pub(super) fn element(element: &Element, krate: &CratePath) -> TokenStream {
    match element {
        Element::Typed(ty) => quote!(#ty),
        Element::Void(_) => quote!(#krate::Void),
        Element::Address => quote!(#krate::DevicePtr),
    }
}

/// The closure that calls the host function with the arguments of a launch, typed as declared.
///
/// The call comes before what is passed. So what the function takes is known where the arguments are given, and one that
/// does not fit is an error in our words, under its parameter. And the call goes through a function whose bound has the
/// number of arguments: where `#[host(…)]` names a function with another number, that is the compiler's one error, under
/// the path, with the name of this function in it.
fn with_host(host: &Host, kernel: &Kernel, krate: &CratePath) -> TokenStream {
    let Host { function, takes_launch } = host;
    let (start, end) = types::ends(function);
    let [call, host] = ["call", "host"].map(|name| names::hidden(name, start));
    let calling = match takes_launch {
        true => "warpcall_one_argument_for_each_parameter_after_launch",
        false => "warpcall_one_argument_for_each_parameter_without_launch",
    };
    let calling = Ident::new(calling, start);
    let launch = takes_launch.then(|| quote_spanned!(start=> #call.launch()));
    let generics = 0..kernel.parameters.len() + usize::from(*takes_launch);
    let generics: Vec<Ident> =
        generics.map(|index| Ident::new(&format!("A{index}"), Span::mixed_site())).collect();
    let function_name = names::hidden("function", start);
    let values: Vec<Ident> =
        (0..generics.len()).map(|index| names::hidden(&format!("value_{index}"), start)).collect();
    let bound = quote_spanned!(start=> ::core::ops::FnOnce(#(#generics),*) -> R);
    let names: Vec<Ident> = kernel
        .parameters
        .iter()
        .enumerate()
        .map(|(index, parameter)| names::argument(index, &parameter.ident))
        .collect();
    let types: Vec<Option<Ident>> = kernel
        .parameters
        .iter()
        .enumerate()
        .map(|(index, parameter)| {
            let place = parameter.ident.span();
            parameter.is_value().then(|| names::hidden(&format!("type_{index}"), place))
        })
        .collect();
    let known = types.iter().flatten();
    let found =
        types.iter().zip(&names).filter_map(|(ty, name)| ty.as_ref().map(|ty| quote!(#ty.is(&#name);)));
    let arguments = kernel.parameters.iter().enumerate().map(|(index, parameter)| {
        let (name, argument) = (&names[index], host_argument(index, parameter, &call, krate));
        let passed = types[index].as_ref().map(|ty| {
            let tensor_map = matches!(parameter.passing, Passing::TensorMap);
            let method = Ident::new(if tensor_map { "tensor_map" } else { "value" }, name.span());
            quote_spanned!(name.span()=> let #name = #ty.#method(#name);)
        });
        quote!(let #name = #argument; #passed)
    });
    let all = launch.into_iter().chain(names.iter().map(ToTokens::to_token_stream));
    let passed = types::parenthesized(end, quote!(#function #(, #all)*));
    let result = types::parenthesized(end, quote!(#calling #passed));
    let outcome = quote_spanned!(start=> #call.outcome);
    quote! {
        .with_host(|#call| #call.run(|#call| {
            fn #calling<#(#generics,)* R>(#function_name: impl #bound #(, #values: #generics)*) -> R {
                #function_name(#(#values),*)
            }
            #(let #known = #krate::__private::HostType::new();)*
            let #host = |#(#names),*| { #(#found)* #outcome #result };
            #(#arguments)*
            #host(#(#names),*)
        }))
    }
}

/// The value of one argument of the host function.
fn host_argument(index: usize, parameter: &Parameter, call: &Ident, krate: &CratePath) -> TokenStream {
    let Parameter { ident, ty, passing, .. } = parameter;
    let (name, (_, end)) = (ident.span(), types::ends(ty));
    let here = krate.at(name);
    match passing {
        Passing::Value => quote_spanned!(name=> #call.value::<#ty>(#index)?),
        Passing::TensorMap => quote_spanned!(name=> #call.tensor_map(#index)?),
        Passing::Pointer { mutability, element, nullable } => {
            let element = match element {
                Element::Void(_) => quote!(::core::primitive::u8),
                element => self::element(element, krate),
            };
            let function = match (mutability, nullable) {
                (PointerMutability::Const(_), false) => "slice",
                (PointerMutability::Mut(_), false) => "slice_mut",
                (PointerMutability::Const(_), true) => "host_nullable_slice",
                (PointerMutability::Mut(_), true) => "host_nullable_slice_mut",
            };
            let function = Ident::new(function, name);
            let question = quote_spanned!(end=> ?);
            if *nullable {
                quote_spanned!(name=> #here::__private::#function::<#element, _>(#call, #index) #question)
            } else {
                quote_spanned!(name=> #call.#function::<#element, _>(#index) #question)
            }
        }
    }
}

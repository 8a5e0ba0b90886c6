//! What the parameters of a loaded kernel are: from the driver, and from the image where that tells more.

use cudarc::driver::sys::CUfunction;
use warpcall_signature as signature;

use super::driver::{Driver, code};
use super::image::{self, ImageFormat};
use crate::error::Result;

/// One parameter of a loaded kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LoadedParameter {
    /// Where it starts among the parameters, in bytes; `None` where only an image was read that does not say.
    pub(super) offset: Option<usize>,
    pub(super) size: usize,
    /// Its alignment in bytes, where the image says.
    pub(super) align: Option<usize>,
    pub(super) class: LoadedClass,
}

/// What kind of value a parameter is, as far as PTX tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoadedClass {
    /// An integer or a pointer.
    Integer,
    /// `float` or `double`.
    Float,
    /// A struct, a vector or a floating-point number of less than 32 bits.
    Bytes,
    /// Not told.
    Unknown,
}

/// The parameters of `function`, by the driver's word; `None` where the driver is older than CUDA 12.4. The function's
/// context is current.
///
/// `count` is how many its image says there are, where that could be read. Without it the driver is asked until it
/// refuses, which tools that watch its calls report as an error.
pub(super) fn of_function(
    driver: &Driver,
    function: CUfunction,
    count: Option<usize>,
) -> Result<Option<Vec<LoadedParameter>>> {
    let Some(parameter_info) = driver.cuFuncGetParamInfo else {
        return Ok(None);
    };
    let mut parameters = Vec::new();
    while count.is_none_or(|count| parameters.len() < count) {
        let (mut offset, mut size) = (0, 0);
        // SAFETY: the numbers outlive the call, and the function is loaded.
        match unsafe { parameter_info(function, parameters.len(), &raw mut offset, &raw mut size) } {
            code::SUCCESS => parameters.push(LoadedParameter {
                offset: Some(offset),
                size,
                align: None,
                class: LoadedClass::Unknown,
            }),
            // What the driver answers past the last parameter.
            code::INVALID_VALUE => break,
            code => return Err(driver.error("cuFuncGetParamInfo", code)),
        }
    }
    Ok(Some(parameters))
}

/// What an image says of the parameters of the kernel `symbol`: one list, or of a fatbin one for each of its images that has
/// the kernel and runs on the device. There is one at least.
///
/// # Errors
///
/// In words, why it says nothing.
pub(super) fn of_image(
    bytes: &[u8],
    symbol: &str,
    device: (u32, u32),
) -> Result<Vec<Vec<LoadedParameter>>, String> {
    let modules =
        signature::read(bytes).map_err(|error| format!("its image cannot be read: {}", error.problem))?;
    let (mut lists, mut others) = (Vec::new(), Vec::new());
    for module in &modules {
        let kernel = module.kernels.iter().find(|kernel| kernel.symbol.as_deref() == Some(symbol));
        let list = kernel.and_then(|kernel| kernel.parameters.iter().map(of_signature).collect());
        let format = if module.ptx_version.is_some() { ImageFormat::Ptx } else { ImageFormat::Cubin };
        let fits = module.target.as_deref().and_then(|target| image::runs_on(target, format, device));
        let lists = if fits == Some(false) { &mut others } else { &mut lists };
        lists.extend(list);
    }
    // The driver took one of them nonetheless.
    let lists = if lists.is_empty() { others } else { lists };
    if lists.is_empty() { Err(format!("its image has no kernel `{symbol}`")) } else { Ok(lists) }
}

fn of_signature(parameter: &signature::Parameter) -> Option<LoadedParameter> {
    let bytes = |number: u64| usize::try_from(number).ok();
    Some(LoadedParameter {
        offset: parameter.offset.and_then(bytes),
        size: bytes(parameter.size?)?,
        align: parameter.alignment.and_then(bytes),
        class: match parameter.class {
            signature::Class::Integer | signature::Class::Pointer => LoadedClass::Integer,
            signature::Class::Float => LoadedClass::Float,
            signature::Class::Bytes => LoadedClass::Bytes,
            signature::Class::Unknown => LoadedClass::Unknown,
        },
    })
}

/// What driver and image say together. The driver has the last word: an image of other parameters is not believed. And of
/// what several images say, which of them the driver took not being told, that is believed in which they agree.
///
/// # Errors
///
/// In words, why neither says what the parameters are.
pub(super) fn merge(
    driver: Option<Vec<LoadedParameter>>,
    image: Result<Vec<Vec<LoadedParameter>>, String>,
) -> Result<Vec<LoadedParameter>, String> {
    let (mut merged, lists) = match (driver, image) {
        (Some(driver), Err(_)) => return Ok(driver),
        (None, Err(reason)) => return Err(reason),
        (Some(driver), Ok(mut lists)) => {
            lists.retain(|list| same_sizes(list, &driver));
            (driver, lists)
        }
        (None, Ok(lists)) => {
            let Some((first, rest)) = lists.split_first() else { return Ok(Vec::new()) };
            if rest.iter().any(|list| !same_sizes(list, first)) {
                return Err("the images of its fatbin that run on this device disagree about them".to_owned());
            }
            let mut merged = first.clone();
            for (index, parameter) in merged.iter_mut().enumerate() {
                parameter.offset = agreed(lists.iter().map(|list| list[index].offset));
            }
            (merged, lists)
        }
    };
    for (index, parameter) in merged.iter_mut().enumerate() {
        let told = |class: LoadedClass| (class != LoadedClass::Unknown).then_some(class);
        parameter.align = agreed(lists.iter().map(|list| list[index].align));
        parameter.class =
            agreed(lists.iter().map(|list| told(list[index].class))).unwrap_or(LoadedClass::Unknown);
    }
    Ok(merged)
}

fn same_sizes(left: &[LoadedParameter], right: &[LoadedParameter]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.size == right.size)
}

/// What all say that say anything.
fn agreed<T: PartialEq>(mut said: impl Iterator<Item = Option<T>>) -> Option<T> {
    let first = said.find_map(|value| value)?;
    said.flatten().all(|other| other == first).then_some(first)
}

#[cfg(test)]
#[path = "tests/parameters.rs"]
mod tests;

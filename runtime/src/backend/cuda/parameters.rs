//! What the parameters of a loaded kernel are: from the driver, and from the image where that tells more.

use cudarc::driver::sys::CUfunction;
use warpcall_signature as signature;

use super::driver::{Driver, code};
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

/// The parameters of the kernel `name` in an image; `None` where the image cannot be read or has no such kernel.
///
/// Of a fatbin's images, one of PTX is preferred: it tells alignments and kinds.
pub(super) fn of_image(image: &[u8], name: &str) -> Option<Vec<LoadedParameter>> {
    let modules = signature::read(image).ok()?;
    let of_module = |module: &signature::Module| {
        module
            .kernels
            .iter()
            .find(|kernel| kernel.symbol.as_deref().unwrap_or(&kernel.name) == name && kernel.is_complete)
            .and_then(|kernel| kernel.parameters.iter().map(of_signature).collect::<Option<Vec<_>>>())
    };
    modules
        .iter()
        .filter(|module| module.ptx_version.is_some())
        .chain(modules.iter().filter(|module| module.ptx_version.is_none()))
        .find_map(of_module)
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

/// What driver and image say together. The driver has the last word: an image of other parameters is not believed.
pub(super) fn merge(
    driver: Option<Vec<LoadedParameter>>,
    image: Option<Vec<LoadedParameter>>,
) -> Option<Vec<LoadedParameter>> {
    let (mut merged, image) = match (driver, image) {
        (Some(driver), Some(image)) => (driver, image),
        (driver, image) => return driver.or(image),
    };
    let same_sizes = merged.len() == image.len()
        && merged.iter().zip(&image).all(|(driver, image)| driver.size == image.size);
    if same_sizes {
        for (merged, image) in merged.iter_mut().zip(&image) {
            (merged.align, merged.class) = (image.align, image.class);
        }
    }
    Some(merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(offset: usize, size: usize) -> LoadedParameter {
        LoadedParameter { offset: Some(offset), size, align: None, class: LoadedClass::Unknown }
    }

    const PTX: &[u8] = b".version 8.0\n.target sm_90\n.address_size 64\n\
        .visible .entry scale(.param .u64 a, .param .f32 b, .param .align 16 .b8 c[32]) { ret; }\n\
        .visible .entry nothing() { ret; }\n";

    #[test]
    fn ptx_tells_sizes_alignments_and_kinds() {
        let found = of_image(PTX, "scale").expect("the kernel is there");
        let seen: Vec<_> = found.iter().map(|p| (p.size, p.align, p.class)).collect();
        assert_eq!(
            seen,
            [
                (8, Some(8), LoadedClass::Integer),
                (4, Some(4), LoadedClass::Float),
                (32, Some(16), LoadedClass::Bytes)
            ]
        );
        assert_eq!(of_image(PTX, "nothing"), Some(Vec::new()));
        assert_eq!(of_image(PTX, "other"), None);
    }

    #[test]
    fn an_image_adds_to_the_driver_only_where_the_two_agree() {
        let image = of_image(PTX, "scale");
        let agreed = merge(Some(vec![parameter(0, 8), parameter(8, 4), parameter(16, 32)]), image.clone());
        assert_eq!(agreed.expect("both")[1].class, LoadedClass::Float);
        let stale = vec![parameter(0, 8), parameter(8, 8), parameter(16, 32)];
        assert_eq!(merge(Some(stale.clone()), image.clone()), Some(stale));
        assert_eq!(merge(None, image.clone()), image);
    }
}

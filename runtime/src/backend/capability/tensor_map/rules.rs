//! The rules that `cuTensorMapEncodeTiled` documents.

use super::{Interleave, OutsideFill, Swizzle, TiledTensor};
use crate::error::{Error, Result};

impl TiledTensor {
    /// Whether it keeps the rules that `cuTensorMapEncodeTiled` documents (CUDA Driver API, "Tensor Map Object
    /// Management"). A backend calls this before it encodes.
    ///
    /// # Errors
    ///
    /// Names the first rule that is broken, with what was found.
    pub fn check(&self) -> Result<()> {
        self.check_counts()?;
        self.check_memory()?;
        self.check_tile()?;
        self.check_options()
    }

    fn check_counts(&self) -> Result<()> {
        let rank = self.extents.len();
        let least = if self.interleave == Interleave::None { 1 } else { 3 };
        let expected = match least {
            1 => "1 to 5, one a dimension",
            _ => "3 to 5 where the first is interleaved, one a dimension",
        };
        require((least..=5).contains(&rank), "the number of extents", rank, expected)?;
        for (what, found, expected, each) in [
            ("the number of strides", self.strides.len(), rank - 1, "one a dimension but the first"),
            ("the number of the tile's extents", self.tile.len(), rank, "one a dimension"),
            ("the number of element strides", self.element_strides.len(), rank, "one a dimension"),
        ] {
            require(found == expected, what, found, format!("{expected}, {each}"))?;
        }
        Ok(())
    }

    fn check_memory(&self) -> Result<()> {
        let align = if self.interleave == Interleave::Bytes32 { 32 } else { 16 };
        let reason = if align == 32 { ", as slices of 32 bytes are interleaved" } else { "" };
        require(
            !self.base.is_null() && self.base.address().is_multiple_of(align),
            "the address of the first element",
            self.base,
            format!("device memory aligned to {align} bytes{reason}"),
        )?;
        for (dimension, extent) in self.extents.iter().enumerate() {
            require(
                (1..=1 << 32).contains(extent),
                format!("the extent of dimension {dimension}"),
                extent,
                "1 to 2^32",
            )?;
        }
        for (dimension, stride) in (1..).zip(&self.strides) {
            require(
                stride.is_multiple_of(align) && *stride < 1 << 40,
                format!("the stride of dimension {dimension}"),
                format!("{stride} bytes"),
                format!("a multiple of {align} below 2^40{reason}"),
            )?;
        }
        Ok(())
    }

    fn check_tile(&self) -> Result<()> {
        for (dimension, extent) in self.tile.iter().enumerate() {
            require(
                (1..=256).contains(extent),
                format!("the tile's extent in dimension {dimension}"),
                extent,
                "1 to 256",
            )?;
        }
        for (dimension, stride) in self.element_strides.iter().enumerate() {
            require(
                (1..=8).contains(stride),
                format!("the element stride of dimension {dimension}"),
                stride,
                "1 to 8",
            )?;
        }
        if self.interleave != Interleave::None {
            return Ok(());
        }
        let row = self.tile[0] as usize * self.element.bytes();
        let found = format!("{row} bytes");
        require(row.is_multiple_of(16), "a row of the tile", &found, "a multiple of 16 bytes")?;
        let span = self.swizzle.span().unwrap_or(row);
        require(row <= span, "a row of the tile", &found, format!("at most {span}, the span of the swizzle"))
    }

    fn check_options(&self) -> Result<()> {
        require(
            self.interleave != Interleave::Bytes32 || self.swizzle == Swizzle::Bytes32,
            "the swizzle",
            format!("{:?}", self.swizzle),
            "Bytes32, as slices of 32 bytes are interleaved",
        )?;
        require(
            self.outside == OutsideFill::Zero || self.element.is_float(),
            "the fill of elements outside of the tensor",
            format!("{:?} for elements of type {:?}", self.outside, self.element),
            "Zero, or a floating-point type",
        )
    }
}

/// The error that names a rule, unless it holds.
#[allow(clippy::needless_pass_by_value)] // A number, and a word for it.
fn require(
    holds: bool,
    what: impl Into<String>,
    found: impl ToString,
    expected: impl Into<String>,
) -> Result<()> {
    if holds {
        return Ok(());
    }
    Err(Error::InvalidArgument {
        operation: "encode_tensor_map",
        what: what.into().into(),
        found: found.to_string().into(),
        expected: expected.into().into(),
    })
}

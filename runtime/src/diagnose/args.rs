//! The arguments of a launch, copied out of it.

use std::ffi::c_void;

use smallvec::SmallVec;

use crate::argument::{ArgBytes, DevicePtr, KernelArg, slots_for};
use crate::launch::Kernel;

/// Arguments of a launch: the slots of all, one after another, and how long each is.
#[derive(Clone, Debug, Default)]
pub(super) struct Args {
    /// The bytes of each, and whether it is a buffer.
    lengths: SmallVec<[u32; 12]>,
    slots: SmallVec<[u64; 12]>,
}

/// Stands for the length of a buffer. No argument is as long.
const BUFFER: u32 = u32::MAX;

fn length_of(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(BUFFER - 1)
}

impl Args {
    pub(super) fn clear(&mut self) {
        self.lengths.clear();
        self.slots.clear();
    }

    #[inline]
    pub(super) fn copy_typed(&mut self, args: &[KernelArg<'_>]) {
        for arg in args {
            self.lengths.push(if matches!(arg, KernelArg::Buffer(_)) {
                BUFFER
            } else {
                length_of(arg.len())
            });
            // Nearly all arguments are one slot, for which a copy of a slice takes longer than a push.
            match *arg.slots() {
                [slot] => self.slots.push(slot),
                ref slots => self.slots.extend_from_slice(slots),
            }
        }
    }

    /// Nothing where there are not as many as parameters, or one is null.
    ///
    /// # Safety
    ///
    /// Each of `params` that is not null is valid for reads of its parameter's size, and those bytes are initialised.
    pub(super) unsafe fn copy_raw(&mut self, kernel: &Kernel, params: &[*mut c_void]) {
        if kernel.parameters().len() != params.len() || params.iter().any(|param| param.is_null()) {
            return;
        }
        for (parameter, param) in kernel.parameters().iter().zip(params) {
            let (start, size) = (self.slots.len(), parameter.size());
            self.slots.resize(start + slots_for(size), 0);
            let bytes = &mut bytemuck::cast_slice_mut(&mut self.slots[start..])[..size];
            // SAFETY: the caller promises as many bytes, and they are no part of this vector.
            unsafe { param.cast::<u8>().copy_to_nonoverlapping(bytes.as_mut_ptr(), size) };
            self.lengths.push(if parameter.is_pointer() { BUFFER } else { length_of(size) });
        }
    }

    /// The arguments as they were passed.
    pub(super) fn iter(&self) -> impl Iterator<Item = KernelArg<'_>> {
        let mut start = 0;
        self.lengths.iter().map(move |length| {
            if *length == BUFFER {
                start += 1;
                return KernelArg::Buffer(DevicePtr::new(self.slots[start - 1]));
            }
            let length = *length as usize;
            let slots = &self.slots[start..][..slots_for(length)];
            start += slots.len();
            KernelArg::Bytes(ArgBytes::of_packed(slots, length))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::argument::{KernelParam as _, TensorMap};
    use crate::launch::{Module, Parameter};

    #[test]
    fn arguments_come_back_as_they_were_passed() {
        let (map, count, half) = (TensorMap::from_slots([7; 16]), 5_u32.pack(), 0x1234_u16.pack());
        let passed = [
            count.arg(),
            KernelArg::Buffer(DevicePtr::new(0x40)),
            map.arg(),
            half.arg(),
            KernelArg::Buffer(DevicePtr::NULL),
        ];
        let mut args = Args::default();
        args.copy_typed(&[half.arg()]);
        args.clear();
        args.copy_typed(&passed);
        assert_eq!(args.iter().collect::<Vec<_>>(), passed);
    }

    #[test]
    fn raw_arguments_are_read_by_their_declaration() {
        static KERNEL: Kernel = Kernel::new(
            Module::new("test"),
            "test",
            &[
                Parameter::device_mut::<f32>("output", "*mut f32"),
                Parameter::value("flag", "bool", bool::DESCRIPTION),
                Parameter::tensor_map("map"),
            ],
        );
        let (mut address, mut flag, mut map) = (0x40_u64, true, [9_u64; 16]);
        let params = [(&raw mut address).cast(), (&raw mut flag).cast(), (&raw mut map).cast()];
        let mut args = Args::default();
        // SAFETY: one pointer a parameter, to as many bytes as it has.
        unsafe { args.copy_raw(&KERNEL, &params) };
        let found: Vec<_> = args.iter().collect();
        assert_eq!(found[0], KernelArg::Buffer(DevicePtr::new(0x40)));
        assert_eq!(
            (found[1].bytes(), found[2].bytes()),
            (&[1_u8][..], &[9_u8, 0, 0, 0, 0, 0, 0, 0].repeat(16)[..])
        );
    }
}

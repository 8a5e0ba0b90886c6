//! Pointers as arguments: every kind of them.

use anyhow::{Result, ensure};
use warpcall::{DevicePtr, LaunchConfig, StreamHandle};

use super::check::{elements, equal};
use super::kernels::{launch_accumulate, launch_follow_pointers};
use super::{Fixture, Target};

super::tests! { "arguments":
    pointers_of_every_kind_lead_to_their_memory,
    a_nullable_pointer_may_be_left_out,
    a_pointer_may_lead_into_the_middle_of_an_allocation,
    a_kernel_may_work_in_place,
}

const STREAM: StreamHandle = StreamHandle::DEFAULT;

struct Pointers {
    seen: DevicePtr,
    plain: DevicePtr,
    untyped: DevicePtr,
    nullable: DevicePtr,
    nullable_mutable: DevicePtr,
    table: DevicePtr,
    address: DevicePtr,
    /// Where the table's second pointer leads.
    behind: DevicePtr,
}

fn pointers(gpu: &Fixture) -> Result<Pointers> {
    let floats = |values: &[f32]| gpu.holding(bytemuck::cast_slice(values));
    let behind = floats(&[7.5])?;
    Ok(Pointers {
        seen: floats(&[0.0; 6])?,
        plain: floats(&[1.5, 100.0])?,
        untyped: gpu.holding(&[42, 0])?,
        nullable: floats(&[2.5])?,
        nullable_mutable: floats(&[3.5, 4.5])?,
        table: gpu.holding(bytemuck::cast_slice(&[DevicePtr::NULL, behind]))?,
        address: gpu.holding(&[0; 8])?,
        behind,
    })
}

impl Pointers {
    /// What the kernel saw.
    fn seen(&self, gpu: &Fixture) -> Result<Vec<f32>> {
        Ok(elements(&gpu.settled(self.seen, 24)?))
    }
}

fn pointers_of_every_kind_lead_to_their_memory(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let mut memory = pointers(&gpu)?;
    let one = LaunchConfig::new(1, 1);
    // SAFETY: each pointer leads to as many elements as the kernel uses.
    unsafe {
        launch_follow_pointers(
            &gpu.on(STREAM),
            one,
            &mut memory.seen,
            &memory.plain,
            &mut memory.untyped,
            &memory.nullable,
            &mut memory.nullable_mutable,
            &memory.table,
            &mut memory.address,
        )
    }?;
    equal("what the pointers led to", &memory.seen(&gpu)?, &[1.5, 42.0, 2.5, 3.5, 7.5, 0.0])?;
    equal("what an untyped pointer wrote", &gpu.settled(memory.untyped, 2)?, &[43, 0])?;
    let written: Vec<f32> = elements(&gpu.settled(memory.nullable_mutable, 8)?);
    equal("what a nullable pointer wrote", &written, &[99.0, 4.5])?;
    let address: Vec<DevicePtr> = elements(&gpu.settled(memory.address, 8)?);
    equal("the second pointer of a table", &address, &[memory.behind])
}

fn a_nullable_pointer_may_be_left_out(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let mut memory = pointers(&gpu)?;
    // SAFETY: each pointer that is given leads to as many elements as the kernel uses.
    unsafe {
        launch_follow_pointers(
            &gpu.on(STREAM),
            LaunchConfig::new(1, 1),
            &mut memory.seen,
            &memory.plain,
            &mut memory.untyped,
            None,
            None,
            &memory.table,
            &mut memory.address,
        )
    }?;
    equal("what the pointers led to", &memory.seen(&gpu)?, &[1.5, 42.0, -1.0, -1.0, 7.5, 0.0])?;
    let left: Vec<f32> = elements(&gpu.settled(memory.nullable_mutable, 8)?);
    equal("memory that was not given", &left, &[3.5, 4.5])
}

fn a_pointer_may_lead_into_the_middle_of_an_allocation(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let values = gpu.words(&[1; 100])?;
    gpu.multiply_add(STREAM, values.byte_add(40 * 4), 20, [5, 2])?;
    let expected = [vec![1; 40], vec![7; 20], vec![1; 40]].concat();
    equal("memory around a kernel's work in its middle", &gpu.settled_words(values, 100)?, &expected)
}

fn a_kernel_may_work_in_place(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let values = gpu.words(&(0..100).collect::<Vec<_>>())?;
    let mut sums = values;
    // SAFETY: a hundred words; the kernel reads and writes each by one thread alone.
    unsafe {
        launch_accumulate(&gpu.on(STREAM), LaunchConfig::for_elements(100, 32), &mut sums, &values, 100)
    }?;
    let found = gpu.settled_words(values, 100)?;
    equal(
        "memory that a kernel both read and wrote",
        &found,
        &(0..100).map(|value| value * 2).collect::<Vec<_>>(),
    )?;
    // Two halves of one allocation.
    let mut front = values;
    // SAFETY: as above, fifty words each.
    unsafe {
        launch_accumulate(&gpu.on(STREAM), LaunchConfig::new(1, 64), &mut front, &values.byte_add(200), 50)
    }?;
    let halves = gpu.settled_words(values, 100)?;
    for (index, value) in (0..50_u32).zip(&halves) {
        ensure!(*value == index * 2 + (index + 50) * 2, "element {index} is {value}");
    }
    equal("the half that was read", &halves[50..], &(50..100).map(|value| value * 2).collect::<Vec<_>>())
}

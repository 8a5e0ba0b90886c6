//! What is refused: launches that cannot be, and memory that cannot be freed.

use anyhow::{Result, ensure};
use warpcall::{DevicePtr, Error, LaunchConfig, MemoryProblem, StreamHandle};

use super::check::{equal, expect_error, memory_problem, pattern, refused};
use super::kernels::{GEOMETRY, launch_count_up, launch_geometry, launch_nothing};
use super::{Fixture, Target};

super::tests! { "errors":
    memory_cannot_be_freed_twice,
    memory_is_freed_by_the_start_of_its_allocation_alone,
    the_null_pointer_cannot_be_freed,
    an_empty_launch_is_an_error_and_runs_nothing,
    a_launch_over_a_limit_names_both_numbers,
    a_launch_attribute_is_honoured_or_refused,
    the_kernel_sees_its_grid_and_its_block,
    a_refused_call_leaves_no_error_for_a_later_one,
    an_error_names_the_backend_or_the_kernel,
}

const STREAM: StreamHandle = StreamHandle::DEFAULT;

fn memory_cannot_be_freed_twice(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    for bytes in [1, 1000, 4 << 20] {
        let memory = gpu.allocate(bytes)?;
        // SAFETY: nothing uses the memory.
        unsafe { gpu.free(memory) }?;
        // SAFETY: it is refused.
        let again = unsafe { gpu.free(memory) };
        memory_problem(&format!("freeing {bytes} bytes twice"), again, &MemoryProblem::Freed)?;
    }
    equal("memory afterwards", &gpu.settled(gpu.holding(&pattern(100, 1))?, 100)?, &pattern(100, 1))
}

fn memory_is_freed_by_the_start_of_its_allocation_alone(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let memory = gpu.holding(&pattern(1000, 1))?;
    for offset in [1, 256, 999] {
        // SAFETY: it is refused.
        let freed = unsafe { gpu.free(memory.byte_add(offset)) };
        memory_problem("freeing from the middle", freed, &MemoryProblem::NotAStart)?;
    }
    // One past the end is no memory of this allocation; what is there, if anything, is not its start either.
    // SAFETY: it is refused.
    refused("freeing past the end", unsafe { gpu.free(memory.byte_add(1001)) })?;
    equal("memory that could not be freed", &gpu.settled(memory, 1000)?, &pattern(1000, 1))?;
    // SAFETY: nothing uses the memory.
    Ok(unsafe { gpu.free(memory) }?)
}

fn the_null_pointer_cannot_be_freed(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    // SAFETY: it is refused.
    memory_problem("freeing the null pointer", unsafe { gpu.free(DevicePtr::NULL) }, &MemoryProblem::Null)
}

fn an_empty_launch_is_an_error_and_runs_nothing(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let mut values = gpu.words(&[4; 16])?;
    for config in [
        LaunchConfig::new(0, 32),
        LaunchConfig::new(1, 0),
        LaunchConfig::new([1, 0, 1], 32),
        LaunchConfig::new(1, [32, 1, 0]),
        LaunchConfig::for_elements(0, 256),
        LaunchConfig::for_elements(100, 0),
    ] {
        // SAFETY: sixteen words, and nothing runs.
        let launched = unsafe { launch_count_up(&gpu.on(STREAM), config, &mut values, 16, 0) };
        expect_error!(launched, Error::EmptyLaunch { ref kernel, config: ref found } if &**kernel == "count_up" && **found == config);
    }
    equal("memory after empty launches", &gpu.settled_words(values, 16)?, &[4; 16])
}

fn launch_nothing_as(gpu: &Fixture, config: LaunchConfig) -> warpcall::Result<()> {
    // SAFETY: the kernel takes nothing and does nothing.
    unsafe { launch_nothing(&gpu.on(STREAM), config) }
}

fn a_launch_over_a_limit_names_both_numbers(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let limits = gpu.properties().limits.clone();
    let threads = limits.max_threads_per_block;
    for (config, found, allowed) in [
        (LaunchConfig::new(1, threads + 1), threads + 1, threads),
        (LaunchConfig::new([1, limits.max_grid.y + 1], 1), limits.max_grid.y + 1, limits.max_grid.y),
        (LaunchConfig::new([1, 1, limits.max_grid.z + 1], 1), limits.max_grid.z + 1, limits.max_grid.z),
        (LaunchConfig::new(1, [1, 1, limits.max_block.z + 1]), limits.max_block.z + 1, limits.max_block.z),
    ] {
        match launch_nothing_as(&gpu, config) {
            Err(Error::LaunchRefused { kernel, limits, .. }) => {
                ensure!(&*kernel == "nothing", "the error names the kernel `{kernel}`");
                let [found, allowed] = [found.to_string(), allowed.to_string()];
                ensure!(
                    limits.contains(&found) && limits.contains(&allowed),
                    "{config} passes {allowed} with {found}, and the error says only `{limits}`"
                );
            }
            other => anyhow::bail!("{config} returned {other:?}; expected LaunchRefused"),
        }
    }
    launch_nothing_as(&gpu, LaunchConfig::new(1, threads))?;
    gpu.synchronize()?;
    Ok(())
}

fn a_launch_attribute_is_honoured_or_refused(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    for config in [
        LaunchConfig::new(2, 32).cluster(2),
        LaunchConfig::new(2, 32).cooperative(),
        LaunchConfig::new(2, 32).programmatic(),
        LaunchConfig::new(2, 32).priority(0),
    ] {
        let mut seen = gpu.words(&[77; 7])?;
        // SAFETY: seven words.
        let launched = unsafe { launch_geometry(&gpu.on(STREAM), config, &mut seen) };
        let expected: &[u32] = match launched {
            Ok(()) => &[2, 1, 1, 32, 1, 1, 0],
            Err(Error::LaunchRefused { ref source, .. })
                if matches!(**source, Error::Unsupported { .. } | Error::Driver { .. }) =>
            {
                &[77; 7]
            }
            Err(other) => anyhow::bail!(
                "{config} returned {other:?}; expected success or a launch refused as unsupported"
            ),
        };
        equal(&format!("what {config} left"), &gpu.settled_words(seen, 7)?, expected)?;
    }
    // Whether clusters are known or not, none of two blocks divides three.
    refused(
        "a cluster that does not divide its grid",
        launch_nothing_as(&gpu, LaunchConfig::new(3, 32).cluster(2)),
    )?;
    Ok(())
}

fn the_kernel_sees_its_grid_and_its_block(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let mut seen = gpu.words(&[0; 7])?;
    let config = LaunchConfig::new([5, 3, 2], [8, 4, 2]).shared_mem(1024);
    // SAFETY: seven words.
    unsafe { launch_geometry(&gpu.on(STREAM), config, &mut seen) }?;
    equal("the geometry that the kernel saw", &gpu.settled_words(seen, 7)?, &[5, 3, 2, 8, 4, 2, 1024])
}

fn a_refused_call_leaves_no_error_for_a_later_one(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let values = gpu.words(&[4; 16])?;
    let threads = gpu.properties().limits.max_threads_per_block;
    refused("a block that is too large", launch_nothing_as(&gpu, LaunchConfig::new(1, threads + 1)))?;
    gpu.synchronize()?;
    refused("an allocation that is too large", gpu.allocate(1 << 60))?;
    gpu.synchronize_stream(STREAM)?;
    // SAFETY: it is refused.
    refused("freeing from the middle", unsafe { gpu.free(values.byte_add(4)) })?;
    gpu.multiply_add(STREAM, values, 16, [2, 1])?;
    refused("a copy of overlapping ranges", gpu.copy_within_device(values, values.byte_add(4), 8))?;
    equal("work after refused calls", &gpu.settled_words(values, 16)?, &[9; 16])
}

fn an_error_names_the_backend_or_the_kernel(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let threads = gpu.properties().limits.max_threads_per_block;
    let mut seen = gpu.words(&[0; 7])?;
    // SAFETY: it is refused.
    let launched = unsafe { launch_geometry(&gpu.on(STREAM), LaunchConfig::new(1, threads + 1), &mut seen) };
    let text = refused("a block that is too large", launched)?.to_string();
    let address = seen.to_string();
    for expected in [GEOMETRY.name(), "seen", &address] {
        ensure!(text.contains(expected), "the error does not say `{expected}`: {text}");
    }
    let label = gpu.unsupported("a test's operation").to_string();
    ensure!(
        label.contains(gpu.kind()) && label.contains("a test's operation"),
        "an unsupported operation is reported as `{label}`"
    );
    Ok(())
}

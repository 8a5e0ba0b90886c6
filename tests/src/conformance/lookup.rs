//! Finding kernels by module and name.

use anyhow::{Result, ensure};
use warpcall::backend::KernelAttributes;
use warpcall::{Error, Kernel, KernelLaunch, Module, StreamHandle};

use super::check::{equal, expect_error, refused};
use super::kernels::{COUNT_UP, ECHO_F64, IMAGE, MISSING, MODULE, MULTIPLY_ADD, NOTHING};
use super::{Capability, Target};

/// A kernel of a module that has no code.
static IN_NO_MODULE: Kernel = Kernel::new(Module::new("nowhere"), "nothing_there", &[]);

super::tests! { "lookup":
    a_declared_kernel_is_resolved_to_one_handle,
    a_handle_knows_its_declaration,
    a_kernel_of_a_known_module_is_found_by_name,
    kernels_of_one_name_in_two_modules_are_two,
    a_missing_kernel_is_an_error_that_lists_those_there_are,
    a_missing_module_is_an_error_that_lists_those_there_are,
    a_failed_look_up_is_in_the_audit_with_the_place_that_asked,
    a_declared_kernel_that_is_not_there_does_not_run,
    a_look_up_that_succeeds_is_not_in_the_audit,
    a_module_is_known_once_it_is_registered,
    a_module_may_be_registered_again_but_not_with_other_code,
    what_is_given_at_run_time_takes_the_place_of_what_a_declaration_carries,
    each_backend_knows_its_own_modules,
    the_attributes_of_a_kernel_are_plausible,
    the_occupancy_of_a_kernel_is_plausible,
}

fn a_declared_kernel_is_resolved_to_one_handle(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let handle = COUNT_UP.resolve(gpu.gpu())?;
    ensure!(
        COUNT_UP.resolve(gpu.gpu())? == handle,
        "a kernel is resolved to another handle at the second call"
    );
    ensure!(
        gpu.resolve_kernel(&COUNT_UP)? == handle,
        "the backend resolves a kernel to another handle than it did"
    );
    ensure!(MULTIPLY_ADD.resolve(gpu.gpu())? != handle, "two kernels have one handle");
    Ok(())
}

fn a_handle_knows_its_declaration(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    for kernel in [&COUNT_UP, &MULTIPLY_ADD, &ECHO_F64] as [&'static Kernel; 3] {
        let handle = kernel.resolve(gpu.gpu())?;
        let declaration = gpu.declaration(handle);
        ensure!(
            declaration.is_some_and(|declaration| std::ptr::eq(declaration, kernel)),
            "the declaration of {kernel:?} is given as {declaration:?}"
        );
        let name = gpu.kernel_name(handle);
        ensure!(name.as_deref() == Some(kernel.name()), "the name of {kernel:?} is given as {name:?}");
    }
    Ok(())
}

fn a_kernel_of_a_known_module_is_found_by_name(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let resolved = MULTIPLY_ADD.resolve(gpu.gpu())?;
    let found = gpu.find_kernel("conformance", "multiply_add")?;
    let values = gpu.words(&[4; 16])?;
    for kernel in [resolved, found] {
        // SAFETY: the kernel's four parameters, and sixteen words.
        unsafe {
            KernelLaunch::new(gpu.gpu(), kernel)
                .block(16)
                .arg_ptr(values)
                .arg_u32(16)
                .arg_u32(2)
                .arg_u32(1)
                .launch(&gpu.on(StreamHandle::DEFAULT))
        }?;
    }
    equal("launches of a kernel found in two ways", &gpu.settled_words(values, 16)?, &[19; 16])
}

/// A kernel of the same name and code in another module.
static TWIN: Kernel =
    Kernel::new(Module::new("conformance_twin").with_image("ptx/conformance.ptx", IMAGE), "nothing", &[])
        .with_host(|call| call.run(|_| Ok(())));

fn kernels_of_one_name_in_two_modules_are_two(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let handles = [NOTHING.resolve(gpu.gpu())?, TWIN.resolve(gpu.gpu())?];
    ensure!(handles[0] != handles[1], "kernels of two modules have one handle");
    let found = [gpu.find_kernel("conformance", "nothing")?, gpu.find_kernel("conformance_twin", "nothing")?];
    ensure!(found[0] != found[1], "looking in two modules gives one kernel");
    Ok(())
}

fn a_missing_kernel_is_an_error_that_lists_those_there_are(target: &Target) -> Result<()> {
    target.require_real_kernels()?;
    let gpu = target.open()?;
    COUNT_UP.resolve(gpu.gpu())?;
    MULTIPLY_ADD.resolve(gpu.gpu())?;
    match refused("find_kernel of a missing kernel", gpu.find_kernel("conformance", "count_dwon"))? {
        Error::UnknownKernel { module, kernel, known, .. } => {
            ensure!(
                &*module == "conformance" && &*kernel == "count_dwon",
                "it names `{kernel}` of `{module}`"
            );
            for there in ["count_up", "multiply_add"] {
                ensure!(
                    known.iter().any(|known| known == there),
                    "the kernels listed lack {there}: {known:?}"
                );
            }
        }
        other => anyhow::bail!("a missing kernel is reported as `{other:?}`"),
    }
    Ok(())
}

fn a_missing_module_is_an_error_that_lists_those_there_are(target: &Target) -> Result<()> {
    target.require_real_kernels()?;
    let gpu = target.open()?;
    COUNT_UP.resolve(gpu.gpu())?;
    match refused("find_kernel in a missing module", gpu.find_kernel("conformity", "count_up"))? {
        Error::UnknownModule { module, kernel, known } => {
            ensure!(
                &*module == "conformity" && kernel.as_deref() == Some("count_up"),
                "it names the kernel {kernel:?} of the module `{module}`"
            );
            ensure!(
                known.iter().any(|known| known == "conformance"),
                "the modules listed lack it: {known:?}"
            );
        }
        other => anyhow::bail!("a missing module is reported as `{other:?}`"),
    }
    Ok(())
}

fn a_failed_look_up_is_in_the_audit_with_the_place_that_asked(target: &Target) -> Result<()> {
    target.require_real_kernels()?;
    let gpu = target.open()?;
    ensure!(gpu.lookup_audit().failed().is_empty(), "a fresh backend's audit is not empty");
    COUNT_UP.resolve(gpu.gpu())?;
    let mut lines = Vec::new();
    for _ in 0..3 {
        lines.push(line!() + 1);
        refused("find_kernel of a missing kernel", gpu.find_kernel("conformance", "absent"))?;
    }
    lines.push(line!() + 1);
    refused("find_kernel in a missing module", gpu.find_kernel("absent", "count_up"))?;

    let failed = gpu.lookup_audit().failed();
    let found: Vec<_> = failed
        .iter()
        .map(|failed| (failed.module.as_str(), failed.kernel.as_deref(), failed.count))
        .collect();
    let expected = [("conformance", Some("absent"), 3), ("absent", Some("count_up"), 1)];
    equal("the audit", &found, &expected)?;
    for (failed, line) in failed.iter().zip(&lines[2..]) {
        ensure!(
            failed.location.file() == file!() && failed.location.line() == *line,
            "the audit says {failed}; the look-up stands at {}:{line}",
            file!()
        );
    }
    Ok(())
}

fn a_declared_kernel_that_is_not_there_does_not_run(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    for kernel in [&MISSING, &IN_NO_MODULE] as [&'static Kernel; 2] {
        // A backend whose kernels come out of images notices when it resolves, one whose kernels are functions of
        // the declaration when it launches.
        let line = line!() + 1;
        let resolved = kernel.resolve(gpu.gpu());
        let was_resolved = resolved.is_ok();
        // SAFETY: it is refused.
        let launched = resolved.and_then(|handle| unsafe {
            KernelLaunch::new(gpu.gpu(), handle).launch(&gpu.on(StreamHandle::DEFAULT))
        });
        let error = refused(&format!("launching {kernel:?}, which is nowhere"), launched)?;
        let text = error.to_string();
        let module = format!("module `{}`", kernel.module().name());
        ensure!(
            text.contains(kernel.name()) || text.contains(&module),
            "the error names nothing of {kernel:?}: {text}"
        );
        let failed = gpu.lookup_audit().failed();
        let noted =
            failed.iter().any(|failed| failed.location.file() == file!() && failed.location.line() == line);
        ensure!(was_resolved || noted, "resolving {kernel:?} failed and is not in the audit: {failed:?}");
    }
    Ok(())
}

fn a_look_up_that_succeeds_is_not_in_the_audit(target: &Target) -> Result<()> {
    target.require_real_kernels()?;
    let gpu = target.open()?;
    COUNT_UP.resolve(gpu.gpu())?;
    gpu.find_kernel("conformance", "count_up")?;
    // Asking whether a module is there is no failed look-up: it is what one does instead.
    ensure!(!gpu.has_module("absent"), "a module that nobody registered is known");
    let failed = gpu.lookup_audit().failed();
    ensure!(failed.is_empty(), "look-ups that succeeded are in the audit: {failed:?}");
    Ok(())
}

fn a_module_is_known_once_it_is_registered(target: &Target) -> Result<()> {
    target.require_real_kernels()?;
    let gpu = target.open()?;
    ensure!(!gpu.has_module("conformance"), "a module is known before anybody registered it");
    gpu.register_module(MODULE)?;
    ensure!(gpu.has_module("conformance"), "a module was registered, and is not known");
    ensure!(!gpu.has_module("conform") && !gpu.has_module(""), "a module that nobody registered is known");

    let by_kernel = target.open()?;
    COUNT_UP.resolve(by_kernel.gpu())?;
    ensure!(by_kernel.has_module("conformance"), "a kernel was resolved, and its module is not known");
    Ok(())
}

fn a_module_may_be_registered_again_but_not_with_other_code(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    gpu.register_module(MODULE)?;
    gpu.register_module(MODULE)?;
    COUNT_UP.resolve(gpu.gpu())?;
    gpu.register_module(MODULE)?;
    let other = Module::new("conformance").with_image("ptx/other.ptx", b".version 9.0\n.target sm_75\n");
    expect_error!(gpu.register_module(other), Error::ModuleConflict { ref module } if &**module == "conformance");
    let values = gpu.words(&[0; 4])?;
    gpu.count_up(StreamHandle::DEFAULT, values, 4, 1)?;
    equal("a kernel of the first module", &gpu.settled_words(values, 4)?, &[1, 2, 3, 4])
}

/// A kernel whose declaration carries what cannot be loaded.
static GIVEN: Kernel =
    Kernel::new(Module::new("conformance_given").with_image("ptx/old.ptx", b"no image"), "nothing", &[])
        .with_host(|call| call.run(|_| Ok(())));

fn what_is_given_at_run_time_takes_the_place_of_what_a_declaration_carries(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    gpu.register_module(Module::new("conformance_given").with_image("ptx/conformance.ptx", IMAGE))?;
    let kernel = GIVEN.resolve(gpu.gpu())?;
    // SAFETY: the kernel takes nothing and does nothing.
    unsafe { KernelLaunch::new(gpu.gpu(), kernel).launch(&gpu.on(StreamHandle::DEFAULT)) }?;
    gpu.synchronize()?;
    expect_error!(gpu.register_module(*GIVEN.module()), Error::ModuleConflict { .. });

    let loaded = target.open()?;
    TWIN.resolve(loaded.gpu())?;
    let other = Module::new("conformance_twin").with_image("ptx/other.ptx", b".version 9.0\n.target sm_75\n");
    expect_error!(loaded.register_module(other), Error::ModuleConflict { .. });
    loaded.register_module(*TWIN.module()).map_err(anyhow::Error::from)
}

fn each_backend_knows_its_own_modules(target: &Target) -> Result<()> {
    target.require_real_kernels()?;
    let [gpu, other] = [target.open()?, target.open()?];
    gpu.register_module(MODULE)?;
    ensure!(
        !other.has_module("conformance"),
        "a module was registered with another backend, and is known here"
    );
    refused("find_kernel in another backend's module", other.find_kernel("conformance", "count_up"))?;
    ensure!(gpu.lookup_audit().failed().is_empty(), "another backend's failure is in the audit");
    Ok(())
}

fn the_attributes_of_a_kernel_are_plausible(target: &Target) -> Result<()> {
    target.require(&[Capability::KernelAttributes])?;
    let gpu = target.open()?;
    let attributes: KernelAttributes = COUNT_UP.attributes(gpu.gpu())?;
    let limits = &gpu.properties().limits;
    ensure!(
        (1..=limits.max_threads_per_block).contains(&attributes.max_threads_per_block)
            && attributes.static_shared_mem == 0
            && attributes.max_dynamic_shared_mem <= limits.max_shared_mem_per_block,
        "{attributes:?} with {limits:?}"
    );
    Ok(())
}

fn the_occupancy_of_a_kernel_is_plausible(target: &Target) -> Result<()> {
    target.require(&[Capability::Occupancy])?;
    let gpu = target.open()?;
    let small = COUNT_UP.occupancy(gpu.gpu(), 32, 0)?;
    let large = COUNT_UP.occupancy(gpu.gpu(), gpu.properties().limits.max_threads_per_block, 0)?;
    ensure!(
        large.blocks_per_multiprocessor >= 1
            && small.blocks_per_multiprocessor >= large.blocks_per_multiprocessor,
        "small blocks: {small:?}; large ones: {large:?}"
    );
    let multiprocessors = gpu.properties().multiprocessors;
    for occupancy in [small, large] {
        ensure!(
            occupancy.blocks == occupancy.blocks_per_multiprocessor * multiprocessors,
            "{occupancy:?} on {multiprocessors} multiprocessors"
        );
    }
    Ok(())
}

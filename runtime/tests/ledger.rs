//! Memory that is live, by who allocated it.

use warpcall::diagnose::{Amount, Call, CallKind, Faults, Layer, Ledger, RedZones};
use warpcall::{DevicePtr, Error, Gpu, HostBackend, Result};

fn open() -> (Ledger, Gpu) {
    let ledger = Ledger::new();
    let gpu = Gpu::builder().host().ledger(&ledger).open().expect("the host opens");
    (ledger, gpu)
}

#[test]
fn what_another_backend_still_uses_is_not_swept() {
    let (ledger, gpu) = open();
    let kept = gpu.upload(&[7_u8; 16]).expect("there is memory");
    let other = Gpu::builder().host().ledger(&ledger).open().expect("the host opens");
    other.backend().allocate(100).expect("there is memory");
    drop(other);
    let report = ledger.report();
    assert_eq!((report.live.bytes, report.swept.bytes, report.unswept.count), (16, 100, 0));
    // Nor what another layer around the same backend has allocated.
    let again = Gpu::builder().backend(gpu.backend().clone()).ledger(&ledger).open().expect("it is open");
    drop(again);
    assert_eq!(kept.to_vec(&gpu.default_stream()).expect("it is there"), [7; 16]);
    drop(kept);
    assert_eq!(ledger.report().live, Amount::default());
}

#[test]
fn siblings_around_one_backend_are_swept_together() {
    let (ledger, host) = (Ledger::new(), std::sync::Arc::new(HostBackend::new()));
    let [first, second] = [(), ()]
        .map(|()| Gpu::builder().backend(host.clone()).ledger(&ledger).open().expect("the host opens"));
    let kept = first.upload(&[7_u8; 16]).expect("there is memory");
    second.backend().allocate(100).expect("there is memory");
    drop(second);
    assert_eq!(kept.to_vec(&first.default_stream()).expect("it is there"), [7; 16]);
    drop((kept, first));
    assert_eq!(ledger.report().swept.bytes, 100);
}

/// Allocates at one address, whichever backend it is around, and nothing else.
#[derive(Debug)]
struct OneAddress;

// SAFETY: nothing uses the memory.
unsafe impl Layer for OneAddress {
    fn name(&self) -> &'static str {
        "one address"
    }

    fn allocate(&self, _: &Call<'_>, _: usize) -> Result<DevicePtr> {
        Ok(DevicePtr::new(0x1000))
    }

    unsafe fn free(&self, _: &Call<'_>, _: DevicePtr) -> Result<()> {
        Ok(())
    }
}

#[test]
fn two_backends_may_allocate_at_the_same_address() -> Result<()> {
    let ledger = Ledger::new();
    let open = || Gpu::builder().host().layer(OneAddress).ledger(&ledger).open();
    let (first, second) = (open()?, open()?);
    let [kept, freed] = [first.allocate(16)?, second.allocate(100)?];
    assert_eq!((kept, ledger.report().live), (freed, Amount { count: 2, bytes: 116 }));
    // SAFETY: nothing uses the memory.
    unsafe { second.free(freed)? };
    assert_eq!(ledger.report().live, Amount { count: 1, bytes: 16 });
    drop(second);
    assert_eq!(ledger.report().swept, Amount::default());
    drop(first);
    assert_eq!((ledger.report().live, ledger.report().swept.bytes), (Amount::default(), 16));
    Ok(())
}

#[test]
fn a_ledger_that_is_in_the_stack_twice_counts_once() {
    let ledger = Ledger::new();
    let gpu = Gpu::builder().host().ledger(&ledger).ledger(&ledger).open().expect("the host opens");
    let (kept, freed) =
        (gpu.zeros::<u8>(16).expect("there is memory"), gpu.zeros::<u8>(16).expect("there is memory"));
    assert_eq!(ledger.report().live, Amount { count: 2, bytes: 32 });
    drop(freed);
    assert_eq!((ledger.report().live, ledger.report().peak_bytes), (Amount { count: 1, bytes: 16 }, 32));
    drop((kept, gpu));
    assert_eq!((ledger.report().live, ledger.report().swept), Default::default());
}

#[test]
fn scratch_memory_of_which_a_layer_handed_out_the_middle_is_no_leak() {
    let (ledger, zones) = (Ledger::new(), RedZones::new(256).expect("the length is one"));
    let gpu = Gpu::builder().host().ledger(&ledger).red_zones(&zones).open().expect("the host opens");
    gpu.operation_cache().scratch(&**gpu.backend(), "test", 100).expect("there is memory");
    drop(gpu);
    let report = ledger.report();
    assert_eq!((report.live, report.swept, report.unswept), Default::default());
}

#[test]
fn sites_are_listed_largest_first() {
    let (ledger, gpu) = open();
    let line = line!();
    let small: Vec<_> = (0..3).map(|_| gpu.zeros::<u8>(10).expect("there is memory")).collect();
    let large = gpu.zeros::<u8>(100).expect("there is memory");
    let pinned = gpu.pinned::<u8>(50).expect("there is memory");
    let managed = gpu.managed::<u8>(40).expect("there is memory");
    let report = ledger.report();
    let sites: Vec<_> = report
        .sites
        .iter()
        .map(|site| (site.location.line() - line, site.memory.as_str(), site.live))
        .collect();
    let one = |bytes| Amount { count: 1, bytes };
    assert_eq!(
        sites,
        [
            (2, "device", one(100)),
            (3, "pinned", one(50)),
            (4, "managed", one(40)),
            (1, "device", Amount { count: 3, bytes: 30 })
        ]
    );
    assert!(report.sites.iter().all(|site| site.location.file() == file!()));
    let text = report.to_string();
    assert!(text.starts_with("live: 220 bytes in 6 allocations; at most 220 bytes at once\n  100 bytes in 1 allocation of device memory"), "{text}");
    drop((small, large, pinned, managed));
    let report = ledger.report();
    assert_eq!((report.live, report.peak_bytes, report.sites.len()), (Amount::default(), 220, 0));
    assert_eq!(ledger.report().to_string(), "live: 0 bytes in 0 allocations; at most 220 bytes at once");
}

#[test]
fn what_nobody_freed_is_freed_when_the_backend_closes() {
    let host: std::sync::Arc<HostBackend> = std::sync::Arc::new(HostBackend::new());
    let ledger = Ledger::new();
    let gpu = Gpu::builder().backend(host.clone()).ledger(&ledger).open().expect("the host opens");
    let before = warpcall::backend::DeviceMemory::memory_info(&*host).expect("it knows").free;
    gpu.backend().allocate(1000).expect("there is memory");
    gpu.backend().allocate_pinned(24).expect("there is memory");
    let freed = gpu.zeros::<u8>(7).expect("there is memory");
    drop((freed, gpu));
    let report = ledger.report();
    assert_eq!(
        (report.live, report.swept, report.unswept),
        (Amount::default(), Amount { count: 2, bytes: 1024 }, Amount::default())
    );
    assert_eq!(warpcall::backend::DeviceMemory::memory_info(&*host).expect("it knows").free, before);
    assert!(report.to_string().ends_with("freed at the end, as nobody had: 1024 bytes in 2 allocations"));
}

#[test]
fn scratch_memory_is_left_to_the_backend_that_keeps_it() {
    let (ledger, gpu) = open();
    gpu.operation_cache().scratch(&**gpu.backend(), "test", 64).expect("there is memory");
    assert_eq!(ledger.report().live.bytes, 64);
    drop(gpu);
    assert_eq!((ledger.report().live, ledger.report().swept, ledger.report().unswept), Default::default());
}

#[test]
fn memory_that_could_not_be_freed_stays_on_the_ledger() {
    let (ledger, faults) = (Ledger::new(), Faults::new());
    let gpu = Gpu::builder().host().faults(&faults).ledger(&ledger).open().expect("the host opens");
    faults.fail(CallKind::Free, 1);
    let memory = gpu.zeros::<u8>(10).expect("there is memory");
    let error = memory.free().expect_err("it was told to fail");
    assert!(matches!(error, Error::Injected { .. }), "{error}");
    assert_eq!(ledger.report().live.bytes, 10);
    faults.fail(CallKind::Free, 1);
    drop(gpu);
    assert_eq!(
        (ledger.report().live, ledger.report().unswept),
        (Amount::default(), Amount { count: 1, bytes: 10 })
    );
}

#[test]
fn threads_keep_one_account() {
    let (ledger, gpu) = open();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for bytes in 1..200 {
                    drop(gpu.zeros::<u8>(bytes).expect("there is memory"));
                }
            });
        }
    });
    let report = ledger.report();
    assert_eq!(report.live, Amount::default());
    assert!((199..=8 * 199).contains(&report.peak_bytes), "{}", report.peak_bytes);
}

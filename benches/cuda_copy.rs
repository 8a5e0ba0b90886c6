//! Copies on a CUDA device: bandwidth beside the raw driver calls, and a gather of many chunks, blocking one by one against
//! enqueued with one synchronisation.

use anyhow::Context;
use cudarc::driver::sys;
use warpcall::{Buffer, Gpu, Stream};
use warpcall_benches::{Way, interleaved, print_table};

const BYTES: usize = 64 << 20;
const CHUNKS: usize = 60;
const CHUNK: usize = 1 << 20;

fn done(result: sys::CUresult) {
    assert_eq!(result, sys::CUresult::CUDA_SUCCESS, "the driver refused a copy");
}

fn main() -> anyhow::Result<()> {
    let gpu = match Gpu::cuda(0) {
        Ok(gpu) => gpu,
        Err(error) if std::env::var_os("WARPCALL_REQUIRE_CUDA").is_none_or(|value| value != "1") => {
            println!("not measured: {error}");
            return Ok(());
        }
        Err(error) => return Err(error).context("WARPCALL_REQUIRE_CUDA=1"),
    };
    println!("{}", gpu.label());
    gpu.bind_to_thread()?;
    let stream = gpu.create_stream()?;
    let mut device = gpu.zeros::<u8>(BYTES)?;
    to_the_device(&gpu, &stream, &mut device)?;
    to_the_host(&gpu, &stream, &device)?;
    gather(&gpu, &stream, &device)
}

fn to_the_device(gpu: &Gpu, stream: &Stream, device: &mut Buffer<u8>) -> anyhow::Result<()> {
    let raw_stream = stream.handle().get() as sys::CUstream;
    let address = device.device_ptr().address();
    let pageable = vec![1_u8; BYTES];
    let pinned = gpu.pinned::<u8>(BYTES)?;

    for (kind, source) in [("pageable", &pageable[..]), ("pinned", &pinned[..])] {
        let mut raw = |calls| {
            for _ in 0..calls {
                // SAFETY: both sides hold the bytes, and the stream is waited for.
                unsafe {
                    done(sys::cuMemcpyHtoDAsync_v2(address, source.as_ptr().cast(), BYTES, raw_stream));
                    done(sys::cuStreamSynchronize(raw_stream));
                }
            }
        };
        let mut ours = |calls| {
            for _ in 0..calls {
                let copied = device.copy_from_host(stream, source).and_then(|()| stream.synchronize());
                assert!(copied.is_ok(), "a copy was refused");
            }
        };
        let mut retained = |calls| {
            for _ in 0..calls {
                // SAFETY: the source outlives the synchronisation below.
                let copied = unsafe {
                    gpu.copy_to_device_retained(
                        stream.handle(),
                        warpcall::DevicePtr::new(address),
                        source.as_ptr(),
                        BYTES,
                    )
                };
                assert!(copied.and_then(|()| stream.synchronize()).is_ok(), "a copy was refused");
            }
        };
        let mut ways = [
            Way { name: "raw cuMemcpyHtoDAsync", run: &mut raw },
            Way { name: "copy_from_host", run: &mut ours },
            Way { name: "copy_to_device_retained", run: &mut retained },
        ];
        print_table(&format!("{kind} to the device, 64 MiB"), &interleaved(&mut ways, 20, 1, || ()));
    }
    Ok(())
}

fn to_the_host(gpu: &Gpu, stream: &Stream, device: &Buffer<u8>) -> anyhow::Result<()> {
    let raw_stream = stream.handle().get() as sys::CUstream;
    let address = device.device_ptr().address();
    let mut pinned = gpu.pinned::<u8>(BYTES)?;
    let mut target = vec![0_u8; BYTES];
    for (kind, target) in [("pageable", &mut target[..]), ("pinned", &mut pinned[..])] {
        let target = std::cell::RefCell::new(target);
        let mut raw = |calls| {
            for _ in 0..calls {
                // SAFETY: both sides hold the bytes, and the stream is waited for.
                unsafe {
                    done(sys::cuMemcpyDtoHAsync_v2(
                        target.borrow_mut().as_mut_ptr().cast(),
                        address,
                        BYTES,
                        raw_stream,
                    ));
                    done(sys::cuStreamSynchronize(raw_stream));
                }
            }
        };
        let mut ours = |calls| {
            for _ in 0..calls {
                assert!(device.copy_to_host(stream, &mut target.borrow_mut()).is_ok(), "a copy was refused");
            }
        };
        let mut ways = [
            Way { name: "raw cuMemcpyDtoHAsync", run: &mut raw },
            Way { name: "copy_to_host", run: &mut ours },
        ];
        print_table(&format!("to {kind} memory, 64 MiB"), &interleaved(&mut ways, 20, 1, || ()));
    }
    Ok(())
}

fn gather(gpu: &Gpu, stream: &Stream, device: &Buffer<u8>) -> anyhow::Result<()> {
    let address = device.device_ptr().address();
    let source = gpu.pinned::<u8>(CHUNKS * CHUNK)?;
    let chunks = || {
        source
            .chunks(CHUNK)
            .enumerate()
            .map(|(index, chunk)| (warpcall::DevicePtr::new(address).byte_add(index * CHUNK), chunk))
    };
    let mut blocking = |calls| {
        for _ in 0..calls {
            for (to, chunk) in chunks() {
                assert!(gpu.copy_to_device_on(stream.handle(), to, chunk).is_ok(), "a copy was refused");
            }
        }
    };
    let mut enqueued = |calls| {
        for _ in 0..calls {
            for (to, chunk) in chunks() {
                // SAFETY: the source outlives the synchronisation below.
                let copied =
                    unsafe { gpu.copy_to_device_retained(stream.handle(), to, chunk.as_ptr(), chunk.len()) };
                assert!(copied.is_ok(), "a copy was refused");
            }
            assert!(stream.synchronize().is_ok(), "the stream could not be drained");
        }
    };
    let mut ways = [
        Way { name: "blocking, one by one", run: &mut blocking },
        Way { name: "retained, one synchronisation", run: &mut enqueued },
    ];
    print_table("a gather of 60 chunks of 1 MiB, pinned", &interleaved(&mut ways, 50, 1, || ()));
    Ok(())
}

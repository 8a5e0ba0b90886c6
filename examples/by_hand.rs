//! One launch written twice: by the generated function, and argument by argument with the builder. Both emit the same
//! arguments in the same slots, which a recording backend shows.

use anyhow::ensure;
use warpcall::{Gpu, KernelLaunch, LaunchConfig, MockBackend};
use warpcall_kernels::norm::{RMS_NORM, launch_rms_norm};

fn main() -> anyhow::Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let stream = gpu.create_stream()?;
    let (rows, hidden_size, eps) = (8, 4096, 1e-5);
    let input = gpu.zeros::<f32>((rows * hidden_size) as usize)?;
    let weight = gpu.zeros::<f32>(hidden_size as usize)?;
    let mut output = gpu.zeros::<f32>((rows * hidden_size) as usize)?;

    let config = LaunchConfig::new(rows, 256);
    // SAFETY: the buffers hold the rows and the weights that the kernel touches.
    unsafe { launch_rms_norm(&stream, config, &mut output, &input, &weight, hidden_size, eps)? };

    let handle = RMS_NORM.resolve(&*gpu)?;
    // SAFETY: as above; the arguments are those of the kernel's declaration.
    unsafe {
        KernelLaunch::new(&*gpu, handle)
            .grid([rows, 1, 1])
            .block([256, 1, 1])
            .shared_mem(0)
            .arg_ptr(&mut output)
            .arg_ptr(&input)
            .arg_ptr(&weight)
            .arg_u32(hidden_size)
            .arg_f32(eps)
            .launch(&stream)?;
    }

    println!("{RMS_NORM}");
    let launches = mock.launches();
    for (way, launch) in ["generated", "by hand"].iter().zip(&launches) {
        println!("\n{way}: {}", launch.config);
        for (index, parameter) in RMS_NORM.parameters().iter().enumerate() {
            let start = launch.starts[index] as usize;
            println!(
                "  slot {start}: {:#018x}  {}: {}",
                launch.slots[start],
                parameter.name(),
                parameter.rust_type()
            );
        }
    }
    let [generated, by_hand] = &launches[..] else { anyhow::bail!("two launches were expected") };
    ensure!(generated.slots == by_hand.slots && generated.starts == by_hand.starts, "the slots differ");
    println!("\nthe slots are the same");
    Ok(())
}

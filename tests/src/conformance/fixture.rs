use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use warpcall::{DevicePtr, Gpu, GpuBackend, LaunchConfig, StreamHandle, StreamRef};

use super::check::elements;
use super::kernels::{launch_count_up, launch_multiply_add, launch_multiply_add_late};

/// How long the late kernel keeps its stream busy: far longer than a call takes that does not wait for it.
pub(super) const LATE: Duration = Duration::from_millis(20);

/// An open backend, with the few steps that most tests take.
#[derive(Clone, Debug)]
pub struct Fixture(Arc<dyn GpuBackend>);

impl Deref for Fixture {
    type Target = dyn GpuBackend;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl Fixture {
    /// A fixture on `backend`.
    pub fn new(backend: Arc<dyn GpuBackend>) -> Self {
        Self(backend)
    }

    /// The backend.
    pub fn gpu(&self) -> &dyn GpuBackend {
        &*self.0
    }

    /// The backend under the owning layer.
    pub fn owning(&self) -> Gpu {
        Gpu::from_backend(Arc::clone(&self.0))
    }

    /// The stream as a launch function takes it.
    pub fn on(&self, stream: StreamHandle) -> StreamRef<'_> {
        StreamRef::new(self.gpu(), stream)
    }

    /// A stream of the device's default priority.
    ///
    /// # Errors
    ///
    /// As the backend returns them, here and below.
    pub fn stream(&self) -> Result<StreamHandle> {
        Ok(self.create_stream(None)?)
    }

    /// Device memory that holds `content`.
    ///
    /// # Errors
    ///
    /// As the backend returns them.
    pub fn holding(&self, content: &[u8]) -> Result<DevicePtr> {
        let memory = self.allocate(content.len())?;
        self.copy_to_device(memory, content)?;
        Ok(memory)
    }

    /// Device memory that holds these words.
    ///
    /// # Errors
    ///
    /// As the backend returns them.
    pub fn words(&self, words: &[u32]) -> Result<DevicePtr> {
        self.holding(bytemuck::cast_slice(words))
    }

    /// What `bytes` bytes of device memory hold once everything enqueued is done.
    ///
    /// # Errors
    ///
    /// As the backend returns them.
    pub fn settled(&self, memory: DevicePtr, bytes: usize) -> Result<Vec<u8>> {
        self.synchronize()?;
        let mut content = vec![0xCD; bytes];
        self.copy_to_host(&mut content, memory)?;
        Ok(content)
    }

    /// What `count` words of device memory hold once everything enqueued is done.
    ///
    /// # Errors
    ///
    /// As the backend returns them.
    pub fn settled_words(&self, memory: DevicePtr, count: usize) -> Result<Vec<u32>> {
        Ok(elements(&self.settled(memory, count * 4)?))
    }

    /// Enqueues `values[i] = base + i` for `n` values.
    ///
    /// # Errors
    ///
    /// As the backend returns them.
    pub fn count_up(&self, stream: StreamHandle, mut values: DevicePtr, n: u32, base: u32) -> Result<()> {
        // SAFETY: the callers give the address of at least `n` words.
        Ok(unsafe {
            launch_count_up(&self.on(stream), LaunchConfig::for_elements(n, 128), &mut values, n, base)
        }?)
    }

    /// Enqueues `values[i] = values[i] * factor + term` for `n` values.
    ///
    /// # Errors
    ///
    /// As the backend returns them.
    pub fn multiply_add(
        &self,
        stream: StreamHandle,
        mut values: DevicePtr,
        n: u32,
        [factor, term]: [u32; 2],
    ) -> Result<()> {
        let config = LaunchConfig::for_elements(n, 128);
        // SAFETY: the callers give the address of at least `n` words.
        Ok(unsafe { launch_multiply_add(&self.on(stream), config, &mut values, n, factor, term) }?)
    }

    /// The same after `late` has passed on the stream.
    ///
    /// # Errors
    ///
    /// As the backend returns them.
    pub fn multiply_add_after(
        &self,
        late: Duration,
        stream: StreamHandle,
        mut values: DevicePtr,
        n: u32,
        [factor, term]: [u32; 2],
    ) -> Result<()> {
        let config = LaunchConfig::for_elements(n, 128);
        let late = u64::try_from(late.as_nanos())?;
        // SAFETY: the callers give the address of at least `n` words.
        Ok(unsafe { launch_multiply_add_late(&self.on(stream), config, &mut values, n, factor, term, late) }?)
    }

    /// The same after 20 ms.
    ///
    /// # Errors
    ///
    /// As the backend returns them.
    pub fn multiply_add_late(
        &self,
        stream: StreamHandle,
        values: DevicePtr,
        n: u32,
        numbers: [u32; 2],
    ) -> Result<()> {
        self.multiply_add_after(LATE, stream, values, n, numbers)
    }

    /// Loads the kernels of [`occupy`](Self::occupy): loading one may wait for all that runs.
    ///
    /// # Errors
    ///
    /// As the backend returns them.
    pub fn load_kernels(&self) -> Result<()> {
        let values = self.words(&[0])?;
        self.multiply_add_after(Duration::ZERO, StreamHandle::DEFAULT, values, 1, [1, 0])?;
        self.multiply_add(StreamHandle::DEFAULT, values, 1, [1, 0])?;
        Ok(self.synchronize()?)
    }

    /// Keeps the stream busy for 300 ms, and then with a row of short launches: `values[i] *= 2` once for `n` values.
    /// Says whether all of it is done already, since the backend executes work as it is enqueued.
    ///
    /// A backend that does a piece of work whenever it is asked for its state has pieces left after a few questions.
    ///
    /// # Errors
    ///
    /// As the backend returns them.
    pub fn occupy(&self, stream: StreamHandle, values: DevicePtr, n: u32) -> Result<bool> {
        self.multiply_add_after(Duration::from_millis(300), stream, values, n, [2, 0])?;
        for _ in 0..8 {
            self.multiply_add(stream, values, n, [1, 0])?;
        }
        Ok(self.is_stream_idle(stream)?)
    }

    /// Asks again and again until the answer is yes.
    ///
    /// # Errors
    ///
    /// What asking returns, and that it was never so within ten seconds.
    pub fn until(&self, what: &str, mut asked: impl FnMut() -> warpcall::Result<bool>) -> Result<()> {
        let start = Instant::now();
        while !asked()? {
            if start.elapsed() > Duration::from_secs(10) {
                bail!("after ten seconds of asking it is still not so that {what}");
            }
            std::thread::yield_now();
        }
        Ok(())
    }
}

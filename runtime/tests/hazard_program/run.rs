//! Runs a program on a backend.

use std::ptr::NonNull;

use warpcall::backend::{Copy2d, Fill};
use warpcall::{
    DeviceMut, DevicePtr, DeviceRef, DeviceSpan, EventHandle, Gpu, GpuBackend, GraphHandle, LaunchConfig,
    Result, StreamHandle, StreamRef, kernel,
};

use super::{Action, EVENTS, HOST, PIECES, STREAMS, WORDS, Words, Work};

#[kernel(module = "programs")]
unsafe extern "C" {
    #[host(mix_on_the_host)]
    unsafe fn mix(output: *mut u32, input: *const u32);

    #[host(sum_on_the_host)]
    unsafe fn sum(output: *mut u32, input: *const u32);
}

fn mix_on_the_host(output: &mut [u32], input: &[u32]) {
    for (index, output) in output.iter_mut().enumerate() {
        *output = output.wrapping_mul(3).wrapping_add(input[index % input.len()]).wrapping_add(1);
    }
}

fn sum_on_the_host(output: &mut [u32], input: &[u32]) {
    output[0] = input.iter().fold(output[0], |sum, word| sum.rotate_left(3) ^ word);
}

/// Memory with an extent, as a slice has.
#[derive(Clone, Copy)]
struct Span(DevicePtr, usize);

// SAFETY: the programs stay within the memory of their machine. The host backend runs one kernel at a time, and on a device the
// check is strict.
unsafe impl DeviceRef<u32> for Span {
    fn span(&self) -> DeviceSpan {
        DeviceSpan { ptr: self.0, bytes: Some(self.1), backend: None }
    }
}

// SAFETY: as above.
unsafe impl DeviceMut<u32> for Span {
    fn span_mut(&mut self) -> DeviceSpan {
        self.span()
    }
}

/// A backend with all that a program uses.
pub(crate) struct Machine {
    gpu: Gpu,
    streams: [StreamHandle; STREAMS],
    events: [EventHandle; EVENTS],
    device: [DevicePtr; HOST],
    host: NonNull<u8>,
    graph: Option<GraphHandle>,
    /// What the host has read.
    pub(crate) seen: Vec<Vec<u8>>,
}

impl Machine {
    pub(crate) fn new(gpu: Gpu) -> Result<Self> {
        let backend = gpu.backend();
        let mut streams = [StreamHandle::DEFAULT; STREAMS];
        for stream in &mut streams[1..] {
            *stream = backend.create_stream(None)?;
        }
        let mut device = [DevicePtr::NULL; HOST];
        for (index, memory) in (1..).zip(&mut device) {
            *memory = backend.allocate(WORDS * 4)?;
            backend.memset(*memory, Fill::Word(index), WORDS * 4)?;
        }
        let mut events = Vec::new();
        for _ in 0..EVENTS {
            events.push(backend.create_event(false)?);
        }
        let host = backend.allocate_pinned(WORDS * 4)?;
        let events = events.try_into().expect("so many were made");
        Ok(Self { streams, events, device, host, graph: None, seen: Vec::new(), gpu })
    }

    /// What is in all memory once everything is done.
    pub(crate) fn settled(&self) -> Result<[Vec<u8>; PIECES]> {
        self.gpu.synchronize()?;
        let mut content = [(); PIECES].map(|()| vec![0; WORDS * 4]);
        for (content, memory) in content.iter_mut().zip(self.device) {
            self.gpu.copy_to_host(content, memory)?;
        }
        // SAFETY: so many bytes, and the device is idle.
        content[HOST].copy_from_slice(unsafe { std::slice::from_raw_parts(self.host.as_ptr(), WORDS * 4) });
        Ok(content)
    }

    fn device(&self, words: &Words) -> DevicePtr {
        self.device[words.piece].byte_add(words.range.start * 4)
    }

    fn host(&self, words: &Words) -> *mut u8 {
        assert_eq!(words.piece, HOST);
        // SAFETY: within the allocation.
        unsafe { self.host.as_ptr().add(words.range.start * 4) }
    }

    fn span(&self, words: &Words) -> Span {
        Span(self.device(words), words.range.len() * 4)
    }

    /// Runs an action; calls `done` after each piece of work.
    pub(crate) fn act(&mut self, action: &Action, done: &mut dyn FnMut()) -> Result<()> {
        let backend = self.gpu.backend().clone();
        let backend: &dyn GpuBackend = &*backend;
        match *action {
            Action::Work { stream, ref work } => {
                let worked = self.work(backend, self.streams[stream], work);
                done();
                worked
            }
            Action::Record { event, stream } => {
                backend.record_event(self.events[event], self.streams[stream])
            }
            Action::Wait { stream, event } => {
                backend.stream_wait_event(self.streams[stream], self.events[event])
            }
            Action::WaitForStream { waiting, other } => {
                backend.stream_wait_stream(self.streams[waiting], self.streams[other])
            }
            Action::Synchronize => backend.synchronize(),
            Action::SynchronizeStream(stream) => backend.synchronize_stream(self.streams[stream]),
            Action::SynchronizeEvent(event) => backend.synchronize_event(self.events[event]),
            Action::PollStream(stream) => {
                while !backend.is_stream_idle(self.streams[stream])? {}
                Ok(())
            }
            Action::PollEvent(event) => {
                while !backend.is_event_done(self.events[event])? {}
                Ok(())
            }
            Action::Capture { streams: [origin, _], ref body } => {
                // Events keep the marks that they had before.
                let outside = self.events;
                for event in &mut self.events {
                    *event = backend.create_event(false)?;
                }
                backend.begin_capture(self.streams[origin])?;
                let recorded = body.iter().try_for_each(|action| self.act(action, done));
                let graph = recorded.and_then(|()| backend.end_capture(self.streams[origin]));
                self.events = outside;
                if graph.is_err() {
                    backend.abandon_capture(self.streams[origin])?;
                }
                self.graph = Some(graph?);
                Ok(())
            }
            Action::LaunchGraph(stream) => {
                let launched = match self.graph {
                    // SAFETY: all memory lives as long as the machine.
                    Some(graph) => unsafe { backend.launch_graph(graph, self.streams[stream]) },
                    None => Ok(()),
                };
                done();
                launched
            }
        }
    }

    fn work(&mut self, backend: &dyn GpuBackend, stream: StreamHandle, work: &Work) -> Result<()> {
        let on = StreamRef::new(backend, stream);
        let config = LaunchConfig::new(1, 32);
        let bytes = |words: &Words| words.range.len() * 4;
        match work {
            // SAFETY: the kernel stays within what it is given.
            Work::Kernel(to, from) => unsafe {
                launch_mix(&on, config, &mut self.span(to), &self.span(from))
            },
            // SAFETY: as above.
            Work::Sum(to, from) => unsafe { launch_sum(&on, config, &mut self.span(to), &self.span(from)) },
            Work::Fill(to) => {
                backend.memset_async(stream, self.device(to), Fill::Word(0x0102_0304), bytes(to))
            }
            Work::Copy { to, from } => {
                backend.copy_within_device_async(stream, self.device(to), self.device(from), bytes(to))
            }
            Work::Rectangle { to, from } => {
                let at = |(piece, start): (usize, usize)| self.device[piece].byte_add(start * 4);
                let (dst, src) = (at(*to), at(*from));
                let copy = Copy2d { dst, dst_pitch: 32, src, src_pitch: 32, width: 16, height: 2 };
                backend.copy_2d_async(stream, &copy)
            }
            Work::Upload { to, from } => {
                // SAFETY: so many bytes. In a program with a hazard, the host backend has written them by now; on a device the check is
                // strict, and refuses the copy before it reads them.
                let source = unsafe { std::slice::from_raw_parts(self.host(from), bytes(from)) };
                backend.copy_to_device_async(stream, self.device(to), source)
            }
            // SAFETY: the host's memory lives as long as the machine.
            Work::UploadRetained { to, from } => unsafe {
                backend.copy_to_device_retained(stream, self.device(to), self.host(from), bytes(to))
            },
            // SAFETY: as above.
            Work::Download { to, from } => unsafe {
                backend.copy_to_host_async(stream, self.host(to), self.device(from), bytes(from))
            },
            Work::Read(from) => {
                let mut seen = vec![0; bytes(from)];
                backend.copy_to_host_on(stream, &mut seen, self.device(from))?;
                self.seen.push(seen);
                Ok(())
            }
            Work::ReadDefault(from) => {
                let mut seen = vec![0; bytes(from)];
                backend.copy_to_host(&mut seen, self.device(from))?;
                self.seen.push(seen);
                Ok(())
            }
        }
    }
}

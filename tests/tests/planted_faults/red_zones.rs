//! Bytes that kernels and copies write past the ends of memory.

// Small numbers, between the types that offsets have.
#![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

use anyhow::{Context as _, Result, bail, ensure};
use fastrand::Rng;
use warpcall::backend::Fill;
use warpcall::diagnose::{MemoryKind, RedZones, Side};
use warpcall::{Buffer, DevicePtr, Error, Gpu, LaunchConfig, MemoryProblem, PinnedBuffer, Stream};

use super::kernels::launch_scribble;
use super::{Place, Tally, Tool, hundred};

pub(crate) const TOOL: Tool = Tool { name: "red zones", seeds: hundred, run };

fn run(place: Place, seed: u64, tally: &mut Tally) {
    tally.planted(Program::new(place, seed).and_then(Program::overrun));
    tally.correct(Program::new(place, seed).and_then(Program::correct));
}

/// What an untouched band holds.
const UNTOUCHED: u8 = 0xA5;

enum Memory {
    Device(Buffer<u8>),
    Pinned(PinnedBuffer<u8>),
}

/// Memory, and the line that allocated it.
struct Piece {
    memory: Memory,
    kind: MemoryKind,
    line: u32,
    bytes: usize,
}

impl Piece {
    fn new(gpu: &Gpu, random: &mut Rng) -> Result<Self> {
        let bytes = random.usize(1..2000);
        let (memory, kind, line) = match random.u8(..4) {
            0 => (Memory::Device(gpu.zeros(bytes)?), MemoryKind::Device, line!()),
            1 => (Memory::Device(gpu.upload(&vec![1; bytes])?), MemoryKind::Device, line!()),
            2 => (Memory::Device(gpu.managed(bytes)?), MemoryKind::Managed, line!()),
            _ => (Memory::Pinned(gpu.pinned(bytes)?), MemoryKind::Pinned, line!()),
        };
        Ok(Self { memory, kind, line, bytes })
    }

    /// Where kernels reach it.
    fn device_ptr(&self) -> Result<DevicePtr> {
        match &self.memory {
            Memory::Device(buffer) => Ok(buffer.device_ptr()),
            Memory::Pinned(pinned) => Ok(pinned.device_ptr()?),
        }
    }
}

/// Bytes that are written, counted from the start of a piece.
struct Bytes {
    offset: i64,
    length: u32,
    pattern: u64,
}

struct Program {
    zones: RedZones,
    gpu: Gpu,
    stream: Stream,
    pieces: Vec<Piece>,
    band: i64,
    random: Rng,
}

impl Program {
    fn new(place: Place, seed: u64) -> Result<Self> {
        let mut random = Rng::with_seed(seed);
        let band: i64 = [256, 512, 1024][random.usize(..3)];
        let zones = RedZones::new(random.usize(band as usize - 255..=band as usize))?;
        let gpu = Gpu::builder().backend(place.open(seed)?).red_zones(&zones).open()?;
        let stream = gpu.create_stream()?;
        let count = random.usize(1..8);
        let pieces = (0..count).map(|_| Piece::new(&gpu, &mut random)).collect::<Result<_>>()?;
        Ok(Self { zones, gpu, stream, pieces, band, random })
    }

    /// Writes, fills and copies that stay within their memory.
    fn work(&mut self) -> Result<()> {
        for _ in 0..self.random.usize(1..10) {
            let index = self.random.usize(..self.pieces.len());
            let bytes = self.pieces[index].bytes;
            let start = self.random.usize(..bytes);
            let length = self.random.usize(1..=bytes - start);
            let within = Bytes { offset: start as i64, length: length as u32, pattern: self.random.u64(..) };
            match (self.random.u8(..3), &mut self.pieces[index].memory) {
                (0, Memory::Device(buffer)) => {
                    buffer.slice_mut(start..start + length)?.fill(&self.stream, Fill::Byte(3))?;
                }
                (1, Memory::Device(buffer)) => {
                    buffer
                        .slice_mut(start..start + length)?
                        .copy_from_host(&self.stream, &vec![4; length])?;
                }
                (1, Memory::Pinned(pinned)) => {
                    self.stream.synchronize()?;
                    pinned[start..start + length].fill(5);
                }
                _ => self.scribble(index, &within)?,
            }
        }
        Ok(())
    }

    /// Has a kernel write there.
    fn scribble(&self, index: usize, &Bytes { offset, length, pattern }: &Bytes) -> Result<()> {
        let mut start = self.pieces[index].device_ptr()?;
        // SAFETY: the bytes are the piece's or those of its bands, and the piece lives until the stream was synchronised.
        Ok(unsafe {
            launch_scribble(&self.stream, LaunchConfig::new(1, 1), &mut start, offset, length, pattern)
        }?)
    }

    fn correct(mut self) -> Result<()> {
        self.work()?;
        let mut found = self.zones.scan(&self.gpu)?;
        self.work()?;
        self.stream.synchronize()?;
        self.pieces.clear();
        found.extend(self.zones.take_overruns());
        ensure!(found.is_empty() && self.zones.unscanned() == 0, "{found:?}");
        Ok(())
    }

    fn overrun(mut self) -> Result<()> {
        self.work()?;
        let index = self.random.usize(..self.pieces.len());
        let bytes = self.bytes_outside(self.pieces[index].bytes as i64);
        match (self.random.u8(..4), self.pieces[index].kind) {
            (0, MemoryKind::Device | MemoryKind::Managed) => return self.refused(index),
            (0 | 1, MemoryKind::Pinned) => self.copy_out(index, &bytes)?,
            _ => self.scribble(index, &bytes)?,
        }
        self.found(index, &bytes)
    }

    /// Bytes of which at least one lies in a band of a piece of `end` bytes, and all in it or in its bands.
    fn bytes_outside(&mut self, end: i64) -> Bytes {
        loop {
            let offset = self.random.i64(-self.band..end + self.band);
            let most = (end + self.band - offset).min(100);
            let length = self.random.i64(1..=most) as u32;
            let one_side = offset >= 0 || offset + i64::from(length) <= end;
            let bytes = Bytes { offset, length, pattern: self.random.u64(..) };
            if one_side && bytes.seen(end).is_some() {
                return bytes;
            }
        }
    }

    /// Has the device copy bytes to the host, more than the pinned memory holds.
    fn copy_out(&mut self, index: usize, &Bytes { offset, length, pattern }: &Bytes) -> Result<()> {
        let content: Vec<u8> = (0..length as usize).map(|at| pattern.to_le_bytes()[at % 8]).collect();
        let source = self.gpu.upload(&content)?;
        let Memory::Pinned(pinned) = &mut self.pieces[index].memory else { bail!("the piece is pinned") };
        let to = pinned.as_mut_ptr().wrapping_offset(offset as isize);
        // SAFETY: the bytes are the piece's or those of its bands, which live until the stream was synchronised.
        unsafe {
            self.gpu.backend().copy_to_host_async(
                self.stream.handle(),
                to,
                source.device_ptr(),
                content.len(),
            )?;
        };
        Ok(self.stream.synchronize()?)
    }

    /// A copy or a memset that ends behind the memory is refused, with the memory's start and length.
    fn refused(mut self, index: usize) -> Result<()> {
        let (start, bytes) = (self.pieces[index].device_ptr()?, self.pieces[index].bytes);
        let from = self.random.usize(..bytes);
        let length = bytes - from + self.random.usize(1..=self.band as usize);
        let at = start.byte_add(from);
        let refused = match self.random.u8(..4) {
            0 => self.gpu.backend().memset_async(self.stream.handle(), at, Fill::Byte(1), length),
            1 => self.gpu.backend().copy_to_device_on(self.stream.handle(), at, &vec![1; length]),
            2 => self.gpu.backend().copy_to_host(&mut vec![1; length], at),
            _ => {
                let other = self.gpu.zeros::<u8>(length)?;
                self.gpu.backend().copy_within_device(at, other.device_ptr(), length)
            }
        };
        match refused.err().context("bytes behind the memory were copied")? {
            Error::Memory { problem: MemoryProblem::OutOfBounds { start: named, length }, .. }
                if (named, length) == (start, bytes) => {}
            other => bail!("{bytes} bytes at {start}: {other}"),
        }
        ensure!(self.zones.scan(&self.gpu)?.is_empty(), "what was refused was written");
        Ok(())
    }

    /// The tool names the piece, its line and the bytes, when it is asked or when the memory is freed.
    fn found(mut self, index: usize, bytes: &Bytes) -> Result<()> {
        let Piece { kind, line, bytes: length, .. } = self.pieces[index];
        if self.random.bool() {
            self.zones.scan(&self.gpu)?;
        }
        self.pieces.clear();
        let found = self.zones.take_overruns();
        let [overrun] = &found[..] else { bail!("{} overruns: {found:?}", found.len()) };
        let (side, first, last, held) = bytes.seen(length as i64).context("it is seen")?;
        ensure!(
            (overrun.allocation, overrun.memory, overrun.bytes) == (index as u64 + 1, kind, length)
                && (overrun.location.file(), overrun.location.line()) == (file!(), line)
                && (overrun.side, overrun.first, overrun.last, &overrun.found[..])
                    == (side, first, last, &held[..]),
            "piece {index} of {kind:?} from line {line}, {side:?}, {first} to {last}, {held:x?}; but {overrun}"
        );
        Ok(())
    }
}

impl Bytes {
    /// What can be seen of it in a band of a piece of `end` bytes: the side, the first and the last byte that change it, and at most
    /// sixteen bytes from there on.
    fn seen(&self, end: i64) -> Option<(Side, i64, i64, Vec<u8>)> {
        let byte = |at: i64| self.pattern.to_le_bytes()[(at - self.offset) as usize % 8];
        let written = self.offset..self.offset + i64::from(self.length);
        let outside = |at: &i64| (*at < 0 || *at >= end) && byte(*at) != UNTOUCHED;
        let (first, last) = (written.clone().find(outside)?, written.rev().find(outside)?);
        let side = if first < 0 { Side::Before } else { Side::After };
        Some((side, first, last, (first..=last).take(16).map(byte).collect()))
    }
}

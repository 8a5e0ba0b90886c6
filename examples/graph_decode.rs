//! A decode loop captured once and replayed: each step is one launch of a graph of fourteen kernels, with a new token and
//! position, and is checked against plain Rust in double precision.
//!
//! The model is a layer of attention over the last `WINDOW` tokens, with random weights. A token's keys and values replace
//! those of the token that leaves the window, so that each step attends to as many as the one before and the graph stays
//! what it was; what changes from step to step lies in device memory.

// Sizes are small, and double precision is rounded where it is compared.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]

use anyhow::ensure;
use warpcall::{Buffer, Gpu, LaunchConfig, Stream, div_ceil};
use warpcall_examples::{largest_difference, random};
use warpcall_kernels::argmax::launch_argmax;
use warpcall_kernels::attention::launch_attention_decode;
use warpcall_kernels::embedding::launch_embedding;
use warpcall_kernels::gemv::launch_gemv;
use warpcall_kernels::kv_cache::launch_kv_append;
use warpcall_kernels::norm::launch_rms_norm;
use warpcall_kernels::rope::{RopeParams, launch_rope};
use warpcall_kernels::saxpy::launch_saxpy;

const VOCABULARY: u32 = 1000;
const HEADS: u32 = 4;
const KV_HEADS: u32 = 2;
const HEAD_DIM: u32 = 32;
const HIDDEN: u32 = HEADS * HEAD_DIM;
const KV: u32 = KV_HEADS * HEAD_DIM;
const WINDOW: u32 = 24;
const EPS: f32 = 1e-6;
const THETA: f32 = 10_000.0;
const STEPS: u32 = 60;

/// The weights as the host holds them. Matrices are row-major, one row an output.
struct Weights {
    table: Vec<f32>,
    norm: Vec<f32>,
    query: Vec<f32>,
    key: Vec<f32>,
    value: Vec<f32>,
    output: Vec<f32>,
    unembed: Vec<f32>,
}

impl Weights {
    fn random() -> Self {
        let matrix = |seed, rows: u32, columns: u32| -> Vec<f32> {
            let scale = 1.5 / (columns as f32).sqrt();
            random(seed, (rows * columns) as usize).into_iter().map(|x| x * scale).collect()
        };
        Self {
            table: random(21, (VOCABULARY * HIDDEN) as usize),
            norm: random(22, HIDDEN as usize),
            query: matrix(23, HIDDEN, HIDDEN),
            key: matrix(24, KV, HIDDEN),
            value: matrix(25, KV, HIDDEN),
            output: matrix(26, HIDDEN, HIDDEN),
            unembed: matrix(27, VOCABULARY, HIDDEN),
        }
    }
}

/// The model on the device, with the inputs and the results of a step.
struct Model {
    // In the order of `Weights`.
    weights: [Buffer<f32>; 7],
    keys: Buffer<f32>,
    values: Buffer<f32>,
    // The inputs of a step: the token, its position in the text, and its place in the window.
    token: Buffer<u32>,
    position: Buffer<u32>,
    place: Buffer<u32>,
    // The results.
    logits: Buffer<f32>,
    next: Buffer<u32>,
    // What a step works in.
    hidden: Buffer<f32>,
    normed: Buffer<f32>,
    query: Buffer<f32>,
    key: Buffer<f32>,
    value: Buffer<f32>,
    attended: Buffer<f32>,
    projected: Buffer<f32>,
}

impl Model {
    fn new(gpu: &Gpu, weights: &Weights, cache: [&[f32]; 2]) -> warpcall::Result<Self> {
        let Weights { table, norm, query, key, value, output, unembed } = weights;
        let upload = |weights: &Vec<f32>| gpu.upload(weights);
        Ok(Self {
            weights: [
                upload(table)?,
                upload(norm)?,
                upload(query)?,
                upload(key)?,
                upload(value)?,
                upload(output)?,
                upload(unembed)?,
            ],
            keys: gpu.upload(cache[0])?,
            values: gpu.upload(cache[1])?,
            token: gpu.zeros(1)?,
            position: gpu.zeros(1)?,
            place: gpu.zeros(1)?,
            logits: gpu.zeros(VOCABULARY as usize)?,
            next: gpu.zeros(1)?,
            hidden: gpu.zeros(HIDDEN as usize)?,
            normed: gpu.zeros(HIDDEN as usize)?,
            query: gpu.zeros(HIDDEN as usize)?,
            key: gpu.zeros(KV as usize)?,
            value: gpu.zeros(KV as usize)?,
            attended: gpu.zeros(HIDDEN as usize)?,
            projected: gpu.zeros(HIDDEN as usize)?,
        })
    }

    /// Enqueues one step: from the token to the logits of the next and the best of them.
    fn step(&mut self, stream: &Stream) -> warpcall::Result<()> {
        let [table, norm, query, key, value, output, unembed] = &self.weights;
        let one = LaunchConfig::new(1, 128);
        let rows = |rows| LaunchConfig::new(div_ceil(rows, 4), 128);
        let heads = |head_count| RopeParams {
            head_count,
            head_dim: HEAD_DIM,
            rotary_dim: HEAD_DIM,
            token_stride: (head_count * HEAD_DIM) as usize,
            theta_base: THETA,
            position_scale: 1.0,
            interleaved: false,
        };
        let scale = 1.0 / (HEAD_DIM as f32).sqrt();
        // SAFETY: each buffer was made with the size that its kernel takes, above.
        unsafe {
            launch_embedding(stream, one, &mut self.hidden, table, &self.token, HIDDEN, VOCABULARY)?;
            launch_rms_norm(stream, one, &mut self.normed, &self.hidden, norm, HIDDEN, EPS)?;
            launch_gemv(stream, rows(HIDDEN), &mut self.query, query, &self.normed, HIDDEN, HIDDEN)?;
            launch_gemv(stream, rows(KV), &mut self.key, key, &self.normed, KV, HIDDEN)?;
            launch_gemv(stream, rows(KV), &mut self.value, value, &self.normed, KV, HIDDEN)?;
            launch_rope(stream, one, &mut self.query, &self.position, heads(HEADS))?;
            launch_rope(stream, one, &mut self.key, &self.position, heads(KV_HEADS))?;
            launch_kv_append(
                stream,
                one,
                &mut self.keys,
                &mut self.values,
                &self.key,
                &self.value,
                &self.place,
                KV_HEADS,
                HEAD_DIM,
                WINDOW,
            )?;
            launch_attention_decode(
                stream,
                LaunchConfig::new(HEADS, 128),
                &mut self.attended,
                &self.query,
                &self.keys,
                &self.values,
                HEADS,
                KV_HEADS,
                HEAD_DIM,
                WINDOW,
                WINDOW,
                scale,
            )?;
            launch_gemv(stream, rows(HIDDEN), &mut self.projected, output, &self.attended, HIDDEN, HIDDEN)?;
            launch_saxpy(stream, one, &mut self.hidden, &self.projected, 1.0, HIDDEN)?;
            launch_rms_norm(stream, one, &mut self.normed, &self.hidden, norm, HIDDEN, EPS)?;
            launch_gemv(
                stream,
                rows(VOCABULARY),
                &mut self.logits,
                unembed,
                &self.normed,
                VOCABULARY,
                HIDDEN,
            )?;
            launch_argmax(stream, one, &mut self.next, &self.logits, VOCABULARY)
        }
    }
}

/// The same model in plain Rust and double precision.
struct Expected<'a> {
    weights: &'a Weights,
    keys: Vec<f64>,
    values: Vec<f64>,
}

impl Expected<'_> {
    fn logits(&mut self, token: u32, position: u32) -> Vec<f32> {
        let (dim, window) = (HEAD_DIM as usize, WINDOW as usize);
        let row = &self.weights.table[(token * HIDDEN) as usize..][..HIDDEN as usize];
        let mut hidden: Vec<f64> = row.iter().map(|x| f64::from(*x)).collect();
        let normed = self.normed(&hidden);
        let mut query = product(&self.weights.query, &normed);
        let mut key = product(&self.weights.key, &normed);
        let value = product(&self.weights.value, &normed);
        rotate(&mut query, position);
        rotate(&mut key, position);
        let place = (position % WINDOW) as usize;
        for head in 0..KV_HEADS as usize {
            let at = (head * window + place) * dim;
            self.keys[at..][..dim].copy_from_slice(&key[head * dim..][..dim]);
            self.values[at..][..dim].copy_from_slice(&value[head * dim..][..dim]);
        }
        let mut attended = Vec::new();
        for (head, query) in query.chunks(dim).enumerate() {
            let cache = head / (HEADS / KV_HEADS) as usize * window * dim;
            let scores: Vec<f64> = self.keys[cache..][..window * dim]
                .chunks(dim)
                .map(|key| {
                    key.iter().zip(query).map(|(k, q)| k * q).sum::<f64>() / f64::from(HEAD_DIM).sqrt()
                })
                .map(f64::exp)
                .collect();
            let sum: f64 = scores.iter().sum();
            attended.extend((0..dim).map(|element| {
                let values = scores.iter().enumerate();
                values.map(|(at, score)| score * self.values[cache + at * dim + element]).sum::<f64>() / sum
            }));
        }
        for (hidden, x) in hidden.iter_mut().zip(product(&self.weights.output, &attended)) {
            *hidden += x;
        }
        product(&self.weights.unembed, &self.normed(&hidden)).iter().map(|x| *x as f32).collect()
    }

    fn normed(&self, hidden: &[f64]) -> Vec<f64> {
        let mean_square = hidden.iter().map(|x| x * x).sum::<f64>() / f64::from(HIDDEN);
        let factor = 1.0 / (mean_square + f64::from(EPS)).sqrt();
        hidden.iter().zip(&self.weights.norm).map(|(x, weight)| x * factor * f64::from(*weight)).collect()
    }
}

fn product(matrix: &[f32], vector: &[f64]) -> Vec<f64> {
    let rows = matrix.chunks(vector.len());
    rows.map(|row| row.iter().zip(vector).map(|(weight, x)| f64::from(*weight) * x).sum()).collect()
}

/// Turns each pair of elements of each head, half a head apart.
fn rotate(heads: &mut [f64], position: u32) {
    let half = HEAD_DIM as usize / 2;
    for head in heads.chunks_mut(HEAD_DIM as usize) {
        for pair in 0..half {
            let angle = f64::from(position) * f64::from(THETA).powf(-(pair as f64) / half as f64);
            let (sine, cosine) = angle.sin_cos();
            let (x, y) = (head[pair], head[pair + half]);
            head[pair] = x * cosine - y * sine;
            head[pair + half] = x * sine + y * cosine;
        }
    }
}

fn main() -> anyhow::Result<()> {
    let gpu = Gpu::open()?;
    println!("device:  {} ({})", gpu.properties().name, gpu.kind());
    let stream = gpu.create_stream()?;

    let weights = Weights::random();
    // A window full of what came before.
    let [keys, values] = [31, 32].map(|seed| random(seed, (KV * WINDOW) as usize));
    let mut model = Model::new(&gpu, &weights, [&keys, &values])?;
    let widened = |elements: &[f32]| elements.iter().map(|x| f64::from(*x)).collect();
    let mut expected = Expected { weights: &weights, keys: widened(&keys), values: widened(&values) };

    let graph = stream.capture(|stream| model.step(stream))?;
    let captured = model.logits.to_vec(&stream)?;
    ensure!(captured.iter().all(|logit| *logit == 0.0), "capturing must not execute anything");

    let (mut token, mut largest, mut tokens) = (1, 0.0_f32, Vec::new());
    for position in WINDOW..WINDOW + STEPS {
        model.token.copy_from_host(&stream, &[token])?;
        model.position.copy_from_host(&stream, &[position])?;
        model.place.copy_from_host(&stream, &[position % WINDOW])?;
        // SAFETY: the model, whose buffers were captured, lives until the end.
        unsafe { graph.launch(&stream)? };

        let logits = model.logits.to_vec(&stream)?;
        let difference = largest_difference(&logits, &expected.logits(token, position))?;
        ensure!(difference < 1e-3, "position {position}: {difference:e} is more than rounding explains");
        largest = largest.max(difference);
        token = model.next.to_vec(&stream)?[0];
        let best = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        ensure!(logits.get(token as usize) == Some(&best), "token {token} is not the most likely one");
        tokens.push(token);
    }
    tokens.dedup();
    ensure!(tokens.len() > 10, "the same token over and over: the graph does not see its new inputs");
    println!("result:  {STEPS} replays of one graph, the last tokens {:?}", &tokens[tokens.len() - 5..]);
    println!("largest difference to double precision: {largest:e}");
    Ok(())
}

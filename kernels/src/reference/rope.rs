//! Rotary position embedding, in place.

use warpcall::HostLaunch;

use super::Element;

/// How the heads lie in memory and how fast they turn; the struct that the `rope` kernels take by
/// value.
///
/// 40 bytes: four of padding before `token_stride`, seven after `interleaved`.
#[repr(C)]
#[derive(Clone, Copy, Debug, warpcall::KernelParam)]
pub struct RopeParams {
    /// Heads of one token.
    pub head_count: u32,
    /// Elements of one head.
    pub head_dim: u32,
    /// How many leading elements of a head turn; even, at most `head_dim`.
    pub rotary_dim: u32,
    /// Elements from one token to the next, at least `head_count * head_dim`.
    pub token_stride: usize,
    /// The base of the frequencies, 10000 in the original.
    pub theta_base: f32,
    /// What a position is multiplied by before it turns a pair; 1 for none.
    pub position_scale: f32,
    /// Whether a pair is two neighbours, or an element and the one half a `rotary_dim` further.
    pub interleaved: bool,
}

/// Turns every pair of elements of every head by
/// `position * theta_base^(-2 * pair / rotary_dim)`, in place, for `grid.x` tokens. Elements past
/// `rotary_dim` stay as they are.
///
/// `data` is `[tokens, head_count, head_dim]` with `token_stride` elements from one token to the
/// next, `positions` is `[tokens]`.
pub fn rope<T: Element>(launch: &HostLaunch<'_>, data: &mut [T], positions: &[u32], params: RopeParams) {
    let half_dim = (params.rotary_dim / 2) as usize;
    for (index, &position) in positions[..launch.grid().x as usize].iter().enumerate() {
        let position = position as f32 * params.position_scale;
        for head in 0..params.head_count as usize {
            let start = index * params.token_stride + head * params.head_dim as usize;
            for pair in 0..half_dim {
                let exponent = (2 * pair) as f32 / params.rotary_dim as f32;
                let (sine, cosine) = (position * params.theta_base.powf(-exponent)).sin_cos();
                let (first, second) = if params.interleaved {
                    (start + 2 * pair, start + 2 * pair + 1)
                } else {
                    (start + pair, start + pair + half_dim)
                };
                let (x, y) = (data[first].to_f32(), data[second].to_f32());
                data[first] = T::from_f32(x * cosine - y * sine);
                data[second] = T::from_f32(x * sine + y * cosine);
            }
        }
    }
}

//! A kernel without parameters, and one with as many as the largest known has.
#![deny(warnings, clippy::all, clippy::pedantic)]

#[warpcall::kernel(module = "counts")]
pub unsafe fn none();

#[rustfmt::skip]
#[warpcall::kernel(module = "counts")]
unsafe extern "C" {
    pub unsafe fn many(
        p00: *mut f32, p01: *const f32, p02: u32, p03: f32, p04: i64, p05: *const u8, p06: f64, p07: bool,
        p08: *mut f32, p09: *const f32, p10: u32, p11: f32, p12: i64, p13: *const u8, p14: f64, p15: bool,
        p16: *mut f32, p17: *const f32, p18: u32, p19: f32, p20: i64, p21: *const u8, p22: f64, p23: bool,
        p24: *mut f32, p25: *const f32, p26: u32, p27: f32, p28: i64, p29: *const u8, p30: f64, p31: bool,
        p32: *mut f32, p33: *const f32, p34: u32, p35: f32, p36: i64, p37: *const u8, p38: f64, p39: bool,
        p40: *mut f32, p41: *const f32, p42: u32, p43: f32, p44: i64, p45: *const u8, p46: f64,
    );
}

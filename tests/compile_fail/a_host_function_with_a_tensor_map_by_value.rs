use warpcall::{TensorMap, kernel};

fn reference(_y: &mut [f32], _map: TensorMap) {}

#[kernel(module = "m")]
unsafe extern "C" {
    #[host(reference)]
    pub unsafe fn k(y: *mut f32, map: TensorMap);
}

fn main() {}

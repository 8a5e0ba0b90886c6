//! What a reader takes of memory stays in proportion to its input, however the input is made.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use warpcall_signature::source::{Limits, SourceReader};
use warpcall_signature::{cubin, ptx};

/// Bytes that a reader may take for each byte of its input.
const BYTES_A_BYTE: usize = 100;
/// What it may take whatever the input is.
const CONSTANT: usize = 1 << 20;

struct Counting;

static TAKEN: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all memory comes from the system's allocator and goes back there; what is added only counts.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let taken = TAKEN.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST.fetch_max(taken, Relaxed);
        // SAFETY: the caller keeps the contract of this method, which is that of the allocator behind it.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        TAKEN.fetch_sub(layout.size(), Relaxed);
        let taken = TAKEN.fetch_add(size, Relaxed) + size;
        MOST.fetch_max(taken, Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn within<T>(what: &str, input: usize, more: usize, read: impl FnOnce() -> T) -> T {
    let before = TAKEN.load(Relaxed);
    MOST.store(before, Relaxed);
    let result = read();
    let (taken, allowed) = (MOST.load(Relaxed) - before, BYTES_A_BYTE * input + CONSTANT + more);
    println!("{what}: {taken} bytes for {input}, {} a byte", taken / input);
    assert!(taken <= allowed, "{what}: {taken} bytes for an input of {input}; {allowed} are allowed");
    result
}

fn ptx_of(what: &str, entries: &str) -> usize {
    let text = format!(".version 8.0\n.target sm_90\n.address_size 64\n{entries}");
    let module = within(what, text.len(), 0, || ptx::read(text.as_bytes()));
    module.expect("it can be read").kernels.len()
}

/// A mangled name that becomes longer with each pair: each names the one before twice.
fn doubling(pairs: u8) -> String {
    let mut symbol = String::from("_Z1kSt4pairIiiE");
    for i in 0..pairs {
        let earlier = if i == 0 { "S0_".to_owned() } else { format!("S{}_", char::from(b'A' + i % 26)) };
        write!(symbol, "St4pairI{earlier}{earlier}E").expect("a string takes all");
    }
    symbol
}

/// A cubin with as many kernels as sections fit, each called what follows in the name of the one before.
fn overlapping_names(count: usize) -> Vec<u8> {
    let number = |value: usize, bytes: usize| value.to_le_bytes()[..bytes].to_vec();
    let prefix = b".nv.info.".repeat(count);
    // Each section's name ends where all end, so that it is the symbol behind the prefix.
    let names = [&prefix[..], b"k\0"].concat();
    let strings_at = 64;
    let symbols_at = strings_at + names.len();
    let sections_at = symbols_at + 24 * (count + 1);
    let section = |name: usize, kind: usize, at: usize, size: usize, link: usize, entry: usize| {
        let head = [number(name, 4), number(kind, 4), vec![0; 16], number(at, 8), number(size, 8)].concat();
        [head, number(link, 4), vec![0; 4], number(1, 8), number(entry, 8)].concat()
    };
    let mut file = b"\x7fELF\x02\x01\x01\x33\x07".to_vec();
    file.extend([vec![0; 7], number(2, 2), number(190, 2), number(130, 4), vec![0; 16]].concat());
    file.extend([number(sections_at, 8), number(0x5a_055a, 4)].concat());
    for field in [64, 56, 0, 64, count + 3, 1] {
        file.extend(number(field, 2));
    }
    file.extend(&names);
    file.extend([0; 24]);
    for index in 0..count {
        file.extend([number(9 * (index + 1), 4), vec![0x12, 0x10], number(1, 2), vec![0; 16]].concat());
    }
    file.extend(section(0, 0, 0, 0, 0, 0));
    file.extend(section(0, 3, strings_at, names.len(), 0, 0));
    file.extend(section(0, 2, symbols_at, 24 * (count + 1), 1, 24));
    for index in 0..count {
        file.extend(section(9 * index, 0x7000_0000, 64, 0, 2, 0));
    }
    file
}

/// One test alone, so that nothing else takes memory beside it.
#[test]
fn memory_stays_in_proportion_to_the_input() {
    assert_eq!(ptx_of("entries", &".entry a;".repeat(50_000)), 50_000);
    assert_eq!(ptx_of("entries with a body", &".entry a(){}".repeat(50_000)), 50_000);
    let parameters = vec![".param .u8 a"; 30_000].join(",");
    assert_eq!(ptx_of("parameters", &format!(".entry a({parameters}) {{}}")), 1);
    let bombs = format!(".entry {}(.param .u8 a);", doubling(40)).repeat(500);
    assert_eq!(ptx_of("symbols that double", &bombs), 500);
    let pointers = format!(".entry _Z1k{}i(.param .u64 a);", "P".repeat(100)).repeat(500);
    assert_eq!(ptx_of("pointers to pointers", &pointers), 500);

    let file = overlapping_names(2_000);
    let error = within("names inside names", file.len(), 0, || cubin::read(&file)).expect_err("refused");
    assert!(error.to_string().contains("longer than the file"), "{error}");

    let limits = Limits { tokens: 20_000, depth: 100 };
    let source = |what: &str, text: &str| {
        let read = || SourceReader::new().limits(limits).read_text("t.cu", text);
        let _ = within(what, text.len(), 100 * limits.tokens, read);
    };
    source("kernels", &"__global__ void k(){}".repeat(2_000));
    source(
        "overloads",
        &(0..1_000).map(|n| format!("__global__ void k{n}(int a);")).collect::<Vec<_>>().concat(),
    );
    source("kernels of macros", &format!("#define G __global__ void k(int);\n{}", "G ".repeat(2_000)));
    source(
        "a bomb",
        &(0..40).fold(
            "#define A0 x\n".to_owned(),
            |text, n| { format!("{text}#define A{} A{n} A{n}\n", n + 1) } + "A40",
        ),
    );
    source(
        "structs inside structs",
        &(0..200).fold("struct S0 { int a; };".to_owned(), |text, n| {
            format!("{text}struct S{} {{ S{n} a, b; }};", n + 1)
        }),
    );
    source("comments", &"/**/".repeat(20_000));
    source("pointers", &format!("__global__ void k(int {}p);", "*".repeat(15_000)));
    source(
        "templates",
        &(0..500).fold("template <class T> struct A { T a; };".to_owned(), |text, n| {
            format!("{text}__global__ void k(A<A<A<int[{n}]>>> a);")
        }),
    );
}

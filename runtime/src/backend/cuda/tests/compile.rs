//! What needs NVRTC says so where it is not there, and fails with `WARPCALL_REQUIRE_CUDA=1`.

use std::io::Write as _;

use super::*;
use crate::backend::cuda::image::kernel_names;

const SOURCE: &str =
    "extern \"C\" __global__ void scale(float* x, float by, int n) {\n    if (n > 0) x[0] *= by;\n}\n";

/// The outcome where NVRTC is there; where it is not, checks that the error says so.
fn compiled(
    settings: &NvrtcSettings,
    source: &CudaSource,
    names: &[&str],
) -> Option<Result<CompiledSource, CompileError>> {
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let outcome = compile(settings, "scale.cu", source, 90, &names);
    match &outcome {
        Err(error) if error.problem.contains("cannot be loaded") => {
            assert!(error.problem.contains("WARPCALL_NVRTC") && !error.log.is_empty(), "{error:?}");
            let required = std::env::var_os("WARPCALL_REQUIRE_CUDA").is_some_and(|value| value == "1");
            assert!(!required, "WARPCALL_REQUIRE_CUDA is 1, but {error:?}");
            let test = std::thread::current();
            let line = format!("NOT RUN | {} | NVRTC cannot be loaded\n", test.name().unwrap_or("a test"));
            // Not `print!`, which the test harness swallows.
            let _ = std::io::stdout().write_all(line.as_bytes());
            None
        }
        _ => Some(outcome),
    }
}

fn plain(source: &CudaSource) -> Option<Result<CompiledSource, CompileError>> {
    compiled(&NvrtcSettings::default(), source, &[])
}

/// A kernel that writes `VALUE`, which it does not define.
fn of_value(head: &str) -> CudaSource {
    CudaSource::new(format!("{head}extern \"C\" __global__ void set(int* x) {{ x[0] = VALUE; }}\n"))
}

/// Whether the code that was made writes this number.
fn writes(compiled: &CompiledSource, value: u32) -> bool {
    let ptx = compiled.ptx.as_deref().unwrap_or(&compiled.image);
    String::from_utf8_lossy(ptx).contains(&format!(", {value};"))
}

#[test]
fn a_source_becomes_a_cubin_and_its_ptx() {
    let Some(outcome) = plain(&SOURCE.into()) else { return };
    let compiled = outcome.expect("valid CUDA");
    assert_eq!(compiled.architecture, "sm_90");
    assert_eq!(ImageFormat::detect(&compiled.image), Some(ImageFormat::Cubin));
    assert_eq!(compiled.format, ImageFormat::Cubin);
    assert_eq!(kernel_names(&compiled.image), ["scale"]);
    let ptx = compiled.ptx.expect("PTX is made on the way");
    assert_eq!(ImageFormat::detect(&ptx), Some(ImageFormat::Ptx));
}

#[test]
fn an_error_in_the_source_is_shown_with_its_line() {
    let source = CudaSource::new(SOURCE.replace("*= by", "*= missing")).define("A=1").define("B=2");
    let Some(outcome) = plain(&source) else { return };
    let error = outcome.expect_err("`missing` is not declared");
    assert!(error.problem.contains("line 2: `if (n > 0) x[0] *= missing;`"), "{}", error.problem);
    assert!(error.log.contains("missing"), "{}", error.log);
}

#[test]
fn an_error_in_a_header_is_shown_with_the_headers_line() {
    let source = of_value("#include \"value.cuh\"\n").header("value.cuh", "\n\nmissing value;\n");
    let Some(outcome) = plain(&source) else { return };
    let error = outcome.expect_err("`missing` is not declared");
    assert!(error.problem.contains("line 3 of value.cuh: `missing value;`"), "{}", error.problem);
}

#[test]
fn headers_are_found_by_the_name_that_includes_them() {
    let source = of_value("#include \"dir/outer.cuh\"\n#include <angled/value.h>\n")
        .header("dir/outer.cuh", "#include \"../inner.cuh\"\n#define VALUE INNER + ANGLED\n")
        // A comment in Latin-1.
        .header("../inner.cuh", *b"// \xe9t\xe9\n#define INNER 4000\n")
        .header("angled/value.h", "#define ANGLED 21\n");
    let Some(outcome) = plain(&source) else { return };
    assert!(writes(&outcome.expect("all headers are there"), 4021));
}

#[test]
fn a_header_that_is_missing_is_named_with_what_to_do() {
    let Some(outcome) = plain(&of_value("#include <nowhere/value.h>\n")) else { return };
    let problem = outcome.expect_err("there is no such header").problem;
    assert!(problem.contains("line 1: `#include <nowhere/value.h>`"), "{problem}");
    assert!(
        problem.contains("the folder of `nowhere/value.h`") && problem.contains("include_dir"),
        "{problem}"
    );
}

#[test]
fn macros_are_defined_as_they_are_written() {
    let source = of_value("").define("VALUE=SUM(4000, 21)").define("SUM(a, b)=(a) + (b)").define("UNUSED");
    let Some(outcome) = plain(&source) else { return };
    assert!(writes(&outcome.expect("the macros are defined"), 4021));
}

#[test]
fn what_a_source_defines_comes_after_what_the_backend_defines() {
    let settings =
        NvrtcSettings { options: vec!["--define-macro=VALUE=1111".into()], ..NvrtcSettings::default() };
    let Some(outcome) = compiled(&settings, &of_value("").define("VALUE=4021"), &[]) else { return };
    assert!(writes(&outcome.expect("the macro is defined"), 4021));
}

#[cfg(unix)]
#[test]
fn a_folder_whose_name_is_not_unicode_is_searched() {
    use std::os::unix::ffi::OsStrExt as _;

    let name = [b"warpcall-\xe9-".as_slice(), std::process::id().to_string().as_bytes()].concat();
    let folder = std::env::temp_dir().join(OsStr::from_bytes(&name));
    // Not every file system has such names.
    if std::fs::create_dir_all(&folder).is_ok() {
        std::fs::write(folder.join("value.cuh"), "#define VALUE 4021\n").expect("a file");
        let outcome = plain(&of_value("#include \"value.cuh\"\n").include_dir(&folder));
        std::fs::remove_dir_all(&folder).expect("the folder goes");
        let Some(outcome) = outcome else { return };
        assert!(writes(&outcome.expect("the header is found"), 4021));
    }
}

#[test]
fn an_architecture_of_the_callers_own_is_the_one() {
    for (options, expected) in [
        (&["-arch=sm_80"][..], "sm_80"),
        (&["--gpu-architecture", "compute_80"], "compute_80"),
        (&["-arch", "sm_80", "--gpu-architecture=sm_90a"], "sm_90a"),
    ] {
        let options = options.iter().map(ToString::to_string).collect();
        let settings = NvrtcSettings { options, ..NvrtcSettings::default() };
        let Some(outcome) = compiled(&settings, &SOURCE.into(), &[]) else { return };
        let compiled = outcome.expect("NVRTC knows the architecture");
        assert_eq!(compiled.architecture, expected);
        let ptx = String::from_utf8(compiled.ptx.unwrap_or(compiled.image)).expect("text");
        let target = format!(".target {}", expected.replace("compute", "sm"));
        assert!(ptx.lines().any(|line| line == target), "{expected}: {ptx}");
        assert_eq!(compiled.format == ImageFormat::Cubin, expected.starts_with("sm_"));
    }
}

fn texts(settings: &NvrtcSettings, source: &CudaSource, target: Option<&str>) -> Vec<String> {
    let options = options(target, settings, source).expect("no zero bytes");
    options.iter().map(|option| option.to_str().expect("text").to_owned()).collect()
}

#[test]
fn the_options_stand_in_the_order_of_their_weight() {
    let settings = NvrtcSettings {
        include_dirs: vec!["/all".into()],
        options: vec!["-DA=1".into()],
        ..NvrtcSettings::default()
    };
    let source = CudaSource::new("").include_dir("/own").define("A=2").compiler_option("--fmad=false");
    assert_eq!(
        texts(&settings, &source, Some("sm_90")),
        [
            "--gpu-architecture=sm_90",
            "--include-path=/own",
            "--include-path=/all",
            "-DA=1",
            "--define-macro=A=2",
            "--fmad=false"
        ]
    );
    assert_eq!(texts(&NvrtcSettings::default(), &CudaSource::new(""), None), Vec::<String>::new());
}

#[test]
fn every_spelling_of_an_architecture_is_understood() {
    for (options, expected) in [
        (&[][..], None),
        (&["--std=c++20", "-archive"], None),
        (&["-arch=sm_90a"], Some("sm_90a")),
        (&["--gpu-architecture=compute_90a"], Some("compute_90a")),
        (&["-arch", "sm_80", "-DX"], Some("sm_80")),
        (&["--gpu-architecture", "sm_80"], Some("sm_80")),
        (&["-arch=sm_80", "-arch", "sm_90"], Some("sm_90")),
    ] {
        let options: Vec<String> = options.iter().map(ToString::to_string).collect();
        assert_eq!(own_architecture(options.iter()), expected, "{options:?}");
    }
}

#[test]
fn what_holds_a_zero_byte_is_refused_by_name() {
    let settings = NvrtcSettings::default();
    let error = options(None, &settings, &CudaSource::new("").define("A=\0")).expect_err("a zero byte");
    assert!(error.problem.contains("--define-macro=A=\\0"), "{error:?}");
    for (source, name) in [
        (CudaSource::new("a\0b"), "the source"),
        (CudaSource::new("").header("a.h", "\0"), "the header `a.h`"),
        (CudaSource::new("").header("a\0.h", ""), "the name of a header"),
    ] {
        let Some(outcome) = plain(&source) else { return };
        let error = outcome.expect_err("a zero byte");
        assert_eq!(error.problem, format!("{name} holds a zero byte"));
    }
}

const TEMPLATES: &str =
    "template <typename T, int V = 4> __global__ void scale(T* x, T by) { x[0] *= by * V; }
namespace fft { __global__ void plain(int* x) { *x = 1; } }
enum class Mode { Slow, Fast };
template <Mode M> __global__ void run(int* x) { *x = (int)M; }
";

#[test]
fn the_instances_that_are_asked_for_are_compiled() {
    let names = ["scale<float>", "scale<double, 2>", "fft::plain", "run<Mode::Fast>"];
    let Some(outcome) = compiled(&NvrtcSettings::default(), &TEMPLATES.into(), &names) else { return };
    let compiled = outcome.expect("valid CUDA");
    let symbols: Vec<&str> = compiled.symbols.iter().map(|(_, symbol)| symbol.as_str()).collect();
    let expected =
        ["_Z5scaleIfLi4EEvPT_S0_", "_Z5scaleIdLi2EEvPT_S0_", "_ZN3fft5plainEPi", "_Z3runIL4Mode1EEvPi"];
    assert_eq!(symbols, expected);
    assert!(compiled.symbols.iter().map(|(name, _)| name.as_str()).eq(names));
    let mut compiled = kernel_names(&compiled.image);
    compiled.sort_unstable();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(compiled, expected);
}

#[test]
fn a_name_that_means_nothing_is_shown_with_the_reason() {
    let Some(outcome) =
        compiled(&NvrtcSettings::default(), &TEMPLATES.into(), &["scale<float>", "scale<Nope>"])
    else {
        return;
    };
    let problem = outcome.expect_err("`Nope` is not declared").problem;
    assert!(
        problem.ends_with(
            "; `scale<Nope>`, which a declaration names, is no kernel of it: identifier \"Nope\" is undefined"
        ),
        "{problem}"
    );
}

#[test]
fn a_wrong_name_is_found_in_a_log() {
    let log = "__nv_name_map(2): error: identifier \"nope\" is undefined\n  #pragma nv_mangled_name nope<float>\n\n\
               __nv_name_map(2): error: Error in parsing name expression for lowered name lookup. Input name \
               expression was: \" nope < float >\"\n";
    let expected =
        "; `nope<float>`, which a declaration names, is no kernel of it: identifier \"nope\" is undefined";
    assert_eq!(wrong_name(log, &["nope<float>".into()]).as_deref(), Some(expected));
    assert_eq!(wrong_name("scale.cu(2): error: expected a \";\"\n", &[]), None);
}

#[test]
fn the_first_error_of_a_log_is_found() {
    let source = CudaSource::new("a\n  b;\n").header("c.h", "\n  d;\n");
    let first = |log: &str| first_error(log, "scale.cu", &source);
    let log = "scale.cu(1): warning #1: something\nscale.cu(2): error: identifier \"y\" is undefined\n";
    assert_eq!(first(log).as_deref(), Some("line 2: `b;`"));
    assert_eq!(first("c.h(2): error: no\nscale.cu(1): error: no\n").as_deref(), Some("line 2 of c.h: `d;`"));
    assert_eq!(first("/usr/x(1).h(7): error: no\n").as_deref(), Some("line 7 of /usr/x(1).h"));
    let log = "scale.cu(1): catastrophic error: cannot open source file \"x.h\"\n";
    assert_eq!(first(log).as_deref(), Some("line 1: `a`"));
    assert_eq!(missing_header(log), Some("x.h"));
    for log in ["nvrtc: error: invalid value\n", "): error"] {
        assert_eq!(first(log), None, "{log}");
        assert_eq!(missing_header(log), None, "{log}");
    }
}

#[test]
fn a_library_that_is_not_there_is_an_error_that_says_what_to_do() {
    let settings = NvrtcSettings { library: Some("/nowhere/libnvrtc.so".into()), ..NvrtcSettings::default() };
    let error = compile(&settings, "scale.cu", &SOURCE.into(), 90, &[]).expect_err("there is no such file");
    assert!(error.problem.contains("NVRTC") && error.log.contains("/nowhere"), "{error:?}");
}

#[test]
fn a_line_that_a_log_names_is_shown_where_it_is_there_and_in_part_where_it_is_long() {
    let long = format!("float {} = x;", "y".repeat(100_000));
    let source = CudaSource::new(format!("int a;\n  {long}\n"));
    let place = |number| {
        let log = format!("m.cu({number}): error: identifier \"x\" is undefined\n");
        first_error(&log, "m.cu", &source).expect("the log names it")
    };
    assert_eq!(place(1), "line 1: `int a;`");
    assert_eq!(place(2), format!("line 2: `{} …`", &long[..200]));
    for beyond in [0, 3, 4000] {
        assert_eq!(place(beyond), format!("line {beyond} of m.cu"));
    }
    assert_eq!(excerpt(&"é".repeat(201)), format!("{} …", "é".repeat(200)));
    assert_eq!(excerpt(&"é".repeat(200)), "é".repeat(200));
}

#[test]
fn a_header_that_is_given_twice_is_one_and_two_of_one_name_are_refused_by_it() {
    let source = CudaSource::new("").header("a.cuh", "int a;").header("b.cuh", "").header("a.cuh", "int a;");
    let names: Vec<&str> =
        distinct(&source.headers).expect("no two").iter().map(|header| &*header.name).collect();
    assert_eq!(names, ["a.cuh", "b.cuh"]);
    let other = source.header("b.cuh", "int b;");
    assert!(distinct(&other.headers).expect_err("two of one name").problem.contains("`b.cuh`"));
    if let Some(outcome) = plain(&other) {
        assert!(outcome.expect_err("two of one name").problem.contains("`b.cuh`"));
    }
}

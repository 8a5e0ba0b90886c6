//! What is embedded: the image, the source, its headers.

use std::path::{Path, PathBuf};

use warpcall_signature::source::{FileLoader, SourceReader};

use super::{
    super::headers::{Ambiguous, Header, HeaderFinder},
    site,
};

/// The expansion of one kernel as text, without blanks.
fn expansion(arguments: &str, kernel: &str) -> String {
    let tokens = |text: &str| text.parse().expect("the test's text is tokens");
    let item = tokens(&format!("unsafe extern \"C\" {{ {kernel} }}"));
    let text = crate::kernel::kernel(tokens(arguments), &item, &site()).to_string();
    assert!(!text.contains("compile_error"), "{text}");
    text.replace([' ', '\n'], "")
}

const ADD: &str = "unsafe fn add(y: *mut f32, bias: *const [f32; 4]);";
const BIAS: &str = "source = \"tests/files/bias.cu\", defines(\"WITH_BIAS\", \"WIDTH=4\")";
const FILE: &str = "::core::concat!(::core::env!(\"CARGO_MANIFEST_DIR\"),\"/tests/files/";

#[test]
fn a_source_is_embedded_with_its_headers_and_macros() {
    let text = expansion(BIAS, ADD);
    let source = format!(".with_source(\"tests/files/bias.cu\",::core::include_str!({FILE}bias.cu\")))");
    let header =
        format!("::warpcall::Header{{name:\"bias.cuh\",bytes:::core::include_bytes!({FILE}bias.cuh\"))}}");
    let defines = ".with_defines(&[\"WITH_BIAS=1\",\"WIDTH=4\"])";
    assert!(text.contains(&format!("{source}.with_headers(&[{header}]){defines},")), "{text}");
    // What is embedded is tracked by that.
    assert!(!text.contains("const_:&[::core::primitive::u8]"), "{text}");
}

#[test]
fn a_source_is_embedded_beside_an_image_where_that_is_asked_for() {
    let kernel = "unsafe fn rms_norm(output: *mut f32, input: *const f32, hidden_size: u32, eps: f32);";
    let both = "source = \"tests/files/norm.cu\", image = \"tests/files/norm.ptx\"";
    let image = format!(".with_image(\"tests/files/norm.ptx\",::core::include_bytes!({FILE}norm.ptx\")))");
    let source = format!(".with_source(\"tests/files/norm.cu\",::core::include_str!({FILE}norm.cu\")))");
    let text = expansion(&format!("{both}, embed_source"), kernel);
    assert!(text.contains(&format!("{source}{image},")), "{text}");
    assert!(!text.contains("const_:&[::core::primitive::u8]"), "{text}");

    let text = expansion(both, kernel);
    assert!(text.contains(&image) && !text.contains("with_source"), "{text}");
    let tracked = format!("const_:&[::core::primitive::u8]=::core::include_bytes!({FILE}norm.cu\"))");
    assert!(text.contains(&tracked), "{text}");
}

#[test]
fn headers_are_found_in_the_folders_that_are_included() {
    let text =
        expansion("module = \"m\", source = \"tests/files/folders/k.cu\", include(\"tests/files\")", ADD);
    assert!(text.contains("Header{name:\"angled.cuh\""), "{text}");
    assert!(text.contains("Header{name:\"bias.cuh\""), "{text}");
}

/// A folder with these files, which goes when the value does.
struct Folder(PathBuf);

impl Folder {
    fn with(name: &str, files: &[(&str, &str)]) -> Self {
        let folder = std::env::temp_dir().join(format!("warpcall-headers-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
            std::fs::write(path, text).expect("the file can be written");
        }
        Self(folder)
    }

    /// The headers of the source `k.cu`.
    fn headers(&self) -> Result<Vec<Header>, Ambiguous> {
        let path = self.0.join("k.cu");
        let text = std::fs::read_to_string(&path).expect("the source is there");
        let path = path.to_str().expect("Unicode");
        let mut finder = HeaderFinder::new(FileLoader::new().include_folder(self.0.join("include")));
        SourceReader::new().read_with(&mut finder, path, &text).expect("it can be read");
        finder.headers(path, &text)
    }

    /// The headers by name, each with its file, or with the text that stands for it.
    fn described(&self) -> Vec<(String, String)> {
        let headers = self.headers().ok().expect("each name can be given one file");
        let describe = |header: Header| {
            let file =
                Path::new(&header.file).strip_prefix(&self.0).expect("in the folder").display().to_string();
            (header.name, header.text.unwrap_or(file))
        };
        headers.into_iter().map(describe).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn owned(headers: &[(&str, &str)]) -> Vec<(String, String)> {
    headers.iter().map(|(name, content)| ((*name).to_owned(), (*content).to_owned())).collect()
}

#[test]
fn nested_headers_have_the_names_that_include_them() {
    let folder = Folder::with(
        "nested",
        &[
            (
                "k.cu",
                "#include \"sub/a.cuh\"\n#include <angled/d.h>\n#include <stdint.h>\n#include <cuda_fp16.h>\n",
            ),
            (
                "sub/a.cuh",
                "#pragma once\n#include \"b.cuh\"\n#include \"../c.cuh\"\n#include \"missing.cuh\"\n",
            ),
            ("sub/b.cuh", ""),
            ("c.cuh", ""),
            ("include/angled/d.h", ""),
            ("include/cuda_fp16.h", ""),
        ],
    );
    let expected = [
        ("../c.cuh", "c.cuh"),
        ("angled/d.h", "include/angled/d.h"),
        ("b.cuh", "sub/b.cuh"),
        ("sub/a.cuh", "sub/a.cuh"),
    ];
    assert_eq!(folder.described(), owned(&expected));
}

#[test]
fn a_header_under_a_condition_is_there_for_whom_it_holds() {
    let folder = Folder::with(
        "conditions",
        &[
            (
                "k.cu",
                "#ifdef __CUDACC_RTC__\n#include \"rtc.cuh\"\n#endif\n#define NAME \"by_macro.cuh\"\n#include NAME\n",
            ),
            ("rtc.cuh", "#if __CUDA_ARCH__ >= 1000\n#include \"new.cuh\"\n#endif\n"),
            ("new.cuh", ""),
            ("by_macro.cuh", ""),
        ],
    );
    let expected = [("by_macro.cuh", "by_macro.cuh"), ("new.cuh", "new.cuh"), ("rtc.cuh", "rtc.cuh")];
    assert_eq!(folder.described(), owned(&expected));
}

#[test]
fn one_file_by_two_names_is_embedded_once() {
    let folder = Folder::with(
        "names",
        &[
            ("k.cu", "#include \"a.cuh\"\n#include \"sub/b.cuh\"\n"),
            ("a.cuh", ""),
            ("sub/b.cuh", "#include \"../a.cuh\"\n"),
        ],
    );
    let expected = [("../a.cuh", "#include \"a.cuh\"\n"), ("a.cuh", "a.cuh"), ("sub/b.cuh", "sub/b.cuh")];
    assert_eq!(folder.described(), owned(&expected));
}

#[test]
fn a_name_that_means_two_files_is_changed_where_it_stands() {
    let folder = Folder::with(
        "ambiguous",
        &[
            ("k.cu", "#include \"util.cuh\"\n#include \"sub/a.cuh\"\n#include \"other/b.cuh\"\n"),
            ("util.cuh", ""),
            ("sub/a.cuh", "// \"util.cuh\"\n#include \"util.cuh\"\nint a;\n"),
            ("sub/util.cuh", ""),
            ("other/b.cuh", "#include <util.cuh>\n#include \"../sub/util.cuh\"\n"),
            ("include/util.cuh", ""),
        ],
    );
    let expected = [
        ("../sub/util.cuh", "#include \"util.cuh@2\"\n"),
        ("other/b.cuh", "#include <util.cuh@3>\n#include \"../sub/util.cuh\"\n"),
        ("sub/a.cuh", "// \"util.cuh\"\n#include \"util.cuh@2\"\nint a;\n"),
        ("util.cuh", "util.cuh"),
        ("util.cuh@2", "sub/util.cuh"),
        ("util.cuh@3", "include/util.cuh"),
    ];
    assert_eq!(folder.described(), owned(&expected));
}

#[test]
fn a_name_that_cannot_be_changed_is_refused() {
    let both = "#include \"util.cuh\"\n#include \"sub/a.cuh\"\n";
    for (test, source, header, expected) in [
        ("macro", both, "#define UTIL \"util.cuh\"\n#include UTIL\n", ["sub/a.cuh", "sub/util.cuh"]),
        ("blank", both, "#include <util .cuh>\n", ["sub/a.cuh", "include/util.cuh"]),
        ("source", "#include \"util.cuh\"\n#include <util.cuh>\n", "", ["k.cu", "include/util.cuh"]),
    ] {
        let folder = Folder::with(
            test,
            &[
                ("k.cu", source),
                ("util.cuh", ""),
                ("sub/a.cuh", header),
                ("sub/util.cuh", ""),
                ("include/util.cuh", ""),
            ],
        );
        let Err(Ambiguous { name, from, files }) = folder.headers() else { panic!("{test} is not refused") };
        assert_eq!(name, "util.cuh");
        assert!(from.ends_with(expected[0]), "{from}");
        assert!(files[0].ends_with("util.cuh") && files[1].ends_with(expected[1]), "{files:?}");
    }
}

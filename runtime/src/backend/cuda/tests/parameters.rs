use super::*;

const DEVICE: (u32, u32) = (9, 0);

const fn parameter(offset: usize, size: usize) -> LoadedParameter {
    LoadedParameter { offset: Some(offset), size, align: None, class: LoadedClass::Unknown }
}

/// What PTX tells of a parameter.
const fn told(size: usize, align: usize, class: LoadedClass) -> LoadedParameter {
    LoadedParameter { offset: None, size, align: Some(align), class }
}

fn ptx(target: &str, parameters: &str) -> String {
    format!(".version 8.0\n.target {target}\n.address_size 64\n.visible .entry k({parameters}) {{ ret; }}\n")
}

/// A container with these images of PTX.
fn fatbin(images: &[String]) -> Vec<u8> {
    let mut entries = Vec::new();
    for image in images {
        let mut head = [0_u8; 64];
        head[0] = 1;
        head[4] = 64;
        head[8..16].copy_from_slice(&(image.len() as u64).to_le_bytes());
        entries.extend(head);
        entries.extend(image.as_bytes());
    }
    let mut container = 0xBA55_ED50_u32.to_le_bytes().to_vec();
    container.extend([1, 0, 16, 0]);
    container.extend((entries.len() as u64).to_le_bytes());
    container.extend(entries);
    container
}

#[test]
fn ptx_tells_sizes_alignments_and_kinds() {
    let text = ptx(
        "sm_90",
        ".param .u64 a, .param .f32 b, .param .align 16 .b8 c[32], .param .u64 .ptr .global .align 16 d",
    );
    let found = of_image(text.as_bytes(), "k", DEVICE).expect("the kernel is there");
    let expected = [
        told(8, 8, LoadedClass::Integer),
        told(4, 4, LoadedClass::Float),
        told(32, 16, LoadedClass::Bytes),
        // A pointer, which PTX may tell from an integer.
        told(8, 8, LoadedClass::Integer),
    ];
    assert_eq!(found, [expected.to_vec()]);
    assert_eq!(of_image(ptx("sm_90", "").as_bytes(), "k", DEVICE), Ok(vec![Vec::new()]));
}

#[test]
fn an_image_that_says_nothing_says_why() {
    let reason = of_image(ptx("sm_90", "").as_bytes(), "other", DEVICE).expect_err("no such kernel");
    assert_eq!(reason, "its image has no kernel `other`");
    let reason = of_image(b".version 8.0\n.visible .entry k(.param", "k", DEVICE).expect_err("it ends early");
    assert!(reason.starts_with("its image cannot be read: the PTX is malformed"), "{reason}");
}

#[test]
fn a_kernel_is_told_by_its_symbol() {
    let text = ptx("sm_90", ".param .u32 n").replace("k(", "_ZN3fft5scaleEj(");
    assert_eq!(of_image(text.as_bytes(), "_ZN3fft5scaleEj", DEVICE).map(|lists| lists.len()), Ok(1));
    assert!(of_image(text.as_bytes(), "scale", DEVICE).is_err());
}

#[test]
fn of_a_fatbin_those_images_count_that_run_on_the_device() {
    let [u32_a, f32_a, u64_a] = ["u32", "f32", "u64"].map(|ty| format!(".param .{ty} a"));
    let of = |images: &[(&str, &String)]| {
        let images: Vec<_> = images.iter().map(|(target, parameters)| ptx(target, parameters)).collect();
        of_image(&fatbin(&images), "k", DEVICE).expect("the kernel is there").concat()
    };
    let (integer, float) = (told(4, 4, LoadedClass::Integer), told(4, 4, LoadedClass::Float));
    assert_eq!(of(&[("sm_80", &u32_a), ("sm_90a", &f32_a), ("sm_100", &u64_a)]), [integer, float]);
    // The driver took one of them, whatever they are for.
    assert_eq!(of(&[("sm_100", &u32_a), ("sm_120", &f32_a)]), [integer, float]);
    let without_kernel = ptx("sm_90", "").replace("k(", "other(");
    let images = [without_kernel, ptx("sm_80", &f32_a)];
    assert_eq!(of_image(&fatbin(&images), "k", DEVICE), Ok(vec![vec![float]]));
}

#[test]
fn an_image_adds_to_the_driver_only_where_the_two_agree() {
    let image = vec![told(8, 8, LoadedClass::Integer), told(4, 4, LoadedClass::Float)];
    let driver = vec![parameter(0, 8), parameter(8, 4)];
    let merged = merge(Some(driver.clone()), Ok(vec![image.clone()])).expect("both say something");
    let expected =
        [LoadedParameter { offset: Some(0), ..image[0] }, LoadedParameter { offset: Some(8), ..image[1] }];
    assert_eq!(merged, expected);
    // Another size, one too few, one too many: the image is of another kernel.
    for stale in [
        vec![parameter(0, 8), parameter(8, 8)],
        vec![parameter(0, 8)],
        vec![parameter(0, 8), parameter(8, 4), parameter(12, 4)],
        Vec::new(),
    ] {
        assert_eq!(merge(Some(stale.clone()), Ok(vec![image.clone()])), Ok(stale));
    }
    assert_eq!(merge(Some(driver.clone()), Err("unreadable".into())), Ok(driver));
    assert_eq!(merge(None, Ok(vec![image.clone()])), Ok(image));
    assert_eq!(merge(None, Err("unreadable".into())), Err("unreadable".into()));
    assert_eq!(merge(None, Ok(vec![Vec::new(), Vec::new()])), Ok(Vec::new()));
}

#[test]
fn several_images_are_believed_in_what_they_agree_in() {
    use LoadedClass::{Bytes, Float, Integer, Unknown};

    let lists = |classes: [LoadedClass; 2], aligns: [Option<usize>; 2]| {
        let list = |at: usize| {
            vec![LoadedParameter { offset: None, size: 8, align: aligns[at], class: classes[at] }]
        };
        vec![list(0), list(1)]
    };
    for (classes, class) in [
        ([Float, Float], Float),
        ([Unknown, Integer], Integer),
        ([Integer, Unknown], Integer),
        ([Float, Integer], Unknown),
        ([Unknown, Unknown], Unknown),
        ([Bytes, Integer], Unknown),
    ] {
        for (aligns, align) in [
            ([Some(8), Some(8)], Some(8)),
            ([None, Some(4)], Some(4)),
            ([Some(4), None], Some(4)),
            ([Some(4), Some(8)], None),
            ([None, None], None),
        ] {
            for driver in [None, Some(vec![parameter(0, 8)])] {
                let offset = driver.as_ref().map(|_| 0);
                let merged = merge(driver, Ok(lists(classes, aligns)));
                assert_eq!(
                    merged,
                    Ok(vec![LoadedParameter { offset, size: 8, align, class }]),
                    "{classes:?} {aligns:?}"
                );
            }
        }
    }
}

#[test]
fn images_of_other_sizes_are_told_apart_by_the_driver_alone() {
    let lists = vec![vec![told(8, 8, LoadedClass::Float)], vec![told(4, 4, LoadedClass::Integer)]];
    let merged = merge(Some(vec![parameter(0, 4)]), Ok(lists.clone()));
    assert_eq!(merged, Ok(vec![LoadedParameter { offset: Some(0), ..lists[1][0] }]));
    let reason = merge(None, Ok(lists)).expect_err("which of them is loaded is not told");
    assert!(reason.contains("disagree"), "{reason}");
}

#[test]
fn without_the_driver_an_offset_counts_where_all_agree() {
    let at = |offset: Option<usize>| vec![LoadedParameter { offset, ..parameter(0, 8) }];
    for (offsets, expected) in
        [([Some(8), Some(8)], Some(8)), ([Some(8), None], Some(8)), ([Some(8), Some(16)], None)]
    {
        let merged = merge(None, Ok(vec![at(offsets[0]), at(offsets[1])]));
        assert_eq!(merged, Ok(at(expected)), "{offsets:?}");
    }
}

#[test]
fn the_driver_tells_parameters_up_to_the_one_that_is_not_there_and_other_refusals_are_errors() {
    // Two parameters; past them what the number of the function says.
    unsafe extern "C" fn parameter_info(
        function: CUfunction,
        index: usize,
        offset: *mut usize,
        size: *mut usize,
    ) -> u32 {
        if index == 2 {
            return u32::try_from(crate::backend::cuda::handles::address(function)).expect("a code");
        }
        // SAFETY: the caller's pointers are to numbers.
        unsafe { (offset.write(8 * index), size.write(4)) };
        code::SUCCESS
    }
    let driver = Driver { cuFuncGetParamInfo: Some(parameter_info), ..Driver::idle() };
    let told = |last: u32, count| {
        of_function(&driver, crate::backend::cuda::handles::pointer(last.into()), count).map(|found| {
            found.expect("the driver tells").iter().map(|p| (p.offset, p.size)).collect::<Vec<_>>()
        })
    };
    let both = vec![(Some(0), 4), (Some(8), 4)];
    assert_eq!(told(code::INVALID_VALUE, None).expect("that is the end"), both);
    assert_eq!(told(700, Some(2)).expect("nobody asks for more"), both);
    // Such as the fault of a kernel that was launched before.
    match told(700, None) {
        Err(crate::Error::Driver { call: "cuFuncGetParamInfo", code: 700, .. }) => {}
        other => panic!("{other:?}"),
    }
}

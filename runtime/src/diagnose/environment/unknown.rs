//! Variables that are named like those of the crate and are none of them.

use strsim::osa_distance;

use super::shortened;

/// All that the crate reads.
const VARIABLES: &[&str] = &[
    "WARPCALL_FAULT",
    "WARPCALL_HAZARDS",
    "WARPCALL_LEDGER",
    "WARPCALL_NVRTC",
    "WARPCALL_NVTX",
    "WARPCALL_POISON",
    "WARPCALL_RED_ZONES",
    "WARPCALL_SYNC",
    "WARPCALL_TRACE",
    "WARPCALL_TRACE_DEVICE",
];

/// Those that warpcall's own tests and scripts read.
const OF_TESTS: &[&str] =
    &["WARPCALL_FAULT_SWEEP", "WARPCALL_GENERATOR_SEED", "WARPCALL_REQUIRE_CUDA", "WARPCALL_TEST_FAULT"];

const PREFIX: &str = "WARPCALL_";

/// What to say of a variable whose name begins with the prefix, or almost, and is none that is known: the one that is meant, which it
/// is almost or goes on from; else all.
pub(super) fn unknown(name: &str) -> Option<String> {
    let known = || VARIABLES.iter().chain(OF_TESTS).copied();
    let upper = name.to_uppercase();
    // Windows does not tell the cases apart.
    if known().any(|known| known == name || cfg!(windows) && known == upper) || !has_prefix(&upper) {
        return None;
    }
    let nearest = known()
        .min_by_key(|known| osa_distance(&upper, known))
        .filter(|known| osa_distance(&upper, known) <= 2);
    let begin = || {
        VARIABLES
            .iter()
            .copied()
            .filter(|known| upper.starts_with(&format!("{known}_")))
            .max_by_key(|known| known.len())
    };
    let advice = match nearest.or_else(begin) {
        Some(meant) => format!("is {meant} meant?"),
        None => format!("those that are: {}", VARIABLES.join(", ")),
    };
    Some(format!("the variable {} is not known; {advice}", shortened(name)))
}

/// Whether a name begins with the prefix, of which one letter may be wrong, missing, too much, or swapped with the next.
fn has_prefix(name: &str) -> bool {
    let begin = |letters: usize| name.chars().take(letters).collect::<String>();
    let lengths = PREFIX.len() - 1..=PREFIX.len() + 1;
    lengths.into_iter().any(|letters| osa_distance(&begin(letters), PREFIX) <= 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_is_not_known_is_told_with_the_one_that_is_meant() {
        for (name, meant) in [
            ("WARPCALL_RED_ZONE", "WARPCALL_RED_ZONES"),
            ("WARPCALL_HAZARD", "WARPCALL_HAZARDS"),
            ("WARPCALL_FAULTS", "WARPCALL_FAULT"),
            ("WARPCALL_REDZONES", "WARPCALL_RED_ZONES"),
            ("WARPCALL_SNYC", "WARPCALL_SYNC"),
            ("WARPCAL_SYNC", "WARPCALL_SYNC"),
            ("WRAPCALL_SYNC", "WARPCALL_SYNC"),
            ("WARP_CALL_SYNC", "WARPCALL_SYNC"),
            ("WARPCALLSYNC", "WARPCALL_SYNC"),
            ("WARPCALL_SYNC_CHECK", "WARPCALL_SYNC"),
            ("WARPCALL_TRACE_FILE", "WARPCALL_TRACE"),
            ("WARPCALL_FAULT_SWEEPS", "WARPCALL_FAULT_SWEEP"),
        ] {
            let told = format!("the variable {name} is not known; is {meant} meant?");
            assert_eq!(unknown(name), Some(told));
        }
        for name in ["WARPCALL_VERBOSE", "WARPCAL_VERBOSE", "WARPCALL_"] {
            let told = unknown(name).expect("it begins so");
            let words = format!(
                "the variable {name} is not known; those that are: WARPCALL_FAULT, WARPCALL_HAZARDS, "
            );
            assert!(told.starts_with(&words) && told.ends_with(", WARPCALL_TRACE_DEVICE"), "{told}");
        }
        for name in VARIABLES.iter().chain(OF_TESTS).copied().chain(["MY_LEDGER", "WARP_SIZE", "PATH", ""]) {
            assert_eq!(unknown(name), None, "{name}");
        }
        if cfg!(not(windows)) {
            assert_eq!(
                unknown("warpcall_sync").as_deref(),
                Some("the variable warpcall_sync is not known; is WARPCALL_SYNC meant?")
            );
        }
    }
}

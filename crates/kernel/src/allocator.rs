//! The memory that the allocator holds although nothing uses it.

/// Gives free memory of this process back to the system, and returns true if there was any (malloc_trim(3)).
///
/// The allocator of glibc returns the end of an area by itself, not the holes in it: after a burst in many threads they stay. The call takes a
/// millisecond for each ten megabytes, in which other threads may wait for memory. Elsewhere than on Linux with glibc it does nothing.
pub fn release_free_memory() -> bool {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn malloc_trim(pad: usize) -> core::ffi::c_int;
        }
        // SAFETY: glibc has had this function since 2.0 with this signature. It locks each area before it reads it, and it unmaps only pages
        // that belong to no allocation.
        unsafe { malloc_trim(0) == 1 }
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    false
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    #[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
    fn resident_pages() -> u64 {
        let numbers = std::fs::read_to_string("/proc/self/statm").unwrap();
        let resident = numbers.split(' ').nth(1).unwrap();
        resident.parse().unwrap()
    }

    /// One of two blocks stays, so that the allocator cannot return the others as the end of an area.
    #[test]
    fn holes_between_blocks_go_back_to_the_system() {
        const BLOCKS: usize = 2_000;
        let blocks: Vec<_> = (0..BLOCKS).map(|_| vec![1_u8; 16 << 10]).collect();
        let (kept, freed): (Vec<_>, Vec<_>) =
            (0..).zip(blocks).partition(|(number, _)| number % 2 == 0);
        drop(freed);
        let before = resident_pages();
        assert!(release_free_memory());
        // A block has four pages of 4 KiB. The two at its edges may be shared with its neighbours and stay resident.
        let released = before.saturating_sub(resident_pages());
        assert!(released >= BLOCKS as u64 / 2, "{released} pages");
        assert_eq!(kept.len(), BLOCKS / 2);
    }
}

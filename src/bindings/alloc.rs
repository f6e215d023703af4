//! The allocator: the standard one, but memory grows by a quarter of its size instead of page by page.
//!
//! Every growth of wasm memory costs the host a new buffer and often a garbage collection; a parse that grew memory 64
//! KB at a time took four times as long. The allocator also counts allocated bytes, for the parser (see [`live`]).

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use wasm_bindgen::prelude::wasm_bindgen;

use crate::document::parse::live;

/// Bytes of a page of wasm memory.
const PAGE: usize = 65_536;
/// Minimum and maximum bytes of one growth of memory.
const MIN_GROWTH: usize = 1 << 20;
const MAX_GROWTH: usize = 64 << 20;

struct Growing;

/// Number of pages at the last check.
static PAGES: AtomicUsize = AtomicUsize::new(0);
/// True after a failed allocation. The instance traps right after it, so this is read from a crashed instance.
static IS_FULL: AtomicBool = AtomicBool::new(false);

/// True if this instance crashed for lack of memory: wasm has at most 4 GiB, and hosts may allow less.
#[wasm_bindgen(js_name = isFull)]
pub fn is_full() -> bool {
    IS_FULL.load(Ordering::Relaxed)
}

fn pages() -> usize {
    core::arch::wasm32::memory_size(0)
}

/// Makes the standard allocator get more memory in one step, and keep it.
#[cold]
#[inline(never)]
fn grow() {
    // The first allocation of an instance is not a growth.
    if PAGES.load(Ordering::Relaxed) != 0
        && let Ok(more) = Layout::from_size_align((pages() * PAGE / 4).clamp(MIN_GROWTH, MAX_GROWTH), 8)
    {
        // SAFETY: the layout has a size; the memory is freed with the same layout, and a null pointer is not freed.
        unsafe {
            let taken = System.alloc(more);
            if !taken.is_null() {
                System.dealloc(taken, more);
            }
        }
    }
    PAGES.store(pages(), Ordering::Relaxed);
}

/// Counts bytes. Load and store need not be atomic together: there are no threads.
#[inline(always)]
fn count(more: usize, less: usize) {
    let now = live().load(Ordering::Relaxed).wrapping_add(more).wrapping_sub(less);
    live().store(now, Ordering::Relaxed);
}

/// Counts allocated bytes, and looks at the memory that holds them.
#[inline(always)]
fn taken(memory: *mut u8, more: usize, less: usize) -> *mut u8 {
    count(more, less);
    if pages() != PAGES.load(Ordering::Relaxed) {
        grow();
    }
    if memory.is_null() {
        IS_FULL.store(true, Ordering::Relaxed);
    }
    memory
}

// SAFETY: all memory comes from the standard allocator, with the caller's own layouts.
unsafe impl GlobalAlloc for Growing {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(unsafe { System.alloc(layout) }, layout.size(), 0)
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        taken(unsafe { System.alloc_zeroed(layout) }, layout.size(), 0)
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        taken(unsafe { System.realloc(memory, layout, size) }, size, layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(0, layout.size());
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Growing = Growing;

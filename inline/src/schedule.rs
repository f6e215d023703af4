//! Decides when a host asks its providers, and how long a completion waits for them. It has no timers: callers pass
//! times in, and it returns times for the next call.

use espalier_core::map::HashMap;

/// Time after a change to a document during which moves of its cursor are ignored.
const QUIET_MS: u64 = 500;
/// Maximum time that a completion waits for a running request.
const RACE_MS: u64 = 20;
/// Maximum number of documents whose last change is stored.
const MAX_CHANGES: usize = 1_000;

/// The document and position of a request to providers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    pub path: String,
    pub version: u64,
    /// In UTF-16 code units.
    pub cursor: usize,
}

/// A request that the host must start; [`Schedule::finish`] takes its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    pub number: u64,
    pub ask: Ask,
}

/// The cause of a cursor move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MovedBy {
    Keyboard,
    Mouse,
    Command,
}

/// A move of a cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CursorMove {
    pub to: Ask,
    pub by: MovedBy,
    pub is_active_editor: bool,
    /// True if there is one selection, and it is empty.
    pub is_one_cursor: bool,
    pub is_blank_line: bool,
    pub is_line_end: bool,
}

/// The moment at which cached items are returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Immediately.
    Start,
    /// After the wait for the running request, with its results.
    Raced,
    /// At the caller's timeout.
    TimedOut,
}

/// Requests to providers: one at a time; of the others only the newest waits.
#[derive(Debug, Clone)]
pub struct Schedule {
    debounce_ms: u64,
    running: Option<Started>,
    waiting: Option<Ask>,
    /// A move that is not old enough yet, and the time at which it is.
    moved: Option<(Ask, u64)>,
    changes: HashMap<String, u64>,
    number: u64,
}

impl Schedule {
    /// Creates a schedule. Moves by keyboard take effect if none follows for `debounce_ms`.
    pub fn new(debounce_ms: u64) -> Schedule {
        let changes = HashMap::default();
        Schedule { debounce_ms, running: None, waiting: None, moved: None, changes, number: 0 }
    }

    /// Records a change of a document.
    pub fn change(&mut self, path: &str, now_ms: u64) {
        if self.changes.len() >= MAX_CHANGES && !self.changes.contains_key(path) {
            self.changes.retain(|_, changed| now_ms.saturating_sub(*changed) < QUIET_MS);
            if self.changes.len() >= MAX_CHANGES {
                self.changes.clear();
            }
        }
        self.changes.insert(path.to_string(), now_ms);
        if self.moved.as_ref().is_some_and(|(ask, _)| ask.path == path) {
            self.moved = None;
        }
    }

    /// Records a cursor move. Moves by mouse or command may start a request at once.
    pub fn move_cursor(&mut self, moved: &CursorMove, now_ms: u64) -> Option<Started> {
        self.moved = None;
        let changed = self.changes.get(&moved.to.path);
        let is_quiet = changed.is_none_or(|changed| now_ms.saturating_sub(*changed) >= QUIET_MS);
        let is_place = moved.is_blank_line || moved.is_line_end;
        if !(moved.is_active_editor && moved.is_one_cursor && is_place && is_quiet) {
            return None;
        }
        if moved.by == MovedBy::Keyboard {
            self.moved = Some((moved.to.clone(), now_ms.saturating_add(self.debounce_ms)));
            return None;
        }
        self.request(moved.to.clone())
    }

    /// Starts the request of a move that no other move followed in time.
    pub fn tick(&mut self, now_ms: u64) -> Option<Started> {
        let (ask, _) = self.moved.take_if(|(_, due)| *due <= now_ms)?;
        self.request(ask)
    }

    /// Returns the time at which [`Schedule::tick`] has work.
    pub fn next_ms(&self) -> Option<u64> {
        self.moved.as_ref().map(|(_, due)| *due)
    }

    /// Starts a request, or lets it wait, replacing an older one. A request that is already running is not started
    /// again.
    pub fn request(&mut self, ask: Ask) -> Option<Started> {
        match &self.running {
            Some(running) if running.ask == ask => {
                self.waiting = None;
                None
            }
            Some(_) => {
                self.waiting = Some(ask);
                None
            }
            None => Some(self.start(ask)),
        }
    }

    fn start(&mut self, ask: Ask) -> Started {
        self.number += 1;
        let started = Started { number: self.number, ask };
        self.running = Some(started.clone());
        started
    }

    /// Records that a request was answered, failed or was cancelled. The waiting one starts if it still matches
    /// document, version and cursor. Numbers of other requests are ignored: late answers change nothing.
    pub fn finish(&mut self, number: u64, current: Option<&Ask>) -> Option<Started> {
        self.running.take_if(|running| running.number == number)?;
        let waiting = self.waiting.take()?;
        (current == Some(&waiting)).then(|| self.start(waiting))
    }

    /// True if an answer is still expected.
    pub fn is_running(&self, number: u64) -> bool {
        self.running.as_ref().is_some_and(|running| running.number == number)
    }

    /// Returns how long a completion of `path` with `budget_ms` left waits after it got the cached items.
    pub fn wait_ms(&self, path: &str, budget_ms: u64) -> u64 {
        if self.runs_for(path) { budget_ms.min(RACE_MS) } else { 0 }
    }

    /// True if a cached item is returned at a moment. Items marked `is_for_timeout` are held back while a request runs
    /// for their document: they are returned at the caller's timeout, or refreshed after the wait. Other items are
    /// returned at the start.
    pub fn hands_out(&self, path: &str, is_for_timeout: bool, moment: Moment) -> bool {
        match moment {
            Moment::Start => !is_for_timeout || !self.runs_for(path),
            Moment::Raced | Moment::TimedOut => is_for_timeout,
        }
    }

    fn runs_for(&self, path: &str) -> bool {
        self.running.as_ref().is_some_and(|running| running.ask.path == path)
    }
}

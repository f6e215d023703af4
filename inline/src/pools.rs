//! The two pools that provider items are charged to.

/// Tokens that stay free of provider items.
pub const LOW_WATER: i64 = 256;
/// Tokens of the window in which provider items have their share.
pub const WINDOW: i64 = 8_192;
/// The server's primary budget when the host names none, in tokens.
pub const PRIMARY: i64 = 7_168;
/// Characters of a token, where tokens are estimated.
pub const CHARS_PER_TOKEN: i64 = 4;
/// Items from this priority on are mandatory.
pub const MANDATORY_PRIORITY: f64 = 0.7;

/// How much of the mandatory pool optional items may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// None. Unknown names mean this.
    Minimal,
    FillHalf,
    /// As much as the document is long.
    #[default]
    Double,
    /// All of it.
    Fill,
}

impl Mode {
    /// Returns the mode of a name; [`Mode::Minimal`] for an unknown one.
    pub fn from_name(name: &str) -> Mode {
        match name {
            "fillHalf" => Mode::FillHalf,
            "double" => Mode::Double,
            "fill" => Mode::Fill,
            _ => Mode::Minimal,
        }
    }
}

/// Two pools in one unit. Whatever is spent lowers both, so that the whole never passes the mandatory pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pools {
    pub mandatory: i64,
    pub optional: i64,
}

impl Pools {
    /// Makes pools of `available` units for a document of `document` units. Negative sizes count as 0.
    pub fn new(mode: Mode, available: i64, document: i64) -> Pools {
        let mandatory = available.max(0);
        let optional = match mode {
            Mode::Minimal => 0,
            Mode::FillHalf => mandatory / 2,
            Mode::Double => mandatory.min(document.max(0)),
            Mode::Fill => mandatory,
        };
        Pools { mandatory, optional }
    }

    pub fn spend(&mut self, units: i64) {
        self.mandatory = self.mandatory.saturating_sub(units);
        self.optional = self.optional.saturating_sub(units);
    }

    pub fn is_exhausted(&self) -> bool {
        self.mandatory <= 0
    }

    pub fn is_optional_exhausted(&self) -> bool {
        self.optional <= 0
    }
}

/// What becomes of the item that crosses the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crossing {
    /// It is dropped but stays charged, and so is everything behind it: Copilot Chat's rule.
    Charge,
    /// It is skipped, nothing is charged, smaller ones may fit.
    Skip,
}

/// Decides which items are taken. `sizes` holds each item's priority and size, in the order in which they
/// come; mandatory items go first, whatever their place.
///
/// ```
/// use espalier_inline::{Crossing, Mode, Pools, take};
/// let items = [(0.5, 30), (0.9, 60), (0.2, 20)];
/// let mut pools = Pools::new(Mode::Fill, 100, 0);
/// assert_eq!(take(&mut pools, &items, Crossing::Skip), [true, true, false]);
/// ```
pub fn take(pools: &mut Pools, items: &[(f64, i64)], crossing: Crossing) -> Vec<bool> {
    let mut taken = vec![false; items.len()];
    for mandatory in [true, false] {
        for (index, &(priority, size)) in items.iter().enumerate() {
            if (priority >= MANDATORY_PRIORITY) != mandatory {
                continue;
            }
            let size = size.max(0);
            let room = if mandatory { pools.mandatory } else { pools.optional.min(pools.mandatory) };
            match crossing {
                Crossing::Skip if size <= room => {
                    pools.spend(size);
                    taken[index] = true;
                }
                Crossing::Skip => {}
                Crossing::Charge if room <= 0 => {}
                Crossing::Charge => {
                    pools.spend(size);
                    taken[index] = if mandatory { !pools.is_exhausted() } else { !pools.is_optional_exhausted() };
                }
            }
        }
    }
    taken
}

/// Returns the tokens that provider items may have beside a document of `length` UTF-16 code units; 0 or less: none.
pub fn available_tokens(length: usize) -> i64 {
    let quarters = i64::try_from(length).unwrap_or(i64::MAX);
    // Truncated towards zero, as the reference does with the fraction.
    ((WINDOW - LOW_WATER) * 4).saturating_sub(quarters) / 4
}

/// Returns the characters of the primary and of the secondary budget that a language server is asked to keep.
pub fn server_budgets(tokens: Option<i64>) -> (i64, i64) {
    (tokens.unwrap_or(PRIMARY).saturating_mul(CHARS_PER_TOKEN), WINDOW * CHARS_PER_TOKEN)
}

/// Says whether an item of `size` has room in `budget`, both in one unit, above the low-water mark.
pub fn has_room(budget: i64, size: i64) -> bool {
    budget.saturating_sub(LOW_WATER) >= size
}

//! The two pools to which provider items are charged.

/// Tokens that provider items must leave free.
pub const LOW_WATER: i64 = 256;
/// Tokens of the window of which provider items have a share.
pub const WINDOW: i64 = 8_192;
/// The server's primary budget in tokens, if the host sets none.
pub const PRIMARY: i64 = 7_168;
/// Characters of a token, for estimates.
pub const CHARS_PER_TOKEN: i64 = 4;
/// Items from this priority on are mandatory.
pub const MANDATORY_PRIORITY: f64 = 0.7;

/// The part of the mandatory pool that optional items may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// None. Also used for unknown names.
    Minimal,
    FillHalf,
    /// As much as the length of the document.
    #[default]
    Double,
    /// All of the mandatory pool.
    Fill,
}

impl Mode {
    /// Returns the mode with this name; [`Mode::Minimal`] for an unknown one.
    pub fn from_name(name: &str) -> Mode {
        match name {
            "fillHalf" => Mode::FillHalf,
            "double" => Mode::Double,
            "fill" => Mode::Fill,
            _ => Mode::Minimal,
        }
    }
}

/// Two pools in one unit. Every charge lowers both, so that the total never exceeds the mandatory pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pools {
    pub mandatory: i64,
    pub optional: i64,
}

impl Pools {
    /// Creates pools of `available` units for a document of `document` units. Negative sizes count as 0.
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

/// The treatment of the item that exceeds the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crossing {
    /// It is dropped but stays charged, as is everything after it: Copilot Chat's rule.
    Charge,
    /// It is skipped and not charged; smaller ones may fit.
    Skip,
}

/// Decides which items are used. `sizes` has each item's priority and size, in the order of arrival; mandatory items
/// come first, whatever their position.
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

/// Returns the maximum tokens of provider items beside a document of `length` UTF-16 code units; 0 or less means none.
pub fn available_tokens(length: usize) -> i64 {
    let quarters = i64::try_from(length).unwrap_or(i64::MAX);
    // Truncated towards zero, as in the reference.
    ((WINDOW - LOW_WATER) * 4).saturating_sub(quarters) / 4
}

/// Returns the characters of the primary and of the secondary budget that a language server should keep to.
pub fn server_budgets(tokens: Option<i64>) -> (i64, i64) {
    (tokens.unwrap_or(PRIMARY).saturating_mul(CHARS_PER_TOKEN), WINDOW * CHARS_PER_TOKEN)
}

/// True if an item of `size` fits `budget`, both in one unit, above the low-water mark.
pub fn has_room(budget: i64, size: i64) -> bool {
    budget.saturating_sub(LOW_WATER) >= size
}

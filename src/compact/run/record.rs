//! The message of a summary: its text, and as many lines of facts as the target leaves room for.

use super::work::Work;
use super::*;
use crate::compact::ledger::render::{self, wanted};

/// A summary to write, and what it is written for.
pub(super) struct New<'a> {
    pub id: String,
    pub text: &'a str,
    pub author: Author,
    pub covering: Covering<'a>,
    pub covered: &'a Covered,
    pub ledger: &'a Ledger,
    /// The view in which it goes.
    pub draft: &'a Draft<'a>,
    pub budget: &'a Budget,
    /// Tokens of the messages that are inserted beside it.
    pub beside: u64,
}

/// A written summary. See [`FinishedSummary`].
pub(super) struct Written {
    pub message: Message,
    pub shown: Vec<Shown>,
    pub spare: u64,
    pub crowd: u64,
}

impl Compaction {
    /// Writes the message of a summary in the form that the profile wants.
    pub(super) fn write(&self, new: &New) -> Written {
        let New { text, covering, covered, .. } = *new;
        let replacement = &self.options.profile.replacement;
        let message = match replacement.form {
            profile::Form::Record => return self.filled(new),
            profile::Form::Summary => summary::of_blocks(new.id.clone(), text, "", covering, &self.extras),
            profile::Form::Messages => {
                let user = new.budget.user.min(covered.tokens / 5);
                let mut said: Vec<String> = new.ledger.requests.iter().map(|request| request.text.clone()).collect();
                said.extend(self.current_request(&covered.ids).map(|message| message.text()));
                let (id, head) = (new.id.clone(), replacement.head_share);
                summary::messages_form(id, text, &said, covering, user, head, &*self.tokenizer)
            }
        };
        Written { message, shown: vec![], spare: 0, crowd: 0 }
    }

    /// Writes a record whose lists fill the room under the target.
    fn filled(&self, new: &New) -> Written {
        let New { text, author, covering, covered, ledger, draft, budget, beside, .. } = *new;
        let meter = self.meter();
        let with = |lists: &str| summary::of_blocks(new.id.clone(), text, lists, covering, &self.extras);
        let bare = meter.message(&with(""));
        let rest = draft.total().saturating_sub(covered.tokens) + beside;
        // A record above this size would not be worth making.
        let worth = (covered.tokens as f64 * (1.0 - self.options.profile.gain.covered)) as u64;
        let worth = worth.saturating_sub(beside);
        let crowd = self.tokens_from_long_texts(new, rest + bare);
        let target = budget.target + crowd;
        let set = self.set_for(budget);
        let work = set.as_ref().map(|set| self.work(set, budget, draft, covered, text));
        let (surplus, vital) = match author {
            Author::Rule => (0, 0),
            Author::Model | Author::User => (
                self.surplus_tokens(text, covered, ledger),
                render::vital(ledger, self.window(draft).entries, &*self.tokenizer),
            ),
        };
        let mut search = Search {
            room: target.saturating_sub(rest + bare).min(worth.saturating_sub(bare)),
            less: 0,
            longest: 0,
            may_grow: self.fills,
        };
        loop {
            let mut shares = self.shares(budget, draft, ledger, covered, search.room).yielding(surplus, vital);
            shares.least = shares.least.saturating_sub(search.less);
            shares.is_last_told = author == Author::Rule && offline::tells_last(ledger, text);
            let lists = self.lists(ledger, shares, work.as_ref(), search.room);
            let message = with(&lists.text);
            let tokens = meter.message(&message);
            let tried = Tried {
                tokens,
                over: (rest + tokens).saturating_sub(target),
                under: target.saturating_sub(rest + tokens).min(worth.saturating_sub(tokens)),
                unworthy: tokens.saturating_sub(worth),
                spare: lists.spare,
                least: shares.least,
                is_cut: lists.shown.iter().any(|shown| shown.left_out + shown.shortened > 0),
            };
            if !search.advance(&tried, budget.target) {
                return Written { message, shown: lists.shown, spare: lists.spare, crowd };
            }
        }
    }

    /// Returns the lists of a record, with the working set in the room that they leave.
    fn lists(&self, ledger: &Ledger, shares: Shares, work: Option<&Work>, room: u64) -> Blocks {
        let reserves = work.map_or([0, 0], |work| work.reserves(room));
        let recalls = !self.extras.breadcrumb.is_empty();
        let write =
            |lists: &str, left| work.map_or((String::new(), 0), |work| work.within(lists, left, &*self.tokenizer));
        render::blocks_with(ledger, shares, recalls, &*self.tokenizer, (reserves, write))
    }

    /// Returns the tokens of a text beyond those that rules would have written. They take room from the lists and not
    /// from files and names: otherwise the next steps would know less of these with a model than without one.
    fn surplus_tokens(&self, text: &str, covered: &Covered, ledger: &Ledger) -> u64 {
        let usual = self.extract(&covered.ids, ledger, self.extract_tokens(covered, ledger));
        self.tokenizer.count(text).saturating_sub(self.tokenizer.count(&usual))
    }

    /// Returns the tokens that the fit should take from long results and pastes, so that the record gets up to half of
    /// the target: a file that was just read can be read again, and facts that the record has no room for are lost.
    /// `around` are the tokens of everything but the lists of the record.
    fn tokens_from_long_texts(&self, new: &New, around: u64) -> u64 {
        let New { covered, ledger, draft, budget, .. } = *new;
        let half = budget.target / 2;
        let room = budget.target.saturating_sub(around);
        if !self.fills || room >= half {
            return 0;
        }
        let ids: HashSet<&str> = covered.ids.iter().map(String::as_str).collect();
        let must = prune::must_keep(draft, &self.fit_limits(budget.target, &[]));
        let musts: HashSet<usize> = must.iter().copied().collect();
        let stays = |(_, entry): &(usize, &Entry)| entry.is_in() && !ids.contains(entry.message.id.as_str());
        let has_more = |(at, entry): (usize, &Entry)| !musts.contains(&at) && !entry.message.role.is_frame();
        // A later cut frees room as well, without shortening anything.
        if draft.entries.iter().enumerate().filter(stays).any(has_more) {
            return 0;
        }
        let wanted = wanted(ledger, self.shares(budget, draft, ledger, covered, half), &*self.tokenizer);
        let wanted = (wanted.floor + wanted.lines + wanted.words + budget.names).min(half);
        let kept = |at: &usize| !self.options.keep.contains(&draft.entries[*at].message.id);
        let long: Vec<usize> = must.into_iter().filter(kept).collect();
        wanted.saturating_sub(room).min(reduce::most(draft, &long))
    }
}

/// The search for the largest lists that fit. All sizes are tokens.
struct Search {
    /// The room for lists.
    room: u64,
    /// Lines of the floor yield by this much if a model wrote more than the rules by which the cut was chosen.
    less: u64,
    /// Size of the last record whose floor was lowered.
    longest: u64,
    /// True if the room may still be raised, which happens once.
    may_grow: bool,
}

/// A record that was written for a room.
struct Tried {
    tokens: u64,
    /// How far the view is above the target, and how far the record can grow.
    over: u64,
    under: u64,
    /// How far the record is above the size that is worth making.
    unworthy: u64,
    /// The part that only fills free room, and the floor that was asked for.
    spare: u64,
    least: u64,
    /// True if an entry was left out or shortened.
    is_cut: bool,
}

impl Search {
    /// Changes the room for the next record; returns false if this one is final. `target` is that of the view.
    fn advance(&mut self, tried: &Tried, target: u64) -> bool {
        // Lines are counted one by one; together they take slightly more or less.
        let over = tried.over.min(self.room);
        if over == 0 && self.may_grow && tried.is_cut && tried.under > target / 100 {
            self.room += tried.under.saturating_sub(target / 200);
            self.may_grow = false;
            return true;
        }
        if over > 0 && tried.spare == 0 && tried.least > 0 {
            // Lines that must stay do not yield, and no line yields a part: a step without effect doubles.
            self.less += if tried.tokens == self.longest { self.less } else { over };
            self.longest = tried.tokens;
            return true;
        }
        // Lines that only fill free room yield until the record is worth making.
        let over = over.max(tried.unworthy.min(self.room));
        let goes_on = over > 0 && tried.spare > 0;
        if goes_on {
            self.room -= over;
        }
        goes_on
    }
}

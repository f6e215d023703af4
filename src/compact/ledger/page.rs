//! Chooses the lines that a record shows, and the form of each.
//!
//! In: the lines of a ledger, and tokens. Out: the same lines, each with its form if it is shown. [`Page::floor`] is
//! shown in any case; then come the user's words, lines, and in the remaining room longer forms and facts.

use super::line::{Line, fact_lines, folder_line, lines};
use super::render::{BLOCKS, Block, Shares};
use super::story::FORMS;
use super::user::{PINNED, durability};
use super::{By, Command, Ledger, Request};
use crate::map::{HashMap, HashSet, ordered};
use crate::tokens::Tokenizer;

/// Share of the room for short forms that user messages may take if their own share is too small, in percent.
const USERS_OF_ENTRIES: u64 = 60;
/// Share of the same room for constraints, in percent, and their tokens if the room is small. A long conversation
/// collects more of them than a record can hold: the newest stay, the others are counted and can be recalled.
const CONSTRAINTS_OF_ENTRIES: u64 = 50;
const CONSTRAINTS: u64 = 512;
/// The divisor of that share for decisions of the user.
const DECISIONS: u64 = 2;
/// The divisor of that share in conversations without tools, whatever the facts are.
const RULES_OF_TALK: u64 = 3;
/// The divisor of the share of user messages for the beginning of the first one.
const GOAL: u64 = 4;
/// The divisor of the share of user messages for short ones that are shown whole in any case, even if the newest round
/// leaves the record no room.
const LEAST_USERS: u64 = 4;
/// Maximum bytes of a user message with its outcome that is shown whole before facts are.
const SHORT_MESSAGE: usize = 240;
/// Minimum room, in tokens, for short messages to come before facts in a conversation without tools: with less room,
/// facts alone are worth more.
const SHORT_MESSAGES_FROM: u64 = 800;
/// Minimum tokens of a line.
const MIN_LINE: u64 = 5;

/// Share of entries that should have a line of their own, in percent; the remaining room is for what the record shows
/// beside them.
const USERS: usize = 97;
const ERRORS: usize = 95;
const COMMANDS: usize = 95;

/// Tokens of the tags of one block, and of the line that counts its entries without a line.
const FRAME: u64 = 24;
/// Tokens of the tags of all blocks except facts, which pays for its own.
pub(super) const FRAMES: u64 = FRAME * (BLOCKS.len() as u64 - 2);
/// Maximum facts that may turn out too long before the search for a shorter one ends.
const MISSES: usize = 30;
/// Blocks that must stay: rules, the plan, changed files, actions.
pub(super) const VITAL: [Block; 4] = [Block::Constraints, Block::Todo, Block::Changed, Block::Actions];

pub(super) struct Page<'a> {
    pub(super) lines: Vec<Line>,
    /// Entries older than all lines, by block: their number, and the id of the oldest.
    pub(super) older: Vec<(Block, usize, String)>,
    pub(super) tokenizer: &'a dyn Tokenizer,
    pub(super) shares: Shares,
    /// Tokens of the block of user messages, and of all other blocks.
    pub(super) users: u64,
    pub(super) lists: u64,
    /// Tokens of the lists taken by lines that must stay.
    vital: u64,
    /// Tokens of lines that are shown only because there is room.
    pub(super) spare: u64,
    /// For each line, the index of its message; and for each message, whether one of its rows is shown.
    messages: Vec<usize>,
    has_row: Vec<bool>,
    /// User messages, the newest first. Those without content words come later, and last those that are repeated later.
    requests: Vec<usize>,
    /// The first request with content: the goal.
    goal: Option<usize>,
    /// The line that names the folder of most files.
    pub(super) folder: Option<String>,
}

impl<'a> Page<'a> {
    /// `longer`: includes the longer forms of lines.
    pub(super) fn new(ledger: &Ledger, shares: Shares, longer: bool, tokenizer: &'a dyn Tokenizer) -> Page<'a> {
        let Shares { user, ledger: own, entries, .. } = shares;
        let (mut lines, older) =
            lines(ledger, longer, most_lines(user.saturating_add(own.max(entries))), shares.is_last_told);
        if longer {
            lines.extend(fact_lines(ledger, if shares.room == u64::MAX { own } else { shares.room }));
        }
        let folder = ledger.shared_folder().map(folder_line);
        let of_folder = folder.as_ref().map_or(0, |line| (tokenizer.count(line) + 1) * 2);
        let blocks = ordered(lines.iter().map(|line| line.block));
        let own = blocks.iter().filter(|block| !matches!(block, Block::Users | Block::Facts)).count();
        let frames = FRAME * own as u64 + of_folder;
        let mut message = 0;
        let messages = (0..lines.len()).map(|at| {
            message += usize::from(at > 0 && !lines[at].continues(&lines[at - 1]));
            message
        });
        let messages: Vec<usize> = messages.collect();
        let (requests, goal) = requests(ledger, &lines);
        let has_row = vec![false; message + 1];
        Page {
            lines,
            older,
            tokenizer,
            shares,
            users: FRAME,
            lists: frames,
            vital: 0,
            spare: 0,
            messages,
            has_row,
            requests,
            goal,
            folder,
        }
    }

    /// Returns the tokens left under the target.
    pub(super) fn room(&self) -> u64 {
        self.shares.room.saturating_sub(self.users + self.lists)
    }

    /// Returns the tokens that the lists may still take of their own share.
    pub(super) fn own(&self) -> u64 {
        self.shares.ledger.saturating_sub(self.lists)
    }

    /// Returns the tokens that lists may take of `max`, beside what must stay and what user messages borrowed.
    pub(super) fn within(&self, max: u64) -> u64 {
        max.saturating_sub(self.lists - self.vital + self.users.saturating_sub(self.shares.user.max(FRAME)))
    }

    /// Returns the tokens that lines for user messages may take.
    fn of_users(&self, may_borrow: bool) -> u64 {
        let Shares { user, entries, .. } = self.shares;
        let borrowed = (entries * USERS_OF_ENTRIES / 100).min(entries.saturating_sub(self.lists));
        (user + if may_borrow { borrowed } else { 0 }).saturating_sub(self.users)
    }

    /// Shows a line in a form if that adds at most `left` tokens; returns the added tokens.
    fn show(&mut self, at: usize, form: usize, left: u64) -> Option<u64> {
        let line = &self.lines[at];
        if line.form.is_some_and(|shown| shown >= form) || form > line.longer.len() {
            return None;
        }
        let follows = line.follows || line.form.is_none() && self.has_row[self.messages[at]];
        let text = line.text(form, follows);
        // A token has at most 128 bytes, so a text that is far too long need not be counted.
        if text.len() as u64 / 128 > left.saturating_add(line.cost) {
            return None;
        }
        let cost = self.tokenizer.count(&text) + 1;
        let more = cost.saturating_sub(line.cost);
        if more > left {
            return None;
        }
        let line = &mut self.lines[at];
        (line.form, line.cost, line.follows) = (Some(form), cost, follows);
        self.has_row[self.messages[at]] |= line.is_row();
        match line.block {
            Block::Users => self.users += more,
            _ => self.lists += more,
        }
        Some(more)
    }

    /// Shows a line in a form, paid from the spare room.
    fn spend(&mut self, at: usize, form: usize, left: u64) {
        if let Some(cost) = self.show(at, form, left.min(self.room())) {
            self.spare += cost;
        }
    }

    fn of(&self, block: Block) -> Vec<usize> {
        (0..self.lines.len()).filter(|&at| self.lines[at].block == block).collect()
    }

    /// Returns the lines of `block`, the newest first; pinned ones precede what somebody said in passing.
    fn newest(&self, block: Block) -> Vec<usize> {
        let mut all = self.of(block);
        all.reverse();
        if block != Block::Constraints {
            return all;
        }
        // Lasting rules outlive those of the moment. Messages take turns, each starting with its first rule, so that
        // one with hundreds of rules does not displace the others.
        let mut turns: HashMap<&str, usize> = HashMap::default();
        let mut ranks: HashMap<usize, (u8, usize)> = HashMap::default();
        for &at in all.iter().rev() {
            let turn = turns.entry(&self.lines[at].id).or_default();
            ranks.insert(at, (durability(sentence_of(&self.lines[at])), *turn));
            *turn += 1;
        }
        let order = |at: &usize| (self.lines[*at].id != PINNED, ranks.get(at).copied().unwrap_or_default());
        crate::rank::sort_by(&mut all, |one, other| order(one).cmp(&order(other)));
        all
    }

    /// Shows short forms of `block` while the lists have at most `max` tokens.
    fn fill(&mut self, block: Block, max: u64) {
        for at in self.newest(block) {
            self.show(at, 0, self.within(max));
        }
    }

    /// Returns the lines of `block`, the most important first.
    fn ranked(&self, ledger: &Ledger, block: Block) -> Vec<usize> {
        let mut all = self.of(block);
        // Lines of a block are in order, oldest first.
        all.reverse();
        crate::rank::sort(&mut all, |&at| !u64::from(rank(ledger, &self.lines[at])));
        all
    }

    /// Shows the unconditional lines.
    pub(super) fn floor(&mut self, ledger: &Ledger) {
        let Shares { entries, least, .. } = self.shares;
        let is_talk = ledger.tools.is_empty();
        let of_constraints = of_constraints(entries);
        // Without tools every sentence can pass for a rule: beyond a few, they are chosen among the facts.
        let of_constraints = if is_talk { of_constraints / RULES_OF_TALK } else { of_constraints };
        self.fill(Block::Constraints, self.lists + of_constraints);
        for block in [Block::Todo, Block::Changed, Block::Actions] {
            self.fill(block, entries.max(self.lists));
        }
        self.vital = self.lists;
        for at in self.ranked(ledger, Block::Decisions) {
            if is_of_user(ledger, &self.lines[at]) {
                self.show(at, 0, self.within(of_constraints / DECISIONS));
            }
        }
        // User messages are left out first, because their rules have their own lines.
        let users = self.requests.clone();
        let wanted = most(users.len(), USERS);
        // Without tools, facts say more than the beginnings of messages.
        let wanted = if is_talk { 0 } else { wanted };
        for at in self.goal.into_iter().take(wanted).chain(users.iter().copied().take(wanted)) {
            self.show(at, 0, self.of_users(least >= entries));
        }
        if !is_talk {
            for at in users {
                let line = &self.lines[at];
                if line.form.is_some() && line.text(line.words, false).len() <= SHORT_MESSAGE {
                    self.show(at, line.words, (self.shares.user / LEAST_USERS).saturating_sub(self.users));
                }
            }
        }
        self.in_turns(ledger, |page, block| {
            if block == Block::Decisions { page.own().min(page.within(least)) } else { page.within(least) }
        });
    }

    /// Shows errors and commands in turns until most of them have a line, with decisions in between; `left` returns the
    /// tokens that a line of a block may cost.
    fn in_turns(&mut self, ledger: &Ledger, left: impl Fn(&Page, Block) -> u64) {
        let part = |all: Vec<usize>, share: usize| {
            let wanted = most(all.len(), share);
            all.into_iter().take(wanted).collect::<Vec<_>>().into_iter()
        };
        let mut waiting = [
            (4, Block::Errors, part(self.ranked(ledger, Block::Errors), ERRORS)),
            (6, Block::Commands, part(self.ranked(ledger, Block::Commands), COMMANDS)),
            (1, Block::Decisions, part(self.ranked(ledger, Block::Decisions), 100)),
        ];
        while waiting.iter().any(|(.., queue)| queue.len() > 0) {
            for (weight, block, queue) in &mut waiting {
                for at in queue.take(*weight) {
                    self.show(at, 0, left(self, *block));
                }
            }
        }
    }

    /// Shows the lines that a record should have, as far as there is room.
    pub(super) fn fill_lines(&mut self, ledger: &Ledger) {
        let entries = self.shares.entries;
        let before = self.users + self.lists;
        // The newest user messages already have theirs, from their own share.
        self.in_turns(ledger, |page, block| {
            let left = if block == Block::Decisions { page.own() } else { page.within(entries) };
            left.min(page.room())
        });
        if !ledger.tools.is_empty() {
            for at in self.requests.clone() {
                self.show(at, 0, self.of_users(true).min(self.room()));
            }
        }
        self.spare += (self.users + self.lists).saturating_sub(before);
    }

    /// Fills the remaining room in this order: lines of all kinds, facts, the user's other words, longer forms. Without
    /// tools, facts come before whole messages.
    pub(super) fn fill_room(&mut self, ledger: &Ledger) {
        // Without tools every sentence can pass for a rule, and the facts show its subject.
        if ledger.tools.is_empty() {
            self.fill_facts();
        }
        for block in [Block::Constraints, Block::Errors, Block::Commands, Block::Decisions, Block::Read] {
            for at in self.ranked(ledger, block) {
                self.spend(at, 0, u64::MAX);
            }
        }
        self.fill_users(u64::MAX);
        // Whole command lines and errors, then other places of errors and output of commands.
        let mut all: Vec<usize> = self.of(Block::Commands);
        all.extend(self.of(Block::Errors));
        all.extend(self.of(Block::Actions));
        crate::rank::sort_by(&mut all, |one, other| (self.lines[*other].at, other).cmp(&(self.lines[*one].at, one)));
        for form in [1, 2] {
            for &at in &all {
                if self.lines[at].form.is_some() {
                    self.spend(at, form, u64::MAX);
                }
            }
        }
        // The outcomes of requests in more words.
        let users = self.requests.clone();
        for longer in 1..=FORMS {
            for &at in &users {
                let line = &self.lines[at];
                let form = (line.words + longer).min(line.longer.len());
                if line.form.is_some_and(|shown| shown >= line.words) {
                    self.spend(at, form, u64::MAX);
                }
            }
        }
        self.fill_facts();
    }

    /// Shows the user's words up to their share, before anything else gets room. Without tools these are short
    /// messages, which are whole facts.
    pub(super) fn fill_requests(&mut self, ledger: &Ledger) {
        if ledger.tools.is_empty() {
            if self.shares.room >= SHORT_MESSAGES_FROM {
                self.fill_short_users(self.shares.user * 2);
            }
        } else {
            self.fill_users(self.shares.user);
        }
    }

    /// Shows short user messages with all their words, the newest first, up to `max` tokens.
    fn fill_short_users(&mut self, max: u64) {
        for at in self.requests.clone() {
            let line = &self.lines[at];
            if line.text(line.words, false).len() <= SHORT_MESSAGE {
                self.spend(at, line.words, max.saturating_sub(self.users));
            }
        }
    }

    /// Shows all words of user messages, the newest first, or else their first sentences, up to `max` tokens.
    fn fill_users(&mut self, max: u64) {
        let users = self.requests.clone();
        // Its beginning states the goal, so it outlives the details of later ones.
        if let Some(goal) = self.goal.filter(|&goal| self.lines[goal].form.is_some()) {
            self.spend(goal, self.lines[goal].words.min(1), max.saturating_sub(self.users).min(max / GOAL));
        }
        for is_whole in [true, false] {
            for &at in &users {
                let words = self.lines[at].words;
                if self.lines[at].form.is_some() || max == u64::MAX {
                    let form = if is_whole { words } else { words.min(1) };
                    self.spend(at, form, max.saturating_sub(self.users));
                }
            }
        }
    }

    /// Shows facts while there is room, the best first, unless another line already shows them.
    fn fill_facts(&mut self) {
        let mut all = self.of(Block::Facts);
        crate::rank::sort(&mut all, |&at| self.lines[at].at as u64);
        let mut shown: HashSet<String> = HashSet::default();
        // A sentence that is a rule is shown as a rule.
        let mut rules: HashMap<String, Vec<usize>> = HashMap::default();
        for at in self.of(Block::Constraints) {
            rules.entry(self.lines[at].id.clone()).or_default().push(at);
        }
        let mut whole: HashSet<String> = HashSet::default();
        for line in self.lines.iter().filter(|line| line.form.is_some()) {
            match line.block {
                Block::Constraints | Block::Decisions => {
                    shown.insert(sentence_of(line).to_string());
                }
                Block::Users if line.form.is_some_and(|form| form >= line.words) => {
                    whole.insert(line.id.clone());
                }
                _ => {}
            }
        }
        let mut misses = 0;
        let mut frame = if all.iter().any(|&at| self.lines[at].form.is_some()) { 0 } else { FRAME };
        for at in all {
            if misses == MISSES {
                break;
            }
            let line = &self.lines[at];
            if line.form.is_some() || shown.contains(sentence_of(line)) || whole.contains(&line.id) {
                continue;
            }
            let of_message = rules.get(&line.id).map_or(&[][..], Vec::as_slice);
            let rule = of_message.iter().find(|&&rule| self.lines[rule].short.contains(sentence_of(line))).copied();
            if rule.is_some_and(|rule| self.lines[rule].form.is_some()) {
                continue;
            }
            let room = if self.shares.room == u64::MAX { self.own() } else { self.room() };
            let frame_of = if rule.is_some() { 0 } else { frame };
            match self.show(rule.unwrap_or(at), 0, room.saturating_sub(frame_of)) {
                Some(cost) => {
                    self.lists += frame_of;
                    self.spare += cost + frame_of;
                    frame -= frame_of;
                }
                None => misses += 1,
            }
        }
    }
}

/// See [`Page::requests`] and [`Page::goal`].
fn requests(ledger: &Ledger, lines: &[Line]) -> (Vec<usize>, Option<usize>) {
    let all = (0..lines.len()).rev().filter(|&at| lines[at].block == Block::Users);
    let mut said: HashSet<&str> = HashSet::default();
    let (once, again): (Vec<usize>, Vec<usize>) = all.partition(|&at| said.insert(lines[at].words_of()));
    let has_content = |at: &usize| ledger.requests.get(lines[*at].entry).is_some_and(Request::has_content);
    let (mut order, chatter): (Vec<usize>, Vec<usize>) = once.into_iter().partition(has_content);
    let goal = order.last().copied();
    order.extend(chatter);
    order.extend(again);
    (order, goal)
}

/// Returns the sentence of a line, without its id.
fn sentence_of(line: &Line) -> &str {
    line.short.split_once(": ").map_or("", |(_, sentence)| sentence)
}

/// Returns `percent` of `all`, rounded up.
fn most(all: usize, percent: usize) -> usize {
    (all * percent).div_ceil(100)
}

/// Returns the tokens that constraints may take of the room for short forms.
pub(super) fn of_constraints(entries: u64) -> u64 {
    (entries.saturating_mul(CONSTRAINTS_OF_ENTRIES) / 100).max(entries.min(CONSTRAINTS))
}

/// Returns the maximum number of lines that `tokens` can hold.
pub(super) fn most_lines(tokens: u64) -> usize {
    usize::try_from(tokens / MIN_LINE).unwrap_or(usize::MAX).saturating_add(8)
}

/// Returns whether a line is a decision of the user.
fn is_of_user(ledger: &Ledger, line: &Line) -> bool {
    ledger.decisions.get(line.entry).is_some_and(|decision| decision.by == By::User)
}

/// Returns the importance of a line within its block: higher ones leave later.
fn rank(ledger: &Ledger, line: &Line) -> u8 {
    match line.block {
        Block::Errors => ledger.errors.get(line.entry).is_some_and(|e| !e.resolved).into(),
        Block::Decisions => is_of_user(ledger, line).into(),
        Block::Commands => ledger.commands.get(line.entry).is_some_and(Command::has_failed).into(),
        _ => 0,
    }
}

//! The ledger as text: plain lines in tagged blocks, newest last, and which of them leave when there is no room.
//!
//! Every entry first gets its short form: one line of its own, long enough to be known by. What must not leave goes first (constraints,
//! the plan, changed files), then a line for nearly every message of the user and most errors and commands, the more important ones of
//! each kind before the others: that is the floor, which is there whatever the room. What room is left goes to the user's words as they
//! were, newest first, then to the other lines and to longer forms. What found no place is counted in its block, with the ids that it lies
//! between, so that it can be asked for.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::line::{Line, fact_lines, folder_line, lines, vital_lines};
use super::story::FORMS;
use super::user::PINNED;
use super::{Command, Ledger};
use crate::map::{HashMap, HashSet};
use crate::tokens::Tokenizer;

/// How many tokens the record's lines may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shares {
    /// Messages of the user.
    pub user: u64,
    /// Everything else, as far as there is room ...
    pub ledger: u64,
    /// ... and up to this, lines of their own for as many entries as a record should have.
    pub entries: u64,
    /// What such lines may take though there is no room.
    pub least: u64,
    /// What all of it may take before the view is above its target.
    pub room: u64,
}

/// The blocks, in the order in which they stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Block {
    Users,
    Constraints,
    Todo,
    Changed,
    Actions,
    Errors,
    Commands,
    Decisions,
    Facts,
    Read,
}

const BLOCKS: [Block; 10] = [
    Block::Users,
    Block::Constraints,
    Block::Todo,
    Block::Changed,
    Block::Actions,
    Block::Errors,
    Block::Commands,
    Block::Decisions,
    Block::Facts,
    Block::Read,
];

impl Block {
    /// The tag.
    pub fn name(self) -> &'static str {
        match self {
            Block::Users => "user-messages",
            Block::Constraints => "constraints",
            Block::Todo => "todo",
            Block::Changed => "changed-files",
            Block::Actions => "actions",
            Block::Errors => "errors",
            Block::Commands => "commands",
            Block::Decisions => "decisions",
            Block::Facts => "facts",
            Block::Read => "read-files",
        }
    }

    pub(super) fn of_name(name: &str) -> Option<Block> {
        BLOCKS.into_iter().find(|block| block.name() == name)
    }
}

/// What became of the entries of one block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shown {
    pub block: Block,
    /// Lines of their own.
    pub lines: usize,
    /// Lines that are shorter than their entry.
    pub shortened: usize,
    /// Entries without a line: counted, and to be had by recall.
    pub left_out: usize,
}

/// Share of the room for short forms that messages of the user may take when their own is not enough, in percent.
const USERS_OF_ENTRIES: u64 = 60;
/// Share of the same that constraints may take, in percent, and what they may take of less, in tokens. A long conversation collects more
/// of them than any record can hold: the newest stay, the others are counted and can be recalled.
const CONSTRAINTS_OF_ENTRIES: u64 = 50;
const CONSTRAINTS: u64 = 512;
/// What constraints of a talk may take at least, if lists may have that much, in tokens.
const LEAST_RULES: u64 = 160;
/// A message of the user with its outcome that is shown whole before facts are, in bytes.
const SHORT_MESSAGE: usize = 240;
/// Room from which short messages of a talk come before its facts, in tokens: in less the facts alone are worth more.
const SHORT_MESSAGES_FROM: u64 = 800;
/// No line takes fewer tokens.
const LEAST_LINE: u64 = 5;

/// Entries that should have a line of their own, in percent: somewhat more than the 95, 80 and 80 that are promised of a whole
/// history, since not every line is known again where it was cut.
const USERS: usize = 97;
const ERRORS: usize = 84;
const COMMANDS: usize = 84;

/// Tags of one block, and the line that counts its entries without a line, in tokens.
const FRAME: u64 = 24;
/// Tags of all blocks but that of facts, which pays for its own.
const FRAMES: u64 = FRAME * (BLOCKS.len() as u64 - 2);
/// Facts that may turn out too long for the room before the search for a shorter one ends.
const MISSES: usize = 30;
/// What must not leave: rules, the plan, changed files, what was done to the world.
const VITAL: [Block; 4] = [Block::Constraints, Block::Todo, Block::Changed, Block::Actions];

struct Page<'a> {
    lines: Vec<Line>,
    /// Entries that are older than all lines, by block: how many, and the id of the oldest.
    older: Vec<(Block, usize, String)>,
    tokenizer: &'a dyn Tokenizer,
    shares: Shares,
    /// Tokens of the block of the user's messages, and of all others.
    users: u64,
    lists: u64,
    /// Tokens of the lists that lines which must not leave take.
    vital: u64,
    /// What of them is there only because there is room.
    spare: u64,
    /// By line, the message that its row is of, numbered; and whether a row of that message is shown.
    messages: Vec<usize>,
    has_row: Vec<bool>,
    /// The line that names the folder of most files.
    folder: Option<String>,
}

impl<'a> Page<'a> {
    /// `longer`: with the longer forms of lines.
    fn new(ledger: &Ledger, shares: Shares, longer: bool, tokenizer: &'a dyn Tokenizer) -> Page<'a> {
        let Shares { user, ledger: own, entries, .. } = shares;
        let (mut lines, older) = lines(ledger, longer, most_lines(user.saturating_add(own.max(entries))));
        if longer {
            lines.extend(fact_lines(ledger, if shares.room == u64::MAX { own } else { shares.room }));
        }
        let folder = ledger.shared_folder().map(folder_line);
        let of_folder = folder.as_ref().map_or(0, |line| (tokenizer.count(line) + 1) * 2);
        let blocks: BTreeSet<Block> = lines.iter().map(|line| line.block).collect();
        let own = blocks.iter().filter(|block| !matches!(block, Block::Users | Block::Facts)).count();
        let frames = FRAME * own as u64 + of_folder;
        let mut message = 0;
        let messages = (0..lines.len()).map(|at| {
            let is_same = |before: &Line| before.block == lines[at].block && before.id == lines[at].id;
            message += usize::from(at > 0 && !is_same(&lines[at - 1]));
            message
        });
        let messages: Vec<usize> = messages.collect();
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
            folder,
        }
    }

    /// What is left under the target.
    fn room(&self) -> u64 {
        self.shares.room.saturating_sub(self.users + self.lists)
    }

    /// What the lists may still take of their own share.
    fn own(&self) -> u64 {
        self.shares.ledger.saturating_sub(self.lists)
    }

    /// What they may take of `most` beside what must not leave; messages of the user had some of it where their own share was too small.
    fn within(&self, most: u64) -> u64 {
        most.saturating_sub(self.lists - self.vital + self.users.saturating_sub(self.shares.user.max(FRAME)))
    }

    /// What lines for messages of the user may take.
    fn of_users(&self, may_borrow: bool) -> u64 {
        let Shares { user, entries, .. } = self.shares;
        let borrowed = (entries * USERS_OF_ENTRIES / 100).min(entries.saturating_sub(self.lists));
        (user + if may_borrow { borrowed } else { 0 }).saturating_sub(self.users)
    }

    /// Shows a line in a form if it costs at most `left` more than now; gives what it costs more.
    fn show(&mut self, at: usize, form: usize, left: u64) -> Option<u64> {
        let line = &self.lines[at];
        if line.form.is_some_and(|shown| shown >= form) || form > line.longer.len() {
            return None;
        }
        let follows = line.follows || line.form.is_none() && self.has_row[self.messages[at]];
        let text = line.text(form, follows);
        // No token is longer than 128 bytes: what is far too long need not be counted.
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

    /// The same of what there is room for.
    fn spend(&mut self, at: usize, form: usize, left: u64) {
        if let Some(cost) = self.show(at, form, left.min(self.room())) {
            self.spare += cost;
        }
    }

    fn of(&self, block: Block) -> Vec<usize> {
        (0..self.lines.len()).filter(|&at| self.lines[at].block == block).collect()
    }

    /// Lines of `block`, newest first; what was pinned is not what somebody said in passing.
    fn newest(&self, block: Block) -> Vec<usize> {
        let mut all = self.of(block);
        all.reverse();
        if block == Block::Users {
            // What is said again later says it there.
            let mut said: HashSet<&str> = HashSet::default();
            let (mut once, again): (Vec<usize>, Vec<usize>) =
                all.into_iter().partition(|&at| said.insert(self.lines[at].words_of()));
            once.extend(again);
            return once;
        }
        if block != Block::Constraints {
            return all;
        }
        // Messages take turns, each with its first rule first: one with hundreds of them does not push out those of
        // the others.
        let mut turns: HashMap<&str, usize> = HashMap::default();
        let mut turn_of: HashMap<usize, usize> = HashMap::default();
        for &at in all.iter().rev() {
            let turn = turns.entry(&self.lines[at].id).or_default();
            turn_of.insert(at, *turn);
            *turn += 1;
        }
        all.sort_by_key(|at| (self.lines[*at].id != PINNED, turn_of.get(at).copied().unwrap_or(0)));
        all
    }

    /// Short forms of `block`, while the lists have at most so many tokens.
    fn fill(&mut self, block: Block, most: u64) {
        for at in self.newest(block) {
            self.show(at, 0, self.within(most));
        }
    }

    /// Lines of `block`, what leaves last in front.
    fn ranked(&self, ledger: &Ledger, block: Block) -> Vec<usize> {
        let mut all = self.of(block);
        // Lines of a block stand oldest first.
        all.reverse();
        crate::rank::sort(&mut all, |&at| !u64::from(rank(ledger, &self.lines[at])));
        all
    }

    /// What is there whatever the room.
    fn floor(&mut self, ledger: &Ledger) {
        let Shares { entries, least, .. } = self.shares;
        let is_talk = ledger.tools.is_empty();
        let of_constraints = of_constraints(entries);
        // In talk every sentence can pass for a rule, and the facts say what it is about.
        let of_constraints =
            if is_talk { (of_constraints / 2).max(of_constraints.min(LEAST_RULES)) } else { of_constraints };
        self.fill(Block::Constraints, self.lists + of_constraints);
        for block in [Block::Todo, Block::Changed, Block::Actions] {
            self.fill(block, entries.max(self.lists));
        }
        self.vital = self.lists;
        // Of the messages of the user a line is the least loss: the rules in them have lines of their own.
        let users = self.newest(Block::Users);
        let wanted = most(users.len(), USERS);
        for at in users.into_iter().take(wanted) {
            let left = self.of_users(least >= entries && !is_talk);
            // In talk the facts say more than the beginnings of messages.
            let left = if is_talk { left.saturating_sub(self.shares.user / 2) } else { left };
            self.show(at, 0, left);
        }
        self.in_turns(ledger, |page, block| {
            if block == Block::Decisions { page.own().min(page.within(least)) } else { page.within(least) }
        });
    }

    /// Errors and commands in turns until most of them have a line, decisions now and then; `left` says what a line of a block may cost.
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

    /// What there is room for of the lines that a record should have.
    fn fill_lines(&mut self, ledger: &Ledger) {
        let entries = self.shares.entries;
        let before = self.users + self.lists;
        // The newest messages of the user have theirs already, from a share of their own.
        self.in_turns(ledger, |page, block| {
            let left = if block == Block::Decisions { page.own() } else { page.within(entries) };
            left.min(page.room())
        });
        for at in self.newest(Block::Users) {
            self.show(at, 0, self.of_users(!ledger.tools.is_empty()).min(self.room()));
        }
        self.spare += (self.users + self.lists).saturating_sub(before);
    }

    /// What there is room for beyond them, in this order: lines of all kinds, facts, the user's other words, longer forms. In talk, where nothing but words is at hand, facts come before whole messages.
    fn fill_room(&mut self, ledger: &Ledger) {
        // In talk every sentence can pass for a rule, and the facts say what it is about.
        if ledger.tools.is_empty() {
            self.fill_facts();
        }
        for block in [Block::Constraints, Block::Errors, Block::Commands, Block::Decisions, Block::Read] {
            for at in self.ranked(ledger, block) {
                self.spend(at, 0, u64::MAX);
            }
        }
        self.fill_users(u64::MAX);
        // Whole command lines and errors, then the other places of errors and what commands printed.
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
        // What came of the requests in more words.
        let users = self.newest(Block::Users);
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

    /// The user's words up to their share, before anything else has room. In talk these are short messages, which are whole facts.
    fn fill_requests(&mut self, ledger: &Ledger) {
        if ledger.tools.is_empty() {
            if self.shares.room >= SHORT_MESSAGES_FROM {
                self.fill_short_users(self.shares.user * 2);
            }
        } else {
            self.fill_users(self.shares.user);
        }
    }

    /// Short messages of the user with all their words, the newest first, up to `most` tokens.
    fn fill_short_users(&mut self, most: u64) {
        for at in self.newest(Block::Users) {
            let line = &self.lines[at];
            if line.text(line.words, false).len() <= SHORT_MESSAGE {
                self.spend(at, line.words, most.saturating_sub(self.users));
            }
        }
    }

    /// All words of the user's messages, the newest first, or else their first sentences, up to `most` tokens.
    fn fill_users(&mut self, most: u64) {
        let users = self.newest(Block::Users);
        for is_whole in [true, false] {
            for &at in &users {
                let words = self.lines[at].words;
                if self.lines[at].form.is_some() || most == u64::MAX {
                    let form = if is_whole { words } else { words.min(1) };
                    self.spend(at, form, most.saturating_sub(self.users));
                }
            }
        }
    }

    /// Facts for which there is room, the best ones first, unless another line shows them already.
    fn fill_facts(&mut self) {
        let mut all = self.of(Block::Facts);
        crate::rank::sort(&mut all, |&at| self.lines[at].at as u64);
        let mut shown: HashSet<String> = HashSet::default();
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
            let room = if self.shares.room == u64::MAX { self.own() } else { self.room() };
            match self.show(at, 0, room.saturating_sub(frame)) {
                Some(cost) => {
                    self.lists += frame;
                    self.spare += cost + frame;
                    frame = 0;
                }
                None => misses += 1,
            }
        }
    }
}

/// The sentence of a line, without its id.
fn sentence_of(line: &Line) -> &str {
    line.short.split_once(": ").map_or("", |(_, sentence)| sentence)
}

/// So many percent of `all`, rounded up.
fn most(all: usize, percent: usize) -> usize {
    (all * percent).div_ceil(100)
}

/// Tokens that the lines of what must not leave take, and the blocks around all; `most` at most.
pub fn vital(ledger: &Ledger, most: u64, tokenizer: &dyn Tokenizer) -> u64 {
    let (lines, _) = vital_lines(ledger, most_lines(most));
    let of = |constraints: bool, most: u64| {
        let mut sum = 0;
        // The newest are those that stay.
        for line in lines.iter().rev().filter(|line| VITAL.contains(&line.block)) {
            if (line.block == Block::Constraints) == constraints && sum < most {
                sum += tokenizer.count(&line.short) + 1;
            }
        }
        sum.min(most)
    };
    (FRAMES + of(true, of_constraints(most)) + of(false, most)).min(most)
}

/// Tokens that constraints may take of those that short forms may have.
fn of_constraints(entries: u64) -> u64 {
    (entries.saturating_mul(CONSTRAINTS_OF_ENTRIES) / 100).max(entries.min(CONSTRAINTS))
}

/// Lines that so many tokens can be enough for.
fn most_lines(tokens: u64) -> usize {
    usize::try_from(tokens / LEAST_LINE).unwrap_or(usize::MAX).saturating_add(8)
}

/// What the blocks of a ledger would take, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Whatever the room.
    pub floor: u64,
    /// Beyond it for lines that a record should have.
    pub lines: u64,
    /// Beyond both for the user's words.
    pub words: u64,
}

/// What the blocks would take with all the room that they could use.
pub fn wanted(ledger: &Ledger, shares: Shares, tokenizer: &dyn Tokenizer) -> Wanted {
    let shares = Shares { room: u64::MAX, ..shares };
    let mut page = Page::new(ledger, shares, false, tokenizer);
    page.floor(ledger);
    let floor = page.users + page.lists;
    page.fill_lines(ledger);
    let lines = page.users + page.lists - floor;
    // More than their share they cannot have.
    let mut words = 0;
    for request in &ledger.requests {
        if words >= shares.user {
            break;
        }
        words += tokenizer.count(&request.text);
    }
    Wanted { floor, lines, words: words.min(shares.user).saturating_sub(page.users) }
}

/// The blocks of a ledger as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks {
    pub text: String,
    /// What became of the entries.
    pub shown: Vec<Shown>,
    /// Tokens that are there only because there was room for them.
    pub spare: u64,
}

/// The blocks of a ledger within `shares`. Where the agent can look messages up by id (`recalls`) they name those of the entries without a line.
pub fn blocks(ledger: &Ledger, shares: Shares, recalls: bool, tokenizer: &dyn Tokenizer) -> Blocks {
    blocks_with(ledger, shares, recalls, tokenizer, ([0, 0], |_: &str, _| (String::new(), 0)))
}

/// The same with text that the record shows behind the lists. `reserves` are tokens that the lists keep free for it: before their own lines
/// have any room, and before they take more than their shares. The function writes it within the tokens that it is given; the lists take
/// the rest.
pub fn blocks_with(
    ledger: &Ledger,
    shares: Shares,
    recalls: bool,
    tokenizer: &dyn Tokenizer,
    (reserves, beside): ([u64; 2], impl FnOnce(&str, u64) -> (String, u64)),
) -> Blocks {
    let [first, all] = reserves;
    let mut page = Page::new(ledger, shares, true, tokenizer);
    page.floor(ledger);
    page.shares.room = shares.room.saturating_sub(first);
    page.fill_requests(ledger);
    page.fill_lines(ledger);
    page.shares.room = shares.room.saturating_sub(all);
    page.fill_room(ledger);
    if all == 0 {
        return write(ledger, &page, recalls);
    }
    page.shares.room = shares.room;
    let lists = write(ledger, &page, recalls);
    let (text, tokens) = beside(&lists.text, page.room());
    page.shares.room = shares.room.saturating_sub(tokens);
    page.fill_room(ledger);
    let mut blocks = write(ledger, &page, recalls);
    blocks.text.push_str(&text);
    blocks.spare += tokens;
    blocks
}

fn write(ledger: &Ledger, page: &Page, recalls: bool) -> Blocks {
    let tokenizer = page.tokenizer;
    let mut room = page.own().min(page.room());
    let mut of_changed = page.within(page.shares.entries);
    let mut out = String::new();
    let mut shown = Vec::new();
    for block in BLOCKS {
        let all: Vec<&Line> = page.lines.iter().filter(|line| line.block == block).collect();
        // Of sentences that are no facts none is missing.
        let is_missing = |line: &&Line| line.form.is_none() && block != Block::Facts;
        let missing: Vec<&Line> = all.iter().copied().filter(is_missing).collect();
        let earlier = ledger.left_out.get(block.name()).copied().unwrap_or(0);
        let older = page.older.iter().find(|(of, ..)| *of == block);
        let left_out = missing.len() + earlier + older.map_or(0, |(_, count, _)| *count);
        if all.iter().all(|line| line.form.is_none()) && left_out == 0 {
            continue;
        }
        let lines = all.iter().filter(|line| line.form.is_some()).count();
        let is_short = |line: &&&Line| line.form.is_some_and(|form| form < line.longer.len());
        let shortened = all.iter().filter(is_short).count();
        shown.push(Shown { block, lines, shortened, left_out });
        out.push_str(&format!("<{}>\n", block.name()));
        let folder = page.folder.as_ref().filter(|_| matches!(block, Block::Changed | Block::Read));
        out.extend(folder.into_iter().flat_map(|line| [line, "\n"]));
        if left_out > 0 {
            let oldest = older.map(|(.., id)| id).or(missing.first().map(|line| &line.id));
            let ids = match (oldest, missing.last().map_or(oldest, |line| Some(&line.id))) {
                _ if !recalls => String::new(),
                (Some(oldest), Some(newest)) if oldest != newest => {
                    format!(", between {oldest} and {newest}; recall them by id")
                }
                (Some(only), _) => format!(", recall {only}"),
                _ => ", in an earlier record".to_string(),
            };
            out.push_str(&format!("({left_out} more left out{ids})\n"));
            if matches!(block, Block::Changed | Block::Read) {
                let room = if block == Block::Changed { &mut of_changed } else { &mut room };
                for folder in folders(&missing) {
                    let cost = tokenizer.count(&folder) + 1;
                    if cost > *room {
                        break;
                    }
                    *room -= cost;
                    out.push_str(&folder);
                    out.push('\n');
                }
            }
        }
        let mut previous = None;
        for line in &all {
            let Some(form) = line.form else { continue };
            out.push_str(&line.text(form, previous == Some(&line.id)));
            out.push('\n');
            previous = Some(&line.id);
        }
        out.push_str(&format!("</{}>\n", block.name()));
    }
    Blocks { text: out, shown, spare: page.spare }
}

/// Files that found no place, by folder: `(src/ui/: 7 files)`, the fullest first.
fn folders(missing: &[&Line]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in missing {
        let path = line.short.strip_prefix("- ").unwrap_or(&line.short);
        let path = path.rsplit_once(" (").map_or(path, |(path, _)| path);
        *counts.entry(path.rsplit_once('/').map_or("", |(folder, _)| folder)).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    // Folders come by name.
    crate::rank::sort(&mut counts, |(_, files)| !(*files as u64));
    counts
        .into_iter()
        .map(|(folder, n)| format!("({}/: {n} files)", if folder.is_empty() { "." } else { folder }))
        .collect()
}

/// What is more important within its block: it leaves later.
fn rank(ledger: &Ledger, line: &Line) -> u8 {
    match line.block {
        Block::Errors => ledger.errors.get(line.entry).is_some_and(|e| !e.resolved).into(),
        Block::Commands => ledger.commands.get(line.entry).is_some_and(Command::has_failed).into(),
        _ => 0,
    }
}

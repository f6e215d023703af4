//! Writes a log as JSON lines, and reads it.
//!
//! Each line is one entry with its position (`seq`), the version of the format (`v`), the host's time, and a hash over
//! this line and all lines before it. Field order and spelling are fixed, so the same log always has the same bytes.
//! The line of a message holds its counts and the encoding and cost model behind them (`counts`). A reader with the
//! same encoding and cost model counts nothing again. The hash covers the canonical form: a store may format the JSON
//! differently, but a change of content is detected.

use serde::{Deserialize, Serialize};

use super::entry::{Edit, Entry, id_of};
use super::{Added, Chain, Counting, Log, Record};
use crate::error::{Code, Error, Result};
use crate::message::Message;

/// The version of the lines that are written.
pub const VERSION: u32 = 1;

/// A problem in the lines of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// Counts from 1.
    pub line: usize,
    /// `cut`: the last line is incomplete; `changed`: the hash does not match; `duplicate`: a repeated line, which is
    /// skipped; `missing`: lines before it are missing; `refused`: the entry is not valid. One of `cut`, `unreadable`,
    /// `changed`, `duplicate`, `missing` or `refused`.
    pub kind: &'static str,
    /// One sentence for people.
    pub message: String,
}

/// A log that was read, with its problems.
#[derive(Debug)]
pub struct Imported {
    pub log: Log,
    /// In the order of the lines; empty if there are none.
    pub problems: Vec<Problem>,
    /// Number of lines that are not part of the log, from the first untrusted one on. The caller keeps them. 0 if there
    /// are none.
    pub left: usize,
    /// Entries added beyond the lines, if `salvage` was requested.
    pub salvaged: Vec<Added>,
    /// True if every accepted line has exactly the bytes that would be written.
    pub verbatim: bool,
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Log").field("entries", &self.len()).field("hash", &self.hash()).finish()
    }
}

/// The text between the hashed part of a line and the hash.
const HASH: &str = ",\"hash\":\"";
/// The text between a message and its counts.
const COUNTS: &str = ",\"counts\":\"";

#[derive(Deserialize)]
#[serde(expecting = "an entry of a log")]
struct Head {
    seq: usize,
    v: u32,
    time: i64,
    hash: String,
    /// The counts of a message, which follow the message in its line.
    #[serde(default)]
    counts: Option<String>,
    /// Number of hashed bytes at the beginning of the line.
    #[serde(skip)]
    hashed: usize,
}

impl Head {
    /// Reads the head from both ends of a canonical line. Returns `None` for lines with another format.
    fn quick(line: &str) -> Option<Head> {
        let (seq, rest) = line.strip_prefix("{\"seq\":")?.split_once(",\"v\":")?;
        let (v, rest) = rest.split_once(",\"time\":")?;
        let (time, rest) = rest.split_once(",\"type\":\"")?;
        let (_, hash) = rest.strip_suffix("\"}")?.rsplit_once(HASH)?;
        let hashed = line.len().checked_sub(HASH.len() + hash.len() + 2)?;
        let is_hash = hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit());
        // The full parser reports numbers that JSON does not allow.
        let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        if !is_hash || ![seq, v, time].into_iter().all(number) {
            return None;
        }
        Some(Head {
            seq: seq.parse().ok()?,
            v: v.parse().ok()?,
            time: time.parse().ok()?,
            hash: hash.to_string(),
            counts: counts_of(line.get(..hashed)?),
            hashed,
        })
    }
}

/// Returns the counts at the end of the hashed part of a line. Text cannot imitate them: inside a string the quotes
/// would be escaped, and inside an object a brace would follow.
fn counts_of(hashed: &str) -> Option<String> {
    let (_, counts) = hashed.strip_suffix('"')?.rsplit_once(COUNTS)?;
    is_counts(counts).then(|| counts.to_string())
}

/// Returns whether the text contains only names and numbers.
fn is_counts(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_' | b'-'))
}

/// Returns the version only, since the other fields of a newer version are unknown.
fn version(line: &str) -> Option<u32> {
    #[derive(Deserialize)]
    struct Version {
        v: u32,
    }
    serde_json::from_str(line).ok().map(|Version { v }| v)
}

/// One line of a text.
struct Line<'a> {
    /// Counts from 1.
    number: usize,
    text: &'a str,
    /// `None` if the line is not canonical.
    head: Option<Head>,
}

/// Returns the line of an entry, and the hash up to it.
pub(super) fn write(seq: usize, record: &Record, chain: Chain) -> (String, Chain) {
    let mut line = format!("{{\"seq\":{seq},\"v\":{VERSION},\"time\":{},", record.time);
    // An entry is an object of texts, numbers and lists, so writing it as JSON cannot fail.
    let entry = serde_json::to_string(&record.entry).unwrap_or_default();
    line.push_str(entry.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or_default());
    if let Some(told) = &record.told {
        line.push_str(COUNTS);
        line.push_str(told);
        line.push('"');
    }
    let chain = chain.with(line.as_bytes());
    line.push_str(HASH);
    line.push_str(&chain.hex());
    line.push_str("\"}");
    (line, chain)
}

impl Log {
    /// Returns the lines from a position on, each with a line break. From 0 it is the whole log.
    pub fn export(&self, from: usize) -> String {
        let mut out = String::new();
        for (seq, record) in self.store.records.iter().enumerate().skip(from) {
            let before = seq.checked_sub(1).and_then(|at| self.chain.get(at)).copied().unwrap_or_default();
            out.push_str(&write(seq, record, before).0);
            out.push('\n');
        }
        out
    }

    /// Returns the hash of the newest line. Logs with the same hash are the same.
    pub fn hash(&self) -> String {
        self.newest_hash().hex()
    }

    pub(super) fn newest_hash(&self) -> Chain {
        self.chain.last().copied().unwrap_or_default()
    }

    /// Reads the lines of a log up to the first line that is cut, changed, unreadable or after a gap. Such lines are
    /// reported and not accepted. A repeated line is accepted once. With `salvage`, messages in the lines behind such a
    /// place are added again at the end, as new entries with their own time and a note.
    ///
    /// # Errors
    /// [`Code::LogVersion`] with the line, if any line has a newer version. Nothing is accepted then, so that nothing
    /// is lost.
    pub fn import(text: &str, counting: Counting, salvage: bool) -> Result<Imported> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines: Vec<Line> = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(at, text)| Line { number: at + 1, text, head: Head::quick(text) })
            .collect();
        for Line { number, text, head } in &lines {
            if let Some(v) = head.as_ref().map(|head| head.v).or_else(|| version(text))
                && v > VERSION
            {
                let why = format!(
                    "this line is of version {v}, and this package reads up to {VERSION}; nothing was taken or changed"
                );
                return Err(Error::new(Code::LogVersion, why).at(format!("line {number}")));
            }
        }
        let mut out = Imported { log: Log::new(counting), problems: vec![], left: 0, salvaged: vec![], verbatim: true };
        let mut broken = None;
        for (at, line) in lines.iter().enumerate() {
            let is_last = at + 1 == lines.len();
            match out.log.take(line, is_last) {
                Ok(same) => out.verbatim &= same,
                Err(Trouble { kind, message }) => {
                    out.problems.push(Problem { line: line.number, kind, message });
                    if kind != "duplicate" {
                        broken = Some(at);
                        break;
                    }
                }
            }
        }
        if let Some(at) = broken {
            out.left = lines.len() - at;
            if salvage {
                out.salvage(&lines[at..]);
            }
        }
        Ok(out)
    }

    /// Accepts the next line. Returns whether it has exactly the bytes that would be written.
    fn take(&mut self, Line { text: line, head, .. }: &Line, is_last: bool) -> std::result::Result<bool, Trouble> {
        let unreadable = |error: serde_json::Error| {
            // A process that is stopped while it writes leaves an incomplete line.
            let kind = if is_last && error.is_eof() { "cut" } else { "unreadable" };
            Trouble { kind, message: error.to_string() }
        };
        let read: Head;
        let head = match head {
            Some(head) => head,
            None => {
                read = serde_json::from_str(line).map_err(unreadable)?;
                &read
            }
        };
        let entry: Entry = serde_json::from_str(line).map_err(unreadable)?;
        let told = head.counts.as_deref().filter(|told| matches!(entry, Entry::Message { .. }) && is_counts(told));
        let record = Record { time: head.time, entry, told: told.map(Box::from) };
        let next = self.len();
        if self.chain.get(head.seq).is_some_and(|had| had.hex() == head.hash) {
            return Err(trouble("duplicate", format!("{} was here already", id_of(head.seq))));
        }
        if head.seq > next {
            return Err(trouble("missing", format!("{} should follow, and {} does", id_of(next), id_of(head.seq))));
        }
        // Most lines are canonical and need not be written again to be hashed.
        let before = self.newest_hash();
        let as_read = line.as_bytes().get(..head.hashed).map(|bytes| before.with(bytes));
        let (is_verbatim, chain) = match as_read.filter(|chain| head.hashed > 0 && chain.hex() == head.hash) {
            Some(chain) => (true, chain),
            None => {
                let (written, chain) = write(head.seq, &record, before);
                (written == *line, chain)
            }
        };
        if head.seq < next || head.v != VERSION || chain.hex() != head.hash {
            return Err(trouble(
                "changed",
                format!("{} is not as it was written, or not where it was", id_of(head.seq)),
            ));
        }
        let refused = |error: Error| trouble("refused", error.to_string());
        // Only edits can be changed by the check. Their tokens are not compared: another tokenizer may have counted
        // them.
        let edit = match &record.entry {
            Entry::Edit { edit } => Some(edit.clone()),
            _ => None,
        };
        let Record { time, entry, told } = record;
        let entry = self.readmit(entry).map_err(refused)?;
        let entry = match (entry, edit) {
            (Entry::Edit { edit }, Some(read)) => {
                let (tokens_before, tokens_after) = (read.tokens_before, read.tokens_after);
                if *read != (Edit { tokens_before, tokens_after, ..*edit }) {
                    let why = format!("{} is not in the form in which a log records it", id_of(next));
                    return Err(trouble("refused", why));
                }
                Entry::Edit { edit: read }
            }
            (entry, _) => entry,
        };
        self.remember(Record { time, entry, told }, false);
        self.chain.push(chain);
        Ok(is_verbatim)
    }
}

impl Imported {
    fn salvage(&mut self, lines: &[Line]) {
        #[derive(Deserialize)]
        struct Loose {
            #[serde(default)]
            time: i64,
            message: Message,
        }
        let mut newest = self.log.records().last().map_or(0, |record| record.time);
        let from = id_of(self.log.len());
        for line in lines {
            let Ok(Loose { time, message }) = serde_json::from_str(line.text) else { continue };
            newest = time;
            // Messages that exist already or are not valid are skipped.
            self.salvaged.extend(self.log.append(message, time).ok());
        }
        if !self.salvaged.is_empty() {
            let note = serde_json::json!({ "salvaged": self.salvaged.len(), "from": from }).to_string();
            self.salvaged.extend(self.log.record(super::RecordKind::Note, note, newest).ok());
        }
    }
}

struct Trouble {
    kind: &'static str,
    message: String,
}

fn trouble(kind: &'static str, message: String) -> Trouble {
    Trouble { kind, message }
}

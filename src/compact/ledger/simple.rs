//! Splits a command line into simple commands, as a shell does.

use std::iter::Peekable;
use std::str::CharIndices;

/// A command without its separators.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::compact) struct Simple {
    /// Words without quotes.
    pub words: Vec<String>,
    /// The body of its here-document.
    pub document: Option<String>,
    /// True if it reads the output of the previous command, or runs only if that one fails.
    pub is_piped: bool,
    /// True if it runs whatever the outcome of the previous command.
    pub is_apart: bool,
}

/// Returns the simple commands of a line, in order.
pub(in crate::compact) fn simple_commands(text: &str) -> Vec<Simple> {
    let chars = text.char_indices().peekable();
    let (out, documents) = (vec![Simple::default()], Vec::new());
    let mut reader = Reader { text, chars, out, word: String::new(), is_quoted: false, documents };
    while let Some((at, c)) = reader.chars.next() {
        reader.read(at, c);
    }
    reader.end_word();
    reader.out.retain(|simple| !simple.words.is_empty());
    reader.out
}

struct Reader<'a> {
    text: &'a str,
    chars: Peekable<CharIndices<'a>>,
    out: Vec<Simple>,
    /// The current word.
    word: String,
    /// True if a part of it is quoted, so that it can be empty.
    is_quoted: bool,
    /// The line's here-documents: the command and the closing word of each.
    documents: Vec<(usize, String)>,
}

impl Reader<'_> {
    fn read(&mut self, at: usize, c: char) {
        match c {
            '\'' | '"' => self.quoted(c),
            '#' if self.word.is_empty() && !self.is_quoted => while self.skip(|c| c != '\n') {},
            '\\' => {
                let escaped = self.next().filter(|c| *c != '\n');
                self.word.extend(escaped);
            }
            '<' if self.text[at..].starts_with("<<") && !self.text[at..].starts_with("<<<") => self.document(at + 2),
            '\n' if !self.documents.is_empty() => self.bodies(at + 1),
            '>' => self.redirection(),
            '&' if self.chars.peek().is_some_and(|(_, c)| *c == '>') => {
                self.end_word();
                self.word.push('&');
            }
            '$' if self.skip(|c| c == '(') => self.substitution(),
            ';' | '|' | '&' | '\n' | '(' | ')' => {
                self.end_word();
                let is_apart = matches!(c, ';' | '\n');
                self.out.push(Simple { is_piped: c == '|', is_apart, ..Simple::default() });
            }
            c if c.is_whitespace() => self.end_word(),
            c => self.word.push(c),
        }
    }

    fn next(&mut self) -> Option<char> {
        self.chars.next().map(|(_, c)| c)
    }

    /// Skips the next character if it is one of these. Returns true if it was.
    fn skip(&mut self, is: impl Fn(char) -> bool) -> bool {
        self.chars.next_if(|(_, c)| is(*c)).is_some()
    }

    fn end_word(&mut self) {
        if (!self.word.is_empty() || self.is_quoted)
            && let Some(simple) = self.out.last_mut()
        {
            simple.words.push(std::mem::take(&mut self.word));
        }
        self.is_quoted = false;
    }

    fn quoted(&mut self, quote: char) {
        self.is_quoted = true;
        while let Some(c) = self.next().filter(|c| *c != quote) {
            let c = if c == '\\' && quote == '"' { self.next() } else { Some(c) };
            self.word.extend(c);
        }
    }

    /// Reads the closing word of a here-document, which is quoted or not.
    fn document(&mut self, from: usize) {
        self.end_word();
        let name: String = self.text[from..]
            .trim_start_matches(['-', ' '])
            .chars()
            .skip_while(|c| matches!(c, '\'' | '"' | '\\'))
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        while self.skip(|c| matches!(c, '<' | '-' | ' ' | '\'' | '"' | '\\')) {}
        for _ in name.chars() {
            self.chars.next();
        }
        self.skip(|c| matches!(c, '\'' | '"'));
        if !name.is_empty() {
            self.documents.push((self.out.len() - 1, name));
        }
    }

    /// Reads the bodies of the line's here-documents: all lines up to the one that ends the last of them.
    fn bodies(&mut self, from: usize) {
        self.end_word();
        self.out.push(Simple::default());
        let mut rest = from;
        for (command, end) in self.documents.drain(..) {
            let from = rest;
            let mut to = self.text.len();
            for body in self.text[rest..].split_inclusive('\n') {
                rest += body.len();
                if body.trim() == end {
                    to = rest - body.len();
                    break;
                }
            }
            self.out[command].document = Some(self.text[from..to].to_string());
        }
        while self.chars.next_if(|(at, _)| *at < rest).is_some() {}
    }

    fn redirection(&mut self) {
        if !matches!(self.word.as_str(), "1" | "2" | "&") {
            self.end_word();
        }
        self.word.push('>');
        if self.skip(|c| c == '>') {
            self.word.push('>');
        }
        if self.skip(|c| c == '&') {
            // 2>&1: no file.
            self.chars.next();
            self.word.clear();
        } else {
            self.end_word();
        }
    }

    /// Skips the rest of a command substitution. Its output is unknown: the word begins like no path.
    fn substitution(&mut self) {
        self.word.push('$');
        let mut depth = 1;
        while depth > 0 {
            match self.next() {
                Some('(') => depth += 1,
                Some(')') => depth -= 1,
                Some(_) => {}
                None => break,
            }
        }
    }
}

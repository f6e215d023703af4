//! Parses JSON without building values: records the start and end of each value. This takes a tenth of the time of a
//! tree, and kept values are copied verbatim (numbers, escapes).

/// Maximum nesting of JSON; deeper text is treated as plain text.
const MAX_DEPTH: usize = 128;

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    List,
    /// Its children are names and values, alternating.
    Object,
    Text,
    /// Numbers, `true`, `false`, `null`.
    Other,
}

/// One value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    pub kind: Kind,
    /// Its position in the text, in bytes.
    pub start: usize,
    pub end: usize,
    /// Index of the node after it and its descendants. Its first child is the node right after it.
    pub next: usize,
    /// Number of children; for an object the number of pairs, for a text the number of escapes.
    pub items: usize,
}

/// Returns all values of a JSON text in the order of their beginnings; `None` if it is not JSON.
///
/// ```
/// use espalier::tool_result::tape::{Kind, read};
/// let nodes = read(r#" {"a": [1, "x"]} "#).unwrap();
/// let kinds: Vec<Kind> = nodes.iter().map(|node| node.kind).collect();
/// assert_eq!(kinds, [Kind::Object, Kind::Text, Kind::List, Kind::Other, Kind::Text]);
/// assert_eq!((nodes[0].items, nodes[2].items, nodes[2].next), (1, 2, 5));
/// assert!(read("[1,]").is_none() && read("{} {}").is_none() && read("[01]").is_none());
/// ```
pub fn read(text: &str) -> Option<Vec<Node>> {
    read_within(text, MAX_DEPTH)
}

/// Returns the index of a field's value; `None` if the object has no such field, or if it is not an object.
///
/// ```
/// use espalier::tool_result::tape::{field, read};
/// let text = r#"{"a": [1], "b": 2}"#;
/// let nodes = read(text).unwrap();
/// assert_eq!(field(text, &nodes, 0, "b"), Some(5));
/// assert_eq!(field(text, &nodes, 2, "b"), None);
/// ```
pub fn field(text: &str, nodes: &[Node], object: usize, name: &str) -> Option<usize> {
    let Node { kind: Kind::Object, next, .. } = *nodes.get(object)? else { return None };
    let mut at = object + 1;
    while at < next {
        let Node { start, end, .. } = *nodes.get(at)?;
        if end - start == name.len() + 2 && text.as_bytes().get(start + 1..end - 1) == Some(name.as_bytes()) {
            return Some(at + 1);
        }
        at = nodes.get(at + 1)?.next;
    }
    None
}

/// Like [`read`], with another maximum nesting. The reader recurses that deep.
///
/// ```
/// use espalier::tool_result::tape::read_within;
/// assert!(read_within("[[1]]", 2).is_some() && read_within("[[1]]", 1).is_none());
/// ```
pub fn read_within(text: &str, max_depth: usize) -> Option<Vec<Node>> {
    let mut reader = Reader { bytes: text.as_bytes(), at: 0, max_depth, nodes: Vec::new() };
    reader.value(0)?;
    reader.blank();
    (reader.at == text.len()).then_some(reader.nodes)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    max_depth: usize,
    nodes: Vec<Node>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    // `max_depth` bounds the recursion.
    fn value(&mut self, depth: usize) -> Option<()> {
        self.blank();
        let (number, start) = (self.nodes.len(), self.at);
        let kind = match self.peek()? {
            b'[' => Kind::List,
            b'{' => Kind::Object,
            b'"' => Kind::Text,
            _ => Kind::Other,
        };
        self.nodes.push(Node { kind, start, end: start, next: number + 1, items: 0 });
        let mut items = 0;
        match kind {
            Kind::Text => items = self.text()?,
            Kind::Other => self.scalar()?,
            Kind::List | Kind::Object if depth == self.max_depth => return None,
            Kind::List | Kind::Object => {
                let close = if kind == Kind::List { b']' } else { b'}' };
                self.at += 1;
                self.blank();
                while self.peek()? != close {
                    if items > 0 {
                        self.take(b',')?;
                        self.blank();
                    }
                    if kind == Kind::Object {
                        self.name()?;
                    }
                    self.value(depth + 1)?;
                    self.blank();
                    items += 1;
                }
                self.at += 1;
            }
        }
        let (end, next) = (self.at, self.nodes.len());
        let node = self.nodes.get_mut(number)?;
        (node.end, node.next, node.items) = (end, next, items);
        Some(())
    }

    fn name(&mut self) -> Option<()> {
        let (start, number) = (self.at, self.nodes.len());
        let items = self.text()?;
        self.nodes.push(Node { kind: Kind::Text, start, end: self.at, next: number + 1, items });
        self.blank();
        self.take(b':')
    }

    /// Returns the number of escapes.
    fn text(&mut self) -> Option<usize> {
        self.take(b'"')?;
        let mut escapes = 0;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => {
                    self.at += 1;
                    let length = match self.peek()? {
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 1,
                        b'u' if self.bytes.get(self.at + 1..self.at + 5)?.iter().all(u8::is_ascii_hexdigit) => 5,
                        _ => return None,
                    };
                    self.at += length;
                    escapes += 1;
                }
                0..0x20 => return None,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(escapes)
    }

    fn scalar(&mut self) -> Option<()> {
        for word in ["true", "false", "null"] {
            if self.bytes.get(self.at..)?.starts_with(word.as_bytes()) {
                self.at += word.len();
                return Some(());
            }
        }
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek()? {
            b'0' => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }
}

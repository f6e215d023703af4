//! What elements yield: the input of everything else, as a flat list.

use crate::message::{Part, Role};

/// One step of a tree in source order. Every `Open`, `Text` and `Leaf` makes the node with the next number.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// An element; what follows until its `Close` are its children.
    Open(Box<Element>),
    Close,
    /// Text of the open element.
    Text {
        text: Wording,
        priority: f64,
        /// True for the text of a text chunk, which begins on a new line.
        new_line: bool,
        /// What layout counts of it.
        literal: Literal,
    },
    /// Content other than text.
    Leaf(Box<Leaf>),
}

/// A text, or what has to be known of one that somebody else counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wording {
    Known(String),
    /// Its length in any unit that grows with it; 0 if it is empty.
    Elsewhere {
        length: u32,
        ends_line: bool,
        /// Nothing but white space.
        blank: bool,
    },
}

impl From<&str> for Wording {
    fn from(text: &str) -> Wording {
        Wording::Known(text.into())
    }
}

/// Which of a text's characters were written as literals, each of which is counted by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    /// The whole text is one.
    Whole,
    /// None of it: a line break.
    None,
    /// Several: lengths in bytes, in order; what a `false` one covers is not counted.
    Spans(Vec<(u32, bool)>),
}

/// An element, as far as layout and pruning care.
#[derive(Debug, Clone, PartialEq)]
pub struct Element {
    pub shape: Shape,
    /// `None` is [`super::MAX_PRIORITY`], or 0 for a container that passes priorities on.
    pub priority: Option<f64>,
    /// Its children compete among its siblings. Containers only.
    pub pass_priority: bool,
    /// Goes as a whole or not at all.
    pub chunk: bool,
    /// Below it, the leaf of lowest priority goes, wherever it is.
    pub legacy: bool,
    /// One of its two children is kept: the second, unless it is empty.
    pub alternate: bool,
    /// Weight within its flex group.
    pub basis: f64,
    /// Groups are rendered from the highest value to the lowest; unset is infinity.
    pub grow: f64,
    pub reserve: Option<Reserve>,
    /// Most tokens that its subtree may have.
    pub limit: Option<f64>,
    /// Elements with the same number stay and go together.
    pub keep_with: Option<u32>,
    /// Its children are not known: the host is asked once its budget is.
    pub dynamic: bool,
    /// Is asked again when there is room left.
    pub expandable: bool,
    /// Rendered elsewhere: takes no part in layout.
    pub spliced: bool,
}

impl Default for Element {
    fn default() -> Element {
        Element {
            shape: Shape::Container,
            priority: None,
            pass_priority: false,
            chunk: false,
            legacy: false,
            alternate: false,
            basis: 1.0,
            grow: f64::INFINITY,
            reserve: None,
            limit: None,
            keep_with: None,
            dynamic: false,
            expandable: false,
            spliced: false,
        }
    }
}

/// What an element becomes.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    Container,
    Message(MessageShape),
    /// An image or document; what it contains is laid out but not shown.
    Leaf(Leaf),
}

/// What a message has besides its content.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageShape {
    /// `None`: a number that is no role; the host counts it, and has a use for it.
    pub role: Option<Role>,
    pub name: Option<String>,
    pub calls: Vec<Call>,
    /// The call that a tool message answers.
    pub call_id: Option<String>,
    /// Layout counts an empty message of this kind: system, user and assistant messages.
    pub in_layout: bool,
}

/// A tool call of an assistant message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub call_id: String,
    pub name: String,
    pub arguments: String,
    /// Goes with the elements of this number.
    pub keep_with: Option<u32>,
}

/// Content other than text.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    pub kind: LeafKind,
    pub priority: f64,
    /// What built-in counting counts. `None` costs [`Leaf::tokens`].
    pub part: Option<Part>,
    /// The usage that an opaque part declares.
    pub tokens: f64,
}

impl Leaf {
    /// True for content that the host converts itself, such as a message of a conversation: it costs what it declares, whatever the wire
    /// form and the role of the message around it.
    pub fn is_stated(&self) -> bool {
        self.kind == LeafKind::Opaque && self.part.is_none()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeafKind {
    Image,
    Document,
    Opaque,
    Breakpoint,
}

/// Tokens held back for an element from the groups before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reserve {
    Tokens(f64),
    /// What is left, divided by this.
    Share(f64),
}

/// The wire form that the result is for: what it cannot carry costs nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    #[default]
    Raw,
    OpenAi,
    VsCode,
    /// VS Code with a class for data, so that pictures are sent.
    VsCodeData,
    Anthropic,
    Gemini,
}

impl Mode {
    /// True if a message of this role carries content of this kind.
    pub fn carries(self, role: Option<Role>, kind: LeafKind) -> bool {
        let mixed = matches!(role, Some(Role::User | Role::Tool));
        match (self, kind) {
            (_, LeafKind::Breakpoint) => false,
            (Mode::Raw, _) => true,
            (Mode::VsCode, _) => false,
            (Mode::VsCodeData, _) => mixed && kind == LeafKind::Image,
            (Mode::OpenAi, LeafKind::Document) => false,
            (Mode::OpenAi | Mode::Anthropic | Mode::Gemini, _) => mixed,
        }
    }
}

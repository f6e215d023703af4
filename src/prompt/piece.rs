//! The input of all other modules: what elements yield, as a flat list.

use serde::Deserialize;

use crate::message::{Part, Role};

/// One step of a tree in source order. Every `Open`, `Text` and `Leaf` creates the node with the next number.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// Begins an element; everything until its `Close` are its children.
    Open(Box<Element>),
    Close,
    /// Text of the open element.
    Text {
        text: Wording,
        priority: f64,
        /// True for the text of a text chunk, which begins on a new line.
        new_line: bool,
        /// The part of it that layout counts.
        literal: Literal,
    },
    /// Content other than text.
    Leaf(Box<Leaf>),
}

/// A text, or the properties of a text that the host counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wording {
    Known(String),
    /// Its length in any unit that grows with the text; 0 if it is empty.
    Elsewhere {
        length: u32,
        ends_line: bool,
        /// True if it consists of white space.
        blank: bool,
    },
}

impl From<&str> for Wording {
    fn from(text: &str) -> Wording {
        Wording::Known(text.into())
    }
}

/// Says which characters of a text were written as literals. Each literal is counted alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    /// The whole text is one literal.
    Whole,
    /// No literal: a line break.
    None,
    /// Several: lengths in bytes, in order; `false` marks a length that is not counted.
    Spans(Vec<(u32, bool)>),
}

/// The properties of an element that matter for layout and pruning.
#[derive(Debug, Clone, PartialEq)]
pub struct Element {
    pub shape: Shape,
    /// `None` means [`super::MAX_PRIORITY`], or 0 for a container that passes priorities on.
    pub priority: Option<f64>,
    /// True if its children compete among its siblings. Containers only.
    pub pass_priority: bool,
    /// True if it is removed as a whole or not at all.
    pub chunk: bool,
    /// True if the leaf of lowest priority below it is removed, at any depth.
    pub legacy: bool,
    /// True if one of its two children is kept: the second, unless it is empty.
    pub alternate: bool,
    /// Weight within its flex group.
    pub basis: f64,
    /// Groups are rendered from the highest value to the lowest; the default is infinity.
    pub grow: f64,
    pub reserve: Option<Reserve>,
    /// Maximum tokens of its subtree.
    pub limit: Option<f64>,
    /// Elements with the same number are kept or removed together.
    pub keep_with: Option<u32>,
    /// True if its children are unknown: the host is asked for them once its budget is known.
    pub dynamic: bool,
    /// True if it is asked again when room is left.
    pub expandable: bool,
    /// True if it was rendered elsewhere: it takes no part in layout.
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

/// The form of an element in the materialised tree.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    Container,
    Message(MessageShape),
    /// An image or document; its children are laid out but not sent.
    Leaf(Leaf),
}

/// The fields of a message besides its content.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageShape {
    /// `None` for a number that is not a role; the host counts such a message and interprets it.
    pub role: Option<Role>,
    pub name: Option<String>,
    pub calls: Vec<Call>,
    /// The call that a tool message answers.
    pub call_id: Option<String>,
    /// True if layout counts an empty message of this kind: system, user and assistant messages.
    pub in_layout: bool,
}

/// A tool call of an assistant message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    pub call_id: String,
    pub name: String,
    pub arguments: String,
    /// Removed together with the elements of this number.
    #[serde(skip)]
    pub keep_with: Option<u32>,
}

/// Content other than text.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    pub kind: LeafKind,
    pub priority: f64,
    /// The content that the built-in counter counts. `None` costs [`Leaf::tokens`].
    pub part: Option<Part>,
    /// Tokens that an opaque part declares.
    pub tokens: f64,
}

impl Leaf {
    /// True for content that the host converts itself, such as a message of a conversation: it costs what it declares,
    /// whatever the wire form and the role of its message.
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

/// Tokens that earlier groups leave for an element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reserve {
    Tokens(f64),
    /// The remaining tokens divided by this.
    Share(f64),
}

/// The wire form of the result: content that it cannot carry costs nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    #[default]
    Raw,
    OpenAi,
    VsCode,
    /// VS Code with a class for data, so that pictures are sent.
    #[serde(rename = "vscodeData")]
    VsCodeData,
    Anthropic,
    Gemini,
    #[serde(rename = "aiSdk")]
    AiSdk,
}

impl Mode {
    /// True if a message of this role carries this content. The writers of `js/formats/*/prompt.ts` decide it.
    pub fn carries(self, role: Option<Role>, leaf: &Leaf) -> bool {
        let mixed = matches!(role, Some(Role::User | Role::Tool));
        match (self, leaf.kind) {
            (_, LeafKind::Breakpoint) | (Mode::VsCode, _) | (Mode::OpenAi, LeafKind::Document) => false,
            // Whatever the provider says of it.
            (Mode::Raw | Mode::Anthropic | Mode::Gemini, _) => true,
            (Mode::AiSdk, _) => role != Some(Role::System),
            // VS Code takes bytes, and no address.
            (Mode::VsCodeData, LeafKind::Image) => mixed && matches!(leaf.part, Some(Part::Image { url: None, .. })),
            (Mode::VsCodeData, _) => false,
            (Mode::OpenAi, _) => mixed,
        }
    }
}

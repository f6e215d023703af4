//! What each provider demands of messages, as data.
//!
//! Sources: the API references of OpenAI, Anthropic and Google, the declarations of VS Code, and the texts with which the servers refuse
//! requests, as of 2026.

use crate::error::{Code, Error, Result};

/// Whose rules count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provider {
    /// OpenAI chat completions, and what speaks like it.
    OpenAiChat,
    OpenAiResponses,
    /// Anthropic Messages.
    Anthropic,
    Gemini,
    /// VS Code's language model API.
    VsCode,
}

impl Provider {
    /// All of them, in the order of the table.
    pub const ALL: [Provider; 5] =
        [Provider::OpenAiChat, Provider::OpenAiResponses, Provider::Anthropic, Provider::Gemini, Provider::VsCode];

    /// The stable name, which is that of the provider's message format.
    pub fn as_str(self) -> &'static str {
        match self {
            Provider::OpenAiChat => "openai-chat",
            Provider::OpenAiResponses => "openai-responses",
            Provider::Anthropic => "anthropic",
            Provider::Gemini => "gemini",
            Provider::VsCode => "vscode",
        }
    }

    /// The provider of that name.
    ///
    /// # Errors
    /// [`Code::BadOption`], naming those there are.
    ///
    /// ```
    /// use espalier::validity::Provider;
    /// assert_eq!(Provider::from_name("gemini"), Ok(Provider::Gemini));
    /// assert!(Provider::from_name("morse").is_err());
    /// ```
    pub fn from_name(name: &str) -> Result<Provider> {
        Provider::ALL.into_iter().find(|provider| provider.as_str() == name).ok_or_else(|| {
            let names = Provider::ALL.map(Provider::as_str).join(", ");
            Error::new(Code::BadOption, format!("provider must be one of {names}, and is {name:?}")).at("provider")
        })
    }

    /// What it demands.
    pub fn rules(self) -> &'static Rules {
        match self {
            Provider::OpenAiChat => &OPENAI_CHAT,
            Provider::OpenAiResponses => &OPENAI_RESPONSES,
            Provider::Anthropic => &ANTHROPIC,
            Provider::Gemini => &GEMINI,
            Provider::VsCode => &VSCODE,
        }
    }
}

/// Who may speak last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Last {
    Anybody,
    /// The user, or the assistant with the beginning of its answer, which must not end in white space.
    UserOrPrefill,
    User,
}

/// Characters and length of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charset {
    /// Most characters.
    pub most: usize,
    /// Allowed besides ASCII letters and digits; `None` allows everything.
    pub besides: Option<&'static str>,
    /// Whether it must begin with a letter or an underscore.
    pub begins_with_letter: bool,
}

impl Charset {
    const ANY: Charset = Charset { most: usize::MAX, besides: None, begins_with_letter: false };

    /// True if `text` may be sent. Empty ones never may.
    pub fn takes(&self, text: &str) -> bool {
        let length = if text.len() <= self.most { 0 } else { text.chars().count() };
        !text.is_empty()
            && length <= self.most
            && self.besides.is_none_or(|more| text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c)))
            && (!self.begins_with_letter || text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
    }

    /// The nearest text that may be sent: other characters become `_`, what is too long is cut. Not empty.
    pub fn nearest(&self, text: &str) -> String {
        let fits = |c: char| self.besides.is_none_or(|more| c.is_ascii_alphanumeric() || more.contains(c));
        let mut out: String = text.chars().map(|c| if fits(c) { c } else { '_' }).take(self.most).collect();
        if out.is_empty() || self.begins_with_letter && !self.takes(&out) {
            out.insert(0, '_');
            out = out.chars().take(self.most).collect();
        }
        out
    }
}

/// Where pictures may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pictures {
    /// In what the assistant said.
    pub assistant: bool,
    /// In the result of a tool.
    pub result: bool,
    /// Whether the formats of cameras (HEIC, HEIF) are taken.
    pub heif: bool,
}

/// One provider's demands.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// The provider takes a result anywhere behind its call; the others, in the round of the call.
    pub results_anywhere: bool,
    /// Results stand directly behind the message that called, before anything else.
    pub direct: bool,
    /// All results of a round stand in the one message behind it.
    pub single: bool,
    /// Results come before words in their message.
    pub results_first: bool,
    /// Results that are put together come in the order of their calls. Another order is not refused, so it is no finding.
    pub in_order: bool,
    /// A result bears the name of its call.
    pub names_match: bool,
    /// Nobody speaks twice in a row.
    pub alternate: bool,
    pub first_user: bool,
    pub last: Last,
    /// A text without anything but white space is refused even beside others.
    pub no_blank_text: bool,
    /// Only the assistant's messages must say something.
    pub others_may_be_empty: bool,
    /// A message of thoughts alone is not empty.
    pub thoughts_are_content: bool,
    /// A message of thoughts alone is followed by what came of them.
    pub thoughts_introduce: bool,
    pub call_id: Charset,
    /// Calls without an id of the host's own are paired by name and order.
    pub ids_optional: bool,
    /// Suffixes by which VS Code tells its ids apart are its own.
    pub internal_ids: bool,
    pub tool_name: Charset,
    /// Where there are calls the request lists tools.
    pub tools_listed: bool,
    pub pictures: Pictures,
}

const PLAIN: &str = "_-";

const OPENAI_CHAT: Rules = Rules {
    results_anywhere: false,
    direct: true,
    single: false,
    results_first: false,
    in_order: false,
    names_match: false,
    alternate: false,
    first_user: false,
    last: Last::Anybody,
    no_blank_text: false,
    others_may_be_empty: true,
    thoughts_are_content: false,
    thoughts_introduce: false,
    // "expected a string with maximum length 40".
    call_id: Charset { most: 40, ..Charset::ANY },
    ids_optional: false,
    internal_ids: false,
    tool_name: Charset { most: 64, besides: Some(PLAIN), begins_with_letter: false },
    tools_listed: false,
    pictures: Pictures { assistant: false, result: false, heif: false },
};

const OPENAI_RESPONSES: Rules = Rules {
    results_anywhere: true,
    direct: false,
    others_may_be_empty: false,
    thoughts_are_content: true,
    thoughts_introduce: true,
    call_id: Charset { most: 64, ..Charset::ANY },
    pictures: Pictures { assistant: false, result: true, heif: false },
    ..OPENAI_CHAT
};

const ANTHROPIC: Rules = Rules {
    results_anywhere: false,
    direct: false,
    single: true,
    results_first: true,
    in_order: false,
    names_match: false,
    alternate: false,
    first_user: true,
    last: Last::UserOrPrefill,
    no_blank_text: true,
    others_may_be_empty: false,
    thoughts_are_content: true,
    thoughts_introduce: false,
    call_id: Charset { besides: Some(PLAIN), ..Charset::ANY },
    ids_optional: false,
    internal_ids: false,
    tool_name: Charset { most: 128, besides: Some(PLAIN), begins_with_letter: false },
    tools_listed: true,
    pictures: Pictures { assistant: false, result: true, heif: false },
};

const GEMINI: Rules = Rules {
    in_order: true,
    names_match: true,
    alternate: true,
    last: Last::User,
    no_blank_text: false,
    thoughts_are_content: false,
    call_id: Charset::ANY,
    ids_optional: true,
    tool_name: Charset { most: 64, besides: Some("_-.:"), begins_with_letter: true },
    tools_listed: false,
    // A model that draws is sent its pictures back.
    pictures: Pictures { assistant: true, result: true, heif: true },
    ..ANTHROPIC
};

const VSCODE: Rules = Rules {
    results_first: false,
    first_user: false,
    last: Last::User,
    no_blank_text: false,
    call_id: Charset::ANY,
    internal_ids: true,
    tool_name: Charset::ANY,
    tools_listed: false,
    ..ANTHROPIC
};

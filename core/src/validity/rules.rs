//! The requirements of each provider, as data.
//!
//! Sources: the API references of OpenAI, Anthropic and Google, the declarations of VS Code, and the errors with which
//! the servers refuse requests, as of 2026.

use crate::error::{Code, Error, Result};

/// A provider with rules of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provider {
    /// OpenAI chat completions, and servers with the same API.
    OpenAiChat,
    OpenAiResponses,
    /// Anthropic Messages.
    Anthropic,
    Gemini,
    /// VS Code's language model API.
    VsCode,
}

impl Provider {
    /// All providers, in the order of the table.
    pub const ALL: [Provider; 5] =
        [Provider::OpenAiChat, Provider::OpenAiResponses, Provider::Anthropic, Provider::Gemini, Provider::VsCode];

    /// Returns the stable name, which is that of the provider's message format.
    pub fn as_str(self) -> &'static str {
        match self {
            Provider::OpenAiChat => "openai-chat",
            Provider::OpenAiResponses => "openai-responses",
            Provider::Anthropic => "anthropic",
            Provider::Gemini => "gemini",
            Provider::VsCode => "vscode",
        }
    }

    /// Returns the provider with this name.
    ///
    /// # Errors
    /// [`Code::BadOption`] for any other name; the message lists the known ones.
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

    /// Returns the rules of this provider.
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

/// The role that the last message may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Last {
    Anybody,
    /// The user, or the assistant with the beginning of its answer, which must not end with white space.
    UserOrPrefill,
    User,
}

/// Allowed characters and length of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charset {
    /// Maximum count of characters.
    pub most: usize,
    /// Characters allowed beside ASCII letters and digits; `None` allows every character.
    pub besides: Option<&'static str>,
    /// Whether the first character must be a letter or an underscore.
    pub begins_with_letter: bool,
}

impl Charset {
    const ANY: Charset = Charset { most: usize::MAX, besides: None, begins_with_letter: false };

    /// Returns whether `text` may be sent. An empty text never may.
    pub fn takes(&self, text: &str) -> bool {
        let length = if text.len() <= self.most { 0 } else { text.chars().count() };
        !text.is_empty()
            && length <= self.most
            && self.besides.is_none_or(|more| text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c)))
            && (!self.begins_with_letter || text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
    }

    /// Returns the most similar text that may be sent, which is never empty: `_` replaces other characters, and a text
    /// that is too long is cut.
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

/// Where images may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pictures {
    /// In messages of the assistant.
    pub assistant: bool,
    /// In tool results.
    pub result: bool,
    /// Whether the formats of cameras (HEIC, HEIF) are accepted.
    pub heif: bool,
}

/// The requirements of one provider.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// A result may come anywhere after its call; otherwise, in the round of the call.
    pub results_anywhere: bool,
    /// Results directly follow the calling message, before anything else.
    pub direct: bool,
    /// All results of a round are in the one message after it.
    pub single: bool,
    /// Results come before other parts of their message.
    pub results_first: bool,
    /// Results that are joined are in the order of their calls. The provider does not refuse another order, so `check`
    /// does not report it.
    pub in_order: bool,
    /// A result has the name of its call.
    pub names_match: bool,
    /// Roles alternate.
    pub alternate: bool,
    pub first_user: bool,
    pub last: Last,
    /// A text of white space alone is refused, even beside other parts.
    pub no_blank_text: bool,
    /// Only messages of the assistant must not be empty.
    pub others_may_be_empty: bool,
    /// A message with reasoning alone is not empty.
    pub thoughts_are_content: bool,
    /// A message with reasoning alone must be followed by other output of the assistant.
    pub thoughts_introduce: bool,
    pub call_id: Charset,
    /// A call may have the id of an earlier call that has its result.
    pub ids_reusable: bool,
    /// Calls without an id from the host are paired by name and order.
    pub ids_optional: bool,
    /// The suffixes with which VS Code distinguishes its ids are allowed.
    pub internal_ids: bool,
    pub tool_name: Charset,
    /// A conversation with tool calls requires a list of tools.
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
    // Each assistant message is matched with the tool messages directly behind it. gpt-4o was sent such requests in the
    // recordings of tau-bench (2024), and llama.cpp gives every call the same id (NousResearch/hermes-agent#88324).
    ids_reusable: true,
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
    // "Duplicate function_call_output for call_id", 2026.
    ids_reusable: false,
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
    // "`tool_use` ids must be unique", 2024 to 2026.
    ids_reusable: false,
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
    // A model that draws gets its own images back.
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

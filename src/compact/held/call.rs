//! A parsed call.

use std::cell::{OnceCell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

use crate::compact::ledger::command;
use crate::compact::ledger::shell;
use crate::history::prune::arguments;
use crate::message::path;
use crate::message::tool_map::{ToolCall, ToolMap, holds_state};

/// A parsed call, without the texts that it writes.
pub struct Call {
    read: ToolCall,
    /// True if results of its tool stay valid, however old they are.
    pub holds_state: bool,
    lines: OnceCell<Box<[shell::Line]>>,
    key: OnceCell<Option<Rc<str>>>,
    /// The maximum characters, and the arguments shortened to them.
    short: RefCell<Option<(usize, Option<Rc<str>>)>>,
}

impl Deref for Call {
    type Target = ToolCall;

    fn deref(&self) -> &ToolCall {
        &self.read
    }
}

impl Call {
    pub(super) fn new(map: &ToolMap, root: Option<&str>, name: &str, arguments: &str) -> Call {
        let mut read = map.read(name, arguments);
        read.paths = read.paths.into_iter().map(|it| path::under(root, it)).collect();
        (read.content, read.items, read.question) = (String::new(), vec![], None);
        let holds_state = holds_state(name, read.kind);
        Call { read, holds_state, lines: OnceCell::new(), key: OnceCell::new(), short: RefCell::default() }
    }

    /// Returns its command lines, parsed.
    pub fn lines(&self) -> &[shell::Line] {
        self.lines.get_or_init(|| self.commands.iter().map(|line| shell::read(line, self.cwd.as_deref())).collect())
    }

    /// True if all its commands only show existing content.
    pub fn only_shows(&self) -> bool {
        !self.lines().is_empty() && self.lines().iter().all(|line| line.only_shows)
    }

    /// Returns the key that identifies its commands; `None` if it has none.
    pub fn key(&self) -> Option<&Rc<str>> {
        let key = || {
            let lines: Vec<String> = self.commands.iter().map(|line| command::key(line)).collect();
            let folder = self.cwd.as_deref().unwrap_or_default();
            (!lines.is_empty()).then(|| Rc::from(format!("{folder}\n{}", lines.join("\n"))))
        };
        self.key.get_or_init(key).as_ref()
    }

    /// See [`arguments::long_strings`]. `text` are its arguments, `id` its message.
    pub fn long_strings(&self, text: &str, max: usize, id: &str) -> Option<Rc<str>> {
        let mut short = self.short.borrow_mut();
        match &*short {
            Some((of, known)) if *of == max => known.clone(),
            _ => {
                let made = arguments::long_strings(text, max, id).map(Rc::from);
                *short = Some((max, made.clone()));
                made
            }
        }
    }
}

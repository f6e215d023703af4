//! The sections of a record, profile by profile, as data: what the model is asked for, what its answer is read by.
//!
//! The names of sections are what the systems that a profile follows are described with; what is asked for in them is in our words.

/// One section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section {
    /// Its heading.
    pub name: &'static str,
    /// What belongs into it.
    pub content: &'static str,
    /// It is cut last: without it nobody can go on.
    pub is_vital: bool,
}

/// Characters of a title.
const TITLE: usize = 80;

/// The form of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// The first profile that asks for it.
    pub name: &'static str,
    pub sections: &'static [Section],
    /// The section that a title is read from; nothing else belongs into it.
    pub title: Option<&'static str>,
}

const fn section(name: &'static str, content: &'static str) -> Section {
    Section { name, content, is_vital: false }
}

const fn vital(name: &'static str, content: &'static str) -> Section {
    Section { name, content, is_vital: true }
}

/// Ours, and Copilot Chat's: eight sections.
pub static EIGHT: Form = Form {
    name: "espalier",
    title: None,
    sections: &[
        section(
            "Conversation Overview",
            "the user's goals, in their words where that matters, and how the intent developed",
        ),
        section("Technical Foundation", "languages, frameworks, tools, conventions and constraints in force"),
        section(
            "Codebase Status",
            "for each file that matters: path, purpose, state, and the code that is needed to go on",
        ),
        section("Problem Resolution", "problems met, their causes, how they were solved or what is still open"),
        section("Progress Tracking", "what is done, what is partly done, what was validated and how"),
        vital("Active Work State", "what is being worked on right now, down to the function or line"),
        section("Recent Operations", "the latest operations with their results"),
        vital("Continuation Plan", "what remains, in order, beginning with the immediate next step"),
    ],
};

/// gemini-cli's: seven sections of a snapshot of the state.
pub static GEMINI_CLI: Form = Form {
    name: "gemini-cli",
    title: None,
    sections: &[
        section("Overall Goal", "what the user wants in the end, in one sentence"),
        section(
            "Active Constraints",
            "every rule, preference and limit that the user or the project set and that still holds",
        ),
        section("Key Knowledge", "facts, commands, addresses and decisions that the work rests on"),
        section("Artifact Trail", "what was changed, file by file, and why"),
        section("File System State", "where the work is done; files read, made, changed and removed, as they are now"),
        section("Recent Actions", "the latest steps and what came of them"),
        vital(
            "Task State",
            "the steps of the plan, each marked [DONE], [IN PROGRESS] or [TODO]; the immediate next step is named",
        ),
    ],
};

/// Copilot CLI's: seven sections, the last the title of the checkpoint.
pub static COPILOT_CLI: Form = Form {
    name: "copilot-cli",
    title: Some("Checkpoint Title"),
    sections: &[
        section("Overview", "what the user wants and where things stand"),
        section("History", "what was asked and done, in order"),
        section("Work Done", "what is finished: files, changes, checks"),
        section("Technical Details", "decisions, findings, conventions and open questions that matter for going on"),
        section("Important Files", "for each: path, what it is for, what was changed in it, what is still to do there"),
        vital("Next Steps", "what remains, in order, beginning with the immediate next step"),
        section("Checkpoint Title", "two to six words that name this state of the work"),
    ],
};

/// All forms.
pub static ALL: [&Form; 3] = [&EIGHT, &GEMINI_CLI, &COPILOT_CLI];

impl Form {
    /// The form that a profile asks for; the eight sections where it has no other.
    ///
    /// ```
    /// use espalier::compact::form::Form;
    /// assert_eq!(Form::of_profile("gemini-cli").sections.len(), 7);
    /// assert_eq!(Form::of_profile("copilot-chat").sections.len(), 8);
    /// ```
    pub fn of_profile(name: &str) -> &'static Form {
        ALL.into_iter().find(|form| form.name == name).unwrap_or(&EIGHT)
    }

    /// The title of a record, where the form has one: the first words under its heading.
    ///
    /// ```
    /// use espalier::compact::form::{COPILOT_CLI, EIGHT};
    /// let text = "## Next Steps\nShip it.\n## Checkpoint Title\n\n**Parser fixed**\n";
    /// assert_eq!(COPILOT_CLI.title_of(text).as_deref(), Some("Parser fixed"));
    /// assert_eq!(EIGHT.title_of(text), None);
    /// ```
    pub fn title_of(&self, text: &str) -> Option<String> {
        let title = self.title?;
        let mut lines =
            text.lines().skip_while(|line| self.opens(line).is_none_or(|(section, _)| section.name != title));
        let (_, same_line) = self.opens(lines.next()?)?;
        let line = if same_line.is_empty() { lines.find(|line| !line.trim().is_empty())? } else { same_line };
        let bare = line.trim_matches(|c: char| c.is_whitespace() || "#*_`\"'.-".contains(c));
        (self.opens(line).is_none() && !bare.is_empty()).then(|| bare.chars().take(TITLE).collect())
    }

    /// The section that a line opens: by a Markdown heading, a number, emphasis around it, or a colon behind it. Also what stands behind
    /// the colon on the same line.
    ///
    /// ```
    /// use espalier::compact::form::EIGHT;
    /// let (section, rest) = EIGHT.opens("**8. Continuation Plan**: run the tests").unwrap();
    /// assert_eq!((section.name, rest), ("Continuation Plan", "run the tests"));
    /// assert!(EIGHT.opens("The Continuation Plan is clear.").is_none());
    /// ```
    pub fn opens<'t>(&self, line: &'t str) -> Option<(&'static Section, &'t str)> {
        let is_mark = |c: char| c.is_whitespace() || c.is_ascii_digit() || "#*.:)(-_".contains(c);
        let bare = line.trim_start_matches(is_mark);
        self.sections.iter().find_map(|section| {
            let head = bare.get(..section.name.len())?;
            if !head.eq_ignore_ascii_case(section.name) {
                return None;
            }
            let rest = &bare[section.name.len()..];
            let inner = rest.trim_start_matches(|c: char| c.is_whitespace() || "#*_:)-".contains(c));
            // A sentence that begins with the name goes on without a mark.
            let is_heading = inner.is_empty() || rest.trim_start_matches(['*', '_', ' ']).starts_with(':');
            is_heading.then_some((section, inner))
        })
    }
}

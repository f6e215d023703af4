//! Reads a profile from data, and compares two profiles.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{ESPALIER, Profile, Rung};
use crate::effect::Shape;
use crate::error::{Code, Error, Result};

/// One field in which two profiles differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// Its path in JavaScript: `shares.keepRecent.share`.
    pub field: String,
    pub a: Value,
    pub b: Value,
}

/// Returns the fields in which two profiles differ, in the order of the fields; names do not count.
///
/// ```
/// use espalier::compact::profile::{COPILOT_CHAT, ESPALIER, explain};
/// let fields: Vec<String> = explain(&ESPALIER, &COPILOT_CHAT).into_iter().map(|one| one.field).collect();
/// assert!(fields.contains(&"withTools".into()) && !fields.contains(&"applyMin".into()));
/// ```
pub fn explain(a: &Profile, b: &Profile) -> Vec<Difference> {
    let mut out = Vec::new();
    differ("", &value_of(a), &value_of(b), &mut out);
    out.retain(|one| one.field != "name");
    out
}

fn differ(path: &str, a: &Value, b: &Value, out: &mut Vec<Difference>) {
    match (a, b) {
        // The recursion is as deep as a profile.
        (Value::Object(a), Value::Object(b)) => {
            for (key, a) in a {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                differ(&path, a, b.get(key).unwrap_or(&Value::Null), out);
            }
        }
        _ if a == b => {}
        _ => out.push(Difference { field: path.to_string(), a: a.clone(), b: b.clone() }),
    }
}

fn value_of(profile: &Profile) -> Value {
    // Numbers, texts and lists of names: JSON can hold all of them.
    serde_json::to_value(profile).unwrap_or_default()
}

impl Profile {
    /// Reads a profile from JSON text: a name, or the fields that differ from the profile of that name (`espalier` if
    /// it is none of the four). `root` is the caller's name for it.
    ///
    /// ```
    /// use espalier::compact::profile::Profile;
    /// let mine = Profile::read(r#"{"name":"mine","start":{"warm":0.7}}"#, "options.profile").unwrap();
    /// assert_eq!((mine.start.warm, mine.start.cold), (0.7, 0.9));
    /// let error = Profile::read(r#"{"start":{"hot":0.7}}"#, "options.profile").unwrap_err();
    /// assert_eq!(error.path.as_deref(), Some("options.profile.start.hot"));
    /// ```
    ///
    /// # Errors
    /// [`Code::BadOption`] with the path of an unknown field, or of a value that the field cannot have.
    pub fn read(json: &str, root: &str) -> Result<Profile> {
        let bad = |why: String| Error::new(Code::BadOption, why).at(root);
        let value: Value = serde_json::from_str(json).map_err(|error| bad(format!("this is not JSON: {error}")))?;
        match value {
            Value::String(name) => {
                let known = super::ALL.map(|profile| profile.name.as_ref()).join(", ");
                let found = Profile::named(&name);
                found.cloned().ok_or_else(|| bad(format!("there is no profile {name:?}; there are {known}")))
            }
            Value::Object(given) => read_fields(&given, root),
            _ => Err(bad("a profile is a name or an object".into())),
        }
    }
}

fn read_fields(given: &Map<String, Value>, root: &str) -> Result<Profile> {
    let base = given.get("name").and_then(Value::as_str).and_then(Profile::named).unwrap_or(&ESPALIER);
    let mut whole = value_of(base);
    // Fields in the order of a profile, so that the first error is always the same.
    merge(&mut whole, given, root)?;
    let profile = serde_json::from_value(whole).map_err(|error| {
        let path = format!("{root}{}", blamed(&value_of(base), given));
        Error::new(Code::BadOption, in_words(&error.to_string())).at(path)
    })?;
    check(&profile, root)?;
    Ok(profile)
}

/// Says what a field must be, without the names of Rust's types.
fn in_words(error: &str) -> String {
    let Some((found, wanted)) = error.split_once(", expected ") else { return error.into() };
    let found = ["invalid type: ", "invalid value: ", "unknown variant ", "invalid "]
        .iter()
        .find_map(|kind| found.strip_prefix(kind))
        .unwrap_or(found);
    let found = match found {
        "map" => "an object",
        "sequence" => "a list",
        other => other,
    };
    let wanted = match wanted {
        "f64" => "a number",
        "u64" | "u32" | "usize" => "a whole number, 0 or more",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "string or map" | "a string" => "a text",
        other if other.starts_with("struct ") => "an object",
        other => other,
    };
    format!("it must be {wanted}, and is {found}")
}

/// Returns the path of the first field that cannot be read even by itself. (Tracking the path while reading would need
/// a second copy of all reading code.)
fn blamed(base: &Value, given: &Map<String, Value>) -> String {
    let reads = |at: &str, value: Value| {
        let mut whole = base.clone();
        whole.pointer_mut(at).into_iter().for_each(|field| *field = value.clone());
        serde_json::from_value::<Profile>(whole).is_ok()
    };
    let mut fields = Vec::new();
    single(base, given, "", &mut fields);
    let Some((at, value)) = fields.into_iter().find(|(at, value)| !reads(at, (*value).clone())) else {
        return String::new();
    };
    let item = match (base.pointer(&at), value) {
        // The first item that cannot take the place of the usual last one.
        (Some(Value::Array(usual)), Value::Array(items)) if !usual.is_empty() => items.iter().position(|item| {
            let with_item = usual[1..].iter().chain([item]).cloned().collect();
            !reads(&at, Value::Array(with_item))
        }),
        _ => None,
    };
    let item = item.map(|item| format!("[{item}]")).unwrap_or_default();
    format!("{}{item}", at.replace('/', "."))
}

/// Collects the leaf fields as JSON pointers, in the order of a profile. The recursion is as deep as a profile.
fn single<'g>(usual: &Value, given: &'g Map<String, Value>, at: &str, out: &mut Vec<(String, &'g Value)>) {
    for (key, usual) in usual.as_object().into_iter().flatten() {
        let at = format!("{at}/{key}");
        match given.get(key) {
            Some(Value::Object(inner)) if usual.is_object() => single(usual, inner, &at, out),
            Some(value) => out.push((at, value)),
            None => {}
        }
    }
}

/// Merges the fields. The recursion is as deep as a profile: anything deeper is refused as a value.
fn merge(whole: &mut Value, given: &Map<String, Value>, path: &str) -> Result<()> {
    let Value::Object(fields) = whole else { return Ok(()) };
    for (key, value) in given {
        let path = format!("{path}.{key}");
        let Some(field) = fields.get_mut(key) else {
            let known = fields.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            return Err(Error::new(Code::BadOption, format!("there is no field {key:?}; there are {known}")).at(path));
        };
        match (&mut *field, value) {
            (Value::Object(_), Value::Object(inner)) => merge(field, inner, &path)?,
            (Value::Object(usual), Value::Number(_) | Value::String(_) | Value::Bool(_) | Value::Array(_)) => {
                let known = usual.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                return Err(Error::new(Code::BadOption, format!("it must be an object with {known}")).at(path));
            }
            _ => *field = value.clone(),
        }
    }
    Ok(())
}

/// Checks that numbers make sense.
fn check(profile: &Profile, root: &str) -> Result<()> {
    let bad = |path: &str, why: &str| Err(Error::new(Code::BadOption, why).at(format!("{root}.{path}")));
    let Profile { start, shares, gain, protect, cut, .. } = profile;
    let of_one = [
        ("start.warm", start.warm),
        ("start.spread", start.spread),
        ("start.cold", start.cold),
        ("block", profile.block.unwrap_or(1.0)),
        ("applyMin", profile.apply_min),
        ("withTools", profile.with_tools),
        ("limit.retryBuffer", profile.limit.retry_buffer),
        ("limit.maxRetryBuffer", profile.limit.max_retry_buffer),
        ("shares.relief", shares.relief),
        ("shares.target", shares.target),
        ("shares.ongoing", shares.ongoing),
        ("shares.working.share", shares.working.share),
        ("shares.names.share", shares.names.share),
        ("shares.keepRecent.share", shares.keep_recent.share),
        ("shares.users.share", shares.users.share),
        ("shares.ledger.share", shares.ledger.share),
        ("shares.entries.share", shares.entries.share),
        ("shares.errorLines.share", shares.error_lines.share),
        ("shares.summary.share", shares.summary.share),
        ("gain.stale.share", gain.stale.share),
        ("gain.media.share", gain.media.share),
        ("gain.cap.share", gain.cap.share),
        ("gain.clear.share", gain.clear.share),
        ("gain.summary.share", gain.summary.share),
        ("gain.covered", gain.covered),
        ("protect.tokens.share", protect.tokens.share),
        ("cap.eachOfLimit", profile.cap.each_of_limit.unwrap_or(1.0)),
        ("replacement.headShare", profile.replacement.head_share),
        ("failure.tokens", profile.failure.tokens),
        ("failure.gainTokens", profile.failure.gain_tokens),
    ];
    if let Some((path, _)) = of_one.iter().find(|(_, share)| !(0.0..=1.0).contains(share)) {
        return bad(path, "a share lies between 0 and 1");
    }
    if !(cut.fraction > 0.0 && cut.fraction < 1.0) {
        return bad("cut.fraction", "a fraction lies between 0 and 1, and is neither");
    }
    let costs = [
        ("cut.window", cut.window[0].min(cut.window[1] - cut.window[0])),
        ("cut.insideTurn", cut.inside_turn),
        ("cut.beforeCheck", cut.before_check),
        ("cut.openFailure", cut.open_failure),
        ("summary.temperature", profile.summary.temperature),
        ("summary.overlong", profile.summary.overlong),
        ("summary.simpleResults", profile.summary.simple_results),
        ("summary.fullHeadroom", profile.summary.full_headroom),
    ];
    if let Some((path, _)) = costs.iter().find(|(_, cost)| !(cost.is_finite() && *cost >= 0.0)) {
        return bad(path, "a number, 0 or more");
    }
    let modes = &profile.summary.overflow_modes;
    let twice = |(at, shape): (usize, &Shape)| *shape == Shape::Fork || modes[..at].contains(shape);
    if modes.is_empty() || modes.iter().enumerate().any(twice) {
        return bad("summary.overflowModes", r#""full", "simple" or both, each once"#);
    }
    if let Some((field, why)) = profile.summary.form.fault() {
        return bad(&format!("summary.form.{field}"), why);
    }
    check_ladder(&profile.ladder, &format!("{root}.ladder"))
}

/// Checks that each step occurs once, and that the fit is last.
///
/// # Errors
/// [`Code::BadOption`] with the path of the step.
pub fn check_ladder(ladder: &[Rung], root: &str) -> Result<()> {
    for (at, rung) in ladder.iter().enumerate() {
        let why = if ladder[..at].contains(rung) {
            "is in the ladder already"
        } else if *rung == Rung::Fit && at + 1 < ladder.len() {
            "is the last step"
        } else if *rung == Rung::Summary && ladder[..at].contains(&Rung::Offline) {
            "comes before the summary by rules"
        } else {
            continue;
        };
        return Err(Error::new(Code::BadOption, format!("{:?} {why}", rung.as_str())).at(format!("{root}[{at}]")));
    }
    Ok(())
}

//! Paths in a normal form, so that all mentions of a file are equal.

/// Returns a path with forward slashes, without scheme, and without `.` and `..` steps that can be resolved; keeps
/// case.
///
/// ```
/// use espalier::message::path::normal;
/// assert_eq!(normal("file:///a/./b/../c.rs"), "/a/c.rs");
/// assert_eq!(normal("..\\src\\x.ts"), "../src/x.ts");
/// ```
pub fn normal(path: &str) -> String {
    let path = path.trim();
    let path = path.strip_prefix("file://").unwrap_or(path).replace('\\', "/");
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." if steps.last().is_some_and(|last| *last != "..") => {
                steps.pop();
            }
            ".." if path.starts_with('/') && steps.is_empty() => {}
            step => steps.push(step),
        }
    }
    let rooted = if path.starts_with('/') { "/" } else { "" };
    // Always one line: a line break in a path would break the record.
    format!("{rooted}{}", steps.join("/")).replace(['\n', '\r'], " ")
}

/// Resolves a path in the folder `cwd`.
pub fn in_folder(cwd: Option<&str>, path: &str) -> String {
    let absolute = path.starts_with('/') || path.starts_with('~') || path.as_bytes().get(1) == Some(&b':');
    match cwd {
        Some(cwd) if !absolute => normal(&format!("{cwd}/{path}")),
        _ => normal(path),
    }
}

/// Returns a path relative to the host's root, if it is below the root.
pub fn under(root: Option<&str>, path: String) -> String {
    let Some(root) = root.map(normal).filter(|root| !root.is_empty()) else { return path };
    match path.strip_prefix(&root).and_then(|rest| rest.strip_prefix('/')) {
        Some(rest) if !rest.is_empty() => rest.to_string(),
        _ => path,
    }
}

/// Returns the last three components, which distinguish a file from others of the same name, wherever the project is.
pub fn tail(path: &str) -> &str {
    path.rmatch_indices('/').nth(2).map_or(path, |(at, _)| &path[at + 1..])
}

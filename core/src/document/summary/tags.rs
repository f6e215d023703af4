//! Finds the rows between JSX tags, where a comment has to be in braces.
//!
//! An overlay has elements, but not the ends of their tags, nor all expressions in them. Elements are therefore read
//! again from where the overlay says they begin: tags, text, and code in braces.

use super::super::Overlay;
use super::page::Page;

/// What is open at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// A tag, up to its end.
    Tag,
    /// The content between two tags.
    Content,
    /// Code in braces.
    Code,
    Template,
}

/// Sets for each row whether it begins between tags.
pub(super) fn between_tags(page: Page<'_>, overlay: &Overlay, between: &mut [bool]) {
    let text = page.text.as_bytes();
    // Blanks can come before the first character of an element.
    let first = |from: u32| {
        let blanks = text.iter().skip(from as usize).take_while(|byte| byte.is_ascii_whitespace());
        from as usize + blanks.count()
    };
    let elements = overlay.nodes.iter().enumerate().filter(|(at, _)| overlay.kind(*at).ends_with("element"));
    let mut elements = elements.map(|(_, node)| first(node.start)).peekable();
    let mut rows = page.rows.iter().map(|row| first(row.start)).enumerate().peekable();
    let mut open: Vec<Open> = Vec::new();
    let mut at = 0;
    loop {
        while elements.next_if(|start| *start < at).is_some() {}
        if open.is_empty() {
            let Some(start) = elements.peek() else { return };
            at = *start;
        }
        while rows.next_if(|(_, start)| *start < at).is_some() {}
        if let Some((row, _)) = rows.next_if(|(_, start)| *start == at) {
            between[row] = open.last() == Some(&Open::Content);
        }
        let (Some(byte), rest) = (text.get(at), text.get(at + 1..).unwrap_or_default()) else { return };
        at += 1;
        let ahead = rest.first().unwrap_or(&0);
        let until = |ends: &mut dyn FnMut(&[u8]) -> bool| rest.windows(2).position(ends).unwrap_or(rest.len());
        match (open.last(), byte) {
            (Some(Open::Tag), b'"' | b'\'') => at += until(&mut |two| two[0] == *byte) + 1,
            (Some(Open::Tag), b'/') if *ahead == b'>' => {
                open.pop();
            }
            (Some(Open::Tag), b'>') => {
                open.pop();
                open.push(Open::Content);
            }
            (Some(Open::Content), b'<') if *ahead == b'/' => {
                at += until(&mut |two| two[0] == b'>') + 1;
                open.pop();
            }
            (Some(Open::Content), b'<') => open.push(Open::Tag),
            (None | Some(Open::Code), b'<') if elements.peek() == Some(&(at - 1)) => open.push(Open::Tag),
            (Some(Open::Code), b'"' | b'\'') => {
                let mut escaped = false;
                at += 1 + until(&mut |two| {
                    let ends = !escaped && two[0] == *byte || two[0] == b'\n';
                    escaped = !escaped && two[0] == b'\\';
                    ends
                });
            }
            (Some(Open::Code), b'/') if *ahead == b'/' => at += until(&mut |two| two[0] == b'\n'),
            (Some(Open::Code), b'/') if *ahead == b'*' => at += until(&mut |two| two == b"*/") + 2,
            (Some(Open::Code), b'`') => open.push(Open::Template),
            (Some(Open::Code), b'}') | (Some(Open::Template), b'`') => {
                open.pop();
            }
            (Some(Open::Template), b'\\') => at += 1,
            (Some(Open::Template), b'$') if *ahead == b'{' => {
                at += 1;
                open.push(Open::Code);
            }
            (Some(Open::Tag | Open::Content | Open::Code), b'{') => open.push(Open::Code),
            _ => {}
        }
        if open.is_empty() {
            // An element that is no element after all, or one that is over.
            elements.next_if(|start| *start < at);
        }
    }
}

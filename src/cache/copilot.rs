//! Copilot Chat's placement, with three corrections: it never exceeds the limit of marks; a current user message that
//! already has a mark still ends the search below it; the last message is not compared with the first.

use super::place::{Mark, Request};
use super::spot::Place;
use crate::message::{Message, Part, Role};

/// Returns marks on messages. From the end backwards: below the newest user message every end of a round and every user
/// message, above it every answer without calls. Then forwards: the system and user messages at the start of the list.
pub(super) fn messages(request: &mut Request) -> Vec<Mark> {
    request.trim(request.layout.max_marks);
    let all = request.messages;
    let mut added: Vec<(Place, &'static str)> = Vec::new();
    let mut left = request.layout.max_marks - request.brought.len();
    let mut marked = vec![false; all.len()];
    for place in request.brought.keys() {
        if let Some(message) = place.message() {
            marked[message] = true;
        }
    }
    let mut below = true;
    for (index, message) in all.iter().enumerate().rev() {
        if left == 0 {
            break;
        }
        let role = role(message);
        let why = match role {
            _ if marked[index] => None,
            Role::User if below => Some("user"),
            Role::Tool if below && !all.get(index + 1).is_some_and(|next| self::role(next) == Role::Tool) => {
                Some("round")
            }
            Role::Assistant if message.calls().next().is_none() => Some("answer"),
            _ => None,
        };
        below = below && role != Role::User;
        if let Some(why) = why.filter(|_| request.is_long(whole(request, index))) {
            added.push((whole(request, index), why));
            marked[index] = true;
            left -= 1;
        }
    }
    for (index, message) in all.iter().enumerate() {
        if left == 0 || !matches!(role(message), Role::System | Role::Developer | Role::User) {
            break;
        }
        if !marked[index] && request.is_long(whole(request, index)) {
            added.push((whole(request, index), "leading"));
            left -= 1;
        }
    }
    request.finish(&added)
}

/// Returns the role of a message; one with nothing but results counts as a tool message, whatever its role.
fn role(message: &Message) -> Role {
    let mut content = message.parts.iter().filter(|part| !part.is_mark()).peekable();
    let only_results = content.peek().is_some() && content.all(|part| matches!(part, Part::ToolResult { .. }));
    if message.role == Role::User && only_results { Role::Tool } else { message.role }
}

/// Returns the position of a mark on a message as a whole: the last part that can carry it, else the end of the
/// message.
fn whole(request: &Request, index: usize) -> Place {
    let parts = &request.messages[index].parts;
    let carrier = (0..parts.len()).rev().find(|&part| request.may_carry(index, part));
    let part = carrier.or_else(|| parts.iter().rposition(|part| !part.is_mark()));
    Place::Message { message: index, part }
}

/// Returns marks on blocks: the two newest messages that can carry one, the last tool, the last system block. All other
/// marks are cleared.
pub(super) fn blocks(request: &mut Request) -> Vec<Mark> {
    let frame = request.messages.iter().take_while(|message| message.role.is_frame()).count();
    let mut newest = (frame..request.messages.len()).rev().filter_map(|message| request.last_carrier(message));
    let rows = [
        newest.next().map(|place| (place, "newest")),
        request.system().map(|place| (place, "system")),
        request.tool().map(|place| (place, "tools")),
        newest.next().map(|place| (place, "round")),
    ];
    drop(newest);
    let wanted: Vec<(Place, &'static str)> = rows
        .into_iter()
        .flatten()
        .filter(|(place, _)| request.is_long(*place))
        .take(request.layout.max_marks)
        .collect();
    let cleared: Vec<Place> = request.brought.keys().copied().collect();
    for place in cleared {
        request.brought.remove(&place);
        if !wanted.iter().any(|(kept, _)| *kept == place) {
            request.unmarked.push(super::Unmarked { place, why: "replaced" });
        }
    }
    request.finish(&wanted)
}

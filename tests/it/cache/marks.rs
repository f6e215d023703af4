//! Positions of marks, and properties of any conversation with any marks.

use espalier::cache::{Layout, Lifetime, Newest, PartFact, Place, Placement, Profile, Scheme, ToolFact, place};
use espalier::message::{Message, Part, Role, Tool};
use espalier::tokens::CostModel;
use fastrand::Rng;

use crate::support::{Chars, assistant, calls, numbered, random, result, result_part, system, user};

fn tool(name: &str) -> Tool {
    Tool { name: name.into(), description: "does something".into(), schema: "{}".into() }
}

fn layout(tools: &[Tool]) -> Layout {
    Layout { max_marks: 4, tools: vec![ToolFact::default(); tools.len()], ..Layout::default() }
}

fn placed(messages: &[Message], tools: &[Tool], layout: &Layout) -> Placement {
    place(messages, tools, layout, CostModel::Espalier, &Chars)
}

/// Formats marks: `tools.1 m0.0 m4.0` are marks on the second tool and on the first parts of two messages, each with
/// its reason.
fn shown(placement: &Placement) -> String {
    let marks = placement.marks.iter().map(|mark| match mark.place {
        Place::Tool(at) => format!("{} t{at}", mark.why),
        Place::Message { message, part: Some(part) } => format!("{} m{message}.{part}", mark.why),
        Place::Message { message, part: None } => format!("{} m{message}", mark.why),
    });
    marks.collect::<Vec<_>>().join(", ")
}

fn loop_of(rounds: usize) -> Vec<Message> {
    let mut messages = vec![system("be brief"), user("fix it")];
    for round in 0..rounds {
        let id = format!("c{round}");
        messages.extend([calls(&[&id]), result(&id, "output")]);
    }
    numbered(messages)
}

#[test]
fn placement_table() {
    let tools = [tool("a"), tool("b")];
    let check = |what: &str, messages: &[Message], layout: &Layout, wanted: &str| {
        assert_eq!(shown(&placed(messages, &tools, layout)), wanted, "{what}");
    };
    let plain = layout(&tools);
    check("first request", &loop_of(0), &plain, "tools t1, system m0.0, newest m1.0");
    check("a first round", &loop_of(1), &plain, "tools t1, system m0.0, user m1.0, newest m3.0");

    let before = placed(&loop_of(2), &tools, &plain).newest;
    let steady = Layout { previous: before.clone(), ..plain.clone() };
    check("steady loop", &loop_of(3), &steady, "tools t1, system m0.0, previous m5.0, newest m7.0");
    check("the same request again", &loop_of(2), &steady, "tools t1, system m0.0, user m1.0, newest m5.0");

    let summarised =
        numbered(vec![system("be brief"), user("<conversation-summary>"), calls(&["c2"]), result("c2", "output")]);
    let after = Layout { summary: Some(1), ..steady.clone() };
    check("after compaction", &summarised, &after, "tools t1, system m0.0, summary m1.0, newest m3.0");

    let mut cleared = loop_of(3);
    cleared[3] = Message { id: "m3".into(), ..result("c0", "[cleared]") };
    check("after a cleared batch", &cleared, &steady, "tools t1, system m0.0, user m1.0, newest m7.0");

    let mut thinking = loop_of(1);
    let thought = vec![Part::Reasoning { text: "hm".into(), sealed: None }];
    thinking.push(Message { id: "m4".into(), role: Role::Assistant, name: None, parts: thought });
    check("thinking-only last message", &thinking, &plain, "tools t1, system m0.0, user m1.0, newest m3.0");

    let deferred = Layout { tools: vec![ToolFact { deferred: true, mark: None }; 2], ..plain.clone() };
    check("all tools deferred", &loop_of(1), &deferred, "system m0.0, user m1.0, newest m3.0");
    let some = Layout { tools: vec![ToolFact::default(), ToolFact { deferred: true, mark: None }], ..plain.clone() };
    check("the last tool deferred", &loop_of(1), &some, "tools t0, system m0.0, user m1.0, newest m3.0");

    let openai = Layout { scheme: Scheme::OpenAi, tools: vec![], previous: before, ..plain.clone() };
    check("no marks on tools", &loop_of(3), &openai, "system m0.0, user m1.0, previous m5.0, newest m7.0");
    check("nothing at all", &[], &Layout { tools: vec![], ..plain.clone() }, "");
    check("tools alone", &[], &plain, "tools t1");
    check("a system text alone", &loop_of(0)[..1], &plain, "tools t1, system m0.0");
}

#[test]
fn by_value_while_marks_are_left() {
    let tools = [tool("a")];
    let check = |max: usize, wanted: &str| {
        let layout = Layout { max_marks: max, ..layout(&tools) };
        assert_eq!(shown(&placed(&loop_of(1), &tools, &layout)), wanted);
    };
    check(0, "");
    check(1, "system m0.0");
    check(2, "tools t0, system m0.0");
    check(3, "tools t0, system m0.0, newest m3.0");
    check(4, "tools t0, system m0.0, user m1.0, newest m3.0");
    check(20, "tools t0, system m0.0, user m1.0, newest m3.0");
}

#[test]
fn the_newest_mark_of_the_previous_request() {
    let tools = [tool("a")];
    let newest = placed(&loop_of(2), &tools, &layout(&tools)).newest.expect("a mark in a message");
    assert_eq!((newest.message.as_str(), newest.part), ("m5", Some(0)));
    let check = |messages: &[Message], tools: &[Tool], previous: Newest, is_used: bool| {
        let layout = Layout { previous: Some(previous.clone()), ..layout(tools) };
        let used = placed(messages, tools, &layout).marks.iter().any(|mark| mark.why == "previous");
        assert_eq!(used, is_used, "{previous:?}");
    };
    check(&loop_of(4), &tools, newest.clone(), true);
    check(&loop_of(4), &[tool("other")], newest.clone(), false);
    let mut edited = loop_of(4);
    edited[1] = Message { id: "m1".into(), ..user("fix it!") };
    check(&edited, &tools, newest.clone(), false);
    // Marks change without changing the cached content.
    let mut marked = loop_of(4);
    marked[1].parts.push(Part::CacheMark);
    check(&marked, &tools, newest.clone(), false);
    marked[1].parts.pop();
    marked[9].parts.push(Part::CacheMark);
    check(&marked, &tools, newest.clone(), true);
    // A caller who passes no name of the prefix guarantees that it is unchanged.
    check(&edited, &tools, Newest { prefix: None, ..newest.clone() }, true);
    check(&loop_of(4), &tools, Newest { message: "gone".into(), ..newest.clone() }, false);
    check(&loop_of(4), &tools, Newest { part: Some(7), ..newest.clone() }, false);
    check(&loop_of(4), &tools, Newest { part: None, prefix: None, ..newest }, false);
}

#[test]
fn marks_of_the_caller() {
    let tools = [tool("a")];
    let marked = |at: &[usize]| {
        let mut messages = loop_of(5);
        for &at in at {
            messages[at].parts.push(Part::CacheMark);
        }
        messages
    };
    let check = |at: &[usize], layout: &Layout, wanted: &str, gone: &[usize]| {
        let placement = placed(&marked(at), &tools, layout);
        assert_eq!(shown(&placement), wanted);
        let unmarked: Vec<usize> = placement.unmarked.iter().filter_map(|gone| gone.place.message()).collect();
        assert_eq!(unmarked, gone, "{wanted}");
    };
    let plain = layout(&tools);
    check(&[], &plain, "tools t0, system m0.0, user m1.0, newest m11.0", &[]);
    check(&[3], &plain, "tools t0, system m0.0, caller m3.0, newest m11.0", &[]);
    // The oldest are removed first.
    check(&[1, 3, 5], &plain, "tools t0, system m0.0, caller m5.0, newest m11.0", &[1, 3]);
    check(&[0, 11], &plain, "tools t0, caller m0.0, user m1.0, caller m11.0", &[]);
    let none = Layout { max_marks: 0, ..plain.clone() };
    check(&[0, 3], &none, "", &[3, 0]);
    let reference = Layout { profile: Profile::CopilotChat, scheme: Scheme::OpenAi, tools: vec![], ..plain.clone() };
    check(&[1, 3, 5, 7, 9], &reference, "caller m3.0, caller m5.0, caller m7.0, caller m9.0", &[1]);

    // Marks on tools count as well; one on a tool that is loaded later must be removed.
    let facts = |deferred| ToolFact { deferred, mark: Some(Lifetime::FiveMinutes) };
    let on_tools = Layout { tools: vec![facts(true), facts(false)], ..plain.clone() };
    let placement = placed(&loop_of(1), &[tool("a"), tool("b")], &on_tools);
    assert_eq!(shown(&placement), "caller t1, system m0.0, user m1.0, newest m3.0");
    assert_eq!(placement.unmarked[0].place, Place::Tool(0));
    // So must one on a thought.
    let thought =
        vec![Part::Reasoning { text: "hm".into(), sealed: None }, Part::CacheMark, Part::Text { text: "so".into() }];
    let thinking = [Message { id: "m0".into(), role: Role::Assistant, name: None, parts: thought }];
    let placement = placed(&thinking, &[], &layout(&[]));
    assert_eq!((shown(&placement).as_str(), placement.unmarked[0].why), ("newest m0.2", "cannot-carry"));
}

#[test]
fn longer_lifetimes_come_first() {
    use Lifetime::{FiveMinutes, OneHour};
    let tools = [tool("a")];
    let mut messages = loop_of(2);
    messages[3].parts.push(Part::CacheMark);
    let check = |prefix: Lifetime, message: Lifetime, caller: Lifetime, wanted: [Lifetime; 4]| {
        let fact = PartFact { message: 3, part: Some(1), can: true, mark: Some(caller) };
        let layout = Layout { prefix_lifetime: prefix, message_lifetime: message, parts: vec![fact], ..layout(&tools) };
        let placement = placed(&messages, &tools, &layout);
        assert_eq!(shown(&placement), "tools t0, system m0.0, caller m3.0, newest m5.0");
        let lifetimes: Vec<Lifetime> = placement.marks.iter().map(|mark| mark.lifetime).collect();
        assert_eq!(lifetimes, wanted);
    };
    check(FiveMinutes, FiveMinutes, FiveMinutes, [FiveMinutes; 4]);
    check(OneHour, FiveMinutes, FiveMinutes, [OneHour, OneHour, FiveMinutes, FiveMinutes]);
    check(OneHour, OneHour, OneHour, [OneHour; 4]);
    // Ours are lengthened before a longer one of the caller.
    check(FiveMinutes, FiveMinutes, OneHour, [OneHour, OneHour, OneHour, FiveMinutes]);
    // They are shortened after a shorter one.
    check(OneHour, OneHour, FiveMinutes, [OneHour, OneHour, FiveMinutes, FiveMinutes]);
}

#[test]
fn prefixes_that_are_too_short_are_not_marked() {
    let tools = [tool("a")];
    let check = |minimum: u64, wanted: &str| {
        let layout = Layout { minimum, ..layout(&tools) };
        assert_eq!(shown(&placed(&loop_of(1), &tools, &layout)), wanted, "{minimum}");
    };
    // Tools 16 + 8 + 17 characters; system 4 + 8; user 4 + 6; call 4 + 14; result 4 + 10.
    check(1, "tools t0, system m0.0, user m1.0, newest m3.0");
    check(41, "tools t0, system m0.0, user m1.0, newest m3.0");
    check(42, "system m0.0, user m1.0, newest m3.0");
    check(53, "system m0.0, user m1.0, newest m3.0");
    check(54, "user m1.0, newest m3.0");
    check(64, "newest m3.0");
    check(95, "newest m3.0");
    check(96, "");
}

#[test]
fn minimums_by_model() {
    let check = |model: &str, wanted: u64| assert_eq!(espalier::cache::minimum_prefix(model), wanted, "{model}");
    check("gpt-4o", 1_024);
    check("", 1_024);
    check("claude-sonnet-4-5-20250929", 1_024);
    check("claude-sonnet-4-6", 2_048);
    check("anthropic/claude-opus-4.6", 4_096);
    check("claude-opus-4-1-20250805", 1_024);
    check("claude-opus-4-20250514", 1_024);
    check("CLAUDE-HAIKU-4-5", 4_096);
    check("claude-3-5-haiku-latest", 2_048);
    check("claude-3-7-sonnet", 1_024);
}

/// Returns a conversation with thoughts, blank texts and marks at random positions.
fn strewn(rng: &mut Rng) -> Vec<Message> {
    let most = rng.usize(0..40);
    let mut messages = random::conversation(rng, most);
    for message in &mut messages {
        if message.role == Role::Assistant && rng.u32(0..3) == 0 {
            message.parts.insert(0, Part::Reasoning { text: "hm".into(), sealed: None });
        }
        if rng.u32(0..8) == 0 {
            message.parts.push(Part::Text { text: " \n".into() });
        }
        for _ in 0..rng.usize(0..3) {
            if rng.u32(0..3) == 0 {
                let at = rng.usize(0..=message.parts.len());
                message.parts.insert(at, Part::CacheMark);
            }
        }
    }
    messages
}

fn random_layout(rng: &mut Rng, messages: &[Message]) -> Layout {
    let lifetime = |rng: &mut Rng| if rng.bool() { Lifetime::OneHour } else { Lifetime::FiveMinutes };
    let mark = |rng: &mut Rng| if rng.bool() { Some(lifetime(rng)) } else { None };
    let tools = (0..rng.usize(0..4)).map(|_| ToolFact { deferred: rng.bool(), mark: mark(rng) }).collect();
    let mut parts = Vec::new();
    for _ in 0..rng.usize(0..6) {
        // Positions that do not exist must do no harm.
        parts.push(PartFact {
            message: rng.usize(0..45),
            part: Some(rng.usize(0..5)),
            can: rng.bool(),
            mark: mark(rng),
        });
    }
    let some = |rng: &mut Rng| if messages.is_empty() { 0 } else { rng.usize(0..messages.len()) };
    let previous =
        messages.get(some(rng)).map(|message| Newest { message: message.id.clone(), part: Some(0), prefix: None });
    let (one, other) = (lifetime(rng), lifetime(rng));
    Layout {
        profile: if rng.bool() { Profile::Espalier } else { Profile::CopilotChat },
        scheme: if rng.bool() { Scheme::OpenAi } else { Scheme::Anthropic },
        max_marks: rng.usize(0..6),
        prefix_lifetime: one.max(other),
        message_lifetime: one.min(other),
        tools,
        parts,
        previous: previous.filter(|_| rng.bool()),
        summary: if rng.bool() { Some(some(rng)) } else { None },
        minimum: [0, 0, 30, 500][rng.usize(0..4)],
    }
}

#[test]
fn what_always_holds() {
    let mut rng = Rng::with_seed(41);
    let (mut marks, mut displaced) = (0, 0);
    for round in 0..6_000 {
        let messages = strewn(&mut rng);
        let layout = random_layout(&mut rng, &messages);
        let tools: Vec<Tool> = layout.tools.iter().map(|_| tool("t")).collect();
        let placement = placed(&messages, &tools, &layout);
        let why = format!("round {round}: {layout:?}");
        assert!(placement.marks.len() <= layout.max_marks, "never over the limit: {why}");
        assert!(placement.marks.windows(2).all(|pair| pair[0].place < pair[1].place), "in order, once each: {why}");
        assert!(placement.marks.windows(2).all(|pair| pair[0].lifetime >= pair[1].lifetime), "longer first: {why}");
        let strict = layout.profile == Profile::Espalier || layout.scheme == Scheme::Anthropic;
        for mark in &placement.marks {
            match mark.place {
                Place::Tool(at) => assert!(!layout.tools[at].deferred, "{why}"),
                Place::Message { message, part: None } => {
                    assert!(
                        !strict && messages[message].parts.iter().all(|part| matches!(part, Part::CacheMark)),
                        "{why}"
                    );
                }
                Place::Message { message, part: Some(part) } => {
                    let barred =
                        layout.parts.iter().any(|fact| (fact.message, fact.part) == (message, Some(part)) && !fact.can);
                    assert!(!barred || !strict, "{why}");
                    let value = &messages[message].parts[part];
                    assert!(!matches!(value, Part::CacheMark), "{why}");
                    let blank = matches!(value, Part::Text { text } if text.trim().is_empty());
                    assert!(!strict || !(blank || matches!(value, Part::Reasoning { .. })), "{why}");
                }
            }
        }
        // The placed marks become the caller's marks of the next call, and nothing changes any more.
        let mut again = messages.clone();
        let mut parts: Vec<PartFact> = layout.parts.iter().map(|fact| PartFact { mark: None, ..*fact }).collect();
        again.iter_mut().for_each(|message| message.parts.retain(|part| !matches!(part, Part::CacheMark)));
        // Without the marks the parts have other indices.
        let number = |message: usize, part: usize| {
            messages[message].parts[..part].iter().filter(|part| !matches!(part, Part::CacheMark)).count()
        };
        let known = |fact: &PartFact| {
            messages.get(fact.message).is_some_and(|message| fact.part.unwrap() < message.parts.len())
        };
        parts.retain(known);
        parts.retain(|fact| !matches!(messages[fact.message].parts[fact.part.unwrap()], Part::CacheMark));
        parts.iter_mut().for_each(|fact| fact.part = Some(number(fact.message, fact.part.unwrap())));
        let mut facts = layout.tools.clone();
        facts.iter_mut().for_each(|fact| fact.mark = None);
        for mark in &placement.marks {
            match mark.place {
                Place::Tool(at) => facts[at].mark = Some(mark.lifetime),
                Place::Message { message, part: None } => {
                    again[message].parts.push(Part::CacheMark);
                    parts.push(PartFact { message, part: Some(0), can: true, mark: Some(mark.lifetime) });
                }
                Place::Message { message, part: Some(part) } => {
                    let part = number(message, part);
                    match parts.iter_mut().find(|fact| (fact.message, fact.part) == (message, Some(part))) {
                        Some(fact) => fact.mark = Some(mark.lifetime),
                        None => {
                            parts.push(PartFact { message, part: Some(part), can: true, mark: Some(mark.lifetime) })
                        }
                    }
                }
            }
        }
        let previous = layout.previous.clone().map(|newest| {
            let message = messages.iter().position(|message| message.id == newest.message).unwrap();
            let first = messages[message].parts.first().is_none_or(|part| matches!(part, Part::CacheMark));
            Newest { part: newest.part.filter(|_| !first), ..newest }
        });
        let second = placed(&again, &tools, &Layout { tools: facts, parts, previous, ..layout.clone() });
        let places = |placement: &Placement| -> Vec<(Place, Lifetime)> {
            let numbered = |place: Place| match place {
                Place::Message { message, part: Some(part) } => {
                    Place::Message { message, part: Some(number(message, part)) }
                }
                other => other,
            };
            placement.marks.iter().map(|mark| (numbered(mark.place), mark.lifetime)).collect()
        };
        let stay: Vec<(Place, Lifetime)> = second.marks.iter().map(|mark| (mark.place, mark.lifetime)).collect();
        assert_eq!(stay, places(&placement), "idempotent: {why}");
        marks += placement.marks.len();
        displaced += placement.unmarked.len();
    }
    assert!(marks > 6_000 && displaced > 1_000, "{marks} marks, {displaced} displaced");
}

#[test]
fn odd_conversations() {
    let check = |messages: Vec<Message>, wanted: &str| {
        assert_eq!(shown(&placed(&numbered(messages), &[], &layout(&[]))), wanted);
    };
    check(vec![assistant("hello")], "newest m0.0");
    check(vec![user(""), assistant(" ")], "");
    check(vec![Message { parts: vec![Part::CacheMark], ..user("") }], "");
    // Results among the user's words: the newest message with words of the user is the request.
    let mixed = Message { parts: vec![result_part("c", "x"), Part::Text { text: "go".into() }], ..user("") };
    check(vec![user("a"), calls(&["c"]), mixed, assistant("b")], "user m2.1, newest m3.0");
    // A system text in the middle of a conversation is not the stable part.
    check(vec![user("a"), system("now be loud"), user("b"), assistant("c")], "user m2.0, newest m3.0");
}

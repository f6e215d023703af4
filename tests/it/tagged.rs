//! Enums with a field `type`: written values are read back, with fields in any order, and errors are reported.

use espalier::effect::{Answer, Failure};
use espalier::history::log::entry::Entry;
use espalier::message::Part;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// Reads a value, also with its type last and with an unknown field; returns its written form.
fn read<T: DeserializeOwned + Serialize>(value: &Value) -> Result<Value, String> {
    let fields = value.as_object().cloned().unwrap_or_default();
    let mut last: Map<String, Value> = fields.clone().into_iter().filter(|(name, _)| name != "type").collect();
    last.extend(fields.get("type").map(|tag| ("type".to_string(), tag.clone())));
    let mut more = fields.clone();
    more.insert("nobody".into(), json!([{"deep": [1]}]));
    let plain = |fields: Map<String, Value>| {
        let read: T = serde_json::from_str(&Value::Object(fields).to_string()).map_err(|error| error.to_string())?;
        Ok::<Value, String>(serde_json::to_value(read).unwrap_or_default())
    };
    let read = plain(fields)?;
    assert_eq!(plain(last), Ok(read.clone()), "with its type last: {value}");
    assert_eq!(plain(more), Ok(read.clone()), "with more: {value}");
    Ok(read)
}

fn check<T: DeserializeOwned + Serialize>(values: &[Value]) {
    for value in values {
        assert_eq!(read::<T>(value).as_ref(), Ok(value));
    }
}

#[test]
fn parts() {
    check::<Part>(&[
        json!({"type": "text", "text": "a"}),
        json!({"type": "toolCall", "callId": "c", "name": "n", "arguments": "{}"}),
        json!({"type": "toolResult", "callId": "c", "content": []}),
        json!({"type": "toolResult", "callId": "c", "name": "n", "content": [{"type": "text", "text": "a"}], "isError": true}),
        json!({"type": "reasoning", "text": "a"}),
        json!({"type": "image"}),
        json!({"type": "image", "mediaType": "image/png", "data": "AA", "url": "u", "detail": "low"}),
        json!({"type": "document", "dataLength": 3}),
        json!({"type": "document", "mediaType": "application/pdf", "dataLength": 3, "pages": 2}),
        json!({"type": "opaque", "json": "1"}),
        json!({"type": "opaque", "json": "1", "tokens": 4}),
        json!({"type": "cacheMark"}),
    ]);
}

#[test]
fn entries() {
    let message = json!({"id": "a", "role": "user", "parts": [{"type": "text", "text": "b"}]});
    let edit = |to: Value| {
        let target = json!({"message": "a", "part": 0, "to": to});
        json!({"type": "edit", "edit": {
            "kind": "truncate", "targets": [target], "rule": "r", "author": "rule", "tokensBefore": 2, "tokensAfter": 1,
        }})
    };
    let range = json!({"from": "a", "to": "b", "summary": message});
    check::<Entry>(&[
        json!({"type": "message", "message": message}),
        json!({"type": "usage", "json": "{}"}),
        json!({"type": "plan", "json": "{}"}),
        edit(json!({"type": "text", "text": "c"})),
        edit(json!({"type": "arguments", "arguments": "{}"})),
        edit(json!({"type": "content", "items": [null, "d"]})),
        edit(json!({"type": "note", "text": "e"})),
        edit(json!({"type": "gone"})),
        json!({"type": "edit", "edit": {
            "kind": "replace_range", "range": range, "rule": "r", "author": "rule", "tokensBefore": 2, "tokensAfter": 1,
        }}),
        json!({"type": "revoke", "target": "e1"}),
        json!({"type": "pin", "pin": {"message": "a", "part": 1, "range": [2, 3], "fact": "f", "reason": "g"}}),
        json!({"type": "unpin", "target": "e1"}),
        json!({"type": "rewind", "to": "a"}),
        json!({"type": "rewind", "to": null}),
        json!({"type": "job", "json": "{}"}),
        json!({"type": "checkpoint", "checkpoint": {"number": 1, "title": "t", "path": "p", "edits": ["e1"]}}),
        json!({"type": "trim", "json": "{}"}),
        json!({"type": "note", "json": "{}"}),
    ]);
    // Omitted if there is none.
    assert_eq!(read::<Entry>(&json!({"type": "rewind"})), Ok(json!({"type": "rewind", "to": null})));
}

#[test]
fn answers_of_hosts() {
    let read = |value: Value| serde_json::from_value::<Answer>(value).map_err(|error| error.to_string());
    let model =
        |finish_reason: Option<&str>| Answer::Model { text: "t".into(), finish_reason: finish_reason.map(Into::into) };
    assert_eq!(read(json!({"type": "model", "text": "t"})), Ok(model(None)));
    assert_eq!(read(json!({"type": "model", "text": "t", "finishReason": "stop"})), Ok(model(Some("stop"))));
    assert_eq!(
        read(json!({"type": "hook"})),
        Ok(Answer::Hook { instructions: None, keep: vec![], blocks: vec![], skip: false })
    );
    assert_eq!(read(json!({"type": "file", "text": "t"})), Ok(Answer::File { text: "t".into() }));
    for (code, kind) in [
        (None, Failure::Error),
        (Some("bad_request"), Failure::Error),
        (Some("timeout"), Failure::Timeout),
        (Some("no_key"), Failure::Unavailable),
    ] {
        let failed = Answer::Failed { reason: "r".into(), kind };
        assert_eq!(read(json!({"type": "failed", "reason": "r", "code": code})), Ok(failed));
    }
    for (code, given, limit) in [
        ("context_length", 9.0, Some(9)),
        ("context_length", 9.5, None),
        ("context_length", -9.0, None),
        ("body_size", 9.0, None),
    ] {
        let too_long = Answer::TooLong { reason: "r".into(), limit };
        assert_eq!(read(json!({"type": "failed", "reason": "r", "code": code, "limit": given})), Ok(too_long));
    }
    assert_eq!(read(json!({"type": "cancelled"})), Ok(Answer::Cancelled));
}

#[test]
fn fields_of_others_are_passed_over() {
    // A number is not a text, but this variant has no texts.
    let mark = json!({"type": "cacheMark", "text": 5, "callId": {}});
    assert_eq!(serde_json::from_value::<Part>(mark).ok(), Some(Part::CacheMark));
    let text = json!({"type": "text", "text": "a", "tokens": {"input": 1}, "content": "b"});
    assert_eq!(serde_json::from_value::<Part>(text).ok(), Some(Part::Text { text: "a".into() }));
}

#[test]
fn what_is_wrong_is_said() {
    let fails = |text: &str, said: &str| {
        let error =
            serde_json::from_str::<Part>(text).map_or_else(|error| error.to_string(), |part| format!("{part:?}"));
        assert!(error.starts_with(said), "{text}: {error}");
    };
    fails("{}", "missing field `type`");
    fails(r#"{"text":"a"}"#, "missing field `type`");
    fails(r#"{"type":"text"}"#, "missing field `text`");
    fails(r#"{"type":"text","text":null}"#, "invalid type: null, expected a string");
    fails(r#"{"type":"texts","text":"a"}"#, "unknown variant `texts`, expected one of `text`, `toolCall`");
    fails(r#"{"type":5}"#, "invalid type: integer `5`, expected a name");
    fails(r#"{"type":"text","text":"a","text":"b"}"#, "duplicate field `text`");
    fails(r#"{"type":"text","type":"text","text":"b"}"#, "duplicate field `type`");
    fails(r#"{"type":"toolCall","callId":"c","name":null,"arguments":""}"#, "missing field `name`");
    fails("[]", "invalid type: sequence, expected an object with a `type`");
    fails("7", "invalid type: integer `7`, expected an object with a `type`");
}

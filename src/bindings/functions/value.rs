//! Values of JavaScript: reads and writes fields, checks options by name.

use js_sys::{Array, Function, JSON, Object, Reflect};
use wasm_bindgen::prelude::*;

use super::super::read::js_name;
use crate::error::Code;

pub type Result<T = JsValue> = std::result::Result<T, JsValue>;

/// Reads a field. A value that is not an object has no fields.
///
/// # Errors
/// Any value that a getter of the host throws.
pub fn get(object: &JsValue, name: &'static str) -> Result {
    field(object, &js_name(name)[0])
}

fn field(object: &JsValue, name: &JsValue) -> Result {
    if object.is_object() { Reflect::get(object, name) } else { Ok(JsValue::UNDEFINED) }
}

/// Writes a field of an object that was created here.
pub fn set(object: &JsValue, name: &'static str, value: impl Into<JsValue>) {
    put(object, &js_name(name)[0], &value.into());
}

/// Writes a field with a name of the host. Setting a field of a plain object cannot fail.
pub fn put(object: &JsValue, name: &JsValue, value: &JsValue) {
    Reflect::set(object, name, value).ok();
}

/// Makes an object with these fields.
pub fn object(fields: &[(&'static str, JsValue)]) -> Object {
    let object = Object::new();
    for (name, value) in fields {
        set(&object, name, value);
    }
    object
}

/// Writes a field that may be absent.
pub fn set_some(object: &JsValue, name: &'static str, value: Option<impl Into<JsValue>>) {
    if let Some(value) = value {
        set(object, name, value);
    }
}

#[wasm_bindgen]
extern "C" {
    /// Copies the fields of an object of the host to `target`, and returns that.
    ///
    /// # Errors
    /// Any value that a getter of the host throws.
    #[wasm_bindgen(catch, js_namespace = Object)]
    pub fn assign(target: &Object, source: &JsValue) -> Result<Object>;

    /// Returns the fields of an object of the host, each as a list of name and value.
    ///
    /// # Errors
    /// Any value that a getter of the host throws.
    #[wasm_bindgen(catch, js_namespace = Object)]
    pub fn entries(object: &JsValue) -> Result<Array>;
}

/// Returns a copy with the same prototype; the fields keep their order.
///
/// # Errors
/// Any value that a getter of the host throws.
pub fn copy(object: &JsValue) -> Result<Object> {
    let prototype = Object::get_prototype_of(object);
    assign(&Object::create(prototype.unchecked_ref()), object)
}

pub fn is_nullish(value: &JsValue) -> bool {
    value.is_undefined() || value.is_null()
}

/// Returns a field that is not undefined.
pub fn given(object: &JsValue, name: &'static str) -> Result<Option<JsValue>> {
    Ok(Some(get(object, name)?).filter(|value| !value.is_undefined()))
}

/// Returns a field that is a text and not empty.
pub fn text(object: &JsValue, name: &'static str) -> Result<Option<String>> {
    Ok(get(object, name)?.as_string().filter(|text| !text.is_empty()))
}

/// Returns the items of a list; `None` for anything else.
pub fn list(value: &JsValue) -> Option<Array> {
    Array::is_array(value).then(|| value.clone().unchecked_into())
}

/// Returns the JSON text of plain data.
///
/// # Errors
/// `code` at `path` for a value without JSON text, such as an object that contains itself.
pub fn json(value: &JsValue, path: &str, code: Code) -> Result<String> {
    let text = JSON::stringify(value).ok().and_then(|text| text.as_string());
    text.ok_or_else(|| refused(code, "is not plain data", path))
}

/// Returns an error about the value at `path`; `why` follows the path in the message.
pub fn refused(code: Code, why: &str, path: &str) -> JsValue {
    coded(code.as_str(), &format!("{path} {why}"), path).into()
}

/// Returns an error with a code that only the boundary uses.
pub fn coded(code: &str, message: &str, path: &str) -> js_sys::Error {
    let error = js_sys::Error::new(message);
    error.set_name("EspalierError");
    set(&error, "code", code);
    set_some(&error, "path", Some(path).filter(|path| !path.is_empty()));
    error
}

/// Returns the error for an option of the wrong kind.
pub fn bad(path: &str, wanted: &str, value: &JsValue) -> JsValue {
    let found = match (value.is_object(), value.is_string()) {
        (true, _) => "an object".to_owned(),
        (_, true) => JSON::stringify(value).map(String::from).unwrap_or_default(),
        _ => string(value).unwrap_or_default(),
    };
    refused(Code::BadOption, &format!("must be {wanted}, and is {found}"), path)
}

/// Returns a value as JavaScript's `String` writes it; `None` if that throws.
pub fn string(value: &JsValue) -> Option<String> {
    let string: Function = get(&js_sys::global(), "String").ok()?.dyn_into().ok()?;
    string.call1(&JsValue::UNDEFINED, value).ok()?.as_string()
}

/// Returns an option that is not undefined.
///
/// # Errors
/// `bad_option` if it is not as `wanted`.
pub fn checked(
    object: &JsValue,
    name: &'static str,
    within: &str,
    wanted: &str,
    is: fn(&JsValue) -> bool,
) -> Result<Option<JsValue>> {
    match given(object, name)? {
        Some(value) if !is(&value) => Err(bad(&format!("{within}.{name}"), wanted, &value)),
        value => Ok(value),
    }
}

/// Returns a function from the options.
pub fn function(object: &JsValue, name: &'static str, within: &str) -> Result<Option<Function>> {
    Ok(checked(object, name, within, "a function", JsValue::is_function)?.map(JsCast::unchecked_into))
}

/// Returns a switch from the options.
pub fn flag(options: &JsValue, name: &'static str) -> Result<Option<bool>> {
    let is = checked(options, name, "options", "true or false", |value| value.as_bool().is_some())?;
    Ok(is.and_then(|is| is.as_bool()))
}

/// Refuses a value that is not an object, and an object with names that are not among `names` (a list with spaces
/// between).
///
/// # Errors
/// `bad_option` with the path of the first unknown name, and the nearest known one.
pub fn known(options: &JsValue, names: &'static str, within: &str) -> Result<()> {
    check_names(options, names, within, true)
}

/// Checks names as [`known`] does. Unless `is_strict`, as for an object that another library may have made, it only
/// refuses a name that looks like a typing error of a known one.
pub fn check_names(options: &JsValue, names: &'static str, within: &str, is_strict: bool) -> Result<()> {
    if !options.is_object() || Array::is_array(options) {
        return Err(bad(within, "an object", options));
    }
    for key in Object::keys(options.unchecked_ref::<Object>()).iter() {
        let name = key.as_string().unwrap_or_default();
        if names.split(' ').any(|known| known == name) || field(options, &key)?.is_undefined() {
            continue;
        }
        let near = nearest(&name, names);
        let hint = match near {
            Some(near) => format!("is unknown; did you mean {near}?"),
            None if is_strict => format!("is unknown; it may have {}", names.replace(' ', ", ")),
            None => continue,
        };
        let error = refused(Code::BadOption, &hint, &format!("{within}.{name}"));
        let details = Object::new();
        set_some(&details, "nearest", near);
        set(&error, "details", details);
        return Err(error);
    }
    Ok(())
}

/// Returns the name with the fewest wrong letters: at most three, and at most a third of them.
fn nearest(name: &str, names: &'static str) -> Option<&'static str> {
    let plain = simple(name);
    let max = (plain.len() / 3).min(3);
    let near = names.split(' ').map(|one| (distance(&plain, &simple(one)), one)).min_by_key(|(wrong, _)| *wrong);
    near.filter(|(wrong, _)| *wrong <= max).map(|(_, one)| one)
}

/// Returns the name in lower case without separators, cut at a length that no known name has.
fn simple(name: &str) -> Vec<char> {
    let letters = name.chars().filter(|letter| !matches!(letter, '-' | '_' | '.' | ' '));
    letters.map(|letter| letter.to_ascii_lowercase()).take(40).collect()
}

/// Returns the number of letters to insert, delete or replace to turn one word into the other.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (row, letter) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut above[0], row + 1);
        for (column, other) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = above[column + 1];
            above[column + 1] = replaced.min(diagonal + 1).min(above[column] + 1);
        }
    }
    above[b.len()]
}

//! Links grammars into the running engine: prebuilt side modules (`dylink.0`) that share its memory and function table.
//!
//! A grammar is native code in the engine's address space, so only trusted files may be loaded. It cannot be unloaded:
//! tables do not shrink. A refused file costs nothing.

use std::cell::RefCell;

use espalier_count::error::put;
use js_sys::{Function, Object, Reflect, Uint8Array, WebAssembly as Wasm};
use tree_sitter::{LANGUAGE_VERSION, Language, MIN_COMPATIBLE_LANGUAGE_VERSION};
use wasm_bindgen::prelude::*;

use crate::document::dylink::{self, Needs};
use crate::error::{Code, Error, Result};

/// The functions that grammars may call, with their C signatures: on wasm a function pointer is a slot of the function
/// table, and a wrong signature would call another function.
mod c {
    use core::ffi::c_void;

    use crate::document::characters;

    type Pointer = *mut c_void;

    macro_rules! provided {
        ($($name:ident($($argument:ty),*) -> $result:ty;)*) => {
            unsafe extern "C" {
                $(pub fn $name($(_: $argument),*) -> $result;)*
            }

            /// Returns the slot of a function that the engine provides.
            pub fn slot(name: &str) -> Option<u32> {
                let function = match name {
                    $(stringify!($name) => $name as *const (),)*
                    "__assert_fail" => super::assert_fail as *const (),
                    _ => characters::function(name)?,
                };
                Some(function as usize as u32)
            }
        };
    }

    provided! {
        malloc(usize) -> Pointer;
        calloc(usize, usize) -> Pointer;
        realloc(Pointer, usize) -> Pointer;
        free(Pointer) -> ();
        memchr(Pointer, i32, usize) -> Pointer;
        memcmp(Pointer, Pointer, usize) -> i32;
        memcpy(Pointer, Pointer, usize) -> Pointer;
        memmove(Pointer, Pointer, usize) -> Pointer;
        memset(Pointer, i32, usize) -> Pointer;
        strchr(Pointer, i32) -> Pointer;
        strcmp(Pointer, Pointer) -> i32;
        strlen(Pointer) -> usize;
        strncat(Pointer, Pointer, usize) -> Pointer;
        strncmp(Pointer, Pointer, usize) -> i32;
        strncpy(Pointer, Pointer, usize) -> Pointer;
        iswblank(u32) -> i32;
        iswdigit(u32) -> i32;
        iswspace(u32) -> i32;
        iswxdigit(u32) -> i32;
        abort() -> !;
    }
}

/// Handles a failed assertion in a grammar: the engine is replaced, as after any crash.
unsafe extern "C" fn assert_fail(_expression: u32, _file: u32, _line: u32, _function: u32) {
    panic!("an assertion of a grammar failed");
}

/// Bytes of the stack that grammars share. Forty grammars used at most 2 KB.
const STACK: usize = 64 << 10;

/// The parts of the engine that every grammar gets.
struct Host {
    memory: JsValue,
    table: Wasm::Table,
    stack: Wasm::Global,
}

thread_local! {
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
}

fn refused(why: impl AsRef<str>) -> Error {
    Error::new(Code::BadGrammar, format!("the grammar cannot be loaded: {}", why.as_ref()))
}

/// Returns a property, if it is text.
#[inline(never)]
fn text(of: &JsValue, key: &str) -> Option<String> {
    Reflect::get(of, &key.into()).ok()?.as_string()
}

/// Converts a value that JavaScript threw into an error.
fn thrown(error: &JsValue) -> Error {
    refused(text(error, "message").unwrap_or_else(|| "it threw something".into()))
}

fn global(value: u32, mutable: bool) -> Result<Wasm::Global> {
    let kind = Object::new();
    put(&kind, "value", "i32".into());
    put(&kind, "mutable", mutable.into());
    Wasm::Global::new(&kind, &f64::from(value).into()).map_err(|error| thrown(&error))
}

fn no_memory() -> Error {
    Error::new(Code::BadGrammar, "there is no memory left for this grammar")
}

fn with_host<T>(run: impl FnOnce(&Host) -> Result<T>) -> Result<T> {
    HOST.with_borrow_mut(|host| {
        if let Some(host) = host {
            return run(host);
        }
        // SAFETY: the size is not 0; the stack lives as long as the instance.
        let base = unsafe { c::malloc(STACK) } as usize;
        if base == 0 {
            return Err(no_memory());
        }
        // Stacks grow down, from an aligned top.
        let top = (base + STACK) & !15;
        let made = Host {
            memory: wasm_bindgen::memory(),
            table: wasm_bindgen::function_table().unchecked_into(),
            stack: global(top as u32, true)?,
        };
        run(host.insert(made))
    })
}

/// Links a grammar into the engine. With `wanted` it must be the grammar with that name.
///
/// # Errors
/// [`Code::BadGrammar`] with the reason: it is no grammar, is damaged, has another format, version or name, or needs a
/// function that is not provided (which is named).
pub fn link(module: &JsValue, wanted: Option<&str>) -> Result<Language> {
    let module: &Wasm::Module = module.dyn_ref().ok_or_else(|| refused("it is not a compiled WebAssembly module"))?;
    let needs = header(module)?;
    let name = name(module)?;
    if let Some(wanted) = wanted
        && name.strip_prefix(PREFIX) != Some(&wanted.replace('-', "_"))
    {
        return Err(refused(format!("it exports {name}, but the grammar of {wanted} was expected")));
    }
    let imports = with_host(|host| imports(module, needs, host))?;
    let instance = Wasm::Instance::new(module, &imports).map_err(|error| thrown(&error))?;
    start(&instance, &name)
}

fn header(module: &Wasm::Module) -> Result<Needs> {
    let sections = Wasm::Module::custom_sections(module, "dylink.0");
    if sections.length() == 1 {
        return dylink::read(&Uint8Array::new(&sections.get(0)).to_vec());
    }
    Err(match Wasm::Module::custom_sections(module, "dylink").length() {
        0 => refused("it has no dylink.0 section; grammars are built with `tree-sitter build --wasm`"),
        _ => refused("it was built by an old version of tree-sitter; 0.20.9 or newer is needed"),
    })
}

/// Prefix of the name of the function that returns a language.
const PREFIX: &str = "tree_sitter_";

/// Returns the name of the function that returns the language.
fn name(module: &Wasm::Module) -> Result<String> {
    let name = |export: JsValue| text(&export, "name");
    let is_language = |name: &String| name.starts_with(PREFIX) && !name.contains("_external_scanner_");
    let exports = Wasm::Module::exports(module);
    let found = exports.iter().filter_map(name).find(is_language);
    found.ok_or_else(|| refused("it exports no tree_sitter_… function"))
}

fn imports(module: &Wasm::Module, needs: Needs, host: &Host) -> Result<Object> {
    let env = Object::new();
    // All imports are resolved before anything is allocated.
    for import in Wasm::Module::imports(module).iter() {
        let field = |key| text(&import, key).unwrap_or_default();
        let (from, name, kind) = (field("module"), field("name"), field("kind"));
        let value = match (from.as_str(), name.as_str(), kind.as_str()) {
            ("env", "memory", "memory") => host.memory.clone(),
            ("env", "__indirect_function_table", "table") => host.table.clone().into(),
            ("env", "__stack_pointer", "global") => host.stack.clone().into(),
            ("env", "__memory_base" | "__table_base", "global") => continue,
            (from, name, kind) => {
                let slot = if (from, kind) == ("env", "function") { c::slot(name) } else { None };
                let missing = || refused(format!("it needs {from}.{name} ({kind}), which is not provided to grammars"));
                host.table.get(slot.ok_or_else(missing)?).map_err(|error| thrown(&error))?.into()
            }
        };
        put(&env, &name, value);
    }
    // Zeroed, as uninitialised data must be. SAFETY: the size is not 0.
    let alignment = needs.alignment.max(16) as usize;
    let base = unsafe { c::calloc(1, needs.memory as usize + alignment) } as usize;
    if base == 0 {
        return Err(no_memory());
    }
    let base = base.next_multiple_of(alignment);
    let slots = host.table.grow(needs.table).map_err(|error| thrown(&error))?;
    put(&env, "__memory_base", global(base as u32, false)?.into());
    put(&env, "__table_base", global(slots, false)?.into());
    let imports = Object::new();
    put(&imports, "env", env.into());
    Ok(imports)
}

fn start(instance: &Wasm::Instance, name: &str) -> Result<Language> {
    let exports = instance.exports();
    let function =
        |name: &str| Reflect::get(&exports, &name.into()).ok().and_then(|found| found.dyn_into::<Function>().ok());
    for name in ["__wasm_apply_data_relocs", "__wasm_call_ctors"] {
        if let Some(function) = function(name) {
            function.call0(&JsValue::NULL).map_err(|error| thrown(&error))?;
        }
    }
    let made = function(name).ok_or_else(|| refused("its tree_sitter_… export is not a function"))?;
    let pointer = made.call0(&JsValue::NULL).map_err(|error| thrown(&error))?.as_f64().unwrap_or(0.0) as usize;
    // The version is the first word of a language; nothing else is read before the version is checked.
    let max = core::arch::wasm32::memory_size(0) * 65_536 - size_of::<u32>();
    if pointer == 0 || pointer > max || !pointer.is_multiple_of(align_of::<u32>()) {
        return Err(refused("it returned no language"));
    }
    // SAFETY: aligned and inside the memory.
    let version = unsafe { *(pointer as *const u32) } as usize;
    if !(MIN_COMPATIBLE_LANGUAGE_VERSION..=LANGUAGE_VERSION).contains(&version) {
        let age = if version > LANGUAGE_VERSION { "newer" } else { "older" };
        return Err(refused(format!(
            "it is of ABI {version}, {age} than {MIN_COMPATIBLE_LANGUAGE_VERSION} to {LANGUAGE_VERSION} that this engine reads"
        )));
    }
    // SAFETY: the grammar's own function returned the pointer, and the runtime can read this ABI. It is never freed.
    Ok(unsafe { Language::from_raw(pointer as *const _) })
}

//! Callbacks of the host with a timeout.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::futures::JsFuture;
use js_sys::{Array, Function, Object, Promise};
use wasm_bindgen::prelude::*;

use super::value::{self, Result, bad, get, set};

#[wasm_bindgen]
extern "C" {
    /// An `AbortSignal`, or an object that behaves like one.
    #[derive(Clone)]
    pub type Signal;

    #[wasm_bindgen(method, getter)]
    fn aborted(this: &Signal) -> bool;

    #[wasm_bindgen(method, getter)]
    pub fn reason(this: &Signal) -> JsValue;

    #[wasm_bindgen(method, js_name = addEventListener)]
    fn listen(this: &Signal, event: &str, listener: &Function);

    #[wasm_bindgen(method, js_name = removeEventListener)]
    fn forget(this: &Signal, event: &str, listener: &Function);

    type AbortController;

    #[wasm_bindgen(constructor)]
    fn new() -> AbortController;

    #[wasm_bindgen(method, getter)]
    fn signal(this: &AbortController) -> JsValue;

    #[wasm_bindgen(method)]
    fn abort(this: &AbortController, reason: &JsValue);

    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(work: &Function, ms: f64) -> JsValue;

    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(timer: &JsValue);
}

/// Maximum delay of a JavaScript timer; a longer one would fire immediately.
const MAX_DELAY_MS: f64 = 2_147_483_647.0;

impl Signal {
    /// Returns the signal from the options.
    ///
    /// # Errors
    /// `bad_option` for anything but an `AbortSignal`.
    pub fn of(options: &JsValue) -> Result<Option<Signal>> {
        let Some(signal) = value::given(options, "signal")? else { return Ok(None) };
        let is_one = get(&signal, "aborted")?.as_bool().is_some() && get(&signal, "addEventListener")?.is_function();
        if is_one { Ok(Some(signal.unchecked_into())) } else { Err(bad("options.signal", "an AbortSignal", &signal)) }
    }

    pub fn is_aborted(signal: Option<&Signal>) -> bool {
        signal.is_some_and(Signal::aborted)
    }
}

/// The outcome of a callback.
pub enum Ending {
    Answered(JsValue),
    Threw(JsValue),
    Late,
    Aborted,
}

/// A call of the host.
pub struct Call<'a> {
    pub callback: &'a Function,
    pub this: &'a JsValue,
    pub argument: &'a JsValue,
    /// True for a request to a model, which also contains the signal.
    pub holds_signal: bool,
}

/// Calls the host with `{ signal }` as the second argument, and waits at most `ms` or until `outer` aborts. A later
/// answer is dropped. `late` is the abort reason of the callback's signal then.
pub async fn within(ms: f64, late: JsValue, outer: Option<&Signal>, call: Call<'_>) -> Ending {
    if Signal::is_aborted(outer) {
        return Ending::Aborted;
    }
    let controller = Rc::new(AbortController::new());
    let ended = Rc::new(Cell::new(None));
    let stop: RefCell<Option<Function>> = RefCell::new(None);
    let stopped = Promise::new(&mut |resolve, _| *stop.borrow_mut() = Some(resolve));
    let stop = stop.into_inner();
    let ending = |how: fn() -> Ending, reason: Box<dyn Fn() -> JsValue>| {
        let (controller, ended, stop) = (Rc::clone(&controller), Rc::clone(&ended), stop.clone());
        Closure::<dyn FnMut()>::new(move || {
            if ended.replace(Some(how)).is_some() {
                return;
            }
            controller.abort(&reason());
            if let Some(stop) = &stop {
                // The function that resolves a promise does not throw.
                stop.call0(&JsValue::UNDEFINED).ok();
            }
        })
    };
    let on_late = ending(|| Ending::Late, Box::new(move || late.clone()));
    let signal = outer.cloned();
    let on_abort =
        ending(|| Ending::Aborted, Box::new(move || signal.as_ref().map_or(JsValue::UNDEFINED, Signal::reason)));
    let timer = set_timeout(on_late.as_ref().unchecked_ref(), ms.min(MAX_DELAY_MS));
    if let Some(outer) = outer {
        outer.listen("abort", on_abort.as_ref().unchecked_ref());
    }
    let context = Object::new();
    set(&context, "signal", controller.signal());
    if call.holds_signal {
        set(call.argument, "signal", controller.signal());
    }
    let answer = match call.callback.call2(call.this, call.argument, &context) {
        Ok(answer) => Promise::resolve(&answer),
        Err(thrown) => Promise::reject(&thrown),
    };
    let first = JsFuture::from(Promise::race(&Array::of2(&answer, &stopped))).await;
    clear_timeout(&timer);
    if let Some(outer) = outer {
        outer.forget("abort", on_abort.as_ref().unchecked_ref());
    }
    match (ended.get(), first) {
        (Some(how), _) => how(),
        (None, Ok(answer)) => Ending::Answered(answer),
        (None, Err(_)) if Signal::is_aborted(outer) => Ending::Aborted,
        (None, Err(thrown)) => Ending::Threw(thrown),
    }
}

/// Waits for the result of a callback, which may be a promise, until an abort.
pub async fn answered(value: JsValue, outer: Option<&Signal>) -> Result {
    let promise = Promise::resolve(&value);
    let Some(outer) = outer else { return JsFuture::from(promise).await };
    let stop: RefCell<Option<Function>> = RefCell::new(None);
    let stopped = Promise::new(&mut |_, reject| *stop.borrow_mut() = Some(reject));
    let stop = stop.into_inner();
    let signal = outer.clone();
    let on_abort = Closure::<dyn FnMut()>::new(move || {
        if let Some(stop) = &stop {
            // The function that rejects a promise does not throw.
            stop.call1(&JsValue::UNDEFINED, &signal.reason()).ok();
        }
    });
    outer.listen("abort", on_abort.as_ref().unchecked_ref());
    let first = JsFuture::from(Promise::race(&Array::of2(&promise, &stopped))).await;
    outer.forget("abort", on_abort.as_ref().unchecked_ref());
    first
}

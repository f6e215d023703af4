//! Callbacks of the host with a timeout.

use js_sys::futures::JsFuture;
use js_sys::{Array, Function, Promise};
use wasm_bindgen::prelude::*;

use super::value::{self, Result, bad, coded, get, object};

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

    #[derive(Clone)]
    type AbortController;

    #[wasm_bindgen(constructor)]
    fn new() -> AbortController;

    #[wasm_bindgen(method, getter)]
    fn signal(this: &AbortController) -> Signal;

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

/// Calls the host with `{ signal }`, and waits at most `ms` or until `outer` aborts. A later answer is dropped, and the
/// signal aborts; its reason is then an error with the text `late`, or that of `outer`.
pub async fn within(ms: Option<u64>, late: &str, outer: Option<&Signal>, call: &dyn Fn(&JsValue) -> Result) -> Ending {
    if Signal::is_aborted(outer) {
        return Ending::Aborted;
    }
    let controller = AbortController::new();
    let inner = controller.signal();
    let stopped = Promise::new(&mut |stop, _| inner.listen("abort", &stop));
    let aborting = |reason: Box<dyn Fn() -> JsValue>| {
        let controller = controller.clone();
        Closure::<dyn FnMut()>::new(move || controller.abort(&reason()))
    };
    let (late, signal) = (late.to_owned(), outer.cloned());
    let on_late = aborting(Box::new(move || coded("timeout", &late, "").into()));
    let on_abort = aborting(Box::new(move || signal.as_ref().map_or(JsValue::UNDEFINED, Signal::reason)));
    let timer = ms.map(|ms| set_timeout(on_late.as_ref().unchecked_ref(), (ms as f64).min(MAX_DELAY_MS)));
    if let Some(outer) = outer {
        outer.listen("abort", on_abort.as_ref().unchecked_ref());
    }
    let answer = match call(&object(&[("signal", inner.clone().into())])) {
        Ok(answer) => Promise::resolve(&answer),
        Err(thrown) => Promise::reject(&thrown),
    };
    let first = JsFuture::from(Promise::race(&Array::of2(&answer, &stopped))).await;
    clear_timeout(&timer.unwrap_or_default());
    if let Some(outer) = outer {
        outer.forget("abort", on_abort.as_ref().unchecked_ref());
    }
    match first {
        _ if Signal::is_aborted(outer) => Ending::Aborted,
        _ if inner.aborted() => Ending::Late,
        Ok(answer) => Ending::Answered(answer),
        Err(thrown) => Ending::Threw(thrown),
    }
}

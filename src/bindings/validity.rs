//! Finds and repairs what a provider would refuse.

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::decode::{into_js, options_from_js};
use super::error::JsResult;
use super::options::messages;
use crate::error::Result;
use crate::history::mend::Receiver;
use crate::validity::{self as core, Finding, Provider, Purpose, Repaired, Row, Settings, Special, Target};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Options {
    provider: String,
    /// The format of the messages.
    #[serde(default)]
    format: String,
    #[serde(default)]
    wire: bool,
    #[serde(default)]
    by_items: bool,
    #[serde(default)]
    own_results: bool,
    tools: Option<Vec<String>>,
    #[serde(default)]
    model: String,
    #[serde(default)]
    purpose: Purpose,
    #[serde(default)]
    rules: Vec<Row>,
    #[serde(default)]
    pending: bool,
    #[serde(default)]
    trusts_host: bool,
    #[serde(default)]
    open_end: bool,
    #[serde(default)]
    settings: Settings,
}

impl Options {
    fn target(self) -> Result<Target> {
        let provider = Provider::from_name(&self.provider)?;
        Ok(Target {
            provider,
            wire: self.wire,
            by_items: self.by_items,
            own_results: self.own_results,
            tools: self.tools,
            pending: self.pending,
            trusts_host: self.trusts_host,
            open_end: self.open_end,
            special: Special::of(provider, &self.model, self.purpose, &self.rules),
        })
    }

    pub(super) fn receiver(self) -> Result<Receiver> {
        let written = Provider::from_name(&self.format).ok();
        Ok(Receiver { target: self.target()?, written })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Findings {
    findings: Vec<Finding>,
    /// True if the first calls have the signatures of thoughts.
    signatures: bool,
    /// True if repair would remove tools that are not a finding.
    strips: bool,
}

/// Lists what a provider would refuse.
#[wasm_bindgen(js_name = "validate")]
pub fn validate(conversation: JsValue, options: JsValue) -> JsResult {
    let messages = messages(conversation)?;
    let target = options_from_js::<Options>(&options)?.target()?;
    let findings = core::check(&messages, &target);
    let strips = !target.special.drop_tools.is_empty();
    into_js(&Findings { findings, signatures: target.special.signatures, strips })
}

/// Repairs what a provider would refuse: returns a plan for the host's messages, and the repairs.
#[wasm_bindgen(js_name = "repair")]
pub fn repair(conversation: JsValue, options: JsValue) -> JsResult {
    let messages = messages(conversation)?;
    let mut options: Options = options_from_js(&options)?;
    let settings = std::mem::take(&mut options.settings);
    let target = options.target()?;
    let repaired: Repaired = core::repair(&messages, &target, &settings);
    into_js(&repaired)
}

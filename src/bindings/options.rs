//! Options of counting messages, which all operations on messages share.

use std::rc::Rc;

use js_sys::Reflect;
use serde::Deserialize;
use wasm_bindgen::prelude::*;

use super::decode::{from_js, options_from_js};
use super::host::{HostImageSize, HostTokenizer};
use super::read::js_name;
use super::tokens::loaded;
use crate::error::{Code, Error, Result};
use crate::history::draft::Meter;
use crate::message::{Message, Tool};
use crate::tokens::image::{ImageModel, Picture, SizeOf};
use crate::tokens::{CostModel, Encoding, EncodingName, Origin, Seeing, Tokenizer, ToolsCost, encoding_for_model};
use crate::validity::Provider;

/// The shared fields of every options object.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Counting {
    encoding: Option<String>,
    /// Replaces the encoding.
    #[serde(skip)]
    host: Option<HostTokenizer>,
    pub model: Option<String>,
    cost_model: Option<String>,
    tools: Vec<Tool>,
    /// The format of the messages, which implies their provider if no model is named.
    format: Option<String>,
    /// The format in which the messages are written, if they are for the provider of another one.
    written: Option<String>,
    /// The name of a formula for pictures, and its numbers.
    images: Option<String>,
    image_numbers: Vec<f64>,
    /// Tells the sizes of pictures whose data do not contain them.
    #[serde(skip)]
    image_size: Option<HostImageSize>,
}

/// The tokenizer, the cost model and the tools of an operation.
pub struct Counter {
    /// The encoding's name, or `host`.
    pub name: &'static str,
    /// The encoding, with the model's prices of pictures.
    pub tokenizer: Rc<dyn Tokenizer>,
    pub cost_model: CostModel,
    pub tools: ToolsCost,
    pub origin: Origin,
    /// True for messages in the format of OpenAI Responses, in which each call is a separate item.
    pub by_items: bool,
    /// The provider of the request, else that of the messages' format.
    pub provider: Option<Provider>,
}

impl Counting {
    /// Reads the fields, and the host's functions, which are no data.
    pub fn of(options: &JsValue) -> Result<Counting> {
        let counting = options_from_js(options)?;
        let function = |name| Reflect::get(options, &js_name(name)[0]).ok().and_then(|host| host.dyn_into().ok());
        let (host, image_size) = (function("tokenizer").map(HostTokenizer), function("imageSize").map(HostImageSize));
        Ok(Counting { host, image_size, ..counting })
    }

    /// Returns the tool definitions of the request.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Returns the encoding that the options name, and the origin of its counts.
    fn encoding(&self) -> Result<(EncodingName, Origin)> {
        Ok(match (&self.encoding, &self.model) {
            (Some(name), _) => (EncodingName::from_name(name).map_err(|e| e.at("options.encoding"))?, Origin::Exact),
            (None, Some(model)) => encoding_for_model(model),
            // These providers have no public encoding.
            (None, None) if self.provider().is_some() => (EncodingName::O200kBase, Origin::Prior),
            (None, None) => (EncodingName::O200kBase, Origin::Exact),
        })
    }

    /// Returns the built-in encoding, for operations that need its internals.
    pub fn built_in(&self) -> Result<Rc<Encoding>> {
        loaded(self.encoding()?.0)
    }

    /// Finds the tokenizer and counts the tools.
    pub fn counter(&self) -> Result<Counter> {
        let (name, encoding, origin): (_, Rc<dyn Tokenizer>, _) = match &self.host {
            Some(host) => ("host", Rc::new(host.clone()), Origin::Exact),
            None => {
                let (name, origin) = self.encoding()?;
                (name.as_str(), loaded(name)?, origin)
            }
        };
        let cost_model = match &self.cost_model {
            Some(name) => CostModel::from_name(name).map_err(|e| e.at("options.costModel"))?,
            None => CostModel::default(),
        };
        let tools = cost_model.tools(&self.tools, &*encoding);
        let images = match (&self.images, &self.model) {
            (Some(name), _) => {
                let number = |at: usize| self.image_numbers.get(at).map_or(0, |number| *number as u32);
                ImageModel::from_name(name, number(0), number(1)).map_err(|e| e.at("options.images"))?
            }
            (None, Some(model)) => ImageModel::of_model(model),
            (None, None) => self.provider().unwrap_or_default(),
        };
        let size_of =
            self.image_size.clone().map(|host| Rc::new(move |picture: Picture| host.size(picture)) as Rc<SizeOf>);
        let tokenizer = Rc::new(Seeing { tokenizer: encoding, images, size_of });
        let by_items = self.written() == Some(Provider::OpenAiResponses);
        let (origin, provider) = (origin.worst(tools.origin), self.speaks());
        Ok(Counter { name, tokenizer, cost_model, origin, tools, by_items, provider })
    }

    /// Returns the provider of the format, if it has one.
    pub fn speaks(&self) -> Option<Provider> {
        self.format.as_deref().and_then(|name| Provider::from_name(name).ok())
    }

    /// Returns the provider in whose format the messages are written, if it has one.
    pub fn written(&self) -> Option<Provider> {
        self.written.as_deref().map_or_else(|| self.speaks(), |name| Provider::from_name(name).ok())
    }

    /// Returns how the provider of the format sees pictures, if the format implies its models.
    fn provider(&self) -> Option<ImageModel> {
        match self.format.as_deref() {
            Some("anthropic") => Some(ImageModel::Anthropic),
            Some("gemini") => Some(ImageModel::Gemini),
            _ => None,
        }
    }
}

impl Counter {
    pub fn meter(&self) -> Meter<'_> {
        let Counter { cost_model: model, ref tokenizer, ref tools, by_items, provider, .. } = *self;
        Meter { model, tokenizer: &**tokenizer, tools: tools.total, by_items, provider }
    }
}

/// Decodes a conversation; an error has the path of the wrong field.
pub fn messages(value: JsValue) -> Result<Vec<Message>> {
    let messages: Vec<Message> = from_js(value, "messages", Code::BadMessage)?;
    let mut seen = crate::map::HashSet::default();
    for (at, message) in messages.iter().enumerate() {
        if !seen.insert(message.id.as_str()) {
            let error = Error::new(Code::DuplicateId, format!("two messages have the id {:?}", message.id));
            return Err(error.at(format!("messages[{at}].id")));
        }
    }
    Ok(messages)
}

/// Checks a number of tokens: whole, not negative, small enough to be exact in JavaScript.
pub fn tokens(value: f64, path: &str) -> Result<u64> {
    // 2^53: above it JavaScript cannot represent all whole numbers.
    if value.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&value) {
        return Ok(value as u64);
    }
    Err(Error::new(Code::BadOption, format!("{path} must be a whole number of tokens, 0 or more, and is {value}"))
        .at(path))
}

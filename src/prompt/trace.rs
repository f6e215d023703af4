//! What happened to every node, and why.

use super::NodeId;
use serde::Serialize;

/// The reason why a node was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// It had the lowest priority.
    Priority,
    /// A node that it is kept with was removed.
    KeepWith,
    /// Its content was removed.
    Empty,
}

/// A removed node, with its subtree.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Removal {
    pub node: NodeId,
    pub rule: Rule,
    /// Removals with the same number happened together; they count up from 0 over all limits.
    pub step: u32,
    /// The element whose limit was exceeded; the root for the budget itself.
    pub limit: NodeId,
    /// Tokens that the step freed. An estimate if the host counts and was not asked.
    pub tokens: f64,
    /// The node that would be removed next if this one had the higher priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rival: Option<NodeId>,
}

/// The report on a node.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeReport {
    pub node: NodeId,
    pub parent: Option<NodeId>,
    pub priority: f64,
    /// Tokens of its own text or part, of a message as it is sent, or the sum of its remaining content (of all its
    /// content, if it is removed). `None` if it was not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<f64>,
    pub kept: bool,
    /// Index of the removal that took it, or an ancestor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removal: Option<u32>,
}

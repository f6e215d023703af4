//! What happened to every node, and why.

use super::NodeId;
use serde::Serialize;

/// Why a node went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// It had the lowest priority.
    Priority,
    /// Something that it is kept with went.
    KeepWith,
    /// Nothing was left in it.
    Empty,
}

/// A node that went, with its subtree.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Removal {
    pub node: NodeId,
    pub rule: Rule,
    /// Removals with the same number happened together; they count up from 0 over all limits.
    pub step: u32,
    /// The element whose limit was exceeded; the root for the budget itself.
    pub limit: NodeId,
    /// Tokens that the step freed. An estimate where the host counts and did not have to say.
    pub tokens: f64,
    /// What would have gone instead, had it had the lower priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rival: Option<NodeId>,
}

/// What became of a node.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeReport {
    pub node: NodeId,
    pub parent: Option<NodeId>,
    pub priority: f64,
    /// Tokens of its own text or part, of a message as it is sent, or the sum of what it contains (of what is left, if it is
    /// itself left). `None` if nobody has counted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<f64>,
    pub kept: bool,
    /// Index of the removal that took it, or what it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removal: Option<u32>,
}

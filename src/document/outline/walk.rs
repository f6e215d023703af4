//! A random walk over references: who is often referred to, by those who are often referred to, matters.
//!
//! From a file the walk goes to a name that the file mentions, and from the name to one of the files that define it. It is PageRank
//! (Page, Brin, Motwani, Winograd 1998) on a graph with files on one side and names on the other; names in between keep it linear in
//! what the files mention, where edges from file to file would be their product. That a walk starts at the files that a conversation
//! is about, and what makes a name weigh more, are ideas of aider's repository map.

/// The share of steps that follow a reference; the others start anew. The value of the original paper.
const DAMPING: f64 = 0.85;
/// Rounds are over when ranks move by less than this in sum, or after so many.
const STILL: f64 = 1e-7;
const ROUNDS: usize = 60;

/// Files, names, and who mentions and defines what.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// For each file the names that it mentions, each with a weight.
    pub mentions: Vec<Vec<(u32, f64)>>,
    /// For each name the files that define it.
    pub definers: Vec<Vec<u32>>,
    /// How often a walk starts at each file; not all 0.
    pub starts: Vec<f64>,
}

/// How much each file matters, and how much of that reaches it through each name.
pub(super) struct Ranks {
    pub files: Vec<f64>,
    /// By name: what goes to each of its definers.
    pub names: Vec<f64>,
}

impl Graph {
    /// Walks until nothing moves any more.
    pub fn walk(&self) -> Ranks {
        let sum: f64 = self.starts.iter().sum();
        let starts: Vec<f64> = self.starts.iter().map(|start| start / sum).collect();
        let weights: Vec<f64> =
            self.mentions.iter().map(|names| names.iter().map(|(_, weight)| weight).sum()).collect();
        let mut files = starts.clone();
        let mut names = vec![0.0; self.definers.len()];
        for _ in 0..ROUNDS {
            names.fill(0.0);
            let mut lost = 0.0;
            for ((rank, mentions), weight) in files.iter().zip(&self.mentions).zip(&weights) {
                if *weight == 0.0 {
                    lost += rank;
                }
                for (name, share) in mentions {
                    names[*name as usize] += rank * share / weight;
                }
            }
            let mut next: Vec<f64> = starts.iter().map(|start| start * (1.0 - DAMPING + DAMPING * lost)).collect();
            for (rank, definers) in names.iter_mut().zip(&self.definers) {
                *rank /= definers.len().max(1) as f64;
                definers.iter().for_each(|file| next[*file as usize] += DAMPING * *rank);
            }
            let moved: f64 = next.iter().zip(&files).map(|(new, old)| (new - old).abs()).sum();
            files = next;
            if moved < STILL {
                break;
            }
        }
        Ranks { files, names }
    }
}

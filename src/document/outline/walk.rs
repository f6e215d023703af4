//! A random walk over references: a file matters if files that matter refer to it often.
//!
//! From a file the walk goes to a name that the file mentions, and from the name to a file that defines it. This is
//! PageRank (Page, Brin, Motwani, Winograd 1998) on a graph of files and names. The names keep the graph linear in the
//! mentions; edges between files would be their product. Starting at the files of the conversation and the weights of
//! names are ideas of aider's repository map.

/// The share of steps that follow a reference; the others start again. The value of the original paper.
const DAMPING: f64 = 0.85;
/// Rounds end when ranks move by less than this in sum, or after the maximum number of rounds.
const STILL: f64 = 1e-7;
const ROUNDS: usize = 60;

/// Files, names, mentions and definitions.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// For each file the names that it mentions, with their weights.
    pub mentions: Vec<Vec<(u32, f64)>>,
    /// For each name the files that define it.
    pub definers: Vec<Vec<u32>>,
    /// How often a walk starts at each file; not all are 0.
    pub starts: Vec<f64>,
}

/// The importance of each file, and how much of it arrives through each name.
pub(super) struct Ranks {
    pub files: Vec<f64>,
    /// By name, what each of its definers receives.
    pub names: Vec<f64>,
}

impl Graph {
    /// Walks until ranks no longer move.
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

//! Cache marks, shared prefixes, prices.

mod marks;
mod prefix;
mod price;
mod vectors;

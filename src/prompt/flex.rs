//! Divides a budget among the elements of one flex group.

use super::piece::Reserve;

/// The properties of an element that decide its share.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    pub basis: f64,
    /// Maximum tokens of the element.
    pub limit: Option<f64>,
}

/// Returns the tokens withheld for elements of later groups; `left` are the parent's remaining tokens.
pub fn reserved(later: impl Iterator<Item = Option<Reserve>>, left: f64) -> f64 {
    let tokens = later.flatten().map(|reserve| match reserve {
        Reserve::Tokens(tokens) => tokens,
        Reserve::Share(share) => (left / share).floor(),
    });
    // An empty sum of floats is -0.
    tokens.filter(|tokens| tokens.is_finite()).sum::<f64>() + 0.0
}

/// Returns each claim's part of `budget`: its share by basis, rounded down. The tokens that rounding cuts off are not
/// distributed.
///
/// A claim whose limit is at or below its share gets the limit, and the others divide the rest. This is repeated until
/// no share reaches its limit, so that the order of siblings does not matter (in the reference it does). A group whose
/// bases sum to 0 gets nothing.
///
/// With a budget of NaN (a host that states none) every claim without a limit gets NaN, as in the reference.
pub fn share(budget: f64, claims: &[Claim]) -> Vec<f64> {
    if budget.is_nan() {
        return claims.iter().map(|claim| claim.limit.unwrap_or(f64::NAN)).collect();
    }
    let mut fixed: Vec<Option<f64>> = vec![None; claims.len()];
    let mut basis: f64 = claims.iter().map(|claim| claim.basis).sum();
    let mut rest = budget;
    // Computes the proportion first: (1/49)*49 is below 1, and authors know the reference's rounding.
    let part = |claim: &Claim, rest: f64, basis: f64| {
        let tokens = (rest * (claim.basis / basis)).floor();
        // NaN arises only from a basis of 0: with a sum of 0, or with an unlimited budget.
        if tokens.is_nan() { 0.0 } else { tokens }
    };
    // Fixing one share only raises the others, so a claim that reached its limit stays there.
    let mut changed = true;
    while changed {
        changed = false;
        for (at, claim) in claims.iter().enumerate() {
            if let (None, Some(limit)) = (fixed[at], claim.limit)
                && part(claim, rest, basis) >= limit
            {
                fixed[at] = Some(limit);
                basis -= claim.basis;
                rest -= limit;
                changed = true;
            }
        }
    }
    claims.iter().zip(&fixed).map(|(claim, fixed)| fixed.unwrap_or_else(|| part(claim, rest, basis))).collect()
}

#[cfg(test)]
mod tests {
    use super::{Claim, share};

    fn check(budget: f64, claims: &[(f64, Option<f64>)], expected: &[f64]) {
        let claims: Vec<Claim> = claims.iter().map(|&(basis, limit)| Claim { basis, limit }).collect();
        assert_eq!(share(budget, &claims), expected);
    }

    #[test]
    fn shares_are_rounded_down() {
        check(100.0, &[(1.0, None), (2.0, None)], &[33.0, 66.0]);
        check(100.0, &[(1.0, None), (0.0, None)], &[100.0, 0.0]);
    }

    #[test]
    fn the_order_of_limits_does_not_matter() {
        check(100.0, &[(1.0, Some(30.0)), (1.0, Some(40.0)), (1.0, None)], &[30.0, 35.0, 35.0]);
        check(100.0, &[(1.0, Some(40.0)), (1.0, Some(30.0)), (1.0, None)], &[35.0, 30.0, 35.0]);
    }

    #[test]
    fn an_unlimited_budget_is_unlimited_for_each() {
        const ALL: f64 = f64::INFINITY;
        check(ALL, &[(1.0, None), (2.0, None)], &[ALL, ALL]);
        check(ALL, &[(1.0, Some(50.0)), (1.0, None)], &[50.0, ALL]);
        check(ALL, &[(1.0, None), (0.0, None)], &[ALL, 0.0]);
    }

    #[test]
    fn an_unstated_budget_is_unstated_for_each() {
        let claims = [(1.0, None), (1.0, Some(5.0))].map(|(basis, limit)| Claim { basis, limit });
        let shares = share(f64::NAN, &claims);
        assert!(shares[0].is_nan());
        assert_eq!(shares[1], 5.0);
    }

    #[test]
    fn no_basis_at_all_gives_nothing() {
        check(100.0, &[(0.0, None), (0.0, None)], &[0.0, 0.0]);
        check(100.0, &[(1.0, Some(10.0)), (0.0, None)], &[10.0, 0.0]);
    }
}

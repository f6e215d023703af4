//! The character functions of C that grammars may call. They use the engine's own tables: those of C would be another
//! 12 KB.

fn is(c: u32, test: impl Fn(char) -> bool) -> i32 {
    char::from_u32(c).is_some_and(test).into()
}

/// Maps one character to one, like the C functions.
fn to<I: ExactSizeIterator<Item = char>>(c: u32, other: impl Fn(char) -> I) -> u32 {
    let mut made = char::from_u32(c).map(other).filter(|made| made.len() == 1);
    made.as_mut().and_then(Iterator::next).map_or(c, u32::from)
}

/// For C, digits of other scripts are letters.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() && !c.is_ascii_digit()
}

extern "C" fn iswalnum(c: u32) -> i32 {
    is(c, char::is_alphanumeric)
}

extern "C" fn iswalpha(c: u32) -> i32 {
    is(c, is_letter)
}

extern "C" fn iswlower(c: u32) -> i32 {
    is(c, char::is_lowercase)
}

extern "C" fn iswpunct(c: u32) -> i32 {
    is(c, |c| !c.is_alphanumeric() && !c.is_whitespace() && !c.is_control())
}

extern "C" fn iswupper(c: u32) -> i32 {
    (towlower(c) != c).into()
}

extern "C" fn towlower(c: u32) -> u32 {
    to(c, char::to_lowercase)
}

/// Returns the character whose lower case is this one, at the usual distances of scripts: another table for both
/// directions would be 14 KB.
extern "C" fn towupper(c: u32) -> u32 {
    // Latin and Cyrillic; most pairs of letters; Greek with marks; Cyrillic's second row; Armenian; the two
    // Georgian scripts; Deseret; ÿ.
    const STEPS: [i32; 10] = [-32, -1, 8, -80, -48, -26, 3008, -7264, -40, 121];
    let upper =
        STEPS.iter().map(|step| c.wrapping_add_signed(*step)).find(|upper| *upper != c && towlower(*upper) == c);
    upper.unwrap_or(c)
}

/// Returns the function with this name.
pub fn function(name: &str) -> Option<*const ()> {
    Some(match name {
        "iswalnum" => iswalnum as *const (),
        "iswalpha" => iswalpha as *const (),
        "iswlower" => iswlower as *const (),
        "iswpunct" => iswpunct as *const (),
        "iswupper" => iswupper as *const (),
        "towlower" => towlower as *const (),
        "towupper" => towupper as *const (),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upper_is_the_inverse_of_lower_in_the_usual_scripts() {
        for (lower, upper) in ["aA", "éÉ", "ÿŸ", "яЯ", "ђЂ", "ωΩ", "աԱ", "𐐨𐐀"].iter().map(|pair| {
            let mut pair = pair.chars().map(u32::from);
            (pair.next().unwrap_or_default(), pair.next().unwrap_or_default())
        }) {
            assert_eq!((towupper(lower), towlower(upper)), (upper, lower));
        }
        // Neither has another case that is one character.
        for same in ['ß', '7', '中'] {
            assert_eq!(towupper(same.into()), u32::from(same));
        }
    }

    #[test]
    fn digits_of_other_scripts_are_letters() {
        assert_eq!([iswalpha('٣'.into()), iswalpha('3'.into()), iswalnum('3'.into())], [1, 0, 1]);
        assert_eq!([iswpunct('.'.into()), iswpunct(' '.into()), iswpunct(0xd800)], [1, 0, 0]);
    }
}

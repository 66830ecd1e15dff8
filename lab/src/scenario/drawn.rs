//! Which of a scenario's strategies or policies are drawn.

use std::collections::BTreeSet;

use toml::Spanned;

use super::error::Problem;
use super::value::Name;

/// The most that one figure draws.
const MAX_DRAWN: usize = 4;

/// The positions of what is drawn, in the order of their names in `draw`; the first 4 if nothing is chosen. `kind` is what `known` names.
///
/// # Errors
/// No name or more than 4, one that isn't known, one given twice.
pub fn drawn(
    draw: Option<&Spanned<Vec<Spanned<Name>>>>,
    known: &[&str],
    kind: &str,
) -> Result<Vec<usize>, Problem> {
    let Some(draw) = draw else {
        return Ok((0..known.len().min(MAX_DRAWN)).collect());
    };
    let names = draw.get_ref();
    if !(1..=MAX_DRAWN).contains(&names.len()) {
        let message = format!("{} names, expected 1 to {MAX_DRAWN}", names.len());
        return Err(Problem::at(draw, message));
    }
    let mut seen = BTreeSet::new();
    let position = |name: &Spanned<Name>| {
        let text = name.get_ref().as_str();
        let message = match known.iter().position(|known| *known == text) {
            Some(position) if seen.insert(position) => return Ok(position),
            Some(_) => format!("`{text}` is named twice"),
            None => {
                let known = known.join(", ");
                format!("no {kind} is called `{text}`, expected one of {known}")
            }
        };
        Err(Problem::at(name, message))
    };
    names.iter().map(position).collect()
}

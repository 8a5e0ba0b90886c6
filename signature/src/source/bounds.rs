//! Launch bounds and their kin: `__launch_bounds__`, `__cluster_dims__`, `__maxnreg__`, `__block_size__`.

use super::expression::evaluate;
use super::token::{Cursor, Token, shown, split_expressions, text_of};
use super::unit::Unit;
use crate::{Constant, LaunchBounds, Problem, Unevaluated};

impl Unit {
    /// Takes what one attribute says; false if it is none of these.
    pub(super) fn bound(
        &mut self,
        name: &Token,
        inside: &[Token],
        bounds: &mut LaunchBounds,
        notes: &mut Vec<crate::Diagnostic>,
    ) -> bool {
        match &*name.text {
            "__launch_bounds__" | "launch_bounds" => {
                let mut values = self.numbers(inside, notes).into_iter();
                bounds.max_threads_per_block = values.next();
                bounds.min_blocks_per_multiprocessor = values.next();
                bounds.max_blocks_per_cluster = values.next();
            }
            "__cluster_dims__" | "cluster_dims" => bounds.cluster_dimensions = self.three(inside, notes),
            "__maxnreg__" | "maxnreg" => {
                bounds.max_registers = self.numbers(inside, notes).into_iter().next();
            }
            "__block_size__" | "block_size" => {
                let mut parts = split_expressions(inside).into_iter();
                let mut group = |unit: &mut Self, part: Option<&[Token]>| {
                    let part = part?;
                    let whole = Cursor::new(part);
                    let inner = if whole.is("(") { whole.clone().group() } else { part };
                    unit.three(inner, notes)
                };
                bounds.required_block = group(self, parts.next());
                if let Some(cluster) = group(self, parts.next()) {
                    bounds.cluster_dimensions = Some(cluster);
                }
            }
            _ => return false,
        }
        true
    }

    fn numbers(&mut self, inside: &[Token], notes: &mut Vec<crate::Diagnostic>) -> Vec<Constant> {
        split_expressions(inside).into_iter().map(|part| self.number(part, notes)).collect()
    }

    fn number(&mut self, part: &[Token], notes: &mut Vec<crate::Diagnostic>) -> Constant {
        let value = evaluate(part, self)
            .and_then(|n| u64::try_from(n.value).map_err(|_| format!("it is negative: {}", n.value)));
        match value {
            Ok(value) => Constant::Known(value),
            Err(reason) => {
                let text = text_of(part);
                let problem = Problem::Constant { text: shown(part), reason: reason.clone() };
                if let Some(first) = part.first() {
                    notes.push(self.diagnostic(problem, first));
                }
                Constant::Unknown(Box::new(Unevaluated { text, reason }))
            }
        }
    }

    /// Up to three numbers; those left out are 1.
    fn three(&mut self, inside: &[Token], notes: &mut Vec<crate::Diagnostic>) -> Option<[Constant; 3]> {
        let mut values = self.numbers(inside, notes).into_iter();
        let first = values.next()?;
        let mut next = || values.next().unwrap_or(Constant::Known(1));
        Some([first, next(), next()])
    }
}

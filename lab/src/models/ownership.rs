//! Model `ownership`: who may retry an error along a chain, and what each answer to that costs.

use std::collections::BTreeMap;

use layers_sim::{Chain, ChainConfig, Own, Rule, ServiceConfig};
use rayon::prelude::*;
use render::{Column, Table};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sim_kernel::{CPython, Pcg64};
use toml::Spanned;

use super::layers::edges::{Attempts, Budgets, RuleKey, edges};
use super::layers::{Requests, check_requests, service_names};
use super::wording::thousands;
use super::{Csv, Engines, Experiment, Metrics, Model, Outcome, Runs};
use crate::progress::Progress;
use crate::scenario::{Body, Header, Name, Problem, Rng, Share, Whole, distinct};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    ownership: OwnershipTable,
    case: Spanned<Vec<CaseTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnershipTable {
    services: Spanned<Vec<Spanned<Name>>>,
    requests: Requests,
    seed: Whole<0, { 1 << 53 }>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseTable {
    name: Spanned<Name>,
    rule: RuleKey,
    attempts: Attempts,
    retry_budget: Option<Budgets>,
    #[serde(default)]
    unaware: Vec<Spanned<Name>>,
    #[serde(default)]
    context_loss: BTreeMap<Spanned<String>, Spanned<Share>>,
}

/// The model.
pub(super) const MODEL: Model = Model {
    name: "ownership",
    tables: &["ownership", "case"],
    runs: Runs::OnceDrawing,
    engines: Engines::Exact,
    reference: "\
Requests go through a chain of services, each calling the next; the last always fails, and callers retry
what they may. Every call is simulated.
[ownership]
  services      2 to 32 names, from the one that gets the requests to the one that fails
  requests      1 to 1000000000, and few enough for 1000000000 calls if all that may be sent is sent
  seed          0 to 2^53; numbers are drawn only for a context loss between 0 and 1
[[case]]  1 to 32
  name          1 to 60 characters, each once
  rule          \"everyone\": every caller retries every error; \"ownership\": a failing service claims its
                error, a caller retries what is claimed or unmarked and passes it on unclaimed;
                \"dont-retry\": only the direct caller of the service that refuses may retry
  attempts      of a call, the first included, 1 to 1000; one number, or a list with one for each edge;
                with 1 there is no retry, and a claimed error is passed on as claimed
  retry_budget  retries at most this share of the first sends on an edge, 0 to 100, or \"none\" (default);
                one value, or a list with one for each edge
  unaware       services that drop marks and retry every error; default none
  context_loss  { service = probability }: it loses a request's context, and claims the error; default none
Metrics  case/calls/service; case/load/service, in requests
",
    parse,
};

fn parse(header: &Header, body: Body<'_>) -> Result<Box<dyn Experiment>, Problem> {
    let Tables { ownership, case } = body.read()?;
    let services = service_names(&ownership.services)?;
    distinct(&case, "case", case.get_ref().iter().map(|case| &case.name))?;
    let cases = case.get_ref().iter().map(|case| {
        let case = case.check(&services)?;
        check_requests(&case.chain, &ownership.requests)?;
        Ok(case)
    });
    Ok(Box::new(OwnershipExperiment {
        cases: cases.collect::<Result<_, Problem>>()?,
        services,
        requests: ownership.requests.get_ref().get(),
        seed: ownership.seed.get(),
        rng: *header.rng.get_ref(),
    }))
}

impl CaseTable {
    fn check(&self, names: &[String]) -> Result<Case, Problem> {
        let number_of = |name: &str| names.iter().position(|known| known == name);
        let unknown = |name: &str| {
            format!(
                "no service is called `{name}`, expected one of `{}`",
                names.join("`, `")
            )
        };
        let mut services = vec![ServiceConfig::default(); names.len()];
        if let Some(last) = services.last_mut() {
            last.own = Own::Fails;
        }
        for name in &self.unaware {
            let number = number_of(name.get_ref().as_str())
                .ok_or_else(|| Problem::at(name, unknown(name.get_ref().as_str())))?;
            services[number].aware = false;
        }
        for (name, loss) in &self.context_loss {
            let number = number_of(name.get_ref())
                .ok_or_else(|| Problem::at(name, unknown(name.get_ref())))?;
            if !services[number].aware {
                return Err(Problem::at(
                    name,
                    format!("`{}` is unaware: it has no context to lose", name.get_ref()),
                ));
            }
            services[number].context_loss = loss.get_ref().get();
        }
        let edges = edges(&self.attempts, self.retry_budget.as_ref(), names.len() - 1)?;
        let config = ChainConfig {
            services,
            edges,
            rule: Rule::from(self.rule),
        };
        Ok(Case {
            name: self.name.get_ref().as_str().to_owned(),
            chain: config
                .build()
                .map_err(|error| Problem::at(&self.name, error.to_string()))?,
        })
    }
}

struct Case {
    name: String,
    chain: Chain,
}

struct OwnershipExperiment {
    cases: Vec<Case>,
    services: Vec<String>,
    requests: u64,
    seed: u64,
    rng: Rng,
}

impl OwnershipExperiment {
    /// The calls that reach each service.
    fn calls(&self, case: &Case) -> Vec<u64> {
        let run = match self.rng {
            Rng::CPython => case.chain.run(self.requests, &mut CPython::new(self.seed)),
            Rng::Pcg64 => case
                .chain
                .run(self.requests, &mut Pcg64::for_unit(&case.name, self.seed)),
        };
        run.expect("the requests were checked when the scenario was read")
            .calls
    }

    fn load(&self, calls: u64) -> f64 {
        calls as f64 / self.requests as f64
    }

    /// A row for each case, a column for each service.
    fn table(&self, calls: &[Vec<u64>], cell: impl Fn(u64) -> String) -> Table {
        let mut columns = vec![Column::left("retries")];
        columns.extend(self.services.iter().map(Column::right));
        let mut table = Table::new(columns);
        for (case, calls) in self.cases.iter().zip(calls) {
            let mut row = vec![case.name.clone()];
            row.extend(calls.iter().map(|&calls| cell(calls)));
            table.push(row).expect("one cell for each service");
        }
        table
    }
}

impl Experiment for OwnershipExperiment {
    fn artifacts(&self) -> Vec<String> {
        Vec::new()
    }

    fn run(&self, progress: &Progress) -> Outcome {
        progress.begin(self.cases.len() as u64);
        let calls: Vec<Vec<u64>> = self
            .cases
            .par_iter()
            .map(|case| {
                let calls = self.calls(case);
                progress.advance();
                calls
            })
            .collect();
        let mut metrics = Metrics::new();
        let mut json = Vec::new();
        for (case, calls) in self.cases.iter().zip(&calls) {
            for (service, &calls) in self.services.iter().zip(calls) {
                metrics.add(&case.name, "calls", service, calls as f64);
                metrics.add(&case.name, "load", service, self.load(calls));
            }
            json.push(json!({ "name": case.name, "calls": calls }));
        }
        let mut table = self.table(&calls, |calls| multiple(self.load(calls)));
        table.note(format!(
            "Calls that reach each service; N = {} requests, {} always fails.",
            thousands(self.requests as f64),
            self.services.last().map_or("", String::as_str)
        ));
        Outcome {
            csv: Csv {
                text: self.table(&calls, |calls| calls.to_string()).csv(),
                artifact: None,
            },
            tables: vec![table],
            pictures: Vec::new(),
            json: Map::from_iter([
                ("requests".to_owned(), self.requests.into()),
                ("services".to_owned(), self.services.clone().into()),
                ("cases".to_owned(), Value::from(json)),
            ]),
            metrics,
        }
    }
}

/// `N`, `1.1N`, `1.21N`: two decimals at most.
fn multiple(load: f64) -> String {
    let text = format!("{load:.2}");
    match text.trim_end_matches('0').trim_end_matches('.') {
        "1" => "N".to_owned(),
        factor => format!("{factor}N"),
    }
}

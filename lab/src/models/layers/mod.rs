//! Model `layers`: retries multiply along a call chain.

mod depth;
pub(in crate::models) mod edges;

use layers_sim::{Chain, ChainConfig, EdgeConfig, MAX_CALLS, Own, Rule, ServiceConfig};
use render::{Column, Table};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sim_kernel::Pcg64;
use toml::Spanned;

use super::{Csv, Engines, Experiment, Metrics, Model, Outcome, Runs};
use crate::progress::Progress;
use crate::scenario::{Body, Header, Name, Problem, Whole, distinct};
use depth::Depth;
use edges::{Attempts, Budgets, RuleKey, edges};

/// A number of requests; how many a chain can bear is checked with the chain.
pub(in crate::models) type Requests = Spanned<Whole<1, MAX_CALLS>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    chain: Spanned<Vec<ChainTable>>,
    depth: Option<depth::DepthTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChainTable {
    name: Spanned<Name>,
    services: Spanned<Vec<Spanned<Name>>>,
    requests: Requests,
    rule: Option<RuleKey>,
    attempts: Attempts,
    retry_budget: Option<Budgets>,
}

/// The model.
pub(super) const MODEL: Model = Model {
    name: "layers",
    tables: &["chain", "depth"],
    runs: Runs::Once,
    engines: Engines::Exact,
    reference: "\
Requests go through a chain of services, each calling the next; the last always fails, and callers retry.
Every call is simulated; nothing is drawn.
[[chain]]  1 to 32
  name          1 to 60 characters, each once
  services      2 to 32 names, from the one that gets the requests to the one that fails
  requests      1 to 1000000000, and few enough for 1000000000 calls if all that may be sent is sent,
                and for 10000000000 in all chains
  rule          who may retry, default \"everyone\"; \"ownership\": only what the failing service claims;
                \"dont-retry\": only the direct caller of the service that fails
  attempts      of a call, the first included, 1 to 1000; one number, or a list with one for each edge
  retry_budget  retries at most this share of the first sends on an edge, 0 to 100, or \"none\" (default);
                one value, or a list with one for each edge
[depth]  how often the last service is called, by the number of edges; leave it out for no figure
  from, to      the fewest and the most edges, 1 to 31
  band          default none; { label, depth = [from, to], load = [from, to] }: marked in the figure
[[depth.retries]]  1 to 6
  name, requests, rule, attempts, retry_budget as in [[chain]], attempts and budget the same on every edge;
                for 10000000000 calls in all lines and depths at most
Metrics  chain/calls/service; line/load/D edges and line/added_percent/D edges for each depth D
",
    parse,
};

fn parse(_header: &Header, body: Body<'_>) -> Result<Box<dyn Experiment>, Problem> {
    let Tables { chain, depth } = body.read()?;
    let names = chain.get_ref().iter().map(|table| &table.name);
    distinct(&chain, "chain", names)?;
    let chains = chain.get_ref().iter().map(ChainTable::check);
    let chains: Vec<NamedChain> = chains.collect::<Result<_, _>>()?;
    check_total(
        chains.iter().map(|named| (&named.chain, named.requests)),
        &chain,
    )?;
    Ok(Box::new(LayersExperiment {
        chains,
        depth: depth.map(depth::DepthTable::check).transpose()?,
    }))
}

impl ChainTable {
    fn check(&self) -> Result<NamedChain, Problem> {
        let services = service_names(&self.services)?;
        let edges = edges(
            &self.attempts,
            self.retry_budget.as_ref(),
            services.len() - 1,
        )?;
        let rule = self.rule.map_or(Rule::Everyone, Rule::from);
        let chain = failing(rule, edges)
            .build()
            .map_err(|error| Problem::at(&self.name, error.to_string()))?;
        check_requests(&chain, &self.requests)?;
        Ok(NamedChain {
            name: self.name.get_ref().as_str().to_owned(),
            services,
            chain,
            requests: self.requests.get_ref().get(),
        })
    }
}

/// The names of a chain's services, at least 2.
pub(in crate::models) fn service_names(
    names: &Spanned<Vec<Spanned<Name>>>,
) -> Result<Vec<String>, Problem> {
    distinct(names, "services", names.get_ref().iter())?;
    if names.get_ref().len() < 2 {
        return Err(Problem::at(names, "1 service, expected 2 to 32"));
    }
    let names = names.get_ref().iter();
    Ok(names
        .map(|name| name.get_ref().as_str().to_owned())
        .collect())
}

/// The most calls of all chains of an experiment, a few minutes' worth.
pub(in crate::models) const MAX_TOTAL_CALLS: u64 = 10_000_000_000;

/// Whether an experiment's chains can bear their requests all together.
pub(in crate::models) fn check_total<'a, T>(
    chains: impl IntoIterator<Item = (&'a Chain, u64)>,
    at: &Spanned<T>,
) -> Result<(), Problem> {
    let calls = chains
        .into_iter()
        .map(|(chain, requests)| chain.most_calls(requests))
        .fold(0, u64::saturating_add);
    if calls <= MAX_TOTAL_CALLS {
        return Ok(());
    }
    let message = format!(
        "must come to at most {MAX_TOTAL_CALLS} calls in all (these may come to {calls}): send fewer requests"
    );
    Err(Problem::at(at, message))
}

/// A chain whose last service always fails, and nothing else ever.
fn failing(rule: Rule, edges: Vec<EdgeConfig>) -> ChainConfig {
    let mut services = vec![ServiceConfig::default(); edges.len()];
    services.push(ServiceConfig {
        own: Own::Fails,
        ..ServiceConfig::default()
    });
    ChainConfig {
        services,
        edges,
        rule,
    }
}

/// Whether the chain can bear the requests.
pub(in crate::models) fn check_requests(chain: &Chain, requests: &Requests) -> Result<(), Problem> {
    chain
        .check_requests(requests.get_ref().get())
        .map_err(|error| {
            Problem::at(
                requests,
                format!("{}: must be {}", error.value, error.allowed),
            )
        })
}

/// The calls that reach each service; no number is drawn.
fn calls(chain: &Chain, requests: u64) -> Vec<u64> {
    chain
        .run(requests, &mut Pcg64::for_unit("layers", 0))
        .expect("the requests were checked when the scenario was read")
        .calls
}

struct NamedChain {
    name: String,
    services: Vec<String>,
    chain: Chain,
    requests: u64,
}

struct LayersExperiment {
    chains: Vec<NamedChain>,
    depth: Option<Depth>,
}

impl Experiment for LayersExperiment {
    fn artifacts(&self) -> Vec<String> {
        self.depth
            .iter()
            .map(|_| "amplification.png".to_owned())
            .collect()
    }

    fn run(&self, progress: &Progress) -> Outcome {
        let steps = self.depth.as_ref().map_or(0, Depth::steps);
        progress.begin(self.chains.len() as u64 + steps);
        let mut metrics = Metrics::new();
        let mut reached = Table::new([
            Column::left("chain"),
            Column::left("service"),
            Column::right("calls"),
        ]);
        let mut csv = reached.clone();
        let mut json = Vec::new();
        for chain in &self.chains {
            let calls = calls(&chain.chain, chain.requests);
            progress.advance();
            let mut name = chain.name.as_str();
            let mut services = Vec::new();
            for (service, &calls) in chain.services.iter().zip(&calls) {
                metrics.add(&chain.name, "calls", service, calls as f64);
                let row = |name: &str| [name.to_owned(), service.clone(), calls.to_string()];
                reached.push(row(name)).expect("three cells");
                csv.push(row(&chain.name)).expect("three cells");
                services.push(json!({ "name": service, "calls": calls }));
                name = "";
            }
            json.push(json!({
                "name": chain.name,
                "requests": chain.requests,
                "services": services,
            }));
        }
        let mut outcome = Outcome {
            tables: vec![reached],
            pictures: Vec::new(),
            csv: Csv {
                text: csv.csv(),
                artifact: None,
            },
            json: Map::from_iter([("chains".to_owned(), Value::from(json))]),
            metrics,
        };
        if let Some(depth) = &self.depth {
            depth.run(progress, &mut outcome);
        }
        outcome
    }
}

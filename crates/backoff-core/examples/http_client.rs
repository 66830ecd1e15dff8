//! A blocking HTTP client that retries. Its server, in a thread, answers 503 with `Retry-After`, then a bare 503, then 200.
//!
//! `cargo run -p backoff-core --example http_client`

use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use backoff_core::backoff::unit_from_bits;
use backoff_core::budget::Unlimited;
use backoff_core::classify::{Idempotency, TransportError};
use backoff_core::policy::{Decision, Outcome, Policy, PolicyConfig, StopReason, TimeLimit};
use backoff_core::{BackoffConfig, Growth};
use rand_core::Rng;
use rand_pcg::Pcg64Mcg;

/// What the client needs of an answer.
#[derive(Debug, PartialEq)]
struct Answer {
    status: u16,
    retry_after: Option<Vec<u8>>,
    body: String,
}

/// A request's end: an answer that isn't retried, or the last failure with the reason for stopping.
#[derive(Debug)]
struct GaveUp {
    reason: StopReason,
    sends: u32,
}

/// One GET, without any retry.
fn send(server: SocketAddr, timeout: TimeLimit) -> io::Result<Answer> {
    let mut stream = match timeout {
        TimeLimit::Within(timeout) => {
            // The standard library takes zero for an error; with no time left the attempt times out.
            let timeout = timeout.max(Duration::from_nanos(1));
            let stream = TcpStream::connect_timeout(&server, timeout)?;
            stream.set_read_timeout(Some(timeout))?;
            stream.set_write_timeout(Some(timeout))?;
            stream
        }
        TimeLimit::Unlimited => TcpStream::connect(server)?,
    };
    write!(
        stream,
        "GET / HTTP/1.1\r\nHost: {server}\r\nConnection: close\r\n\r\n"
    )?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let status = line
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let mut answer = Answer {
        status: status.ok_or(io::ErrorKind::InvalidData)?,
        retry_after: None,
        body: String::new(),
    };
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 || line == "\r\n" {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("retry-after")
        {
            answer.retry_after = Some(value.trim().as_bytes().to_vec());
        }
    }
    reader.read_to_string(&mut answer.body)?;
    Ok(answer)
}

/// A GET under a policy: the answer that ends it, and how many sends it took.
fn get(server: SocketAddr, policy: &Policy, rng: &mut impl Rng) -> Result<(Answer, u32), GaveUp> {
    let start = Instant::now();
    let mut request = policy.request(
        Idempotency::of_method("GET", false),
        start.elapsed(),
        Unlimited,
    );
    for sends in 1.. {
        request.sent(start.elapsed());
        let attempt = send(server, request.attempt_timeout(start.elapsed()));
        let outcome = match &attempt {
            Ok(answer) => {
                let outcome = Outcome::http(answer.status);
                match &answer.retry_after {
                    Some(value) => outcome.retry_after(value, unix_now()),
                    None => outcome,
                }
            }
            Err(error) => {
                // What isn't a failure of the connection is a broken answer: it too may have been processed.
                let error = TransportError::from_io(error.kind());
                Outcome::transport(error.unwrap_or(TransportError::Reset))
            }
        };
        let unit = unit_from_bits(rng.next_u64());
        match request.decide(&outcome, start.elapsed(), unit) {
            Decision::Retry { after } => {
                println!("{}: again in {after:?}", outcome.cause());
                thread::sleep(after);
            }
            Decision::Stop(reason) => {
                return match attempt {
                    Ok(answer) if reason == StopReason::NothingFailed => Ok((answer, sends)),
                    _ => Err(GaveUp { reason, sends }),
                };
            }
        }
    }
    unreachable!("every policy has a last attempt")
}

fn unix_now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| i64::try_from(now.as_secs()).unwrap_or(i64::MAX))
}

/// A server that gives one of these answers to each connection in turn, then goes away.
fn serve(answers: &'static [&'static str]) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = listener.local_addr()?;
    thread::spawn(move || -> io::Result<()> {
        for answer in answers {
            let (mut stream, _) = listener.accept()?;
            let mut reader = BufReader::new(stream.try_clone()?);
            let mut line = String::new();
            while reader.read_line(&mut line)? > 2 {
                line.clear();
            }
            stream.write_all(answer.as_bytes())?;
        }
        Ok(())
    });
    Ok(address)
}

const BUSY: &str =
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n";
const FAILING: &str = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";
const GOOD: &str = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello\n";

fn policy() -> Result<Policy, backoff_core::policy::PolicyError> {
    let growth = Growth::doubling(Duration::from_millis(50), Duration::from_secs(2));
    PolicyConfig {
        deadline: TimeLimit::Within(Duration::from_secs(10)),
        attempt_timeout: TimeLimit::Within(Duration::from_secs(2)),
        ..PolicyConfig::new(4, BackoffConfig::FullJitter(growth))
    }
    .build()
}

fn main() -> Result<(), Box<dyn Error>> {
    let server = serve(&[BUSY, FAILING, GOOD])?;
    // A program seeds its generator from the system; a fixed seed keeps the example's waits the same.
    match get(server, &policy()?, &mut Pcg64Mcg::new(7)) {
        Ok((answer, sends)) => print!(
            "HTTP {} after {sends} sends: {}",
            answer.status, answer.body
        ),
        Err(gave_up) => println!("gave up after {} sends: {}", gave_up.sends, gave_up.reason),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use backoff_core::classify::Why;
    use backoff_core::policy::{Cause, StopReason};
    use rand_pcg::Pcg64Mcg;

    use super::{BUSY, FAILING, GOOD, get, policy, serve};

    #[test]
    fn it_waits_as_the_server_asks_and_then_succeeds() {
        let server = serve(&[BUSY, FAILING, GOOD]).unwrap();
        let start = Instant::now();
        let (answer, sends) = get(server, &policy().unwrap(), &mut Pcg64Mcg::new(7)).unwrap();
        assert_eq!(
            (answer.status, answer.body.as_str(), sends),
            (200, "hello\n", 3)
        );
        assert!(start.elapsed() >= Duration::from_secs(1), "Retry-After: 1");
    }

    #[test]
    fn it_stops_after_its_attempts_also_when_the_server_is_gone() {
        let gave_up = |answers| {
            let server = serve(answers).unwrap();
            get(server, &policy().unwrap(), &mut Pcg64Mcg::new(7)).unwrap_err()
        };
        let always = gave_up(&[FAILING, FAILING, FAILING, FAILING, GOOD]);
        assert_eq!(
            (always.reason, always.sends),
            (StopReason::Attempts { max: 4 }, 4)
        );
        let gone = gave_up(&[FAILING]);
        assert_eq!(
            (gone.reason, gone.sends),
            (StopReason::Attempts { max: 4 }, 4)
        );
    }

    #[test]
    fn it_stops_at_once_where_a_retry_is_no_use() {
        let missing = serve(&["HTTP/1.1 404 Not Found\r\n\r\n"]).unwrap();
        let gave_up = get(missing, &policy().unwrap(), &mut Pcg64Mcg::new(7)).unwrap_err();
        let (cause, why) = (Cause::Http(404), Why::SameAgain);
        assert_eq!(
            (gave_up.reason, gave_up.sends),
            (StopReason::NotRetryable { cause, why }, 1)
        );
    }
}

//! Prints where the time of a job went (`--stats`).

use crate::args::{StatsArgs, StatsForm};
use crate::output::Console;
use mailglot_pipeline::{Progress, WorkTimes};
use serde_json::json;
use std::time::{Duration, Instant};

/// Runs a job, and prints the times of its threads if the caller asks for them. `-q` does not suppress them.
pub(super) fn timed<T>(
    args: StatsArgs,
    console: Console,
    progress: &Progress,
    job: impl FnOnce() -> T,
) -> T {
    let start = Instant::now();
    let result = job();
    let (total, times) = (start.elapsed(), progress.work_times());
    match args.stats {
        None => {}
        Some(StatsForm::Text) => console.requested(table(total, &times)),
        Some(StatsForm::Json) => console.requested(object(total, &times)),
    }
    result
}

/// The times of all threads, with their names in JSON, and who does it.
fn phases(times: &WorkTimes) -> [(&'static str, Duration, &'static str); 5] {
    let (one, any) = ("single-threaded", "any thread");
    [
        ("reading", times.reading, one),
        ("reading_files", times.reading_files, any),
        ("processing", times.processing, any),
        ("writing", times.writing, one),
        ("waiting", times.waiting, "for another thread"),
    ]
}

fn table(total: Duration, times: &WorkTimes) -> String {
    let threads = times.threads;
    if threads == 0 {
        return format!(
            "time           {:.3} s; nothing was read",
            total.as_secs_f64()
        );
    }
    let head = format!(
        "time           {:.3} s; {threads} thread{} worked for {:.3} s; sums over the threads:",
        total.as_secs_f64(),
        if threads == 1 { "" } else { "s" },
        times.elapsed.as_secs_f64(),
    );
    let processing = times.processing.as_secs_f64();
    let line = |(name, time, who): (&str, Duration, &str)| {
        let seconds = time.as_secs_f64();
        let share = match name {
            "reading" | "writing" if seconds > processing => {
                ", slower than processing, so it is the bottleneck".to_owned()
            }
            "reading" | "writing" if processing > 0.0 => {
                format!(", {:.1} % of processing", 100.0 * seconds / processing)
            }
            _ => String::new(),
        };
        let name = name.replace('_', " ");
        format!("  {name:13}{seconds:8.3} s  {who}{share}")
    };
    let lines = [head].into_iter().chain(phases(times).map(line));
    lines.collect::<Vec<_>>().join("\n")
}

fn object(total: Duration, times: &WorkTimes) -> String {
    // Microseconds are more than the clock is worth.
    let seconds = |time: Duration| json!(time.as_micros() as f64 / 1e6);
    let mut object = serde_json::Map::new();
    object.insert("elapsed".to_owned(), seconds(total));
    object.insert("threads".to_owned(), json!(times.threads));
    object.insert("working".to_owned(), seconds(times.elapsed));
    for (name, time, _) in phases(times) {
        object.insert(name.to_owned(), seconds(time));
    }
    serde_json::Value::Object(object).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times() -> WorkTimes {
        WorkTimes {
            threads: 2,
            elapsed: Duration::from_secs(1),
            reading: Duration::from_millis(100),
            reading_files: Duration::from_micros(300_500),
            processing: Duration::from_millis(1250),
            writing: Duration::from_millis(80),
            waiting: Duration::from_millis(20),
        }
    }

    #[test]
    fn times_are_a_table() {
        assert_eq!(
            table(Duration::from_millis(1200), &times()),
            "time           1.200 s; 2 threads worked for 1.000 s; sums over the threads:\n  \
               reading         0.100 s  single-threaded, 8.0 % of processing\n  \
               reading files   0.300 s  any thread\n  \
               processing      1.250 s  any thread\n  \
               writing         0.080 s  single-threaded, 6.4 % of processing\n  \
               waiting         0.020 s  for another thread"
        );
        let none = table(Duration::ZERO, &WorkTimes::default());
        assert_eq!(none, "time           0.000 s; nothing was read");
        let counted = WorkTimes {
            processing: Duration::from_micros(80),
            ..times()
        };
        let counted = table(Duration::from_millis(1200), &counted);
        assert!(counted.contains("so it is the bottleneck"), "{counted}");
        assert!(!counted.contains('%'), "{counted}");
    }

    #[test]
    fn times_are_an_object() {
        let expected = r#"{"processing":1.25,"reading":0.1,"reading_files":0.3005,"elapsed":1.2,"working":1.0,"threads":2,"waiting":0.02,"writing":0.08}"#;
        let object = object(Duration::from_millis(1200), &times());
        let parsed = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(parsed(&object), parsed(expected));
    }
}

//! The tables of the published experiments, laid out as they were printed.

use render::{Column, Table};

#[test]
fn herd() {
    let mut table = Table::new([
        Column::left("strategy").gap(2),
        Column::left("finish s"),
        Column::left("requests"),
        Column::left("crashes"),
    ]);
    for cells in [
        [
            "immediate",
            "120.00 (120.00-120.00)",
            "12000000 (12000000-12000000)",
            "119.0 (20 unfinished)",
        ],
        [
            "fixed 1s",
            "120.00 (120.00-120.00)",
            "  119000 (  119000-  119000)",
            "118.0 (20 unfinished)",
        ],
        [
            "exponential",
            "120.00 (120.00-120.00)",
            "   17000 (   17000-   17000)",
            " 14.0 (20 unfinished)",
        ],
        [
            "full jitter",
            " 12.03 (  9.97- 14.10)",
            "    6148 (    6046-    6571)",
            "  1.1",
        ],
        [
            "equal jitter",
            " 11.99 ( 11.39- 18.75)",
            "    6138 (    6084-    6182)",
            "  2.0",
        ],
        [
            "decorrelated",
            " 12.86 ( 10.41- 15.20)",
            "    8151 (    7404-    8500)",
            "  2.9",
        ],
    ] {
        table.push(cells).unwrap();
    }
    let printed = "\
strategy      finish s                 requests                       crashes
immediate     120.00 (120.00-120.00)   12000000 (12000000-12000000)   119.0 (20 unfinished)
fixed 1s      120.00 (120.00-120.00)     119000 (  119000-  119000)   118.0 (20 unfinished)
exponential   120.00 (120.00-120.00)      17000 (   17000-   17000)    14.0 (20 unfinished)
full jitter    12.03 (  9.97- 14.10)       6148 (    6046-    6571)     1.1
equal jitter   11.99 ( 11.39- 18.75)       6138 (    6084-    6182)     2.0
decorrelated   12.86 ( 10.41- 15.20)       8151 (    7404-    8500)     2.9
";
    assert_eq!(table.text(), printed);
}

#[test]
fn budget() {
    let mut table = Table::new([
        Column::left("policy"),
        Column::left("load during outage").gap(5),
        Column::left("crashes after"),
        Column::left("back to normal at"),
    ]);
    for cells in [
        ["no retry", "1.00x (1.00-1.00)", " 0.0", " 15.0 s (15-15)"],
        ["4 attempts", "3.89x (3.87-3.90)", "25.0", " 40.0 s (40-40)"],
        [
            "4 attempts + gRPC throttling",
            "1.01x (1.01-1.01)",
            " 0.0",
            " 15.0 s (15-15)",
        ],
        [
            "4 attempts + 10% retry ratio",
            "1.25x (1.23-1.26)",
            " 0.0",
            " 15.0 s (15-15)",
        ],
    ] {
        table.push(cells).unwrap();
    }
    let printed = "\
policy                         load during outage     crashes after   back to normal at
no retry                       1.00x (1.00-1.00)       0.0             15.0 s (15-15)
4 attempts                     3.89x (3.87-3.90)      25.0             40.0 s (40-40)
4 attempts + gRPC throttling   1.01x (1.01-1.01)       0.0             15.0 s (15-15)
4 attempts + 10% retry ratio   1.25x (1.23-1.26)       0.0             15.0 s (15-15)
";
    assert_eq!(table.text(), printed);
}

#[test]
fn contention_as_csv() {
    let mut table = Table::new(["clients", "time", "calls", "Algorithm"].map(Column::left));
    table.push(["10", "3494", "50", "Exponential"]).unwrap();
    assert_eq!(
        table.csv(),
        "clients,time,calls,Algorithm\n10,3494,50,Exponential\n"
    );
}

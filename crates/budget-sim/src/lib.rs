//! A dependency is down for ten seconds; budgets and breakers.

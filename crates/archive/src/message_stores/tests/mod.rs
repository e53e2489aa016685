//! Tests of message stores.

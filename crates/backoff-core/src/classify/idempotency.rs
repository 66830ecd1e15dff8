//! Whether a request may be processed twice.

/// Whether processing a request twice has the effect of processing it once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Idempotency {
    /// It has: the request may be sent again even if an earlier attempt may have been processed.
    Idempotent,
    /// It may not have.
    NotIdempotent,
}

impl Idempotency {
    /// What an HTTP request's method says, with whether the request carries an idempotency key.
    ///
    /// GET, HEAD, OPTIONS, TRACE, PUT and DELETE are idempotent (RFC 9110, section 9.2.2), POST and PATCH with a key alone, any other
    /// method is not. Methods are case-sensitive, so `get` is another method.
    ///
    /// ```
    /// use backoff_core::classify::Idempotency;
    ///
    /// assert_eq!(Idempotency::of_method("DELETE", false), Idempotency::Idempotent);
    /// assert_eq!(Idempotency::of_method("POST", false), Idempotency::NotIdempotent);
    /// assert_eq!(Idempotency::of_method("POST", true), Idempotency::Idempotent);
    /// ```
    #[must_use]
    pub fn of_method(method: &str, has_key: bool) -> Self {
        match method {
            "GET" | "HEAD" | "OPTIONS" | "TRACE" | "PUT" | "DELETE" => Self::Idempotent,
            "POST" | "PATCH" if has_key => Self::Idempotent,
            _ => Self::NotIdempotent,
        }
    }

    /// What an HTTP request says: its method, and whether it has an `Idempotency-Key` header that isn't empty.
    ///
    /// ```
    /// use backoff_core::classify::Idempotency;
    ///
    /// let request = http::Request::post("/orders").header("idempotency-key", "8e03978e").body(())?;
    /// let idempotency = Idempotency::of_request(request.method(), request.headers());
    /// assert_eq!(idempotency, Idempotency::Idempotent);
    /// # Ok::<(), http::Error>(())
    /// ```
    #[cfg(feature = "http")]
    #[must_use]
    pub fn of_request(method: &http::Method, headers: &http::HeaderMap) -> Self {
        let key = headers.get("idempotency-key");
        let has_key = key.is_some_and(|key| !key.as_bytes().trim_ascii().is_empty());
        Self::of_method(method.as_str(), has_key)
    }
}

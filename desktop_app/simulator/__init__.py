"""A stand-in for Anthropic's servers over real HTTP: strict, deterministic, without any network of its own."""

"""What we know: plain Python that reads SQL, events and policy files, and imports no engine and no orchestrator."""

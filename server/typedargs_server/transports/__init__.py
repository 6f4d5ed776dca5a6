"""Transports move bytes between a peer and its connection; they know no method and no revision."""

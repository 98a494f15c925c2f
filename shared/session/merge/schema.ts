/**
 * Number of the shape of `aggregates.state`, and of what ids and records are hashed by in it; another one needs another reader. It stands alone: what
 * writes a state loads nothing that reads one.
 */
export const STATE_SCHEMA = 5

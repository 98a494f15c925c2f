/** Number of the shape of `aggregates.state`; another one needs another reader. It stands alone: what writes a state loads nothing that reads one. */
export const STATE_SCHEMA = 4

/** The layouts that are read, as the start page names them. */
export const FORMATS = [
  { id: 'native', what: 'JSONL with input_ids and loss_mask or labels, and its common aliases' },
  { id: 'atropos', what: 'Atropos scored groups' },
  { id: 'nemo-rl', what: 'NeMo RL train data' },
  { id: 'nemo-gym', what: 'NeMo Gym rollouts' },
  { id: 'verifiers-legacy', what: 'verifiers, generated outputs with ids and masks' },
  { id: 'verifiers-results', what: 'verifiers results.jsonl, text only' },
] as const

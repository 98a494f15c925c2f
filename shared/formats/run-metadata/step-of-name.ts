/** Words before the number of a training step in names of files and folders, with what stands between. */
const STEP =
  /(?:^|[/_.\-› ])(?:global_step|training_step|train_step|step|iteration|iter|rollout_step)s?[_\-=]?0*(\d{1,9})(?=[/_.\-› ]|$)/gi
/** A file that is called by a number alone: `12.jsonl` of verl, `0012.parquet` of ART. */
const NUMBER = /(?:^|[/›] ?)0*(\d{1,7})(?:\.(?:jsonl?|parquet|pt|pkl|arrow|msgpack|bin))?(?:\.(?:gz|zst))?$/i
/** A batch that verl keeps in the folder of its step, with a folder within for each part of it (verl/utils/skip/rollout_skip.py). */
const KEPT_BATCH = /(?:^|\/)0*(\d{1,9})\/(?:gen_batch\.dp|\d+\/tq_batch\.pt)$/

/** The training step that a path tells, as trainers name their files; null where it tells none. The innermost name speaks. */
export function stepOfName(path: string): number | null {
  const named = [...path.matchAll(STEP)].at(-1)?.[1]
  const digits = named ?? KEPT_BATCH.exec(path)?.[1] ?? NUMBER.exec(path)?.[1]
  return digits === undefined ? null : Number(digits)
}

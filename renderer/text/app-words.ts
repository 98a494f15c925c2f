import { POLICY_WORDS } from './words.ts'

/** What the command line takes as a switch, by the button, the field or the entry of the top line that does it here. */
const HERE: readonly (readonly [flag: RegExp, here: string | ((...found: string[]) => string)])[] = [
  [/ \(--against[^()]*\)/g, ': “Compare…”'],
  [/ \(--dataset[^()]*\)/g, ': “Dataset…”'],
  [
    /: --max-seq-len, --max-prompt-length or --max-completion-length with\b/g,
    ': under “limits” in the line above, with',
  ],
  [/: --tokenizer with a folder\b/g, ': under “tokenizer” in the line above, with a folder'],
  [/ with --dataset\b/g, ' with “Dataset…”'],
  [/ \(--tokenizer, or the line above in the app\)/g, ' under “tokenizer” in the line above'],
  [/ with --tokenizer\b/g, ' under “tokenizer” in the line above'],
  [
    / with --mask-alignment target \(taken for now\) or token/g,
    ' under “policy” in the line above (target is taken for now)',
  ],
  [/ \(--mask-alignment token or target\)/g, ' under “policy” in the line above'],
  [/declare --mask-alignment target\b/g, 'declare under “policy” in the line above that it marks predictions'],
  [/declare --intend ([A-Z]\d\d)\b/g, (_, code) => `declare under “policy” in the line above that ${code} is meant`],
  [/declare --policy ([a-z-]+)/g, (_, id) => `choose “${policyName(id)}” under “policy” in the line above`],
  [/ with --read-as \S+ \(or \S+\), or where the app lists its files/g, ' under “files” in the line above'],
  [/ They may be read with --map .*$/gs, ' They may be read by “Map its fields…”.'],
  [/ Known formats are listed by `rollout-inspector formats`;/g, ' The start page lists the formats that are known;'],
  [/, or --map with\b/g, ', or “Map its fields…” with'],
  [/ allow it: --max-unpacked\b/g, ' allow it on the command line: --max-unpacked'],
]

/** A sentence of the engine, which names switches and commands of the command line, as it is said in the app. */
export function inApp(sentence: string): string {
  if (!sentence.includes('--') && !sentence.includes('`rollout-inspector ')) return sentence
  return HERE.reduce((text, [flag, here]) => text.replace(flag, here as string), sentence)
}

function policyName(id: string): string {
  return POLICY_WORDS[id as keyof typeof POLICY_WORDS]?.name ?? id
}

/** What stands in the place of a secret. */
const MASK = '***'

/** Environment variables that hold secrets, and flags that do; names of columns and of special tokens (`prompt_key`, `EOS_TOKEN`) do not. */
const VARIABLE = String.raw`(?!(?:EOS|BOS|PAD|UNK|SEP|MASK|STOP|END|IMAGE)_TOKEN\b)(?:[A-Z][A-Z0-9_]*_)?(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)`
const SETTING = String.raw`(?:[\w.-]*[-_.])?(?:(?:api|access|secret|private|auth|hub|hf|wandb|bearer)[-_]?(?:key|token)|password|passwd|secret)`
const NAME = new RegExp(`^(?:${VARIABLE}|${SETTING})$`)
/** Quoted and bare pieces without a space between them are one word to a shell. */
const VALUE = String.raw`((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"';|&\\])+)`
const ASSIGNED = new RegExp(String.raw`(?<![\w.$-])(--?)?(${VARIABLE}|${SETTING})=${VALUE}`, 'g')
const FLAGGED = new RegExp(String.raw`(?<![\w.$-])(--?)(${SETTING}|token)[ \t]+(?!-)${VALUE}`, 'g')
/** Tokens of Hugging Face, OpenAI, GitHub, GitLab, Slack and AWS, whatever they are called. */
const KNOWN =
  /(?<![\w-])(?:hf_[A-Za-z0-9]{16,}|sk-[\w-]{20,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|AKIA[A-Z0-9]{16})(?![\w-])/g

/**
 * A command line without its keys, tokens and passwords, and what the masked ones were called. What only names a variable (`$HF_TOKEN`)
 * stays, and so does what was masked before.
 */
export function withoutSecrets(text: string): { readonly text: string; readonly masked: readonly string[] } {
  const masked: string[] = []
  const hide = (whole: string, name: string, value: string): string => {
    const plain = value.replace(/^(["'])([\s\S]*)\1$/, '$2')
    if (plain === '' || plain === MASK || plain.startsWith('$')) return whole
    masked.push(name)
    return whole.slice(0, whole.length - value.length) + MASK
  }
  const named = text
    .replace(ASSIGNED, (whole: string, _dash: string | undefined, name: string, value: string) =>
      hide(whole, name, value),
    )
    .replace(FLAGGED, (whole: string, _dash: string, name: string, value: string) => hide(whole, name, value))
    .replace(KNOWN, (value) => {
      masked.push(value.slice(0, 3))
      return MASK
    })
  return { text: named, masked }
}

/** Whether a setting of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return NAME.test(name)
}

/** A setting with its value masked where it holds a secret. */
export function withoutSecretValue<Setting extends { readonly name: string; readonly value: string }>(
  setting: Setting,
): Setting {
  const { name, value } = setting
  const isSecret = isSecretName(name.trim().replace(/\s+/g, '_')) && value !== '' && !value.startsWith('$')
  return { ...setting, value: isSecret ? MASK : withoutSecrets(value).text }
}

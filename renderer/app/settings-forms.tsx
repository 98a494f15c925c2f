import { type FormEvent, useState } from 'react'
import { countedBy, severalText } from '../../shared/exports/phrases.ts'
import { formatById } from '../../shared/formats/registry.ts'
import type { PolicyId } from '../../shared/model/policy.ts'
import type { Report } from '../../shared/model/report.ts'
import { LIMIT_NAMES, type LimitName } from '../../shared/model/streams.ts'
import { filesOfInput } from '../data/dropped.ts'
import { reconfigure } from '../data/dump.ts'
import { openDropped } from '../data/opening.ts'
import { BUNDLED } from '../data/tokenizers.ts'
import { useFiles } from '../state/files.ts'
import { openDialog } from '../state/view.ts'
import { count, counted } from '../text/numbers.ts'
import { spelt } from '../text/visible.ts'
import { LIMIT_WORDS, POLICY_WORDS } from '../text/words.ts'
import { Evidence } from './evidence.tsx'

const ORIGIN_WORDS = {
  given: 'chosen by you',
  metadata: 'named by the dump',
  bundled: 'chosen from the dump’s own ids',
  file: 'from the file that was dropped',
  cache: 'from the model cache',
  none: 'none fits',
  format: 'documented by the format',
  default: 'the default',
  inferred: 'inferred from where lengths pile up',
} as const

export function TokenizerForm({ report }: { report: Report }) {
  const { id, origin, confidence, evidence, lacks } = report.tokenizer
  const use = (tokenizer: string | undefined) => {
    openDialog(null)
    void reconfigure({ tokenizer })
  }
  const given = useFiles((files) => files.options.tokenizer)
  return (
    <>
      <p>
        <strong>{id ?? 'None'}</strong>, {ORIGIN_WORDS[origin]}
      </p>
      <Evidence confidence={confidence} evidence={evidence} />
      {lacks !== undefined && <p>▲ Not judged for want of {spelt(lacks)}.</p>}
      <RenderedTexts report={report} />
      <h3>Read with another</h3>
      <div className="choices">
        {BUNDLED.map((family) => (
          <button
            key={family.id}
            type="button"
            className="button"
            aria-pressed={id === family.id}
            onClick={() => use(family.id)}
          >
            {family.title}
          </button>
        ))}
        {given !== undefined && (
          <button type="button" className="button" onClick={() => use(undefined)}>
            Choose from the dump again
          </button>
        )}
      </div>
      <p>
        <label className="button file-button">
          A tokenizer.json from disk…
          <input
            type="file"
            multiple
            accept=".json,.jinja"
            className="visually-hidden"
            onChange={(event) => {
              if (event.target.files === null) return
              openDialog(null)
              void openDropped(filesOfInput(event.target.files))
            }}
          />
        </label>{' '}
        <span className="quiet">
          or drop it anywhere, with the tokenizer_config.json or chat_template.jinja that goes with it
        </span>
      </p>
    </>
  )
}

export function PolicyForm({ report }: { report: Report }) {
  const { policy } = report
  const meant = useFiles((files) => files.options.intend) ?? []
  const intend = (codes: readonly string[]) => {
    openDialog(null)
    void reconfigure({ intend: codes.length === 0 ? undefined : codes })
  }
  return (
    <>
      <p>
        <strong>{POLICY_WORDS[policy.id].name}</strong>, {ORIGIN_WORDS[policy.origin]}.
      </p>
      <Evidence evidence={policy.evidence} />
      {policy.suggested !== null && (
        <p className="warn-text">
          ▲ The dump looks like “{POLICY_WORDS[policy.suggested].name}”. Nothing changes until you choose it.
        </p>
      )}
      {(policy.conventions ?? []).map((convention) => (
        <p key={convention.id} className="warn-text">
          ▲ {convention.evidence}. Nothing changes until you say so:{' '}
          <button type="button" className="link" onClick={() => intend([...new Set([...meant, ...convention.intend])])}>
            {convention.intend.join(', ')} is meant
          </button>
        </p>
      ))}
      {meant.length > 0 && (
        <p>
          Declared as meant: {meant.join(', ')}.{' '}
          <button type="button" className="link" onClick={() => intend([])}>
            Take it back
          </button>
        </p>
      )}
      <div className="choices column">
        {(Object.keys(POLICY_WORDS) as PolicyId[]).map((id) => (
          <button
            key={id}
            type="button"
            className="button choice"
            aria-pressed={policy.id === id}
            onClick={() => {
              openDialog(null)
              void reconfigure({ policy: id })
            }}
          >
            <strong>{POLICY_WORDS[id].name}</strong>
            <span>{POLICY_WORDS[id].what}</span>
          </button>
        ))}
      </div>
      <Alignment report={report} />
      <OtherMeant report={report} meant={meant} intend={intend} />
    </>
  )
}

const ALIGNMENTS = [
  { id: 'token', name: 'the token itself', what: 'index i of the mask is token i' },
  { id: 'target', name: 'the prediction of the next token', what: 'index i of the mask is token i + 1' },
] as const

/** Which token an entry of the mask stands for. */
function Alignment({ report: { policy, sources } }: { report: Report }) {
  const hasMask = sources.some(({ missing }) => !missing.includes('mask'))
  const isDocumented = sources.every(({ format }) => (formatById(format?.id ?? '')?.maskAlignment ?? null) !== null)
  const given = useFiles((files) => files.options.maskAlignment)
  const isGiven = given === 'token' || given === 'target'
  const use = (maskAlignment: 'token' | 'target' | undefined) => {
    openDialog(null)
    void reconfigure({ maskAlignment })
  }
  return (
    <>
      <h3>What an entry of the mask marks</h3>
      {policy.alignment_undecided && (
        <p className="warn-text">
          ▲ Every mask lies one token before the turns, and nothing tells which is right: say which it is. Until then it
          is taken to mark predictions.
        </p>
      )}
      <div className="choices">
        {ALIGNMENTS.map(({ id, name, what }) => (
          <button
            key={id}
            type="button"
            className="button"
            aria-pressed={policy.mask_alignment === id}
            title={what}
            onClick={() => use(id)}
          >
            {name}
          </button>
        ))}
        {isGiven && (
          <button type="button" className="button" onClick={() => use(undefined)}>
            Find out from the dump again
          </button>
        )}
      </div>
      {isGiven ? (
        <p className="quiet">Chosen by you.</p>
      ) : !hasMask ? (
        <p className="quiet">This dump has no mask.</p>
      ) : (
        !policy.alignment_undecided && (
          <p className="quiet">{isDocumented ? 'Documented by the format.' : 'Found out from the dump.'}</p>
        )
      )}
    </>
  )
}

/** A check that fails because the run means it so is declared by its code. To go through the list by key declares nothing. */
function OtherMeant(props: { report: Report; meant: readonly string[]; intend: (codes: readonly string[]) => void }) {
  const { report, meant, intend } = props
  const [chosen, setChosen] = useState('')
  const failing = report.checks.filter(({ code, status }) => status === 'fail' && !meant.includes(code))
  if (failing.length === 0) return null
  return (
    <p className="meant-line">
      <label>
        Something that fails is meant so:
        <select className="compare-select" value={chosen} onChange={(event) => setChosen(event.target.value)}>
          <option value="">choose its check</option>
          {failing.map(({ code, title }) => (
            <option key={code} value={code}>
              {code} {title}
            </option>
          ))}
        </select>
      </label>
      <button type="button" className="button" disabled={chosen === ''} onClick={() => intend([...meant, chosen])}>
        It is meant
      </button>
    </p>
  )
}

/** Dumps of text alone may be shown as tokens, where a person asks for it. */
function RenderedTexts({ report }: { report: Report }) {
  const asked = useFiles((files) => files.options.renderTexts ?? false)
  const given = useFiles((files) => files.options.tokenizer)
  const hasTexts = report.sources.some(({ missing }) => missing.includes('ids') && !missing.includes('messages'))
  const [rendering] = report.sources.flatMap((source) => source.rendering ?? [])
  if (!hasTexts && !asked) return null
  const switchTo = (renderTexts: boolean, tokenizer = given) => {
    openDialog(null)
    void reconfigure({ renderTexts: renderTexts ? true : undefined, tokenizer })
  }
  return (
    <>
      <h3>Texts without token ids</h3>
      <p className="quiet">
        {report.tokenizer.id === null
          ? 'These rollouts are texts. With the model’s tokenizer they are rendered through its chat template and shown as tokens; texts that a template has made already are encoded as they stand.'
          : 'These rollouts are texts. They can be rendered through this tokenizer’s chat template and shown as tokens, marked as reconstructed: lengths come from them, which of them carry loss stays unknown, and no check judges them.'}
      </p>
      {rendering !== undefined && rendering.tokenizer !== null && (
        <p>
          ▲ {count(rendering.rollouts)} of {counted(rendering.of, 'rollout')} rendered,{' '}
          {counted(rendering.tokens, 'token')}
        </p>
      )}
      {!asked && report.tokenizer.id === null && (
        <div className="choices">
          {BUNDLED.map(({ id, title }) => (
            <button key={id} type="button" className="button" onClick={() => switchTo(true, id)}>
              Render with {title}
            </button>
          ))}
        </div>
      )}
      {(asked || report.tokenizer.id !== null) && (
        <div className="choices">
          <button type="button" className="button" aria-pressed={asked} onClick={() => switchTo(!asked)}>
            {asked ? 'Show texts as they are recorded' : 'Render the texts'}
          </button>
        </div>
      )}
    </>
  )
}

/** @param props.onUse is given what resolves once the dump is read under the new limits: to false where something else was asked meanwhile */
export function LimitsForm({ report, onUse }: { report: Report; onUse: (read: Promise<boolean>) => void }) {
  const given = useFiles((files) => files.options.limits) ?? {}
  const [texts, setTexts] = useState<Partial<Record<LimitName, string>>>(
    Object.fromEntries(LIMIT_NAMES.map((name) => [name, given[name]?.toString() ?? ''])),
  )
  const wrong = LIMIT_NAMES.find((name) => !/^([1-9]\d{0,8})?$/.test(texts[name]?.trim() ?? ''))
  const apply = (event: FormEvent) => {
    event.preventDefault()
    if (wrong !== undefined) return
    const limits = Object.fromEntries(
      LIMIT_NAMES.flatMap((name) => (texts[name]?.trim() ? [[name, Number(texts[name])]] : [])),
    )
    onUse(reconfigure({ limits }))
  }
  return (
    <form onSubmit={apply}>
      <p className="quiet">In tokens; turns are counted. An empty field leaves it to the dump.</p>
      <div className="limit-fields">
        {LIMIT_NAMES.map((name) => {
          const known = report.limits[name]
          const several = report.limits_by_rollout?.[name] ?? []
          return (
            <label key={name}>
              <span>{LIMIT_WORDS[name]}</span>
              <input
                inputMode="numeric"
                data-first-focus={name === LIMIT_NAMES[0] || undefined}
                value={texts[name] ?? ''}
                placeholder={known !== null ? String(known.value) : several.length > 0 ? 'several' : 'not known'}
                aria-invalid={wrong === name}
                onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
              />
              <span className="quiet">
                {several.length > 0 &&
                  `${severalText(several, report.limits_left_out?.[name])}, each judged by its own`}
                {known === null ? '' : `${ORIGIN_WORDS[known.origin]}${countedBy(known) && `,${countedBy(known)}`}`}
              </span>
            </label>
          )
        })}
      </div>
      {wrong !== undefined && (
        <p className="error-text" role="alert">
          ✖ {LIMIT_WORDS[wrong]} has to be a whole number above 0.
        </p>
      )}
      <button type="submit" className="button primary" disabled={wrong !== undefined}>
        Use these limits
      </button>
    </form>
  )
}

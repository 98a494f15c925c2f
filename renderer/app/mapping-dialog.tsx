import { type FieldMapping, MAP_FIELDS, type MapField, mappingText } from '../../shared/formats/mapping.ts'
import { fitsField, type RecordPath } from '../../shared/formats/mapping-paths.ts'
import { openSources } from '../data/dump.ts'
import { rememberMapping } from '../data/mappings.ts'
import { dismissAllProblems } from '../state/files.ts'
import { type Unmapped, useMapping } from '../state/mapping.ts'
import { inApp } from '../text/app-words.ts'
import { spelt } from '../text/visible.ts'
import { MappedRecord } from './mapped-record.tsx'
import { Modal } from './modal.tsx'
import { useFieldProposal } from './use-field-proposal.ts'

const GROUPS: readonly { readonly title: string; readonly fields: readonly MapField[] }[] = [
  { title: 'Tokens', fields: ['input_ids', 'prompt_ids', 'completion_ids', 'loss_mask', 'completion_mask', 'labels'] },
  { title: 'Conversation', fields: ['messages', 'prompt_text', 'completion_text', 'answer', 'finish_reason'] },
  { title: 'Outcome', fields: ['reward', 'advantage', 'advantages', 'group_id', 'step'] },
  { title: 'Logprobs', fields: ['logprobs.sampler', 'logprobs.trainer', 'logprobs.reference'] },
]
const MORE = MAP_FIELDS.filter((field) => !GROUPS.some(({ fields }) => fields.includes(field)))

/** Where the fields of a file of no known format stand: proposed, chosen, and seen on its first record. */
export function MappingDialog() {
  const file = useMapping((mapping) => mapping.chosen)
  if (file === null) return null
  return (
    <Modal title={`Map the fields of ${file.name}`}>
      <MappingForm file={file} />
    </Modal>
  )
}

function MappingForm({ file }: { file: Unmapped }) {
  const { found, map, remembered, failure, isAsking, choose } = useFieldProposal(file)
  if (found === null)
    return (
      <p className={failure === null ? 'quiet' : 'error-text'}>
        {failure === null ? 'Reading its first records' : spelt(inApp(failure))}
      </p>
    )
  const { first, problems, paths, proposal, shape } = found
  const set = (field: MapField, path: string) => {
    const { [field]: _, ...others } = map
    choose(path === '' ? others : { ...others, [field]: path })
  }
  const open = () => {
    // Whatever was refused before is opened now.
    dismissAllProblems()
    void rememberMapping(shape, map)
    void openSources(file.sources, { options: { ...file.options, map: map as Readonly<Record<string, string>> } })
  }
  const fields = (names: readonly MapField[]) =>
    names.flatMap((field) => {
      const path = map[field] ?? ''
      const fitting = paths.filter((each) => fitsField(field, each))
      // What nothing in the record fits is not asked for.
      if (fitting.length === 0 && path === '') return []
      return [<FieldChoice key={field} field={field} path={path} fitting={fitting} onChoose={set} />]
    })
  const more = fields(MORE)
  return (
    <div className="mapping">
      <p className="quiet">
        {remembered
          ? 'Records of this shape were mapped before; that mapping is chosen. '
          : proposal === null
            ? 'Nothing among its fields looks like token ids or a conversation. '
            : 'What stands in the records suggests this mapping. '}
        What no field takes stays beside the rollout.
        {remembered && proposal !== null && (
          <button type="button" className="link" onClick={() => choose(proposal)}>
            Take the proposal instead
          </button>
        )}
      </p>
      <div className="mapping-columns">
        <div className="mapping-fields">
          {GROUPS.map(({ title, fields: names }) => {
            const choices = fields(names)
            if (choices.length === 0) return null
            return (
              <fieldset key={title}>
                <legend>{title}</legend>
                {choices}
              </fieldset>
            )
          })}
          {more.length > 0 && (
            <details open={MORE.some((field) => map[field] !== undefined)}>
              <summary>More fields</summary>
              {more}
            </details>
          )}
        </div>
        <MappedRecord first={first} problems={failure === null ? problems : [failure]} isAsking={isAsking} />
      </div>
      <div className="choices">
        <button
          type="button"
          className="button primary"
          disabled={first === null || isAsking || failure !== null}
          onClick={open}
        >
          Open with this mapping
        </button>
        <CommandLine map={map} />
      </div>
    </div>
  )
}

function FieldChoice(props: {
  readonly field: MapField
  readonly path: string
  /** Of the first record, those that the field can be read from. */
  readonly fitting: readonly RecordPath[]
  onChoose(field: MapField, path: string): void
}) {
  const { field, path, fitting, onChoose } = props
  const isThere = path === '' || fitting.some((each) => each.path === path)
  return (
    <label className="mapping-field">
      <code>{field}</code>
      <select value={path} onChange={(event) => onChoose(field, event.target.value)}>
        <option value="">–</option>
        {!isThere && <option value={path}>{spelt(path)} (not in the first record)</option>}
        {fitting.map((each) => (
          <option key={each.path} value={each.path}>
            {spelt(`${each.path} · ${each.shown}`)}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The same for the command line. */
function CommandLine({ map }: { map: FieldMapping }) {
  const text = mappingText(map)
  if (text === '') return null
  return (
    <span className="mapping-command quiet">
      On the command line: <code>--map {spelt(text)}</code>
    </span>
  )
}

import type { Hypothesis, ValidationMethod } from '../../../shared/notebook/model.ts'
import { LineField, TextField } from './text-field.tsx'
import { useAdding } from './use-adding.ts'

/** Ways to test a hypothesis, each with what has to be seen. */
export function Methods({
  hypothesis,
  onChange,
}: {
  readonly hypothesis: Hypothesis
  readonly onChange: (methods: ValidationMethod[]) => void
}) {
  const methods = hypothesis.validation
  const { list, button, changes } = useAdding<HTMLOListElement>(methods.length)
  const change = (id: string, fields: Partial<ValidationMethod>) =>
    onChange(methods.map((method) => (method.id === id ? { ...method, ...fields } : method)))
  return (
    <section className="note-field" aria-labelledby="methods">
      <div className="note-field-head">
        <h3 id="methods">Validation</h3>
        <button
          ref={button}
          type="button"
          className="link note-edit"
          onClick={() => {
            changes()
            onChange([...methods, { id: freeId(methods), title: '', how: '', success: '' }])
          }}
        >
          Add a method
        </button>
      </div>
      {methods.length === 0 && <p className="quiet">What is run or looked at, and what has to be seen.</p>}
      <ol ref={list} className="methods">
        {methods.map((method, at) => (
          <li key={method.id}>
            <div className="method-head">
              <span className="quiet">{at + 1}</span>
              <LineField
                hidden
                className="grow"
                label={`Title of method ${at + 1}`}
                placeholder="What is done, in a few words"
                value={method.title}
                onChange={(title) => change(method.id, { title })}
              />
              <button
                type="button"
                className="icon-button"
                aria-label={`Take out method ${at + 1}`}
                onClick={() => {
                  changes()
                  onChange(methods.filter(({ id }) => id !== method.id))
                }}
              >
                ✕
              </button>
            </div>
            <TextField
              level={4}
              title="How"
              hint="The command to run, or the code to add."
              value={method.how}
              onChange={(how) => change(method.id, { how })}
            />
            <TextField
              level={4}
              title="It holds if"
              hint="What has to be seen."
              value={method.success}
              onChange={(success) => change(method.id, { success })}
            />
          </li>
        ))}
      </ol>
    </section>
  )
}

function freeId(methods: readonly ValidationMethod[]): string {
  const numbers = methods.map(({ id }) => Number(/^m(\d+)$/.exec(id)?.[1] ?? 0))
  return `m${Math.max(0, ...numbers) + 1}`
}

import { type FormEvent, useState } from 'react'
import { reconfigure } from '../../data/dump.ts'
import { useFiles } from '../../state/files.ts'

/** How many rollouts in a row are of one prompt, for dumps that name no group. */
export function GroupSizeForm() {
  const given = useFiles((files) => files.options.groupSize)
  const [text, setText] = useState(given?.toString() ?? '')
  const size = /^\d{1,6}$/.test(text.trim()) ? Number(text) : 0
  const isWrong = text.trim() !== '' && size < 2
  const apply = (event: FormEvent) => {
    event.preventDefault()
    if (size >= 2) void reconfigure({ groupSize: size })
  }
  return (
    <form className="group-size" onSubmit={apply}>
      <label>
        Rollouts of one prompt{' '}
        <input
          inputMode="numeric"
          value={text}
          placeholder="8"
          aria-invalid={isWrong}
          onChange={(event) => setText(event.target.value)}
        />
      </label>{' '}
      <button type="submit" className="button small" disabled={size < 2 || size === given}>
        Read in groups of that size
      </button>{' '}
      {given !== undefined && (
        <button type="button" className="link" onClick={() => void reconfigure({ groupSize: undefined })}>
          Leave it to the dump
        </button>
      )}
      {isWrong && (
        <p className="error-text" role="alert">
          ✖ A group is a whole number of rollouts, 2 or more.
        </p>
      )}
    </form>
  )
}

import { type ChangeEvent, type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { mergeTexts } from '../../../shared/notebook/merge-texts.ts'
import { overwritten } from '../../data/notebook-keeper.ts'
import { holdDraft } from '../../state/drafts.ts'
import { addProblem } from '../../state/files.ts'
import { PlainMarkdown } from './plain-markdown.tsx'

/** Milliseconds after the last key until what is typed is taken. */
const PAUSE = 500

/**
 * A draft that is taken when typing pauses, when the focus leaves, and when the field or the page goes. What another window writes in the same place
 * comes into it.
 */
function useDraft(value: string, take: (text: string) => void) {
  const [draft, setDraft] = useState<string | null>(null)
  /** What was stored when the draft was begun, or taken last. */
  const base = useRef(value)
  const caret = useRef<readonly [number, number] | null>(null)
  const latest = useRef({ draft, take, value })
  latest.current = { draft, take, value }
  /** Since the draft was last taken: what was taken is not taken again over what another window writes. */
  const isTyped = useRef(false)
  const settle = () => {
    const now = latest.current
    if (!isTyped.current || now.draft === null) return
    isTyped.current = false
    base.current = now.draft
    if (now.draft !== now.value) now.take(now.draft)
  }
  useEffect(() => {
    const { draft } = latest.current
    const before = base.current
    base.current = value
    if (draft === null || value === before || value === draft) return
    const merged = mergeTexts(before, draft, value)
    if (merged === null) {
      addProblem(`${overwritten(value)} Undo brings the other words back.`)
      return
    }
    caret.current = selectionIn(draft, merged.moved)
    setDraft(merged.text)
  }, [value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the browser puts the caret behind a text that it is given
  useLayoutEffect(() => {
    const element = document.activeElement
    if (caret.current !== null && isTextElement(element)) element.setSelectionRange(...caret.current)
    caret.current = null
  }, [draft])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed starts the pause, and nothing else
  useEffect(() => {
    if (draft === null) return
    const timer = setTimeout(settle, PAUSE)
    return () => clearTimeout(timer)
  }, [draft])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the field goes
  useEffect(() => {
    const forget = holdDraft(settle)
    return () => {
      forget()
      settle()
    }
  }, [])
  return {
    text: draft ?? value,
    type: (text: string) => {
      if (draft === null) base.current = value
      isTyped.current = true
      setDraft(text)
    },
    leave: () => {
      settle()
      setDraft(null)
    },
  }
}

function isTextElement(element: Element | null): element is HTMLInputElement | HTMLTextAreaElement {
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
}

/** What is selected in the field that is written in, as it stands in the text with what came; null where no field has that text. */
function selectionIn(draft: string, moved: (place: number) => number): readonly [number, number] | null {
  const element = document.activeElement
  if (!isTextElement(element) || element.value !== draft) return null
  return [moved(element.selectionStart ?? 0), moved(element.selectionEnd ?? 0)]
}

/** A text of several lines: shown as it reads, and edited in place. */
export function TextField({
  title,
  hint,
  value,
  onChange,
  level = 3,
  mono = false,
}: {
  readonly title: string
  readonly hint: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly level?: 3 | 4
  readonly mono?: boolean
}) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const Heading = `h${level}` as const
  const close = () => {
    setOpen(false)
    requestAnimationFrame(() => button.current?.focus())
  }
  return (
    <div className="note-field">
      <div className="note-field-head">
        <Heading>{title}</Heading>
        {!isOpen && (
          <button
            ref={button}
            type="button"
            className="link note-edit"
            aria-label={`${value === '' ? 'Write' : 'Edit'}: ${title}`}
            onClick={() => setOpen(true)}
          >
            {value === '' ? 'Write' : 'Edit'}
          </button>
        )}
      </div>
      {isOpen ? (
        <Editor label={title} hint={hint} value={value} mono={mono} onChange={onChange} onClose={close} />
      ) : value === '' ? (
        <p className="quiet">{hint}</p>
      ) : mono ? (
        <PlainMarkdown text={`~~~~~~~~~~\n${value}\n~~~~~~~~~~`} />
      ) : (
        <PlainMarkdown text={value} />
      )}
    </div>
  )
}

function Editor({
  label,
  hint,
  value,
  mono,
  onChange,
  onClose,
}: {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly mono: boolean
  readonly onChange: (text: string) => void
  readonly onClose: () => void
}) {
  const area = useRef<HTMLTextAreaElement>(null)
  const { text, type, leave } = useDraft(value, onChange)
  useEffect(() => area.current?.focus(), [])
  const rows = Math.min(24, Math.max(3, text.split('\n').length + 1))
  return (
    <>
      <textarea
        ref={area}
        className={mono ? 'note-area mono' : 'note-area'}
        aria-label={label}
        placeholder={hint}
        rows={rows}
        value={text}
        spellCheck={!mono}
        onChange={(event) => type(event.target.value)}
        onBlur={leave}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' && !(event.key === 'Enter' && (event.ctrlKey || event.metaKey))) return
          event.preventDefault()
          event.stopPropagation()
          leave()
          onClose()
        }}
      />
      <p className="note-area-foot">
        <button
          type="button"
          className="button small"
          onClick={() => {
            leave()
            onClose()
          }}
        >
          Done
        </button>
        <span className="quiet">
          Saved as you type. Markdown. <kbd>Esc</kbd> when done.
        </span>
      </p>
    </>
  )
}

/** A text of one line that is always open. */
export function LineField({
  label,
  value,
  onChange,
  placeholder,
  className = '',
  hidden = false,
  isTitle = false,
  wraps = false,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly placeholder?: string
  readonly className?: string
  /** The label is for those who listen only. */
  readonly hidden?: boolean
  /** It names the page, and has the focus there until it says something. */
  readonly isTitle?: boolean
  /** It is a sentence, and as high as that takes where the field is narrow; it still has no line breaks. */
  readonly wraps?: boolean
}) {
  const { text, type, leave } = useDraft(value, onChange)
  const field = {
    'data-title': isTitle || undefined,
    value: text,
    placeholder,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      type(event.target.value.replace(/\s*\n\s*/g, ' ')),
    onBlur: leave,
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      if (event.key === 'Enter') {
        if (wraps) event.preventDefault()
        leave()
      }
      // A dialog closes by it; a page has its own keys back first.
      if (event.key === 'Escape' && event.currentTarget.closest('dialog') === null) event.currentTarget.blur()
    },
  }
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: either of the two is its control
    <label className={`line-field ${className}`}>
      <span className={hidden ? 'visually-hidden' : 'line-field-label'}>{label}</span>
      {wraps ? <textarea rows={1} {...field} /> : <input type="text" {...field} />}
    </label>
  )
}

/** One of a few words. */
export function ChoiceField<T extends string>({
  label,
  value,
  choices,
  onChange,
}: {
  readonly label: string
  readonly value: T
  readonly choices: readonly (readonly [T, string])[]
  readonly onChange: (value: T) => void
}) {
  return (
    <label className="line-field">
      <span className="line-field-label">{label}</span>
      <select value={value} onChange={(event) => onChange(event.target.value as T)}>
        {choices.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}

import { create } from 'zustand'

export const VIEWS = ['verdicts', 'rollouts', 'rollout', 'groups', 'lab', 'compare', 'notebook'] as const
export type View = (typeof VIEWS)[number]
export const ROLLOUT_TABS = ['tokens', 'boundaries', 'render', 'messages', 'tools', 'documents', 'raw'] as const
export type RolloutTab = (typeof ROLLOUT_TABS)[number]
/** Those of the table and of what is marked in it. */
export type TableDialog = 'label' | 'note' | 'columns' | 'views'
export type Dialog =
  | 'keys'
  | 'palette'
  | 'skipped'
  | 'sources'
  | 'served'
  | 'tokenizer'
  | 'policy'
  | 'limits'
  | 'missing'
  | 'second'
  | 'mapping'
  | 'dataset'
  | 'check'
  | 'pin'
  | 'question'
  | 'export'
  | 'table'
  | TableDialog

export interface ViewState {
  readonly view: View
  readonly tab: RolloutTab
  readonly dialog: Dialog | null
  /** The code that the dialog `check` is about. */
  readonly check: string
  /** Grows with every switch, also to the view that is on screen: the keys are for the view then, and the focus goes there. */
  readonly shown: number
  /** Said aloud and shown for a moment. `said` grows so that the same words can be said twice. */
  readonly notice: { readonly text: string; readonly said: number; readonly isOver: boolean }
}

export const useView = create<ViewState>()(() => ({
  view: 'verdicts',
  tab: 'tokens',
  dialog: null,
  check: '',
  shown: 0,
  notice: { text: '', said: 0, isOver: false },
}))

export function show(view: View): void {
  useView.setState(({ shown }) => ({ view, dialog: null, shown: shown + 1 }))
}

export function openDialog(dialog: Dialog | null): void {
  useView.setState({ dialog })
}

/** Opens the page of a check. */
export function showCheck(code: string): void {
  useView.setState({ dialog: 'check', check: code })
}

export function say(text: string): void {
  useView.setState(({ notice }) => ({ notice: { text, said: notice.said + 1, isOver: false } }))
}

/** Takes away what was said last. */
export function hush(): void {
  useView.setState((state) => (state.notice.text === '' ? state : { notice: { ...state.notice, text: '' } }))
}

/** Has a notice that has been on screen for its moment not shown again; one that has been said since is still to be shown. */
export function endNotice(said: number): void {
  useView.setState((state) => (state.notice.said === said ? { notice: { ...state.notice, isOver: true } } : state))
}

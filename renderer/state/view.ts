import { create } from 'zustand'

export type View = 'verdicts' | 'rollouts' | 'rollout'
export type RolloutTab = 'tokens' | 'boundaries' | 'messages' | 'raw'
export type Dialog = 'keys' | 'palette' | 'skipped' | 'sources' | 'tokenizer' | 'policy' | 'limits' | 'missing'

export interface ViewState {
  readonly view: View
  readonly tab: RolloutTab
  readonly dialog: Dialog | null
  /** Said aloud and shown for a moment. `said` grows so that the same words can be said twice. */
  readonly notice: { readonly text: string; readonly said: number }
}

export const useView = create<ViewState>()(() => ({
  view: 'verdicts',
  tab: 'tokens',
  dialog: null,
  notice: { text: '', said: 0 },
}))

export function show(view: View): void {
  useView.setState({ view, dialog: null })
}

export function openDialog(dialog: Dialog | null): void {
  useView.setState({ dialog })
}

export function say(text: string): void {
  useView.setState(({ notice }) => ({ notice: { text, said: notice.said + 1 } }))
}

import { Component, type ReactNode } from 'react'
import { spelt } from '../text/visible.ts'

/** Turns a fault of the page itself into a sentence and a way on, instead of an empty window. */
export class ErrorBoundary extends Component<
  { readonly children: ReactNode /** Nothing stands around it. */; readonly isPage?: boolean },
  { readonly message: string | null }
> {
  override state = { message: null as string | null }

  static getDerivedStateFromError(error: unknown) {
    return { message: error instanceof Error ? error.message : String(error) }
  }

  override render() {
    if (this.state.message === null) return this.props.children
    const Place = this.props.isPage ? 'main' : 'section'
    return (
      <Place className="broken" role="alert">
        <h1>This view failed</h1>
        <p>
          The page met something it cannot draw: <q>{spelt(this.state.message)}</q>. Your flags are kept. Go back to the
          view, or load the page again and open the files again.
        </p>
        <button type="button" className="button" onClick={() => this.setState({ message: null })}>
          Back to the view
        </button>
        <button type="button" className="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </Place>
    )
  }
}

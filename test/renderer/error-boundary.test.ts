import { expect, test } from 'vitest'
import { ErrorBoundary } from '../../renderer/app/error-boundary.tsx'

function broken(isPage: boolean) {
  const boundary = new ErrorBoundary({ children: 'the view', isPage })
  boundary.state = ErrorBoundary.getDerivedStateFromError(new Error('no \u202esuch row'))
  return boundary.render() as { type: string }
}

test('a view that failed is told of within the page’s main part, the page itself is one', () => {
  expect(broken(false).type).toBe('section')
  expect(broken(true).type).toBe('main')
})

test('what went wrong is spelt out', () => {
  expect(JSON.stringify(broken(false))).toContain('no ⟨RLO⟩such row')
})

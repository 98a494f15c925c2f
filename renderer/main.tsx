import './without-eval.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { ErrorBoundary } from './app/error-boundary.tsx'
import { startApp } from './app/start-app.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/frame.css'
import './styles/truth-line.css'
import './styles/dialogs.css'
import './styles/mapping.css'
import './styles/check-page.css'
import './styles/notices.css'
import './styles/start.css'
import './styles/verdicts.css'
import './styles/run-logs.css'
import './styles/hypotheses.css'
import './styles/loss.css'
import './styles/rollouts.css'
import './styles/query.css'
import './styles/marks.css'
import './styles/groups.css'
import './styles/compare.css'
import './styles/alignment.css'
import './styles/column-lists.css'
import './styles/rollout.css'
import './styles/outline.css'
import './styles/token-text.css'
import './styles/token-overlay.css'
import './styles/token-grid.css'
import './styles/token-panel.css'
import './styles/boundary-zoom.css'
import './styles/messages.css'
import './styles/high-contrast.css'
import './styles/compare-ids.css'
import './styles/notebook.css'
import './styles/note-page.css'
import './styles/experiments.css'
import './styles/print.css'

startApp()
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <ErrorBoundary>
      <App />
    </ErrorBoundary>
  </StrictMode>,
)

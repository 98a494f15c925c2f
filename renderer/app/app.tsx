import { lazy, Suspense } from 'react'
import { CheatSheet } from '../commands/cheat-sheet.tsx'
import { Palette } from '../commands/palette.tsx'
import { useHotkeys } from '../commands/use-hotkeys.ts'
import { useFiles } from '../state/files.ts'
import { show, useView } from '../state/view.ts'
import { RolloutView } from '../views/rollout/rollout-view.tsx'
import { ColumnsDialog } from '../views/rollouts/columns-dialog.tsx'
import { MarkDialog } from '../views/rollouts/mark-dialogs.tsx'
import { RolloutsView } from '../views/rollouts/rollouts-view.tsx'
import { ViewsDialog } from '../views/rollouts/views-dialog.tsx'
import { StartPage } from '../views/start/start-page.tsx'
import { VerdictsView } from '../views/verdicts/verdicts-view.tsx'
import { DropCover } from './drop-cover.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { InputDialog } from './input-dialogs.tsx'
import { Navigation } from './navigation.tsx'
import { Notice } from './notice.tsx'
import { Problems } from './problems.tsx'
import { QuestionDialog } from './question-dialog.tsx'
import { ResumeLine } from './resume-line.tsx'
import { ServedDialog } from './served-dialog.tsx'
import { StatusLine } from './status-line.tsx'
import { TruthLine } from './truth-line.tsx'
import { UnderWayNotice, UnderWayNow } from './under-way.tsx'
import { useTitle } from './use-title.ts'

// Not needed to begin with, and the pages of checks are long.
const MappingDialog = lazy(async () => ({ default: (await import('./mapping-dialog.tsx')).MappingDialog }))
const GroupsView = lazy(async () => ({ default: (await import('../views/groups/groups-view.tsx')).GroupsView }))
const LabView = lazy(async () => ({ default: (await import('../views/lab/lab-view.tsx')).LabView }))
const CompareView = lazy(async () => ({ default: (await import('../views/compare/compare-view.tsx')).CompareView }))
const NotebookView = lazy(async () => ({ default: (await import('../views/notebook/notebook-view.tsx')).NotebookView }))
const PinDialog = lazy(async () => ({ default: (await import('../views/notebook/pin-dialog.tsx')).PinDialog }))
const TableDialog = lazy(async () => ({ default: (await import('./table-dialog.tsx')).TableDialog }))
const ExportDialog = lazy(async () => ({ default: (await import('./export-dialog.tsx')).ExportDialog }))
const CheckDialog = lazy(async () => ({ default: (await import('./check-dialog.tsx')).CheckDialog }))

export function App() {
  useHotkeys()
  useTitle()
  const phase = useFiles((files) => files.phase)
  const view = useView((state) => state.view)
  const isOpen = phase === 'reading' || phase === 'open'
  return (
    <>
      {isOpen ? <Frame /> : view === 'notebook' ? <FrameWithoutDump /> : <StartPage />}
      <Suspense fallback={<UnderWayNotice words="One moment" stop={null} isAtOnce={false} />}>
        <OpenDialog />
      </Suspense>
      <UnderWayNow />
      <DropCover />
    </>
  )
}

function Frame() {
  const view = useView((state) => state.view)
  return (
    <div className="frame">
      <TruthLine />
      <Navigation />
      <main className="view">
        <Problems />
        <ResumeLine />
        <ErrorBoundary key={view}>
          {view === 'verdicts' && <VerdictsView />}
          {view === 'rollouts' && <RolloutsView />}
          {view === 'rollout' && <RolloutView />}
          <Suspense fallback={<p className="nothing quiet">One moment…</p>}>
            {view === 'groups' && <GroupsView />}
            {view === 'lab' && <LabView />}
            {view === 'compare' && <CompareView />}
            {view === 'notebook' && <NotebookView />}
          </Suspense>
        </ErrorBoundary>
      </main>
      <StatusLine />
    </div>
  )
}

/** What people keep of all their runs needs none to be open. */
function FrameWithoutDump() {
  return (
    <div className="frame without-dump">
      <header className="truth-line">
        <button type="button" className="button" onClick={() => show('verdicts')}>
          ← Start page
        </button>
      </header>
      <Navigation />
      <main className="view">
        <Problems />
        <ErrorBoundary>
          <Suspense fallback={<p className="nothing quiet">One moment…</p>}>
            <NotebookView />
          </Suspense>
        </ErrorBoundary>
      </main>
      <footer className="status-line">
        <Notice />
      </footer>
    </div>
  )
}

function OpenDialog() {
  const dialog = useView((state) => state.dialog)
  if (dialog === null) return null
  if (dialog === 'keys') return <CheatSheet />
  if (dialog === 'palette') return <Palette />
  if (dialog === 'check') return <CheckDialog />
  if (dialog === 'pin') return <PinDialog />
  if (dialog === 'export') return <ExportDialog />
  if (dialog === 'table') return <TableDialog />
  if (dialog === 'question') return <QuestionDialog />
  if (dialog === 'mapping') return <MappingDialog />
  if (dialog === 'label' || dialog === 'note') return <MarkDialog dialog={dialog} />
  if (dialog === 'served') return <ServedDialog />
  if (dialog === 'columns') return <ColumnsDialog />
  if (dialog === 'views') return <ViewsDialog />
  return <InputDialog dialog={dialog} />
}

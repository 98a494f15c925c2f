import { useEffect, useRef } from 'react'
import { PinButton } from '../../app/pin-button.tsx'
import { focusChosen, useChosenFocus } from '../../app/use-chosen-focus.ts'
import { useKeptScroll } from '../../lists/use-kept-scroll.ts'
import { goTo } from '../../state/place.ts'
import { useView } from '../../state/view.ts'
import { LAB_COMMANDS } from './commands.ts'
import { PANELS, type Panel, resetLab, useLabPlace } from './lab-place.ts'
import { LimitsPanel } from './limits-panel.tsx'
import { LossPanel } from './loss-panel.tsx'
import { PolicyPanel } from './policy-panel.tsx'
import { RepairPanel } from './repair-panel.tsx'
import '../../styles/lab.css'

const TITLES: Readonly<Record<Panel, string>> = {
  limits: 'Limits',
  loss: 'Advantages and loss',
  policy: 'Policy',
  repair: 'Repaired masks',
}

/** What if: other limits, another loss, another policy, the mask that the turns ask for. Nothing here changes the report. */
export function LabView() {
  const place = useLabPlace()
  const shown = useView((state) => state.shown)
  const scroller = useRef<HTMLDivElement>(null)
  useKeptScroll(scroller, `lab ${place.panel}`)
  const tabs = useRef<HTMLFieldSetElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus is given once for each time the view is shown
  useEffect(() => focusChosen(tabs.current), [shown])
  useChosenFocus(tabs, place.panel)
  return (
    <div ref={scroller} className="lab">
      <h1 className="visually-hidden">Lab</h1>
      <div className="lab-head">
        <fieldset ref={tabs} className="segmented" aria-label="What to try">
          {PANELS.map((panel) => (
            <button
              key={panel}
              type="button"
              aria-pressed={place.panel === panel}
              onClick={() => goTo('lab', { panel: panel === 'limits' ? null : panel })}
            >
              {TITLES[panel]}
            </button>
          ))}
        </fieldset>
        <button type="button" className="button small" onClick={resetLab}>
          As recorded
        </button>
        <button
          type="button"
          className="button small"
          title="What is tried in this panel and what comes of it, as a table"
          onClick={() => LAB_COMMANDS.find(({ id }) => id === 'lab-export')?.run()}
        >
          Save…
        </button>
        <PinButton of={{ kind: 'what-if', key: {} }} what="what is tried here" />
      </div>
      {place.panel === 'limits' && <LimitsPanel place={place} />}
      {place.panel === 'loss' && <LossPanel place={place} />}
      {place.panel === 'policy' && <PolicyPanel place={place} />}
      {place.panel === 'repair' && <RepairPanel place={place} />}
    </div>
  )
}

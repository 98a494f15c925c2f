import type { OfferedCommand } from './bridge.ts'
import type { OpenFiles } from './open-files.ts'

/** A window with what is open in it. */
export interface InspectorWindow<W> {
  readonly window: W
  readonly opening: OpenFiles
  /** What its page offers; none until it has. */
  readonly commands: readonly OfferedCommand[]
}

/** The windows, the one that was used last in front. `changed` is called when the menu must show other commands. */
export class Windows<W extends { readonly webContents: object }> {
  private all: readonly InspectorWindow<W>[] = []

  constructor(private readonly changed: (commands: readonly OfferedCommand[]) => void) {}

  front(): InspectorWindow<W> | null {
    return this.all[0] ?? null
  }

  /** The window whose page asks; throws where it is gone. */
  of(contents: object): InspectorWindow<W> {
    const found = this.all.find(({ window }) => window.webContents === contents)
    if (found === undefined) throw new Error('The window that asks this is closed.')
    return found
  }

  add(window: W, opening: OpenFiles): InspectorWindow<W> {
    const added = { window, opening, commands: [] }
    this.all = [added, ...this.all]
    this.tell()
    return added
  }

  bringToFront(window: W): void {
    this.all = [...this.all.filter((one) => one.window === window), ...this.all.filter((one) => one.window !== window)]
    this.tell()
  }

  offer(contents: object, commands: readonly OfferedCommand[]): void {
    this.all = this.all.map((one) => (one.window.webContents === contents ? { ...one, commands } : one))
    if (this.front()?.window.webContents === contents) this.tell()
  }

  remove(window: W): void {
    this.all = this.all.filter((one) => one.window !== window)
    this.tell()
  }

  private tell(): void {
    this.changed(this.front()?.commands ?? [])
  }
}

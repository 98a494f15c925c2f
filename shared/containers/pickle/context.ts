import type { Budget } from './budget.ts'
import type { PickleError, PickleErrorCode } from './error.ts'
import type { ForeignNames } from './foreign.ts'
import type { PickleIssues } from './issues.ts'
import type { ByteRange, PyName, PyObject, PyValue } from './values.ts'

/** What the builders of plain data may use while a pickle is interpreted. */
export interface BuildContext {
  /** Where the operation stands that asks for the value. */
  readonly at: number
  readonly budget: Budget
  readonly issues: PickleIssues
  readonly foreign: ForeignNames
  /** Work that needs bytes which are still in the file; done in order, after the last operation. */
  defer(work: () => Promise<void>): void
  /** Reads a torch file that lies inside the pickle as bytes; null where the caller gave no reader for them. */
  readonly readTorch: ((bytes: ByteRange) => Promise<PyValue>) | null
  error(code: PickleErrorCode, what: string): PickleError
}

/** Makes plain data of a call's arguments; undefined when they are not what the name takes, and the call becomes a placeholder. */
export type Build = (args: readonly PyValue[], context: BuildContext) => PyValue | undefined

/** What a family of classes knows about the names of its modules. */
export interface Family {
  /** The builder of a callable, by its name without its module. */
  call(name: PyName): Build | undefined
  /** Whether instances of the class are plain data, so that they are not reported. */
  isKnownClass(name: PyName): boolean
  /** Takes an instance's state (BUILD); false when it is to be kept as fields. */
  build?(object: PyObject, state: PyValue, context: BuildContext): boolean
}

import { declaredBuffers } from './arrow-target.ts'
import { damagedFile, damagedLine, judgedFile } from './file-targets.ts'
import { editedFolder, randomPage, readFolder } from './notebook-targets.ts'
import { madePages } from './parquet-target.ts'
import { queryText } from './query-target.ts'
import { repeatedText } from './repeated-target.ts'
import type { Target } from './target.ts'
import { deepLink, mapping, markdown, marksFile, notebookFile, workspaceFile } from './text-targets.ts'

/** Everything that reads what somebody else wrote. */
export const TARGETS: readonly Target[] = [
  damagedFile,
  damagedLine,
  judgedFile,
  declaredBuffers,
  madePages,
  queryText,
  mapping,
  marksFile,
  notebookFile,
  workspaceFile,
  deepLink,
  markdown,
  readFolder,
  editedFolder,
  randomPage,
  repeatedText,
]

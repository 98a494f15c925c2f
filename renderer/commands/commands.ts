import { goBack } from '../app/keep-address.ts'
import { closeDump } from '../data/dump.ts'
import { toggleFollow } from '../data/follow.ts'
import { openOther, pickAndOpen, saveWorkspace } from '../data/opening.ts'
import { savePicture } from '../data/picture.ts'
import { openSample } from '../data/session.ts'
import { openPin } from '../state/pin.ts'
import { openDialog, show } from '../state/view.ts'
import { COMPARE_COMMANDS } from '../views/compare/commands.ts'
import { GROUP_COMMANDS } from '../views/groups/commands.ts'
import { LAB_COMMANDS } from '../views/lab/commands.ts'
import { NOTEBOOK_COMMANDS } from '../views/notebook/commands.ts'
import { ROLLOUT_COMMANDS } from '../views/rollout/commands.ts'
import { TABLE_COMMANDS } from '../views/rollouts/commands.ts'
import type { Command } from './command.ts'
import { copyAddress } from './copying.ts'
import { EXPORT_COMMANDS } from './export-commands.ts'
import { printView } from './print-view.ts'

export const COMMANDS: readonly Command[] = [
  { id: 'open', title: 'Open files…', keys: ['Mod+o'], where: 'always', run: openOther },
  { id: 'open-folder', title: 'Open a folder…', keys: [], where: 'always', run: () => void pickAndOpen('folder') },
  { id: 'second', title: 'Compare with another run…', keys: ['='], run: () => openDialog('second') },
  { id: 'dataset', title: 'Dataset that the run was started with…', keys: [], run: () => openDialog('dataset') },
  {
    id: 'render-texts',
    title: 'Render texts without token ids, or show them as recorded…',
    keys: [],
    run: () => openDialog('tokenizer'),
  },
  { id: 'follow', title: 'Follow this run while it is written, or end that', keys: [], run: () => void toggleFollow() },
  { id: 'sample', title: 'Open the sample run', keys: [], where: 'always', run: () => void openSample() },
  {
    id: 'palette',
    title: 'Find a command',
    keys: ['Mod+k', 'Mod+P'],
    where: 'always',
    whileTyping: true,
    run: () => openDialog('palette'),
  },
  {
    id: 'keys',
    title: 'Show all keys',
    also: 'help docs documentation manual shortcuts',
    keys: ['?'],
    where: 'always',
    run: () => openDialog('keys'),
  },
  {
    id: 'verdicts',
    title: 'Go to Verdicts',
    also: 'report findings checks defects',
    keys: ['1'],
    run: () => show('verdicts'),
  },
  { id: 'rollouts', title: 'Go to Rollouts', keys: ['2'], run: () => show('rollouts') },
  { id: 'groups', title: 'Go to Groups', keys: ['3'], run: () => show('groups') },
  { id: 'lab', title: 'Go to Lab', keys: ['4'], run: () => show('lab') },
  { id: 'compare', title: 'Go to Compare', keys: ['5'], run: () => show('compare') },
  { id: 'notebook', title: 'Go to the Notebook', keys: ['6'], where: 'always', run: () => show('notebook') },
  { id: 'pin', title: 'Pin as evidence…', keys: ['i'], run: () => openPin() },
  ...TABLE_COMMANDS,
  ...ROLLOUT_COMMANDS,
  ...GROUP_COMMANDS,
  ...LAB_COMMANDS,
  ...COMPARE_COMMANDS,
  ...NOTEBOOK_COMMANDS,
  { id: 'go-back', title: 'Go back to where you were', keys: ['Mod+['], where: 'always', run: goBack },
  {
    id: 'copy-link',
    title: 'Copy a link to what is on screen',
    also: 'address url share deep',
    keys: ['y'],
    run: () => void copyAddress(),
  },
  { id: 'print', title: 'Print…', also: 'report pdf save', keys: ['Mod+p'], run: () => void printView() },
  {
    id: 'picture',
    title: 'Save what the window shows as a picture (PNG); Print has all of a view',
    keys: [],
    run: () => void savePicture(),
  },
  ...EXPORT_COMMANDS,
  // Only the desktop shell knows where a file lies.
  ...(globalThis.window?.inspector === undefined
    ? [
        {
          id: 'workspace-in-app',
          title: 'Save workspace: only in the desktop app; copy a link to what is on screen instead',
          keys: [],
          run: () => void copyAddress(),
        },
      ]
    : [{ id: 'save-workspace', title: 'Save workspace…', keys: [], run: () => void saveWorkspace() }]),
  { id: 'close', title: 'Close these files', keys: [], run: () => closeDump() },
]

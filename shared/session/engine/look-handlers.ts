import { toldEnds } from '../../checks/truncation/told-ends.ts'
import { checkPage } from '../../exports/check-page.ts'
import type { TokenizerReference } from '../audit/plan.ts'
import { pageReport } from '../concluding/page-report.ts'
import { proposeFields } from '../opening/propose-fields.ts'
import { recognise } from '../opening/recognise.ts'
import { runSteps } from '../run-steps.ts'
import { findRecords, recordsOf } from '../search/find-records.ts'
import { Session } from '../session.ts'
import { tableFields } from '../table-fields.ts'
import type { EngineHandlers } from './handlers.ts'
import type { OpenRuns } from './open-runs.ts'

/** What is asked of the runs that are open, and changes nothing. */
export function lookHandlers(
  runs: OpenRuns,
): EngineHandlers<
  | 'report'
  | 'hashedSources'
  | 'boundaries'
  | 'lengths'
  | 'findRecords'
  | 'recordsOf'
  | 'search'
  | 'queryValues'
  | 'tableFields'
  | 'runSteps'
  | 'rows'
  | 'trajectory'
  | 'token'
  | 'locate'
> {
  return {
    async report() {
      const open = runs.current()
      // The page asks once progress is done; there it learns that it is not because of the end.
      if (open.failure !== null) throw open.failure
      return pageReport(await open.settled())
    },
    async hashedSources({ run }) {
      const open = runs.of(run)
      await open.hashed
      return (await open.settled()).sources
    },
    boundaries: async ({ run }) => runs.of(run).boundaries(),
    lengths: async ({ of }) => runs.current().lengths(of),
    findRecords: async (input) => findRecords(runs.current().facts, input),
    recordsOf: async (input) => recordsOf(runs.current().facts, input),
    search: (request, signal, tell) => runs.current().search(request, { signal, tell }),
    queryValues: () => runs.current().queryValues(),
    tableFields: async () => tableFields(runs.current().facts),
    async runSteps() {
      const { facts, dump } = runs.current()
      return runSteps(facts, dump.settings.thresholds, [], toldEnds(dump).refuted)
    },
    rows: async ({ indices }) => runs.current().rows(indices),
    trajectory: async ({ run = 'open', index }, signal) => ({ ...(await runs.of(run).detail(index, signal)), run }),
    token: ({ run, index, token }) => runs.of(run).token(index, token),
    async locate(place) {
      return { index: runs.current().locate(place) }
    },
  }
}

/** What is asked where nothing need be open. */
export function unopenedHandlers({
  host,
  tokenizers,
}: OpenRuns): EngineHandlers<'recognise' | 'proposeMapping' | 'addTokenizer' | 'checkPage'> {
  return {
    recognise: ({ sources, options }, signal) =>
      recognise(
        sources.map((input) => host.byteSource(input)),
        options,
        signal,
      ),
    proposeMapping: ({ source, name, options }, signal) =>
      proposeFields(host.byteSource(source), name, options, host, { added: [...tokenizers.values()], signal }),
    async addTokenizer({ name, tokenizer, config }) {
      const reference: TokenizerReference = { kind: 'files', id: name, title: name, origin: 'file', tokenizer, config }
      await Session.checkTokenizer(reference, host)
      tokenizers.set(name, reference)
      return { id: name }
    },
    checkPage: async ({ code }) => checkPage(code),
  }
}

/**
 * A vitest reporter that names, before the summary, every test that could not run on this machine and every one that failed before it passed:
 * the second kind is a race to be mended, in the test or in what it tests.
 */
export default class NotRunReporter {
  onTestRunEnd(modules) {
    const named = (state, isMeant) =>
      modules.flatMap((module) =>
        [...module.children.allTests(state)]
          .filter(isMeant)
          .map((test) => `  ${module.relativeModuleId} > ${test.fullName}\n`),
      )
    tell(
      'Could not run here',
      named('skipped', () => true),
    )
    tell(
      'Failed once, then passed',
      named('passed', (test) => test.diagnostic()?.flaky === true),
    )
  }
}

function tell(what, names) {
  if (names.length > 0) process.stdout.write(`\n${what} (${names.length}):\n${names.join('')}`)
}

/** A vitest reporter that names and counts every test that could not run on this machine, before the summary. */
export default class NotRunReporter {
  onTestRunEnd(modules) {
    const names = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map((test) => `${module.relativeModuleId} > ${test.fullName}`),
    )
    if (names.length === 0) return
    process.stdout.write(`\nCould not run here (${names.length}):\n${names.map((name) => `  ${name}\n`).join('')}`)
  }
}

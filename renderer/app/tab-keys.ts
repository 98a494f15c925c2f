const STEPS: Readonly<Record<string, (at: number, tabs: number) => number>> = {
  ArrowRight: (at, tabs) => (at + 1) % tabs,
  ArrowLeft: (at, tabs) => (at - 1 + tabs) % tabs,
  Home: () => 0,
  End: (_, tabs) => tabs - 1,
}

/** The tab of a row that this key leads to from the one that is shown, from the last to the first and back; null for every other key. */
export function tabByKey<Tab>(key: string, tabs: readonly Tab[], shown: Tab): Tab | null {
  return tabs[STEPS[key]?.(tabs.indexOf(shown), tabs.length) ?? -1] ?? null
}

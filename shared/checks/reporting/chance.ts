/** How likely `least` or more of `tries` come out, each of which does with `chance` (binomial). `least` is 1 or more. */
export function chanceOfAtLeast(least: number, tries: number, chance: number): number {
  if (chance === 0 || chance === 1) return least <= tries ? chance : 0
  const odds = Math.log(chance) - Math.log1p(-chance)
  // log of C(tries, hits) · p^hits · (1 − p)^(tries − hits), from no hits on.
  let term = tries * Math.log1p(-chance)
  let sum = 0
  for (let hits = 0; hits <= tries; hits++) {
    if (hits >= least) sum += Math.exp(term)
    term += Math.log((tries - hits) / (hits + 1)) + odds
  }
  return sum
}

/** Things that were looked at, and how many of them have what was looked for. */
interface Looked {
  readonly checked: number
  readonly affected: number
}

/** How likely so few or fewer of the affected ones are among `these`, were `these` and `others` alike (hypergeometric). */
export function chanceOfSoFew(these: Looked, others: Looked): number {
  const affected = these.affected + others.affected
  const least = Math.max(0, affected - others.checked)
  // log of C(these, hits) · C(others, affected − hits) / C(all, affected), from as few hits on as there can be.
  let term =
    logWays(these.checked, least) +
    logWays(others.checked, affected - least) -
    logWays(these.checked + others.checked, affected)
  let sum = 0
  for (let hits = least; hits <= these.affected; hits++) {
    sum += Math.exp(term)
    term += Math.log(
      ((these.checked - hits) * (affected - hits)) / ((hits + 1) * (others.checked - affected + hits + 1)),
    )
  }
  return sum
}

/** log of C(from, taken). */
function logWays(from: number, taken: number): number {
  const fewer = Math.min(taken, from - taken)
  let log = 0
  for (let i = 1; i <= fewer; i++) log += Math.log((from - fewer + i) / i)
  return log
}

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

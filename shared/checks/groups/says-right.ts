const RIGHT = /correct|accura|exact_?match|check_?answer|(^|_)(acc|em|exact|f1)(_|$)|solved|success/i

/** Whether a reward component says, by its name, how right the answer was; others may be metrics that no reward contains. */
export function saysRight(name: string): boolean {
  return RIGHT.test(name)
}

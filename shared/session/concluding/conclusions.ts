import { inSteps } from '../../model/steps.ts'
import { type Conclusion, conclude, concluding, type Gathered } from './conclude.ts'

/** While a dump is read, one conclusion stands for so long (milliseconds) … */
const STANDS = 1000
/** … and so long that concluding takes at most one part in this many of the time. */
const SHARE = 5

/** What conclusions are drawn from. A session is one. */
export interface ConclusionOrigin {
  /** Grows with whatever was read, or changes what is concluded. */
  readonly revision: number
  /** Everything has been read. */
  readonly isRead: boolean
  /** Grows where what was read got other numbers or was let go of, so that what was concluded before speaks of other rollouts. */
  readonly rearranged: number
  /** @param whileReading what is given must not grow afterwards */
  gathered(whileReading: boolean): Gathered
}

interface Standing {
  readonly at: number
  readonly rearranged: number
  readonly conclusion: Conclusion
  /** When the next one is due, as long as there is more to read. */
  readonly until: number
}

interface UnderWay {
  readonly at: number
  readonly conclusion: Promise<Conclusion>
  readonly signal: AbortSignal
  /** More was read to the end meanwhile. */
  giveUp(): void
}

/**
 * The conclusion of a session, kept as long as it holds. Of a million rollouts it takes seconds: a host that has to answer other
 * questions meanwhile has it drawn in steps, and is content with one that is a little behind what was read.
 */
export class Conclusions {
  /** Grows with each conclusion that is behind what was read. */
  behind = 0
  private standing: Standing | null = null
  private underWay: UnderWay | null = null
  /** A person did not wait: the last one is enough, however old. */
  private isStopped = false

  constructor(
    private readonly origin: ConclusionOrigin,
    private readonly areInSteps: boolean,
  ) {}

  /** That of everything which has been read by now. */
  exact(): Conclusion {
    const at = this.origin.revision
    if (this.standing?.at === at) return this.standing.conclusion
    const began = Date.now()
    return this.keep(at, this.origin.rearranged, began, conclude(this.origin.gathered(false)))
  }

  /** That of everything, or where they are drawn in steps the last one, however old. */
  recent(): Conclusion {
    return (this.areInSteps || this.isEnough() ? this.standing?.conclusion : null) ?? this.exact()
  }

  /** The last one is of everything that has been read by now. */
  get areOfAll(): boolean {
    return this.standing?.at === this.origin.revision
  }

  /**
   * Ends what is being drawn: until `goOn` the last conclusion stands, whatever was read since. Changes nothing where the last one speaks of
   * other rollouts than those that were read.
   */
  stop(): void {
    this.isStopped = true
    if (this.isEnough()) this.underWay?.giveUp()
  }

  /** What was stopped is drawn again as soon as somebody asks. Returns whether anything was. */
  goOn(): boolean {
    const wasStopped = this.isStopped
    this.isStopped = false
    return wasStopped
  }

  private isEnough(): boolean {
    return this.isStopped && this.standing?.rearranged === this.origin.rearranged
  }

  /**
   * Draws a new one where that is due, or waits for the one that is being drawn. It goes on where a call is taken back: others wait for
   * it as well.
   *
   * @param stop ends it; the promise then rejects with the reason
   * @param since the revision that it has to be of at least: what is being drawn may have been begun before
   */
  async settled(stop: AbortSignal, tell?: (share: number) => void, since = 0): Promise<Conclusion> {
    const recent = this.newEnough(since)
    if (recent !== null) return recent
    const { revision, isRead } = this.origin
    if (this.underWay !== null && isRead && this.underWay.at !== revision) this.underWay.giveUp()
    if (this.underWay === null) this.underWay = this.begin(revision, stop, tell)
    const { at, conclusion, signal } = this.underWay
    try {
      const drawn = await conclusion
      return at >= since ? drawn : this.settled(stop, tell, since)
    } catch (error) {
      if (stop.aborted || !signal.aborted) throw error
      return this.settled(stop, tell, since)
    }
  }

  private begin(at: number, stop: AbortSignal, tell?: (share: number) => void): UnderWay {
    const own = new AbortController()
    const signal = AbortSignal.any([own.signal, stop])
    const began = Date.now()
    const { rearranged } = this.origin
    const conclusion = inSteps(concluding(this.origin.gathered(true)), { signal, ...(tell ? { tell } : {}) })
      .then((drawn) => this.keep(at, rearranged, began, drawn))
      .finally(() => {
        if (this.underWay === underWay) this.underWay = null
      })
    const giveUp = () => {
      this.underWay = null
      own.abort()
    }
    const underWay = { at, conclusion, signal, giveUp }
    return underWay
  }

  private newEnough(since: number): Conclusion | null {
    const { standing, origin } = this
    if (standing === null) return null
    if (this.isEnough()) return standing.conclusion
    const isNew =
      standing.at === origin.revision ||
      (this.areInSteps && !origin.isRead && standing.at >= since && Date.now() < standing.until)
    return isNew ? standing.conclusion : null
  }

  private keep(at: number, rearranged: number, began: number, conclusion: Conclusion): Conclusion {
    const now = Date.now()
    // One that was drawn at once meanwhile is of more.
    if (this.standing !== null && this.standing.at > at) return this.standing.conclusion
    if (this.areInSteps) this.behind++
    this.standing = { at, rearranged, conclusion, until: now + Math.max(STANDS, SHARE * (now - began)) }
    return conclusion
  }
}

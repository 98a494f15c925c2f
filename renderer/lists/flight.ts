/** After a leap the next one may follow at once; rows are drawn when it has not for so long (milliseconds). */
const LANDED = 140

/** Tells when a bar is dragged along so fast that no row stays to be read. One leap is a leap; the second soon after it begins a flight. */
export class Flight {
  private is = false
  private leapt = Number.NEGATIVE_INFINITY
  private landing: ReturnType<typeof setTimeout> | undefined

  /**
   * @param tell hears that a flight began or is over
   * @param landed after the last leap, whether there was a flight or not
   */
  constructor(
    private readonly tell: (isFlying: boolean) => void,
    private readonly landed: () => void,
  ) {}

  get isUnderWay(): boolean {
    return this.is
  }

  /** The list shows other rows altogether. `now` in milliseconds. */
  leap(now: number): void {
    if (now - this.leapt < LANDED) this.set(true)
    this.leapt = now
    clearTimeout(this.landing)
    this.landing = setTimeout(() => {
      this.set(false)
      this.landed()
    }, LANDED)
  }

  /** Nothing is told any more but that no flight is under way. */
  end(): void {
    clearTimeout(this.landing)
    this.set(false)
  }

  private set(is: boolean): void {
    if (is === this.is) return
    this.is = is
    this.tell(is)
  }
}

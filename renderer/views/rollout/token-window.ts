import { observable } from '../../data/observable.ts'

/** First and last token on screen, for the strip's window. Outside React state: it changes with every scroll. */
export const tokenWindow = observable<readonly [number, number]>([0, 0])

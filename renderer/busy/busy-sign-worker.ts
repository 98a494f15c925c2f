import type { BusyMessage } from './busy-sign.ts'

/** Waits shorter than this need no sign, and one that moves is seen to move by so much at a time (milliseconds). */
const LATE = 200
const STEP = 80
/** Steps that the sign takes from one side to the other, and how much of the way it covers. */
const STEPS = 16
const LENGTH = 0.25

let canvas: OffscreenCanvas | null = null
let colour = ''
let isStill = false
let showing: ReturnType<typeof setTimeout> | undefined
let moving: ReturnType<typeof setInterval> | undefined

/** Draws the sign whatever the page's own thread does: what is drawn here comes on screen without it. */
addEventListener('message', ({ data }: MessageEvent<BusyMessage>) => {
  if (data.kind === 'sign') {
    canvas = data.canvas
    clear()
  } else if (data.kind === 'dress') {
    colour = data.colour
    isStill = data.isStill
  } else {
    rest()
    if (data.kind === 'busy') showing = setTimeout(show, LATE)
  }
})

function show(): void {
  let step = 0
  draw(step)
  if (!isStill) moving = setInterval(() => draw(++step), STEP)
}

function rest(): void {
  clearTimeout(showing)
  if (moving === undefined && !isStill) return
  clearInterval(moving)
  moving = undefined
  clear()
}

function draw(step: number): void {
  const context = clear()
  if (canvas === null || context === null) return
  const { width, height } = canvas
  context.fillStyle = colour
  if (isStill) context.fillRect(0, 0, width, height)
  else context.fillRect((((step % STEPS) / STEPS) * (1 + LENGTH) - LENGTH / 2) * width, 0, LENGTH * width, height)
}

function clear(): OffscreenCanvasRenderingContext2D | null {
  const context = canvas?.getContext('2d') ?? null
  if (canvas !== null) context?.clearRect(0, 0, canvas.width, canvas.height)
  return context
}

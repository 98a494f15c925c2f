import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Plain, Target } from './target.ts'

/** What one input may take. */
export interface Limits {
  /** Milliseconds until an answer is overdue. */
  readonly deadline: number
  /** The same for an input that was overdue and is asked about once more, alone: a busy machine is slow, and ends. */
  readonly patience: number
  /** Megabytes of JavaScript objects. */
  readonly heap: number
  /** Bytes of the whole process. */
  readonly memory: number
}

const LIMITS: Limits = { deadline: 5000, patience: 30_000, heap: 512, memory: 1 << 30 }

interface Answer {
  readonly failure: string | null
  /** The most memory that the process has had, in bytes. */
  readonly peak: number
}

/** An input after which the process had to be ended, or ended itself. */
export class Ended extends Error {}

const CHILD = fileURLToPath(new URL('child.mjs', import.meta.url))

/** Asks about inputs in a process that can be ended. One question at a time. */
export class Confined {
  private child: Promise<ChildProcess> | null = null

  constructor(
    private readonly limits: Limits = LIMITS,
    private readonly file = CHILD,
  ) {}

  /** Throws where the target does not hold, and `Ended` where it hangs, takes too much memory or ends the process. */
  async holds({ id }: Pick<Target, 'id'>, input: Plain): Promise<void> {
    const first = await this.ask(id, input, this.limits.deadline)
    if (first instanceof Ended) {
      // It may have been the machine, or what earlier inputs had left behind.
      const again = await this.ask(id, input, this.limits.patience)
      if (again instanceof Ended) throw again
      if (again !== null) throw new Error(again)
    } else if (first !== null) throw new Error(first)
  }

  async end(): Promise<void> {
    const child = await this.child
    this.child = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((done) => child.once('exit', done))
    child.kill('SIGKILL')
    await gone
  }

  /** Null where it holds, else why not. */
  private async ask(id: string, input: Plain, within: number): Promise<string | Ended | null> {
    this.child ??= start(this.file, this.limits.heap)
    const child = await this.child
    const answer = await new Promise<Answer | Ended>((done) => {
      const finish = (what: Answer | Ended) => {
        clearTimeout(timer)
        child.removeAllListeners()
        done(what)
      }
      const timer = setTimeout(() => finish(new Ended(`No answer within ${within / 1000} s.`)), within)
      child.once('message', (message) => finish(message as Answer))
      child.once('exit', (code, signal) => finish(new Ended(`The process ended with ${signal ?? `code ${code}`}.`)))
      child.once('error', (error) => finish(new Ended(`The process could not be asked: ${error.message}`)))
      child.send({ id, input })
    })
    const { memory } = this.limits
    const ended =
      answer instanceof Ended || answer.peak <= memory
        ? answer
        : new Ended(`It took ${megabytes(answer.peak)} of memory where ${megabytes(memory)} are allowed.`)
    if (!(ended instanceof Ended)) return ended.failure
    await this.end()
    return ended
  }
}

function start(file: string, heap: number): Promise<ChildProcess> {
  const child = fork(file, {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${heap}`],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  // A process that dies of its inputs says so at length.
  let said = ''
  child.stderr?.on('data', (text) => {
    said = (said + text).slice(-2000)
  })
  return new Promise((done, failed) => {
    child.once('exit', (code) => {
      failed(new Error(`The process that reads inputs ended with code ${code} at its start.\n${said}`))
    })
    child.once('message', () => {
      child.removeAllListeners()
      done(child)
    })
  })
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6).toLocaleString('en-US')} MB`
}

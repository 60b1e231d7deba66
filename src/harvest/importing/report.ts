/** What an import tells: a line on a terminal while it runs, and what came of every dataset at the end. */
import type { Repair } from '../../rdf/parse.ts'
import type { DatasetOutcome } from '../export/dataset-writer.ts'

/** A dataset that did not arrive: its original id, or its node when it has none. */
export type Loss = { readonly dataset: string; readonly reason: string }

export type Summary = {
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly failed: number
  /** The first thousand of the failed, in the order in which they failed. */
  readonly losses: readonly Loss[]
  /** Never sent, because the import ended early. */
  readonly unsent: number
  /** How many broken IRIs and language tags were put right, and the first ten of them. */
  readonly repaired: number
  readonly repairs: readonly Repair[]
  readonly catalogues: readonly { readonly id: string; readonly outcome: DatasetOutcome }[]
  readonly seconds: number
  /** Why the import ended early; `undefined` when it came to its end. */
  readonly ended: string | undefined
}

const mostLosses = 1000
const mostRepairs = 10

/** Counts while an import runs. */
export class Tally {
  readonly #counts: Record<DatasetOutcome, number> = { created: 0, updated: 0, unchanged: 0 }
  readonly #losses: Loss[] = []
  readonly #repairs: Repair[] = []
  readonly #catalogues: { id: string; outcome: DatasetOutcome }[] = []
  #failed = 0
  #repaired = 0

  count(outcome: DatasetOutcome): void {
    this.#counts[outcome] += 1
  }

  catalogue(id: string, outcome: DatasetOutcome): void {
    this.#catalogues.push({ id, outcome })
  }

  lose(loss: Loss): void {
    this.#failed += 1
    if (this.#losses.length < mostLosses) this.#losses.push(loss)
  }

  repair(repair: Repair): void {
    this.#repaired += 1
    if (this.#repairs.length < mostRepairs) this.#repairs.push(repair)
  }

  get done(): number {
    const { created, updated, unchanged } = this.#counts
    return created + updated + unchanged + this.#failed
  }

  /** `total`: datasets of the document; `ended`: why it stopped early. */
  close(end: { total: number; seconds: number; ended?: string }): Summary {
    return {
      ...this.#counts,
      failed: this.#failed,
      losses: this.#losses,
      unsent: end.ended === undefined ? 0 : Math.max(0, end.total - this.done),
      repaired: this.#repaired,
      repairs: this.#repairs,
      catalogues: this.#catalogues,
      seconds: end.seconds,
      ended: end.ended,
    }
  }
}

/** The summary as lines for a terminal. */
export function report(summary: Summary): string {
  const { created, updated, unchanged, failed, unsent, seconds } = summary
  const sent = created + updated + unchanged + failed
  const rate = seconds > 0 ? Math.round(sent / seconds) : sent
  const counts = `${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`
  const time = `${seconds.toFixed(1)} s, ${rate} datasets/s`
  return [
    ...summary.catalogues.map(({ id, outcome }) => `catalogue ${id}: ${words[outcome]}`),
    `${counts}${unsent > 0 ? `, ${unsent} not sent` : ''} (${time})`,
    ...repairLines(summary),
    ...lossLines(summary),
    ...(summary.ended === undefined ? [] : [`stopped: ${summary.ended}`]),
    '',
  ].join('\n')
}

const words: Readonly<Record<DatasetOutcome, string>> = {
  created: 'created',
  updated: 'updated',
  unchanged: 'left as it is',
}

function repairLines({ repaired, repairs }: Summary): string[] {
  if (repaired === 0) return []
  return [
    `${repaired} repaired while reading:`,
    ...repairs.map(repairLine),
    ...more(repaired - repairs.length),
  ]
}

function repairLine({ kind, from, to, line }: Repair): string {
  const now = to === undefined ? 'left out' : `→ ${to}`
  return `  ${line === undefined ? '' : `line ${line}: `}${kind} ${JSON.stringify(from)} ${now}`
}

const lossLines = ({ failed, losses }: Summary): string[] => [
  ...losses.map(({ dataset, reason }) => `failed: ${dataset}: ${reason}`),
  ...more(failed - losses.length),
]

const more = (rest: number) => (rest > 0 ? [`  and ${rest} more`] : [])

/** Bytes while reading, datasets while sending; `total` when it is known. */
export type Progress = {
  readonly phase: 'reading' | 'sending'
  readonly done: number
  readonly total: number | undefined
}

type Terminal = {
  readonly isTTY?: boolean
  readonly write: (text: string) => unknown
}

const everyMs = 200

/** Draws at most five times a second, and nothing at all where nobody watches. `clear` takes the line away. */
export function progressLine(terminal: Terminal, now: () => number) {
  let drawn = Number.NEGATIVE_INFINITY
  let phase = ''
  let since = 0
  return {
    show: (state: Progress): void => {
      if (terminal.isTTY !== true) return
      const at = now()
      if (state.phase !== phase) {
        phase = state.phase
        since = at
      } else if (at - drawn < everyMs) return
      drawn = at
      terminal.write(`\r${lineOf(state, (at - since) / 1000)}\u001b[K`)
    },
    clear: (): void => {
      if (terminal.isTTY === true && phase !== '') terminal.write('\r\u001b[K')
    },
  }
}

/** The line for a state that began so many seconds ago: bar, count, rate, and the time to go when it can be told. */
export function lineOf({ phase, done, total }: Progress, seconds: number): string {
  const rate = seconds > 0 ? done / seconds : 0
  const count = phase === 'reading' ? megabytes(done) : `${done}`
  const pace = phase === 'reading' ? `${megabytes(rate)}/s` : `${Math.round(rate)} datasets/s`
  if (total === undefined || total === 0) return `${phase} ${count} (${pace})`
  const share = Math.min(1, done / total)
  const bar = '█'.repeat(Math.round(share * 20)).padEnd(20, '░')
  const whole = phase === 'reading' ? megabytes(total) : `${total}`
  const left = rate > 0 ? `, ${duration((total - done) / rate)} to go` : ''
  return `${phase} ${bar} ${Math.floor(share * 100)} % ${count} of ${whole} (${pace}${left})`
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const minutes = Math.floor(whole / 60)
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`
}

/** The account of an import: what came of every dataset, and what had to be mended on the way. */
import type { Repair } from '../../rdf/parse.ts'
import type { Outcome } from './sending/repository.ts'

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
  readonly catalogues: readonly { readonly id: string; readonly outcome: Outcome }[]
  readonly seconds: number
  /** Why the import ended early; `undefined` when it came to its end. */
  readonly ended: string | undefined
}

const mostLosses = 1000
const mostRepairs = 10

/** Counts while an import runs. */
export class Tally {
  readonly #counts: Record<Outcome, number> = { created: 0, updated: 0, unchanged: 0 }
  readonly #losses: Loss[] = []
  readonly #repairs: Repair[] = []
  readonly #catalogues: { id: string; outcome: Outcome }[] = []
  #failed = 0
  #repaired = 0

  count(outcome: Outcome): void {
    this.#counts[outcome] += 1
  }

  catalogue(id: string, outcome: Outcome): void {
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

const words: Readonly<Record<Outcome, string>> = {
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

/** The report of a run: its shape, and what a run sums up for it while it goes on. */

import { defined } from '../defined.ts'
import type { Finding, Stage } from '../message.ts'
import { type Run, type RunItem, slugOf } from './run.ts'

/** How many, and the first three; `id` is the record's in its source. */
type Group = {
  readonly count: number
  readonly examples: readonly (Pick<
    RunItem,
    'platformId' | 'title' | 'line' | 'pointer' | 'sourceUrl'
  > &
    Pick<Finding, 'property' | 'value' | 'reason'> & {
      readonly id?: string
      readonly stage?: Stage
      readonly detail?: string
    })[]
}

/** Ids that changed their state since the run before: how many, and the first ten. */
export type IdDifference = { readonly count: number; readonly ids: readonly string[] }

type SlowPage = { readonly number: number; readonly millis: number; readonly bytes: number }

export type RunReport = {
  readonly run: Run
  readonly counts: Run['counts']
  /** By problem slug, most frequent first. */
  readonly problems: Readonly<Record<string, Group>>
  readonly findings: Readonly<Partial<Record<Finding['slug'], Group>>>
  /** Against the finished run of the pipe before this one; absent when there is none. */
  readonly difference?: Pick<Run['counts'], 'created' | 'updated' | 'removed'> & {
    readonly run: string
    readonly newlyFailing: IdDifference
    readonly newlyFixed: IdDifference
  }
  /** Slowest first, at most ten; time in ms from page to page. */
  readonly slowestPages: readonly SlowPage[]
  /** Host → status (or `error`) → number of requests. */
  readonly requests: Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** What a run sums up while it goes on: plain JSON, bounded whatever the source does. */
export type RunTally = Pick<RunReport, 'problems' | 'findings' | 'slowestPages' | 'requests'>

export const noTally: RunTally = { problems: {}, findings: {}, slowestPages: [], requests: {} }

const mostExamples = 3
const mostPages = 10
const mostHosts = 100
const mostStatuses = 50

/** Counts problems, findings, slow pages and requests, going on from a stored tally. */
export class TallyBuilder {
  readonly #problems: Map<string, Group>
  readonly #findings: Map<string, Group>
  /** By host. */
  readonly #requests: Map<string, Map<string, number>>
  #slowest: readonly SlowPage[]

  constructor({ problems, findings, requests, slowestPages }: RunTally) {
    const counts = Object.entries(requests)
    this.#problems = new Map(Object.entries(problems))
    this.#findings = new Map(Object.entries(findings))
    this.#requests = new Map(counts.map(([host, one]) => [host, new Map(Object.entries(one))]))
    this.#slowest = slowestPages
  }

  item(item: Omit<RunItem, 'time'>): void {
    const { problem, findings = [] } = item
    if (problem) add(this.#problems, slugOf(problem), item, defined({ detail: problem.detail }))
    for (const { slug, ...about } of findings) add(this.#findings, slug, item, about)
  }

  page(page: SlowPage): void {
    const pages = [...this.#slowest, page].toSorted((a, b) => b.millis - a.millis)
    this.#slowest = pages.slice(0, mostPages)
  }

  request(host: string, status: string): void {
    const requests = this.#requests
    const name = requests.has(host) || requests.size < mostHosts ? host : 'others'
    const counts = requests.get(name) ?? new Map<string, number>()
    requests.set(name, counts)
    const key = counts.has(status) || counts.size < mostStatuses ? status : 'other'
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }

  now(): RunTally {
    const requests = [...this.#requests].map(
      ([host, counts]) => [host, Object.fromEntries(counts)] as const,
    )
    return {
      problems: byCount(this.#problems),
      findings: byCount(this.#findings),
      slowestPages: this.#slowest,
      requests: Object.fromEntries(requests),
    }
  }
}

function add(
  groups: Map<string, Group>,
  slug: string,
  { originalId, sourceId, ...item }: Omit<RunItem, 'time'>,
  about: Partial<Omit<Finding, 'slug'>>,
): void {
  const { count, examples } = groups.get(slug) ?? { count: 0, examples: [] }
  const id = originalId ?? sourceId
  const { platformId, title, stage, sourceUrl, line, pointer } = item
  const example = defined({ id, platformId, title, stage, sourceUrl, line, pointer, ...about })
  groups.set(slug, { count: count + 1, examples: [...examples, example].slice(0, mostExamples) })
}

const byCount = (groups: ReadonlyMap<string, Group>): Record<string, Group> =>
  Object.fromEntries([...groups].toSorted(([, a], [, b]) => b.count - a.count))

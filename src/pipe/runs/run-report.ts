/** What a run sums up for its report while it goes on. */

import { defined } from '../defined.ts'
import type { Finding } from '../message.ts'
import { type ReportGroup, type RunItem, type RunTally, type SlowPage, slugOf } from './run.ts'

export const noTally: RunTally = { problems: {}, findings: {}, slowestPages: [], requests: {} }

const mostExamples = 3
const mostPages = 10
const mostHosts = 100
const mostStatuses = 50

/** Counts problems, findings, slow pages and requests, going on from a stored tally. */
export class TallyBuilder {
  readonly #problems: Map<string, ReportGroup>
  readonly #findings: Map<string, ReportGroup>
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
  groups: Map<string, ReportGroup>,
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

const byCount = (groups: ReadonlyMap<string, ReportGroup>): Record<string, ReportGroup> =>
  Object.fromEntries([...groups].toSorted(([, a], [, b]) => b.count - a.count))

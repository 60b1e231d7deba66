/** What a run sums up while it goes on, bounded whatever the source does. */

import type { Example, Group, SlowPage, Tally } from '../report.ts'
import type { RunItem } from '../run.ts'
import { slugOf } from '../problem.ts'

export const noTally: Tally = { problems: {}, findings: {}, slowestPages: [], requests: {} }

export type Tallying = {
  item(item: Omit<RunItem, 'time'>): void
  page(page: SlowPage): void
  request(host: string, status: string): void
  now(): Tally
}

const mostExamples = 3
const mostPages = 10
const mostHosts = 100
const mostStatuses = 50
const otherHosts = 'others'

/** Goes on from what was kept. */
export function tallying(kept: Tally): Tallying {
  const problems = new Map(Object.entries(kept.problems))
  const findings = new Map(Object.entries(kept.findings))
  const requests = new Map(
    Object.entries(kept.requests).map(([host, counts]) => [host, new Map(Object.entries(counts))]),
  )
  let slowest: readonly SlowPage[] = kept.slowestPages
  return {
    item(item) {
      const { problem } = item
      if (problem) add(problems, slugOf(problem), example(item, problem.detail))
      for (const { slug, detail } of item.findings ?? []) add(findings, slug, example(item, detail))
    },
    page(page) {
      const last = slowest.at(-1)
      if (slowest.length === mostPages && last && last.millis >= page.millis) return
      slowest = [...slowest, page].toSorted((a, b) => b.millis - a.millis).slice(0, mostPages)
    },
    request(host, status) {
      const name = requests.has(host) || requests.size < mostHosts ? host : otherHosts
      const counts = requests.get(name) ?? new Map<string, number>()
      requests.set(name, counts)
      const told = counts.has(status) || counts.size < mostStatuses ? status : 'other'
      counts.set(told, (counts.get(told) ?? 0) + 1)
    },
    now: () => ({
      problems: byCount(problems),
      findings: byCount(findings),
      slowestPages: slowest,
      requests: Object.fromEntries(
        [...requests].map(([host, counts]) => [host, Object.fromEntries(counts)]),
      ),
    }),
  }
}

function add(groups: Map<string, Group>, slug: string, one: Example): void {
  const { count, examples } = groups.get(slug) ?? { count: 0, examples: [] }
  groups.set(slug, {
    count: count + 1,
    examples: examples.length < mostExamples ? [...examples, one] : examples,
  })
}

const byCount = (groups: ReadonlyMap<string, Group>): Record<string, Group> =>
  Object.fromEntries([...groups].toSorted(([, a], [, b]) => b.count - a.count))

const example = (item: Omit<RunItem, 'time'>, detail: string | undefined): Example => {
  const id = item.originalId ?? item.sourceId
  return {
    ...(id !== undefined && { id }),
    stage: item.stage,
    ...(item.sourceUrl !== undefined && { sourceUrl: item.sourceUrl }),
    ...(detail !== undefined && { detail }),
  }
}

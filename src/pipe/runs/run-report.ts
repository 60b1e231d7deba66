/** Tally of a run for its report: bounded plain JSON, updated while the run is active. */

import type { Finding } from '../message.ts'
import { type ReportGroup, type ItemReport, type RunTally, type SlowPage, slugOf } from './run.ts'

export const noTally: RunTally = { problems: {}, findings: {}, slowestPages: [], requests: {} }

const mostExamples = 3
const mostPages = 10
const mostHosts = 100
const mostStatuses = 50

/** Adds the problem and the findings of an item; sorts kinds by frequency. */
export function withItem(tally: RunTally, item: ItemReport): RunTally {
  const { problem, findings = [] } = item
  const problems = problem
    ? withExample(tally.problems, slugOf(problem), item, { detail: problem.detail })
    : tally.problems
  const grouped = findings.reduce<RunTally['findings']>(
    (groups, { slug, ...about }) => withExample(groups, slug, item, about),
    tally.findings,
  )
  return { ...tally, problems, findings: grouped }
}

export function withPage(tally: RunTally, page: SlowPage): RunTally {
  const pages = [...tally.slowestPages, page].toSorted((a, b) => b.millis - a.millis)
  return { ...tally, slowestPages: pages.slice(0, mostPages) }
}

/** Counts a request; hosts and statuses beyond the limit are counted together. */
export function withRequest(
  { requests, ...tally }: RunTally,
  host: string,
  status: string,
): RunTally {
  const name = among(requests, host, mostHosts, 'others')
  const counts = (Object.hasOwn(requests, name) && requests[name]) || {}
  const key = among(counts, status, mostStatuses, 'other')
  return {
    ...tally,
    requests: { ...requests, [name]: { ...counts, [key]: (counts[key] ?? 0) + 1 } },
  }
}

const among = (counts: object, name: string, most: number, rest: string): string =>
  Object.hasOwn(counts, name) || Object.keys(counts).length < most ? name : rest

function withExample(
  groups: RunTally['problems'] | RunTally['findings'],
  slug: string,
  { originalId, sourceId, ...item }: ItemReport,
  about: Partial<Omit<Finding, 'slug'>>,
): Record<string, ReportGroup> {
  const all = new Map(Object.entries(groups))
  const { count, examples } = all.get(slug) ?? { count: 0, examples: [] }
  const { platformId, title, stage, sourceUrl, line, pointer } = item
  const named = { id: originalId ?? sourceId, platformId, title, stage, sourceUrl, line, pointer }
  const some = count < mostExamples ? [...examples, { ...named, ...about }] : examples
  all.set(slug, { count: count + 1, examples: some })
  return Object.fromEntries([...all].toSorted(([, a], [, b]) => b.count - a.count))
}

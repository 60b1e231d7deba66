/** Sums for the report of a run (problems, findings, slow pages, requests), updated with each report of a segment. */

import type { Finding } from '../message.ts'
import { type ReportGroup, type ItemReport, type RunTally, type SlowPage, slugOf } from './run.ts'

export const noTally: RunTally = { problems: {}, findings: {}, slowestPages: [], requests: {} }

/** Bounds of a tally: examples per kind, slow pages, hosts, and statuses per host. */
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
  const name = boundedKey(requests, host, mostHosts, 'others')
  const counts = (Object.hasOwn(requests, name) && requests[name]) || {}
  const key = boundedKey(counts, status, mostStatuses, 'other')
  return {
    ...tally,
    requests: { ...requests, [name]: { ...counts, [key]: (counts[key] ?? 0) + 1 } },
  }
}

/** `name`, or `overflowKey` if it would be a new key beyond `mostKeys`. */
const boundedKey = (counts: object, name: string, mostKeys: number, overflowKey: string): string =>
  Object.hasOwn(counts, name) || Object.keys(counts).length < mostKeys ? name : overflowKey

function withExample(
  groups: RunTally['problems'] | RunTally['findings'],
  slug: string,
  { originalId, sourceId, ...item }: ItemReport,
  about: Partial<Omit<Finding, 'slug'>>,
): Record<string, ReportGroup> {
  const groupsBySlug = new Map(Object.entries(groups))
  const { count, examples } = groupsBySlug.get(slug) ?? { count: 0, examples: [] }
  const { platformId, title, stage, sourceUrl, line, pointer } = item
  const subject = { id: originalId ?? sourceId, platformId, title, stage, sourceUrl, line, pointer }
  const extended = count < mostExamples ? [...examples, { ...subject, ...about }] : examples
  groupsBySlug.set(slug, { count: count + 1, examples: extended })
  return Object.fromEntries([...groupsBySlug].toSorted(([, a], [, b]) => b.count - a.count))
}

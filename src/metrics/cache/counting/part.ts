/** What is counted of a catalogue, or of one publisher in it: the tally, the rules broken and the hosts that did not answer. */

import type { ScoreBand, Severity, Texts } from '../figures.ts'
import type { FoundDataset, FoundUrl, FoundViolation } from './dataset.ts'
import { counter, type Tally } from './tally.ts'

type RuleCount = {
  readonly path: string
  readonly component: string
  readonly severity: Severity
  readonly count: number
  readonly datasets: number
  /** Of the first result. */
  readonly messages: Texts
}

/** A dataset counts under the first status that it has on a host, so that the datasets of all statuses add up. */
type HostCount = {
  readonly host: string
  readonly status: number
  readonly urls: number
  readonly datasets: number
}

export type Part = {
  add(dataset: FoundDataset): void
  tally(): Tally
  rules(): Iterable<RuleCount>
  hosts(): Iterable<HostCount>
}

export function newPart(bands: readonly ScoreBand[]): Part {
  const counts = counter()
  const [rules, hosts] = [ruleCounter(), hostCounter()]
  const bandOf = (score: number | null) =>
    score === null ? undefined : bands.find(({ from, to }) => score >= from && score <= to)?.id
  return {
    add: ({ measured }) => {
      counts.known(1)
      if (!measured) return
      counts.add({ ...measured, band: bandOf(measured.score) })
      rules.add(measured.violations)
      hosts.add(measured.urls)
    },
    tally: () => counts.tally(),
    rules: rules.all,
    hosts: hosts.all,
  }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

function ruleCounter() {
  const known = new Map<string, Mutable<RuleCount>>()
  return {
    all: () => known.values(),
    add: (violations: readonly FoundViolation[]) => {
      const broken = new Set<string>()
      for (const { path, component, severity, messages } of violations) {
        const key = `${path} ${component} ${severity}`
        let rule = known.get(key)
        if (!rule)
          known.set(key, (rule = { path, component, severity, count: 0, datasets: 0, messages }))
        rule.count += 1
        if (!broken.has(key)) rule.datasets += 1
        broken.add(key)
      }
    },
  }
}

function hostCounter() {
  const known = new Map<string, Mutable<HostCount>>()
  return {
    all: () => known.values(),
    add: (urls: readonly FoundUrl[]) => {
      const met = new Set<string>()
      for (const { url, status } of urls) {
        const host = hostOf(url)
        const key = `${status} ${host}`
        let count = known.get(key)
        if (!count) known.set(key, (count = { host, status, urls: 0, datasets: 0 }))
        count.urls += 1
        if (!met.has(host)) count.datasets += 1
        met.add(host)
      }
    },
  }
}

/** With its port; `''` where the URL has none, or is none. */
const hostOf = (url: string): string => URL.parse(url)?.host ?? ''

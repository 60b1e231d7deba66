/** Instants and periods. */

import type { Term } from '@rdfjs/types'
import { dcat, schema, time } from '../../rdf/namespaces.ts'
import {
  type Mapping,
  objectOf,
  type Ranked,
  type Scene,
  settle,
  type Site,
  valueTexts,
} from './mapping.ts'
import { isJsonObject, type JsonObject } from '../../text/json.ts'
import { instantOf, instantText } from '../../vocabularies/dates.ts'

/** DateTime: `2024-11-05T08:30:00Z`; several values on a single field: the latest. */
export const dateTime: Mapping = (nodes, site, scene) => {
  const found = new Set<number>()
  for (const node of nodes) {
    const instant = node.termType === 'Literal' ? instantOf(node.value) : undefined
    if (instant !== undefined) found.add(instant)
    else scene.report(site.path, 'bad-date', node)
  }
  if (found.size === 0) return undefined
  const sorted = [...found].sort((a, b) => a - b).map(instantText)
  if (!site.single) return sorted
  if (sorted.length > 1) scene.report(site.path, 'too-many-values', sorted[0] ?? '')
  return sorted.at(-1)
}

type Side = 'start' | 'end'
type Period = { readonly start?: string; readonly end?: string }

const direct = {
  start: [dcat('startDate').value, schema('startDate').value, 'https://schema.org/startDate'],
  end: [dcat('endDate').value, schema('endDate').value, 'https://schema.org/endDate'],
} as const

const through = { start: time('hasBeginning').value, end: time('hasEnd').value } as const

const stamps = ['inXSDDate', 'inXSDDateTimeStamp', 'inXSDDateTime', 'inXSDgYearMonth', 'inXSDgYear']
const stampIris = stamps.map((name) => time(name).value)

/** The first value in order, so that a period does not depend on the order of triples. */
function firstValue(subject: Term, predicates: readonly string[], scene: Scene) {
  for (const predicate of predicates) {
    const [found] = valueTexts(scene, subject, predicate)
    if (found !== undefined) return found
  }
  return undefined
}

function sideOf(node: Term, side: Side, scene: Scene): string | undefined {
  const found = firstValue(node, direct[side], scene)
  if (found !== undefined) return found
  for (const instant of scene.graph.objects(node, through[side])) {
    if (instant.termType === 'Literal') return instant.value.trim()
    const stamp = firstValue(instant, stampIris, scene)
    if (stamp !== undefined) return stamp
  }
  return undefined
}

/** A period in a literal: `start/end` (ISO 8601) or `start=…; end=…;` (DCMI Period). */
function spelled(text: string): Period {
  const dcmi = /(?:^|;)\s*(start|end)\s*=\s*([^;]+)/g
  const parts = Object.fromEntries(
    [...text.matchAll(dcmi)].map(([, side, at]) => [side, at?.trim()]),
  )
  if (parts['start'] ?? parts['end']) return { ...parts }
  const [start, end] = text.split(/\/(?=\D|\d{4}|$)/).map((side) => side.trim())
  return objectOf({ start: open(start), end: open(end) }) ?? {}
}

const open = (side: string | undefined) => (side === '..' ? undefined : side || undefined)

function periodOf(node: Term, scene: Scene): Period {
  if (node.termType === 'Literal') return spelled(node.value.trim())
  const start = sideOf(node, 'start', scene)
  const end = sideOf(node, 'end', scene)
  return objectOf({ start, end }) ?? {}
}

function read(text: string | undefined, site: Site, scene: Scene): number | undefined {
  if (text === undefined) return undefined
  const instant = instantOf(text)
  if (instant === undefined) scene.report(site.path, 'bad-date', text)
  return instant
}

const exact = new WeakSet<JsonObject>()

/** Whether the end of a period is a time of day; a mere date counts to the end of its day, and looks like midnight. */
export const endsExactly = (period: JsonObject): boolean => exact.has(period)

const hasTime = (text: string) => /\d[T ]\d{2}:/.test(text)

function rangeOf(node: Term, site: Site, scene: Scene): Ranked | undefined {
  const { start, end } = periodOf(node, scene)
  if (start === undefined && end === undefined) scene.report(site.path, 'bad-date', node)
  const from = read(start, site, scene)
  const to = read(end, site, scene)
  if (from !== undefined && to !== undefined && from > to) {
    scene.report(site.path, 'bad-range', `${start}/${end}`)
    return undefined
  }
  const gte = from === undefined ? undefined : instantText(from)
  const lte = to === undefined ? undefined : instantText(to)
  const json = objectOf({ gte, lte })
  if (json && end !== undefined && hasTime(end)) exact.add(json)
  return json && { key: `${gte ?? ''}/${lte ?? ''}`, json }
}

/** DateRange: `{gte, lte}`, an open side is absent. Of two that are alike the longer one counts. */
export const dateRange: Mapping = (nodes, site, scene) => {
  const found = new Map<string, Ranked>()
  for (const node of nodes) {
    const range = rangeOf(node, site, scene)
    const known = range && found.get(range.key)
    if (range && (!known || (isJsonObject(known.json) && exact.has(known.json))))
      found.set(range.key, range)
  }
  return settle([...found.values()], site, scene)
}

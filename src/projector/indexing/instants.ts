/** Instants and periods of a document as epoch milliseconds. */

import { isObject, listOf, type Json, type JsonObject } from '../mappings/json.ts'
import { endsExactly } from '../mappings/value/dates.ts'

export type Span = readonly [number, number]

/** The ends of time in ECMAScript; they stand for an open side. */
const always: Span = [-8.64e15, 8.64e15]
const most = 4
const day = 86_400_000

function instants(json: Json): readonly Span[] {
  return listOf(json).flatMap((text) => {
    const at = typeof text === 'string' ? Date.parse(text) : Number.NaN
    return Number.isNaN(at) ? [] : [[at, at] as const]
  })
}

/** An end that is a mere date counts to the end of its day. */
function endOf(period: JsonObject): number {
  const text = period['lte']
  if (typeof text !== 'string') return always[1]
  const at = Date.parse(text)
  return text.endsWith('T00:00:00Z') && !endsExactly(period) ? at + day - 1 : at
}

function periods(json: Json): readonly Span[] {
  return listOf(json).flatMap((period): readonly Span[] => {
    if (!isObject(period)) return []
    const { gte } = period
    const from = typeof gte === 'string' ? Date.parse(gte) : always[0]
    return [[from, endOf(period)]]
  })
}

function joined(spans: readonly Span[]): Span {
  const from = Math.min(...spans.map(([start]) => start))
  return [from, Math.max(...spans.map(([, end]) => end))]
}

/** The spans that values stand for. */
export const spansIn = (json: Json, column: 'instant' | 'period'): readonly Span[] =>
  column === 'instant' ? instants(json) : periods(json)

/** At most four spans; what is more is joined into the fourth. */
export const atMostFour = (spans: readonly Span[]): readonly Span[] =>
  spans.length <= most ? spans : [...spans.slice(0, most - 1), joined(spans.slice(most - 1))]

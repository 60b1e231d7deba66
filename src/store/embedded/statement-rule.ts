/** Rule for the statements that the writer's index leaves out, because no query of the platform matches them. */

import { isId } from '../../rdf/ids.ts'
import { dcat, dct, spdx } from '../../rdf/namespaces.ts'
import type { Effect } from './effects.ts'

/** Starts of the names of graphs and records; what a worker can be sent. The file and public copies have all statements. */
export type StatementRule = {
  /** Start of the names of graphs of which the index has nothing. */
  readonly metrics: string
  /** Start of the names of graphs of which the index has the literals alone that queries in `sparql/` match. */
  readonly datasets: string
  /** Start of the IRIs of the records in these graphs. */
  readonly records: string
}

/** Properties whose literals queries match in graphs of datasets, whatever the subject is. */
const matchedAnywhere = new Set(
  [dct('identifier'), dct('source'), spdx('checksumValue'), dcat('startDate')].map(
    ({ value }) => value,
  ),
)
/** Properties whose literals they match at the dataset and its record. */
const matchedAtRecords = new Set(
  [dct('title'), dct('issued'), dct('modified')].map(({ value }) => value),
)

/** Whether the index has anything of a graph. */
const hasGraph = (rule: StatementRule, graph: string): boolean => !graph.startsWith(rule.metrics)

const hasAllOf = ({ datasets }: StatementRule, graph: string): boolean =>
  !graph.startsWith(datasets) || !isId(graph.slice(datasets.length))

/** Lines of a text of whole lines that the index has. */
function matchedLines({ records }: StatementRule, graph: string, text: string): string {
  let kept = ''
  // Neighbours are copied together.
  let start = 0
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = text.indexOf('\n', at) + 1 || text.length
    const property = text.indexOf('> <', at) + 3
    const object = text.indexOf('> ', property) + 2
    if (text[object] !== '"') continue
    const name = text.slice(property, object - 2)
    if (matchedAnywhere.has(name)) continue
    const isOwn = text.startsWith(`<${graph}> `, at) || text.startsWith(records, at + 1)
    if (isOwn && matchedAtRecords.has(name)) continue
    kept += text.slice(start, at)
    start = end
  }
  return start === 0 ? text : kept + text.slice(start)
}

/** Text of a graph for the index; without a rule, all of it. */
export function indexedText(rule: StatementRule | undefined, graph: string, text: string): string {
  if (!rule) return text
  if (!hasGraph(rule, graph)) return ''
  return hasAllOf(rule, graph) ? text : matchedLines(rule, graph, text)
}

/** Effects for the index; those that would change nothing are left out. */
export function indexedEffects(
  rule: StatementRule | undefined,
  effects: readonly Effect[],
): readonly Effect[] {
  if (!rule) return effects
  return effects.flatMap((effect): Effect[] => {
    const { graph } = effect
    if (!hasGraph(rule, graph)) return []
    if (effect.kind === 'drop' || hasAllOf(rule, graph)) return [effect]
    if (effect.kind === 'load') {
      const text = matchedLines(rule, graph, effect.text)
      return text === '' ? [] : [{ ...effect, text }]
    }
    const removed = matchedLines(rule, graph, effect.removed)
    const added = matchedLines(rule, graph, effect.added)
    return removed === '' && added === '' ? [] : [{ ...effect, removed, added }]
  })
}

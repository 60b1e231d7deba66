/** Rule for the statements that the writer's index leaves out, because no query of the platform matches them. */

import { isId } from '../../rdf/ids.ts'
import { addressProperties, dcat, dct, rdf, spdx } from '../../rdf/namespaces.ts'
import { linesIn } from '../graph-lines.ts'
import type { Effect } from './effects.ts'

/** Starts of names of graphs and nodes; what a worker can be sent. The file and public copies have all statements. */
export type StatementRule = {
  /** Start of the names of graphs of which the index has nothing. */
  readonly metrics: string
  /** Start of the names of graphs of which the index has the statements alone that queries in `sparql/` match. */
  readonly datasets: string
  /** Start of the IRIs of the records in these graphs. */
  readonly records: string
  /** Start of the IRIs of their distributions. */
  readonly distributions: string
  /** Start of the IRIs of nodes without a name. */
  readonly genids: string
  /** Start of all IRIs of the platform. */
  readonly base: string
}

const irisOf = (terms: readonly { readonly value: string }[]): ReadonlySet<string> =>
  new Set(terms.map(({ value }) => value))

const [type, identifier] = [rdf('type').value, dct('identifier').value]
/** Properties whose literals queries match in graphs of datasets, whatever the subject is. */
const matchedAnywhere = irisOf([dct('source'), spdx('checksumValue'), dcat('startDate')])
/** Properties whose literals they match at the dataset and its record. */
const matchedAtRecords = irisOf([dct('title'), dct('issued'), dct('modified')])
/** Properties whose objects they match only where these are IRIs of the platform. */
const addresses = irisOf(addressProperties)
const distributionClass = `<${dcat('Distribution').value}>`

/** Whether the index has anything of a graph. */
const hasGraph = (rule: StatementRule, graph: string): boolean => !graph.startsWith(rule.metrics)

const hasAllOf = ({ datasets }: StatementRule, graph: string): boolean =>
  !graph.startsWith(datasets) || !isId(graph.slice(datasets.length))

/** Test of a line that begins at `at`, whose property is `property` and whose object begins at `object`. */
type LineTest = (text: string, at: number, property: string, object: number) => boolean

function lineTest(
  { base, distributions, genids, records }: StatementRule,
  graph: string,
): LineTest {
  const own = `<${graph}> `
  return (text, at, property, object) => {
    const isOwn = text.startsWith(own, at)
    const isRecord = () => text.startsWith(records, at + 1)
    if (text[object] === '"') {
      if (property === identifier)
        return isRecord() || (!isOwn && !text.startsWith(distributions, at + 1))
      if (matchedAtRecords.has(property)) return isOwn || isRecord()
      return matchedAnywhere.has(property)
    }
    if (property === type) return isOwn || text.startsWith(distributionClass, object)
    if (addresses.has(property)) return text.startsWith(base, object + 1)
    if (text.startsWith(genids, object + 1)) return isOwn || isRecord()
    return !text.startsWith('mailto:', object + 1) && !text.startsWith('tel:', object + 1)
  }
}

/** Lines that the index has, and the number of the others. */
type IndexedPart = { readonly text: string; readonly others: number }

/** Part of a text of whole lines that the index has. */
function matchedLines(rule: StatementRule, graph: string, text: string): IndexedPart {
  const isMatched = lineTest(rule, graph)
  let [kept, others] = ['', 0]
  // Neighbours are copied together.
  let start = 0
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = text.indexOf('\n', at) + 1 || text.length
    const property = text.indexOf('> <', at) + 3
    const object = text.indexOf('> ', property) + 2
    if (isMatched(text, at, text.slice(property, object - 2), object)) continue
    if (at > start) kept += text.slice(start, at)
    start = end
    others += 1
  }
  return { text: start === 0 ? text : kept + text.slice(start), others }
}

/** Part of a graph for the index; without a rule, all of it. Texts and names may be bytes of UTF-8, one in each unit, if all are. */
export function indexedPart(
  rule: StatementRule | undefined,
  graph: string,
  text: string,
): IndexedPart {
  if (!rule) return { text, others: 0 }
  if (!hasGraph(rule, graph)) return { text: '', others: linesIn(text) }
  return hasAllOf(rule, graph) ? { text, others: 0 } : matchedLines(rule, graph, text)
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
    const matched = (text: string) => matchedLines(rule, graph, text).text
    if (effect.kind === 'load') {
      const text = matched(effect.text)
      return text === '' ? [] : [{ ...effect, text }]
    }
    const [removed, added] = [matched(effect.removed), matched(effect.added)]
    return removed === '' && added === '' ? [] : [{ ...effect, removed, added }]
  })
}

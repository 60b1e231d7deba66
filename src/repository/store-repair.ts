/**
 * Finds datasets whose stored graph differs from the body that was sent, and removes old statements that stayed beside their
 * replacement. A console command for operators; earlier versions left such statements in Virtuoso.
 */

import type { Quad } from '@rdfjs/types'
import { canonicalise } from '../rdf/canonical.ts'
import { fromLines, toLine, toLines } from '../rdf/lines.ts'
import { xsd } from '../rdf/namespaces.ts'
import { storedRecord } from './content/catalogue-record.ts'
import type { RepositoryContext } from './repository-context.ts'
import { allDatasetIds } from './resources/resource-lists.ts'
import { sentForms, withoutRecord } from './sent-forms.ts'
import { changeDataset, type DatasetPlace } from './writing/write-datasets.ts'
import { datasetPlaces } from './writing/find-datasets.ts'
import { localName } from '../rdf/iri.ts'

/** Number of datasets that are looked up together. */
const batchSize = 100

/** Limits for one dataset: hashes that are tried, statements in all tries together, suspects of which combinations are tried. */
const maxTrials = 4000
const maxWork = 400_000
const maxSuspects = 12

/**
 * Yields a sentence for every surplus statement and every dataset that has to be sent again, then a summary; nothing when all
 * graphs are right. With `dryRun` nothing is written.
 */
export async function* repairStore(
  context: RepositoryContext,
  { dryRun }: { readonly dryRun: boolean },
  signal: AbortSignal,
): AsyncGenerator<string> {
  const counts = { sent: 0, cured: 0, again: 0, unknown: 0 }
  const ids = await allDatasetIds(context)
  for (let at = 0; at < ids.length; at += batchSize) {
    const places = await datasetPlaces(context, ids.slice(at, at + batchSize), signal)
    for (const place of places.values()) {
      signal.throwIfAborted()
      const check = await checkDataset(context, place, dryRun, signal)
      counts[check.state] += 1
      yield* sentences(place, check, dryRun)
    }
  }
  const { cured, again, unknown } = counts
  if (cured + again + unknown === 0) return
  yield `${cured} of ${ids.length} datasets ${dryRun ? 'can be cured' : 'cured'}, ${again} to be sent again, ${unknown} cannot be compared with what was sent`
}

function* sentences({ id, originalId }: DatasetPlace, check: GraphCheck, dryRun: boolean) {
  const { state, removed } = check
  for (const { predicate, object } of state === 'cured' ? removed : []) {
    const what = `${localName(predicate.value)} ${JSON.stringify(object.value.slice(0, 100))}`
    yield `${id}: ${what} ${dryRun ? 'would be' : 'is'} removed, it was replaced earlier`
  }
  if (state === 'again')
    yield `${id} ("${originalId}") differs from what was sent and may hold removed values: send it again with enforceUpdate=true`
}

/** Result of comparing a stored graph with the hash of its body. */
type GraphCheck = {
  /**
   * `sent` = equal; `cured` = equal without `removed`; `again` = not equal, and some values may be surplus; `unknown` = not equal
   * and nothing looks wrong, or no hash is stored.
   */
  readonly state: 'sent' | 'cured' | 'again' | 'unknown'
  /** Statements that were not sent; empty unless `cured`. */
  readonly removed: readonly Quad[]
}

/** Checks one dataset, and removes surplus statements unless it is a dry run. */
async function checkDataset(
  context: RepositoryContext,
  place: DatasetPlace,
  dryRun: boolean,
  signal: AbortSignal,
): Promise<GraphCheck> {
  const graph = context.names.dataset(place.id)
  const read = async () => (await context.store.read(graph, {}, signal)) ?? ''
  const check = await checkGraph(context, place, await read())
  if (dryRun || check.state !== 'cured') return check
  const plan = async () => {
    const before = await read()
    const result = await checkGraph(context, place, before)
    if (result.state !== 'cured') return { result }
    const removedLines = new Set(result.removed.map(toLine))
    const content = toLines(fromLines(before).filter((q) => !removedLines.has(toLine(q))))
    return { result, changes: [{ graph, content, before }] }
  }
  return (await changeDataset(context, place, plan, signal)).result
}

/** Compares a stored graph, with and without statements that may be surplus, with the hash of the body. */
async function checkGraph(
  { names, canonical, turn }: RepositoryContext,
  place: DatasetPlace,
  stored: string,
): Promise<GraphCheck> {
  const record = names.record(place.id)
  const { hash } = storedRecord(stored, record)
  if (hash === undefined) return { state: 'unknown', removed: [] }
  const content = withoutRecord(fromLines(stored), record)
  const forms = sentForms(content, names, place)
  const groups = suspectGroups(content)
  let remainingTrials = Math.min(maxTrials, Math.ceil(maxWork / content.length))
  for (const removed of removalCandidates(groups)) {
    const remaining = removed.length === 0 ? content : content.filter((q) => !removed.includes(q))
    for (const form of forms) {
      if ((await canonicalise(form(remaining), canonical)).hash === hash)
        return { state: removed.length === 0 ? 'sent' : 'cured', removed }
      await turn()
    }
    remainingTrials -= forms.length
    if (remainingTrials <= 0) break
  }
  const isSuspect = groups.some(({ length }) => length > 1)
  return { state: isSuspect ? 'again' : 'unknown', removed: [] }
}

/**
 * Matches texts with a language and non-ASCII characters, and texts with `xsd:anyURI` or a datatype outside of XML Schema:
 * earlier versions did not remove them from Virtuoso.
 */
const mayBeStale = ({ object }: Quad): boolean => {
  if (object.termType !== 'Literal') return false
  if (object.language !== '') return /\P{ASCII}/u.test(object.value)
  const { value } = object.datatype
  return value === xsd('anyURI').value || !value.startsWith(xsd('').value)
}

/** Returns values that may be surplus, grouped by what could have replaced them; groups of several first. */
function suspectGroups(content: readonly Quad[]): Quad[][] {
  const groups = Map.groupBy(content.filter(mayBeStale), ({ subject, predicate, object }) => {
    const kind = object.termType === 'Literal' ? `${object.language} ${object.datatype.value}` : ''
    return `${subject.value} ${predicate.value} ${kind}`
  })
  return [...groups.values()].sort((a, b) => Number(b.length > 1) - Number(a.length > 1))
}

/** Yields sets of statements to try without: none, then all but one of some groups, then all combinations of a few suspects. */
function* removalCandidates(groups: readonly (readonly Quad[])[]): Generator<readonly Quad[]> {
  yield []
  yield* allButOne(groups.filter(({ length }) => length > 1))
  const suspects = groups.flat().slice(0, maxSuspects)
  for (let size = 1; size <= suspects.length; size += 1) yield* combinations(suspects, size)
}

function* allButOne(groups: readonly (readonly Quad[])[]): Generator<readonly Quad[]> {
  const [first, ...others] = groups
  if (!first) return
  const choices = [...first.map((remaining) => first.filter((q) => q !== remaining)), []]
  for (const choice of choices) {
    if (choice.length > 0) yield choice
    for (const further of allButOne(others)) yield [...choice, ...further]
  }
}

function* combinations(quads: readonly Quad[], size: number): Generator<readonly Quad[]> {
  if (size === 0) yield []
  for (const [index, first] of size === 0 ? [] : quads.entries())
    for (const others of combinations(quads.slice(index + 1), size - 1)) yield [first, ...others]
}

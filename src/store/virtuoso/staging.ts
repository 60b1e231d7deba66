/**
 * Staged writes on Virtuoso, of any size: the lines to be removed and added are first stored in staging graphs, and then moved, by one
 * operation where this is possible.
 */

import { ctl, systemGraph } from '../../rdf/namespaces.ts'
import type { StoreEndpoint, Edit } from '../remote/dialect.ts'
import { isOutcomeUnknown } from '../remote/starting.ts'
import { collidingOf } from './virtuoso-values.ts'
import { insertText } from './virtuoso-update.ts'

/**
 * Kind of a part of a staged write, and property of its line in the manifest, the staging graph that lists the parts. `…First` is for
 * removals that must precede the additions: of lines that Virtuoso treats as equal to added ones, and of all lines of a graph that gets
 * new ones. `…Alone` is for lines that are moved by a separate operation, because one for all would exceed the time limit.
 */
type Kind =
  | 'adds'
  | 'removes'
  | 'clears'
  | 'removesFirst'
  | 'clearsFirst'
  | 'removesAlone'
  | 'addsAlone'
/** Part of a staged write: lines, and the graph to which they are added or from which they are removed. */
type Part = { readonly kind: Kind; readonly graph: string; readonly lines: readonly string[] }

const property = (name: Kind | 'writing' | 'staging') => `<${ctl(name).value}>`

/** Registration of a staging graph for as long as any of it may exist. */
const registration = (staging: string) => `<${staging}> ${property('staging')} "begun" .`
/** Mark of a staging graph that is complete and not yet moved. */
const completion = (staging: string) => `<${staging}> ${property('staging')} "complete" .`

/** Lines that one operation moves; 20,000 take about a second. */
const maxLinesPerMove = 20_000

/** Splits lines into parts; all but the last are moved by separate operations. */
function splitParts(kind: 'removes' | 'adds', graph: string, lines: readonly string[]): Part[] {
  const count = Math.ceil(lines.length / maxLinesPerMove)
  return Array.from({ length: count }, (_, at) => ({
    kind: at === count - 1 ? kind : (`${kind}Alone` as const),
    graph,
    lines: lines.slice(at * maxLinesPerMove, (at + 1) * maxLinesPerMove),
  }))
}

function partsOf(edit: Edit): Part[] {
  const { graph, clear, add } = edit
  const colliding = collidingOf(edit)
  const otherRemovals = [...edit.remove].filter((line) => !colliding.has(line))
  const parts: Part[] = [
    ...splitParts('removes', graph, clear ? [] : otherRemovals),
    ...splitParts('adds', graph, [...add]),
  ]
  if (colliding.size > 0) parts.push({ kind: 'removesFirst', graph, lines: [...colliding] })
  if (clear) parts.push({ kind: add.size > 0 ? 'clearsFirst' : 'clears', graph, lines: [] })
  return parts
}

/** Marks that make readers of the graphs wait; the system graph needs none, because it is read line by line. */
const writingMarks = (edits: readonly Edit[], staging: string): string[] =>
  edits
    .filter(({ graph }) => graph !== systemGraph)
    .map(({ graph }) => `<${graph}> ${property('writing')} <${staging}> .`)

type Block = { readonly graph: string; readonly lines: readonly string[] }

/** Most lines of a block, and UTF-16 units after which a request is complete. */
const [perBlock, perRequest] = [2000, 2 ** 20]

const lengthOf = ({ lines }: Block) => lines.reduce((sum, line) => sum + line.length + 1, 100)

/** Packs blocks into requests of about one megabyte. */
function* batches(blocks: Iterable<Block>): Generator<readonly Block[]> {
  let [batch, length]: [Block[], number] = [[], 0]
  for (const block of blocks) {
    batch.push(block)
    length += lengthOf(block)
    if (length < perRequest) continue
    yield batch
    ;[batch, length] = [[], 0]
  }
  if (batch.length > 0) yield batch
}

/** Blocks of the parts; the manifest line of each part precedes its lines, so that no part is ever lost. */
function* blocksOf(parts: readonly Part[], staging: string): Generator<Block> {
  for (const [at, { kind, graph, lines }] of parts.entries()) {
    const name = `${staging}:${at}`
    yield { graph: staging, lines: [`<${name}> ${property(kind)} <${graph}> .`] }
    for (let start = 0; start < lines.length; start += perBlock) {
      yield { graph: name, lines: lines.slice(start, start + perBlock) }
    }
  }
}

/** Requests that store a staged write. The last one ends with the completion mark. */
function* stagingRequests(
  edits: readonly Edit[],
  parts: readonly Part[],
  staging: string,
): Generator<string> {
  const closingLines = [...writingMarks(edits, staging), completion(staging)]
  // They are a part too, so that the last operation of the move removes them.
  const allParts = [
    ...parts,
    { kind: 'removes', graph: systemGraph, lines: closingLines } satisfies Part,
  ]
  const blocks = [
    { graph: systemGraph, lines: [registration(staging)] },
    ...blocksOf(allParts, staging),
    { graph: systemGraph, lines: closingLines },
  ]
  for (const batch of batches(blocks)) yield insertText(batch)
}

const stagedPattern = (staging: string, kind: Kind, names: string) => {
  const [graph = '', ...triple] = names.split(' ')
  return (
    `{ GRAPH <${staging}> { ?part_${kind} ${property(kind)} ${graph} } ` +
    `GRAPH ?part_${kind} { ${triple.join(' ')} } }`
  )
}

const clearedPattern = (staging: string, kind: Kind) =>
  `{ GRAPH <${staging}> { ?part_${kind} ${property(kind)} ?g } GRAPH ?g { ?a ?b ?c } }`

const firstText = (staging: string) =>
  'DELETE { GRAPH ?g { ?a ?b ?c } } WHERE { ' +
  `${stagedPattern(staging, 'removesFirst', '?g ?a ?b ?c')} UNION ${clearedPattern(staging, 'clearsFirst')} }`

const moveText = (staging: string) =>
  'DELETE { GRAPH ?g { ?a ?b ?c } } INSERT { GRAPH ?h { ?s ?p ?o } } WHERE { ' +
  `${stagedPattern(staging, 'removes', '?g ?a ?b ?c')} UNION ${clearedPattern(staging, 'clears')} ` +
  `UNION ${stagedPattern(staging, 'adds', '?h ?s ?p ?o')} }`

const aloneQuery = (staging: string) =>
  `SELECT ?part ?kind { GRAPH <${staging}> { ?part ?kind ?g ` +
  `FILTER(?kind IN (${property('removesAlone')}, ${property('addsAlone')})) } }`

function aloneText(staging: string, part: string, isRemoved: boolean): string {
  const kind = isRemoved ? 'removesAlone' : 'addsAlone'
  return (
    `${isRemoved ? 'DELETE' : 'INSERT'} { GRAPH ?g { ?s ?p ?o } } WHERE { ` +
    `GRAPH <${staging}> { <${part}> ${property(kind)} ?g } GRAPH <${part}> { ?s ?p ?o } }`
  )
}

/** Moves the separate parts, removals before additions. */
async function moveAlone(staging: string, endpoint: StoreEndpoint): Promise<void> {
  const rows = await endpoint.select(aloneQuery(staging))
  const isRemoved = (kind: string | undefined) => kind === ctl('removesAlone').value
  const parts = rows.flatMap(({ part, kind }) =>
    part ? [{ part: part.value, isRemoved: isRemoved(kind?.value) }] : [],
  )
  for (const { part } of parts.filter((part) => part.isRemoved))
    await endpoint.update(aloneText(staging, part, true))
  for (const { part } of parts.filter((part) => !part.isRemoved))
    await endpoint.update(aloneText(staging, part, false))
}

/** Steps of a move before the last. */
type Steps = { readonly hasFirst: boolean; readonly hasAlone: boolean }

const stepsOf = (parts: readonly Part[]): Steps => ({
  hasFirst: parts.some(({ kind }) => kind.endsWith('First')),
  hasAlone: parts.some(({ kind }) => kind.endsWith('Alone')),
})

/** Moves a staged write; may be repeated as long as nothing else is written. */
async function move(
  staging: string,
  endpoint: StoreEndpoint,
  { hasFirst, hasAlone }: Steps,
): Promise<void> {
  if (hasFirst) await endpoint.update(firstText(staging))
  if (hasAlone) await moveAlone(staging, endpoint)
  await endpoint.update(moveText(staging))
}

/**
 * Update that moves a staged write without parts `…First` and `…Alone`, and removes it with its registration, in one operation; it has
 * no effect the second time.
 */
const moveAndCleanText = (staging: string) =>
  'DELETE { GRAPH ?g { ?a ?b ?c } GRAPH ?part_removes { ?a ?b ?c } GRAPH ?part_adds { ?s ?p ?o } ' +
  `GRAPH <${staging}> { ?part ?kind ?for } ` +
  `GRAPH <${systemGraph}> { <${staging}> ${property('staging')} ?state } } ` +
  'INSERT { GRAPH ?h { ?s ?p ?o } } WHERE { ' +
  `${stagedPattern(staging, 'removes', '?g ?a ?b ?c')} UNION ${clearedPattern(staging, 'clears')} ` +
  `UNION ${stagedPattern(staging, 'adds', '?h ?s ?p ?o')} UNION { GRAPH <${staging}> { ?part ?kind ?for } } ` +
  `UNION { GRAPH <${systemGraph}> { <${staging}> ${property('staging')} ?state } } }`

/** Update that removes all that is left of a staged write, with its marks and registration. */
const cleanupText = (staging: string) =>
  `DELETE { GRAPH ?part { ?a ?b ?c } GRAPH <${staging}> { ?part ?kind ?g } GRAPH <${systemGraph}> { ` +
  `<${staging}> ${property('staging')} ?state . ?signed ${property('writing')} <${staging}> } } ` +
  `WHERE { { GRAPH <${staging}> { ?part ?kind ?g } OPTIONAL { GRAPH ?part { ?a ?b ?c } } } ` +
  `UNION { GRAPH <${systemGraph}> { <${staging}> ${property('staging')} ?state } } ` +
  `UNION { GRAPH <${systemGraph}> { ?signed ${property('writing')} <${staging}> } } }`

// A failure is ignored, because the registered remains are removed at the next start.
const cleanUp = (staging: string, endpoint: StoreEndpoint) =>
  endpoint.update(cleanupText(staging)).catch(() => undefined)

/** Milliseconds after which an update without an answer is taken to have ended. */
export const settleMs = 1500

/** Two requests that store and move a staged write; `undefined` when it needs more, by its size or its parts. */
function quickRequests(
  parts: readonly Part[],
  steps: Steps,
  staging: string,
): readonly [prepare: string, move: string] | undefined {
  if (steps.hasFirst || steps.hasAlone) return undefined
  const registered = { graph: systemGraph, lines: [registration(staging)] }
  const [onlyBatch, ...others] = batches([registered, ...blocksOf(parts, staging)])
  return onlyBatch && others.length === 0
    ? [insertText(onlyBatch), moveAndCleanText(staging)]
    : undefined
}

/**
 * Commits with two requests. The first changes no graph that is read, so readers need not wait and nothing has to be finished after an
 * interruption.
 */
async function commitQuickly(
  requests: readonly string[],
  staging: string,
  endpoint: StoreEndpoint,
): Promise<void> {
  try {
    for (const text of requests) await endpoint.update(text)
  } catch (error) {
    // An operation that is still running must not lose its staging graph.
    if (isOutcomeUnknown(error)) await endpoint.pause(settleMs)
    await cleanUp(staging, endpoint)
    throw error
  }
}

/**
 * Commits edits of any size, all or none, even if the process or the store ends meanwhile. After a failure of the last staging request
 * or the move, the staging graphs are kept for `recoverStaged` if the outcome is unknown or the move has several steps; those of
 * `quickRequests` are always removed.
 */
export async function commitStaged(edits: readonly Edit[], endpoint: StoreEndpoint): Promise<void> {
  const staging = `urn:cartulary:staging:${endpoint.name()}`
  const parts = edits.flatMap(partsOf)
  const steps = stepsOf(parts)
  const quick = quickRequests(parts, steps, staging)
  if (quick) return commitQuickly(quick, staging, endpoint)
  let isReady = false
  try {
    const requests = [...stagingRequests(edits, parts, staging)]
    for (const [at, text] of requests.entries()) {
      isReady = at === requests.length - 1
      await endpoint.update(text)
    }
    await move(staging, endpoint, steps)
  } catch (error) {
    const isOneStep = !steps.hasFirst && !steps.hasAlone
    if (!isReady || (!isOutcomeUnknown(error) && isOneStep)) await cleanUp(staging, endpoint)
    throw error
  }
  await cleanUp(staging, endpoint)
}

const [stateQuery, waitingQuery] = [
  `SELECT ?staging ?state { GRAPH <${systemGraph}> { ?staging ${property('staging')} ?state } }`,
  (graph: string) =>
    `SELECT ?staging { GRAPH <${systemGraph}> { <${graph}> ${property('writing')} ?staging } }`,
]

async function finish(staging: string, endpoint: StoreEndpoint): Promise<void> {
  await move(staging, endpoint, { hasFirst: true, hasAlone: true })
  await endpoint.update(cleanupText(staging))
}

/**
 * Finishes complete staged writes and removes the others; returns the number of both. With a graph it finishes only those that this
 * graph waits for.
 */
export async function recoverStaged(endpoint: StoreEndpoint, graph?: string): Promise<number> {
  if (graph !== undefined) {
    const rows = await endpoint.select(waitingQuery(graph))
    const stagings = new Set(rows.map((row) => row['staging']?.value ?? ''))
    for (const staging of stagings) await finish(staging, endpoint)
    return stagings.size
  }
  const rows = await endpoint.select(stateQuery)
  const states = Map.groupBy(rows, (row) => row['staging']?.value ?? '')
  for (const [staging, stateRows] of states) {
    if (stateRows.some((row) => row['state']?.value === 'complete')) await finish(staging, endpoint)
    else await endpoint.update(cleanupText(staging))
  }
  return states.size
}

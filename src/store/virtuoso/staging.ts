/** Writes of any size: what goes and what comes lies ready in graphs of its own, and one operation, the last, moves it. */

import { ctl, systemGraph } from '../../rdf/namespaces.ts'
import type { StoreEndpoint, Edit } from '../remote/dialect.ts'
import { isDoubtful } from '../remote/starting.ts'
import { collidingOf } from './virtuoso-values.ts'
import { insertText } from './virtuoso-update.ts'

/**
 * A part of a staged write, a line of its manifest: what is to be done to a graph, and the graph that holds the lines.
 * `first` is for what has to be gone before the rest, because Virtuoso takes it for the same as what comes; `alone` for what is
 * moved by an operation of its own, because one of everything would not end in time.
 */
type Kind =
  | 'adds'
  | 'removes'
  | 'clears'
  | 'removesFirst'
  | 'clearsFirst'
  | 'removesAlone'
  | 'addsAlone'
type Part = { readonly kind: Kind; readonly graph: string; readonly lines: readonly string[] }

const property = (name: Kind | 'writing' | 'staging') => `<${ctl(name).value}>`

/** The staging graph is registered for as long as any of it may be there; `complete` until it has been moved. */
const registration = (staging: string) => `<${staging}> ${property('staging')} "begun" .`
const completion = (staging: string) => `<${staging}> ${property('staging')} "complete" .`

/** Lines that one operation moves; measured: 20,000 take about a second. */
const perMove = 20_000

/** All lines of a kind, those beyond what the last operation takes in parts that are moved alone. */
function movable(kind: 'removes' | 'adds', graph: string, lines: readonly string[]): Part[] {
  const count = Math.ceil(lines.length / perMove)
  return Array.from({ length: count }, (_, at) => ({
    kind: at === count - 1 ? kind : (`${kind}Alone` as const),
    graph,
    lines: lines.slice(at * perMove, (at + 1) * perMove),
  }))
}

function partsOf(edit: Edit): Part[] {
  const { graph, clear, add } = edit
  const colliding = collidingOf(edit)
  const rest = [...edit.remove].filter((line) => !colliding.has(line))
  const parts: Part[] = [
    ...movable('removes', graph, clear ? [] : rest),
    ...movable('adds', graph, [...add]),
  ]
  if (colliding.size > 0) parts.push({ kind: 'removesFirst', graph, lines: [...colliding] })
  if (clear) parts.push({ kind: add.size > 0 ? 'clearsFirst' : 'clears', graph, lines: [] })
  return parts
}

/** Readers of these wait; links in the system graph are read line by line. */
const signs = (edits: readonly Edit[], staging: string): string[] =>
  edits
    .filter(({ graph }) => graph !== systemGraph)
    .map(({ graph }) => `<${graph}> ${property('writing')} <${staging}> .`)

type Block = { readonly graph: string; readonly lines: readonly string[] }

const [perBlock, perRequest] = [2000, 2 ** 20]

const lengthOf = ({ lines }: Block) => lines.reduce((sum, line) => sum + line.length + 1, 100)

/** Blocks in requests of about one megabyte. */
function* batches(all: Iterable<Block>): Generator<readonly Block[]> {
  let [batch, length]: [Block[], number] = [[], 0]
  for (const block of all) {
    batch.push(block)
    length += lengthOf(block)
    if (length < perRequest) continue
    yield batch
    ;[batch, length] = [[], 0]
  }
  if (batch.length > 0) yield batch
}

/** Every part with the line of the manifest that tells of it in the same request, so that none is ever forgotten. */
function* blocksOf(parts: readonly Part[], staging: string): Generator<Block> {
  for (const [at, { kind, graph, lines }] of parts.entries()) {
    const name = `${staging}:${at}`
    yield { graph: staging, lines: [`<${name}> ${property(kind)} <${graph}> .`] }
    for (let from = 0; from < lines.length; from += perBlock) {
      yield { graph: name, lines: lines.slice(from, from + perBlock) }
    }
  }
}

/** The requests that lay everything ready. The last words of the last one are that it is complete. */
function* preparing(
  edits: readonly Edit[],
  parts: readonly Part[],
  staging: string,
): Generator<string> {
  const ends = [...signs(edits, staging), completion(staging)]
  const all = [...parts, { kind: 'removes', graph: systemGraph, lines: ends } satisfies Part]
  const blocks = [
    { graph: systemGraph, lines: [registration(staging)] },
    ...blocksOf(all, staging),
    { graph: systemGraph, lines: ends },
  ]
  for (const batch of batches(blocks)) yield insertText(batch)
}

const staged = (staging: string, kind: Kind, names: string) => {
  const [graph = '', ...triple] = names.split(' ')
  return (
    `{ GRAPH <${staging}> { ?part_${kind} ${property(kind)} ${graph} } ` +
    `GRAPH ?part_${kind} { ${triple.join(' ')} } }`
  )
}

const cleared = (staging: string, kind: Kind) =>
  `{ GRAPH <${staging}> { ?part_${kind} ${property(kind)} ?g } GRAPH ?g { ?a ?b ?c } }`

const firstText = (staging: string) =>
  'DELETE { GRAPH ?g { ?a ?b ?c } } WHERE { ' +
  `${staged(staging, 'removesFirst', '?g ?a ?b ?c')} UNION ${cleared(staging, 'clearsFirst')} }`

const moveText = (staging: string) =>
  'DELETE { GRAPH ?g { ?a ?b ?c } } INSERT { GRAPH ?h { ?s ?p ?o } } WHERE { ' +
  `${staged(staging, 'removes', '?g ?a ?b ?c')} UNION ${cleared(staging, 'clears')} ` +
  `UNION ${staged(staging, 'adds', '?h ?s ?p ?o')} }`

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

/** What goes before what comes. */
async function moveAlone(staging: string, endpoint: StoreEndpoint): Promise<void> {
  const rows = await endpoint.select(aloneQuery(staging))
  const isRemoved = (kind: string | undefined) => kind === ctl('removesAlone').value
  const parts = rows.flatMap(({ part, kind }) =>
    part ? [{ part: part.value, isRemoved: isRemoved(kind?.value) }] : [],
  )
  for (const { part } of parts.filter((one) => one.isRemoved))
    await endpoint.update(aloneText(staging, part, true))
  for (const { part } of parts.filter((one) => !one.isRemoved))
    await endpoint.update(aloneText(staging, part, false))
}

/** Which steps a move has before its last. */
type Steps = { readonly first: boolean; readonly alone: boolean }

const stepsOf = (parts: readonly Part[]): Steps => ({
  first: parts.some(({ kind }) => kind.endsWith('First')),
  alone: parts.some(({ kind }) => kind.endsWith('Alone')),
})

/** Moves what lies ready; again and again with the same result as long as nothing else is written. */
async function move(
  staging: string,
  endpoint: StoreEndpoint,
  { first, alone }: Steps,
): Promise<void> {
  if (first) await endpoint.update(firstText(staging))
  if (alone) await moveAlone(staging, endpoint)
  await endpoint.update(moveText(staging))
}

/**
 * Moves what lies ready and takes all of it away, with its registration, in one operation; does nothing when it has been
 * done.
 */
const moveWhole = (staging: string) =>
  'DELETE { GRAPH ?g { ?a ?b ?c } GRAPH ?part_removes { ?a ?b ?c } GRAPH ?part_adds { ?s ?p ?o } ' +
  `GRAPH <${staging}> { ?part ?kind ?for } ` +
  `GRAPH <${systemGraph}> { <${staging}> ${property('staging')} ?state } } ` +
  'INSERT { GRAPH ?h { ?s ?p ?o } } WHERE { ' +
  `${staged(staging, 'removes', '?g ?a ?b ?c')} UNION ${cleared(staging, 'clears')} ` +
  `UNION ${staged(staging, 'adds', '?h ?s ?p ?o')} UNION { GRAPH <${staging}> { ?part ?kind ?for } } ` +
  `UNION { GRAPH <${systemGraph}> { <${staging}> ${property('staging')} ?state } } }`

/** Takes away everything that is left of a staged write, its signs and its registration too. */
const cleaning = (staging: string) =>
  `DELETE { GRAPH ?part { ?a ?b ?c } GRAPH <${staging}> { ?part ?kind ?g } GRAPH <${systemGraph}> { ` +
  `<${staging}> ${property('staging')} ?state . ?signed ${property('writing')} <${staging}> } } ` +
  `WHERE { { GRAPH <${staging}> { ?part ?kind ?g } OPTIONAL { GRAPH ?part { ?a ?b ?c } } } ` +
  `UNION { GRAPH <${systemGraph}> { <${staging}> ${property('staging')} ?state } } ` +
  `UNION { GRAPH <${systemGraph}> { ?signed ${property('writing')} <${staging}> } } }`

// What cannot be taken away now is registered: the next start does it.
const forget = (staging: string, endpoint: StoreEndpoint) =>
  endpoint.update(cleaning(staging)).catch(() => undefined)

/** How long a write of which nothing was heard is given to end. */
export const settleMs = 1500

/** The requests of a write that one operation can move after one request has laid it ready; `undefined` for others. */
function quickRequests(
  parts: readonly Part[],
  steps: Steps,
  staging: string,
): readonly [prepare: string, move: string] | undefined {
  if (steps.first || steps.alone) return undefined
  const registered = { graph: systemGraph, lines: [registration(staging)] }
  const [only, ...more] = batches([registered, ...blocksOf(parts, staging)])
  return only && more.length === 0 ? [insertText(only), moveWhole(staging)] : undefined
}

/** Before the second request nothing has changed but the staging graphs, so readers need not wait and nothing is finished later. */
async function landQuickly(
  requests: readonly string[],
  staging: string,
  endpoint: StoreEndpoint,
): Promise<void> {
  try {
    for (const text of requests) await endpoint.update(text)
  } catch (error) {
    // What is still running must not lose its lines in the middle of its work.
    if (isDoubtful(error)) await endpoint.pause(settleMs)
    await forget(staging, endpoint)
    throw error
  }
}

/**
 * Lands edits of any size, all or none, whatever ends the process or the store in between. When nothing is heard of the last
 * steps, everything stays as it lies, for `recover` to finish.
 */
export async function landStaged(edits: readonly Edit[], endpoint: StoreEndpoint): Promise<void> {
  const staging = `urn:cartulary:staging:${endpoint.name()}`
  const parts = edits.flatMap(partsOf)
  const steps = stepsOf(parts)
  const quick = quickRequests(parts, steps, staging)
  if (quick) return landQuickly(quick, staging, endpoint)
  let isReady = false
  try {
    const requests = [...preparing(edits, parts, staging)]
    for (const [at, text] of requests.entries()) {
      isReady = at === requests.length - 1
      await endpoint.update(text)
    }
    await move(staging, endpoint, steps)
  } catch (error) {
    const isOneStep = !steps.first && !steps.alone
    if (!isReady || (!isDoubtful(error) && isOneStep)) await forget(staging, endpoint)
    throw error
  }
  await forget(staging, endpoint)
}

const [stateQuery, signQuery] = [
  `SELECT ?staging ?state { GRAPH <${systemGraph}> { ?staging ${property('staging')} ?state } }`,
  (graph: string) =>
    `SELECT ?staging { GRAPH <${systemGraph}> { <${graph}> ${property('writing')} ?staging } }`,
]

async function finish(staging: string, endpoint: StoreEndpoint): Promise<void> {
  await move(staging, endpoint, { first: true, alone: true })
  await endpoint.update(cleaning(staging))
}

/**
 * Finishes the staged writes that were complete and takes the others away; answers how many there were. With a graph only
 * those that it waits for.
 */
export async function recoverStaged(endpoint: StoreEndpoint, graph?: string): Promise<number> {
  if (graph !== undefined) {
    const rows = await endpoint.select(signQuery(graph))
    const stagings = new Set(rows.map((row) => row['staging']?.value ?? ''))
    for (const staging of stagings) await finish(staging, endpoint)
    return stagings.size
  }
  const rows = await endpoint.select(stateQuery)
  const states = Map.groupBy(rows, (row) => row['staging']?.value ?? '')
  for (const [staging, found] of states) {
    if (found.some((row) => row['state']?.value === 'complete')) await finish(staging, endpoint)
    else await endpoint.update(cleaning(staging))
  }
  return states.size
}

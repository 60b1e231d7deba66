/** Vocabularies: stored exactly as given under the IRI of their concept scheme, whatever their size. */

import { inTurns } from '../workers/event-loop.ts'
import { tmpdir } from 'node:os'
import type { Quad } from '@rdfjs/types'
import { Failure } from '../errors.ts'
import type { Log } from '../log.ts'
import { rdf, skos } from '../rdf/namespaces.ts'
import { namedNode } from '../rdf/terms.ts'
import { integrity, summaryOf } from '../skos/integrity.ts'
import type { Change } from '../store/graph-store.ts'
import { fact, type Mark, markLine, systemChange } from '../store/marks.ts'
import { bind, loadQuery } from '../store/queries.ts'
import { linesFrom } from '../store/line-spool.ts'
import type { Precondition, WriteContext, WriteOutcome } from './context.ts'
import { type Intake, isForeign, takeIn } from './vocabulary-intake.ts'
import { landStreamed } from './writing/write-batch.ts'

const ownerQuery = loadQuery('scheme-owner')

/** Triples with blank nodes that are compared to be named; they are held in memory. */
const canonical = 50_000

type VocabularyPut = {
  readonly id: string
  /** The triples as they arrive; relative references are resolved against the IRI given. */
  readonly parse: (baseIri: string) => AsyncIterable<readonly Quad[]>
  readonly precondition: Precondition
  /** Told when the body has arrived: what follows has the time of a request of its own. */
  readonly arrived: () => void
}

export type StoredVocabulary = {
  readonly hash: string
  readonly scheme: string
  /** Sorted chunks of whole lines, blank nodes as skolem IRIs. */
  readonly chunks: AsyncIterable<string>
}

export type Vocabularies = {
  put(request: VocabularyPut, signal: AbortSignal): Promise<WriteOutcome>
  read(id: string, signal: AbortSignal): Promise<StoredVocabulary | undefined>
  remove(id: string, precondition: Precondition, signal: AbortSignal): Promise<Mark>
}

export function vocabularies(deps: WriteContext): Vocabularies {
  const { store, names, locks } = deps

  const put: Vocabularies['put'] = async (request, signal) => {
    const { id } = request
    const resource = names.vocabulary(id)
    const directory = deps.scratch ?? tmpdir()
    const bounds = { canonical, work: deps.canonical?.work }
    const intake = await takeIn(request.parse(resource), { names, resource, directory, ...bounds })
    try {
      request.arrived()
      // Two ids must not claim one scheme side by side.
      const claims = [lockOf(id), `scheme ${intake.scheme}`]
      return await locks.runAll(claims, () => replace(deps, { ...request, intake }, signal), signal)
    } finally {
      intake.close()
    }
  }

  const read: Vocabularies['read'] = async (id, signal) => {
    const facts = await factsOf(deps, id, signal)
    return facts && { ...facts, chunks: store.readLines(facts.scheme, signal) }
  }

  const remove: Vocabularies['remove'] = (id, precondition, signal) =>
    locks.run(
      lockOf(id),
      async () => {
        const facts = await factsOf(deps, id, signal)
        if (!facts) throw unknownVocabulary(id)
        precondition(facts.hash)
        const mark = { resource: names.vocabulary(id), version: deps.versions.next() }
        const retired = await retiredConcepts(store.readLines(facts.scheme, signal), inTurns([]))
        const system = systemChange({
          add: [...marksOf(mark), ...retiredLines(mark.resource, retired)],
          remove: factLines(mark.resource, facts),
        })
        const graph = { graph: facts.scheme, lines: inTurns([]) }
        await landStreamed(deps, graph, { changes: [system], marks: [mark] }, signal)
        deps.cascaded()
        return mark
      },
      signal,
    )

  return { put, read, remove }
}

export const unknownVocabulary = (id: string) =>
  new Failure('unknown-vocabulary', `there is no vocabulary "${id}"`)

const lockOf = (id: string) => `vocabulary ${id}`

/** Its concepts are indexed again, and then the records that use them. */
const marksOf = (mark: Mark) => [markLine('pending', mark), markLine('cascade', mark)]

type Replacement = VocabularyPut & { readonly intake: Intake }

async function replace(
  deps: WriteContext,
  { id, intake, precondition }: Replacement,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const resource = deps.names.vocabulary(id)
  const { scheme, hash } = intake
  const stored = await factsOf(deps, id, signal)
  await demandFree(deps, { scheme, resource }, signal)
  precondition(stored?.hash)
  if (stored && stored.hash === hash && stored.scheme === scheme) {
    return { kind: 'unchanged', iri: scheme, hash, modified: undefined }
  }
  const integrity = await checkIntegrity(deps.log, id, intake)
  const mark = { resource, version: deps.versions.next() }
  const changes = await changesBeside(
    deps,
    { stored, facts: { scheme, hash, integrity }, mark, intake },
    signal,
  )
  const lines = inTurns(intake.chunks())
  await landStreamed(deps, { graph: scheme, lines }, { changes, marks: [mark] }, signal)
  deps.cascaded()
  return { kind: stored ? 'updated' : 'created', iri: scheme, hash, modified: undefined, mark }
}

type Before = {
  readonly stored: Facts | undefined
  readonly facts: Facts
  readonly mark: Mark
  readonly intake: Intake
}

/** What lands together with the new content. */
async function changesBeside(
  { store }: WriteContext,
  { stored, facts, mark, intake }: Before,
  signal: AbortSignal,
): Promise<Change[]> {
  const { resource } = mark
  const add = [...factLines(resource, facts), ...marksOf(mark)]
  if (!stored) return [systemChange({ add })]
  const before = store.readLines(stored.scheme, signal)
  const retired = await retiredConcepts(before, inTurns(intake.chunks()))
  const moved =
    stored.scheme === facts.scheme ? [] : [{ graph: stored.scheme, drop: true as const }]
  const system = systemChange({
    add: [...add, ...retiredLines(resource, retired)],
    remove: factLines(resource, stored),
  })
  return [...moved, system]
}

type Claim = { readonly scheme: string; readonly resource: string }

/** A scheme belongs to one vocabulary id, and no scheme may take the graph of another resource. */
async function demandFree(
  { names, store }: WriteContext,
  { scheme, resource }: Claim,
  signal: AbortSignal,
): Promise<void> {
  if (isForeign(names, scheme, resource) || scheme.startsWith('urn:cartulary:')) {
    throw new Failure(
      'invalid-content',
      `the concept scheme ${scheme} lies in the platform's own namespace`,
    )
  }
  const owners = await store.select(bind(ownerQuery, { scheme: namedNode(scheme) }), signal)
  const other = owners.find((row) => row['vocabulary']?.value !== resource)
  if (!other) return
  const id = names.idOf('vocabulary', other['vocabulary']?.value ?? '') ?? ''
  throw new Failure(
    'already-exists',
    `the concept scheme ${scheme} is stored as vocabulary "${id}"`,
  )
}

// What the system graph says of a vocabulary: where it is stored, its hash, and what was found in it.

const query = loadQuery('vocabulary-facts')

type Facts = {
  readonly scheme: string
  readonly hash: string
  /** Broken integrity conditions of SKOS and how often: `S13 2, S14 1`; `''` = none. */
  readonly integrity: string
}

async function factsOf(
  { store, names }: Pick<WriteContext, 'store' | 'names'>,
  id: string,
  signal: AbortSignal,
): Promise<Facts | undefined> {
  const vocabulary = namedNode(names.vocabulary(id))
  const [row] = await store.select(bind(query, { vocabulary }), signal)
  const { scheme, hash, integrity } = row ?? {}
  if (!scheme || !hash) return undefined
  return { scheme: scheme.value, hash: hash.value, integrity: integrity?.value ?? '' }
}

/** The lines of the handle, which come and go together. */
const factLines = (handle: string, { scheme, hash, integrity }: Facts): string[] => [
  fact(handle, 'scheme', { iri: scheme }),
  fact(handle, 'hash', hash),
  ...(integrity === '' ? [] : [fact(handle, 'integrity', integrity)]),
]

// The concepts that a new state of a vocabulary no longer has: records that use them must be found once more.

/** More are not listed; then every record that uses any concept counts. */
const mostRetired = 10_000

const type = `<${rdf('type').value}> <${skos('Concept').value}> .`
const memberships = [skos('inScheme').value, skos('topConceptOf').value].map((iri) => `<${iri}> <`)

/** The concept that a line tells to be one. */
function conceptOf(line: string): string | undefined {
  const at = line.indexOf(' ')
  const rest = line.slice(at + 1, at + 100)
  const tells = rest.startsWith(type) || memberships.some((start) => rest.startsWith(start))
  return tells && line.startsWith('<') ? line.slice(1, at - 1) : undefined
}

/** Concepts in the order of sorted lines, each once. */
async function* conceptsIn(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let last: string | undefined
  for await (const lines of linesFrom(chunks)) {
    for (const line of lines) {
      const concept = conceptOf(line)
      if (concept !== undefined && concept !== last) yield (last = concept)
    }
  }
}

// Sorted as the subjects of lines are: with what ends them.
const isBefore = (one: string, other: string) => `${one}>` < `${other}>`

/** Concepts of the old lines that the new ones have not; `all` when they are too many. Both are sorted. */
async function retiredConcepts(
  before: AsyncIterable<string>,
  after: AsyncIterable<string>,
): Promise<readonly string[] | 'all'> {
  const retired: string[] = []
  const fresh = conceptsIn(after)
  let next = await fresh.next()
  for await (const concept of conceptsIn(before)) {
    while (next.done !== true && isBefore(next.value, concept)) next = await fresh.next()
    if (next.done !== true && next.value === concept) continue
    if (retired.push(concept) > mostRetired) return 'all'
  }
  return retired
}

/** Lines of the system graph that tell whoever projects records of them. */
const retiredLines = (handle: string, retired: readonly string[] | 'all'): string[] =>
  retired === 'all'
    ? [fact(handle, 'retired', 'all')]
    : retired.map((concept) => fact(handle, 'retired', { iri: concept }))

// Looks a vocabulary over when it comes; what is found is told, and never a reason to refuse it.

/** Counts per condition, as a fact; `''` when all is well. */
async function checkIntegrity(log: Log, id: string, intake: Intake): Promise<string> {
  const findings = await integrity(() => inTurns(intake.chunks()))
  if (findings.length > 0) log.warn({ vocabulary: id, findings }, 'vocabulary.integrity')
  return summaryOf(findings)
}

// Work that is there already, in pieces between which others have their turn.

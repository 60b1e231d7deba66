/** Vocabularies: stored exactly as given under the IRI of their concept scheme, whatever their size. */

import { tmpdir } from 'node:os'
import type { Quad } from '@rdfjs/types'
import { Failure } from '../errors.ts'
import { namedNode } from '../rdf/terms.ts'
import type { Change } from '../store/graph-store.ts'
import { markLine, systemChange, type Mark } from '../store/marks.ts'
import { bind, loadQuery } from '../store/queries.ts'
import type { DatasetPut } from './writing/dataset-plan.ts'
import type { Outcome, RepositoryDeps } from './deps.ts'
import { checkIntegrity } from './vocabulary/checking.ts'
import { factLines, factsOf, type Facts } from './vocabulary/facts.ts'
import { inTurns } from './vocabulary/in-turns.ts'
import { isForeign, takeIn, type Intake } from './vocabulary/intake.ts'
import { retiredConcepts, retiredLines } from './vocabulary/retired.ts'
import { landStreamed } from './writing/landing.ts'

const ownerQuery = loadQuery('scheme-owner')

/** Triples with blank nodes that are compared to be named; they are held in memory. */
const canonical = 50_000

type VocabularyPut = {
  readonly id: string
  /** The triples as they arrive; relative references are resolved against the IRI given. */
  readonly parse: (baseIri: string) => AsyncIterable<readonly Quad[]>
  readonly precondition: DatasetPut['precondition']
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
  put(request: VocabularyPut, signal: AbortSignal): Promise<Outcome>
  read(id: string, signal: AbortSignal): Promise<StoredVocabulary | undefined>
  remove(id: string, precondition: DatasetPut['precondition'], signal: AbortSignal): Promise<Mark>
}

export function vocabularies(deps: RepositoryDeps): Vocabularies {
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
        await landStreamed(deps, { ...graph, others: [system], marks: [mark] }, signal)
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
  deps: RepositoryDeps,
  { id, intake, precondition }: Replacement,
  signal: AbortSignal,
): Promise<Outcome> {
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
  const others = await othersOf(
    deps,
    { stored, facts: { scheme, hash, integrity }, mark, intake },
    signal,
  )
  const lines = inTurns(intake.chunks())
  await landStreamed(deps, { graph: scheme, lines, others, marks: [mark] }, signal)
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
async function othersOf(
  { store }: RepositoryDeps,
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
  { names, store }: RepositoryDeps,
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

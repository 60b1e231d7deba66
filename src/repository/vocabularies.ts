/** Vocabularies: stored exactly as given under the IRI of their concept scheme. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../errors.ts'
import { rdf, skos } from '../rdf/namespaces.ts'
import { namedNode } from '../rdf/terms.ts'
import { integrity, summaryOf } from '../vocabularies/skos-integrity.ts'
import type { Change } from '../store/graph-store.ts'
import { fact, type Mark, markLine, systemChange } from '../store/marks.ts'
import { bind, loadQuery } from '../store/queries.ts'
import { chunksOf } from '../store/streams.ts'
import { inTurns } from '../workers/event-loop.ts'
import type { Precondition, WriteContext, WriteOutcome } from './context.ts'
import { isForeign, takeIn, type VocabularyIntake } from './vocabulary-intake.ts'
import { landOne } from './writing/write-batch.ts'

const ownerQuery = loadQuery('scheme-owner')
const factsQuery = loadQuery('vocabulary-facts')

type VocabularyPut = {
  readonly id: string
  /** The triples as they arrive; relative references are resolved against the IRI given. */
  readonly parse: (baseIri: string) => AsyncIterable<readonly Quad[]>
  readonly precondition: Precondition
  /** Called when the body has arrived: what follows has the time of a request of its own. */
  readonly arrived: () => void
}

export type StoredVocabulary = {
  readonly hash: string
  readonly scheme: string
  /** Sorted chunks of whole lines, blank nodes as skolem IRIs. */
  readonly chunks: AsyncIterable<string>
}

export type Vocabularies = {
  /** Fails with `already-exists` when the scheme is that of another vocabulary, and as `takeIn` does. */
  put(request: VocabularyPut, signal: AbortSignal): Promise<WriteOutcome>
  read(id: string, signal: AbortSignal): Promise<StoredVocabulary | undefined>
  /** Fails with `unknown-vocabulary`. */
  remove(id: string, precondition: Precondition, signal: AbortSignal): Promise<Mark>
}

export function vocabularies(deps: WriteContext): Vocabularies {
  const { store, names, locks } = deps
  return {
    put: async (request, signal) => {
      const resource = names.vocabulary(request.id)
      const options = { names, resource, work: deps.canonical?.work }
      const intake = await takeIn(request.parse(resource), options)
      request.arrived()
      // Two ids must not claim one scheme at the same time.
      const claims = [lockOf(request.id), `scheme ${intake.scheme}`]
      return locks.runAll(claims, () => replace(deps, { ...request, intake }, signal), signal)
    },
    read: async (id, signal) => {
      const facts = await factsOf(deps, id, signal)
      return facts && { ...facts, chunks: store.readLines(facts.scheme, signal) }
    },
    remove: (id, precondition, signal) => {
      const work = async () => {
        const facts = await factsOf(deps, id, signal)
        if (!facts) throw unknownVocabulary(id)
        precondition(facts.hash)
        const mark = { resource: names.vocabulary(id), version: deps.versions.next() }
        const retired = await retiredConcepts(store.readLines(facts.scheme, signal), [])
        const system = systemChange({
          add: [...marksOf(mark), ...retiredLines(mark.resource, retired)],
          remove: factLines(mark.resource, facts),
        })
        const changes = [{ graph: facts.scheme, content: '' }, system]
        await landOne(deps, { result: mark, group: { changes, marks: [mark] } })
        deps.cascaded()
        return mark
      }
      return locks.run(lockOf(id), work, signal)
    },
  }
}

export const unknownVocabulary = (id: string) =>
  new Failure('unknown-vocabulary', `there is no vocabulary "${id}"`)

const lockOf = (id: string) => `vocabulary ${id}`

/** Its concepts are indexed again, and then the records that use them. */
const marksOf = (mark: Mark) => [markLine('pending', mark), markLine('cascade', mark)]

type Replacement = VocabularyPut & { readonly intake: VocabularyIntake }

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
  if (stored && stored.hash === hash && stored.scheme === scheme)
    return { kind: 'unchanged', iri: scheme, hash, modified: undefined }
  const content = `${intake.lines.join('\n')}\n`
  const findings = await integrity(() => inTurns(chunksOf(content)))
  // Broken conditions are logged and counted, and never a reason to refuse it.
  if (findings.length > 0) deps.log.warn({ vocabulary: id, findings }, 'vocabulary.integrity')
  const mark = { resource, version: deps.versions.next() }
  const facts = { scheme, hash, integrity: summaryOf(findings) }
  const beside = await changesBeside(deps, { stored, facts, mark, intake }, signal)
  const changes = [{ graph: scheme, content }, ...beside]
  const kind = stored ? 'updated' : 'created'
  const result: WriteOutcome = { kind, iri: scheme, hash, modified: undefined, mark }
  signal.throwIfAborted()
  await landOne(deps, { result, group: { changes, marks: [mark] } })
  deps.cascaded()
  return result
}

type States = {
  readonly stored: VocabularyFacts | undefined
  readonly facts: VocabularyFacts
  readonly mark: Mark
  readonly intake: VocabularyIntake
}

/** What lands together with the new content. */
async function changesBeside(
  { store }: WriteContext,
  { stored, facts, mark, intake }: States,
  signal: AbortSignal,
): Promise<Change[]> {
  const { resource } = mark
  const add = [...factLines(resource, facts), ...marksOf(mark)]
  if (!stored) return [systemChange({ add })]
  const retired = await retiredConcepts(store.readLines(stored.scheme, signal), intake.lines)
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
  if (isForeign(names, scheme, resource) || scheme.startsWith('urn:cartulary:'))
    throw new Failure(
      'invalid-content',
      `the concept scheme ${scheme} lies in the platform's own namespace`,
    )
  const owners = await store.select(bind(ownerQuery, { scheme: namedNode(scheme) }), signal)
  const other = owners.find((row) => row['vocabulary']?.value !== resource)
  if (!other) return
  const id = names.idOf('vocabulary', other['vocabulary']?.value ?? '') ?? ''
  throw new Failure(
    'already-exists',
    `the concept scheme ${scheme} is stored as vocabulary "${id}"`,
  )
}

/** What the system graph says of a vocabulary. */
type VocabularyFacts = {
  /** Also the name of its graph. */
  readonly scheme: string
  readonly hash: string
  /** Broken integrity conditions of SKOS and how often: `S13 2, S14 1`; `''` = none. */
  readonly integrity: string
}

async function factsOf(
  { store, names }: WriteContext,
  id: string,
  signal: AbortSignal,
): Promise<VocabularyFacts | undefined> {
  const vocabulary = namedNode(names.vocabulary(id))
  const [row] = await store.select(bind(factsQuery, { vocabulary }), signal)
  const { scheme, hash, integrity: broken } = row ?? {}
  if (!scheme || !hash) return undefined
  return { scheme: scheme.value, hash: hash.value, integrity: broken?.value ?? '' }
}

/** The lines of the handle, which come and go together. */
const factLines = (handle: string, facts: VocabularyFacts): string[] => [
  fact(handle, 'scheme', { iri: facts.scheme }),
  fact(handle, 'hash', facts.hash),
  ...(facts.integrity === '' ? [] : [fact(handle, 'integrity', facts.integrity)]),
]

/** More retired concepts are not listed; then every record that uses any concept counts. */
const mostRetired = 10_000

const type = `<${rdf('type').value}> <${skos('Concept').value}> .`
const memberships = [skos('inScheme').value, skos('topConceptOf').value].map((iri) => `<${iri}> <`)

/** The concept that a line declares to be one. */
function conceptIn(line: string): string | undefined {
  const at = line.indexOf(' ')
  const rest = line.slice(at + 1, at + 100)
  const isOne = rest.startsWith(type) || memberships.some((start) => rest.startsWith(start))
  return isOne && line.startsWith('<') ? line.slice(1, at - 1) : undefined
}

/** Concepts of the old lines that the new ones no longer have: records that use them must be found again; `all` when too many. */
async function retiredConcepts(
  before: AsyncIterable<string>,
  after: readonly string[],
): Promise<readonly string[] | 'all'> {
  const fresh = new Set(after.map(conceptIn))
  const retired = new Set<string>()
  for await (const chunk of before) {
    for (const line of chunk.split('\n')) {
      const concept = conceptIn(line)
      if (concept !== undefined && !fresh.has(concept)) retired.add(concept)
    }
    if (retired.size > mostRetired) return 'all'
  }
  return [...retired]
}

/** Lines of the system graph that say so to whoever projects records of them. */
const retiredLines = (handle: string, retired: readonly string[] | 'all'): string[] =>
  retired === 'all'
    ? [fact(handle, 'retired', 'all')]
    : retired.map((concept) => fact(handle, 'retired', { iri: concept }))

/**
 * Endpoints of one vocabulary: read, create or replace, delete. A vocabulary is stored as it was sent, in a graph with the IRI of
 * its concept scheme; its handle, the platform IRI of its id, has its facts in the system graph. It may be large: its body is
 * parsed while it arrives (but JSON-LD), and a large one is answered in parts.
 */

import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { entityTag, isFresh } from '../../http/conditions.ts'
import { anyone } from '../../http/endpoint.ts'
import { answerFormat, readRdfPieces } from '../../http/rdf.ts'
import { longAnswer } from '../../http/long-answers.ts'
import type { Format } from '../../rdf/media-types.ts'
import { rdf, skos } from '../../rdf/namespaces.ts'
import { parseStream } from '../../rdf/reading/parse-stream.ts'
import { unskolemiseLines } from '../../rdf/skolem.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { GraphChange } from '../../store/graph-store.ts'
import { factLine, type Mark, markLine, systemChange } from '../../store/marks.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { chunksOf } from '../../store/graph-lines.ts'
import { checkIntegrity, summaryOf } from '../../vocabularies/skos-integrity.ts'
import { inTurns } from '../../workers/event-loop.ts'
import {
  isForeign,
  vocabularyContent,
  type VocabularyContent,
} from '../content/vocabulary-intake.ts'
import type { Precondition, RepositoryContext, WriteOutcome } from '../repository-context.ts'
import { contract, repositoryEndpoint } from '../endpoints/contract.ts'
import {
  answerDelete,
  answerDocument,
  answerResource,
  answerWrite,
  linkHeaderOf,
} from '../endpoints/responses.ts'
import { expectedState, mayWritePlatform, suffixedId } from '../endpoints/requests.ts'
import { commitOne } from '../writing/write-batch.ts'

const { answers, bodies, parameters } = contract

const ownerQuery = loadQuery('scheme-owner')
const factsQuery = loadQuery('vocabulary-facts')

const unknownVocabulary = (id: string) =>
  new Failure('unknown-vocabulary', `there is no vocabulary "${id}"`)

/** Lock of the PUT and DELETE of one vocabulary. */
const lockOf = (id: string) => `vocabulary ${id}`

/** Lines of both marks: its concepts are indexed again, and then the records that use them. */
const marksOf = (mark: Mark) => [markLine('pending', mark), markLine('cascade', mark)]

/** Deletes a vocabulary; call it under its lock. Fails with `unknown-vocabulary`. */
async function removeVocabulary(
  context: RepositoryContext,
  id: string,
  precondition: Precondition,
  signal: AbortSignal,
): Promise<Mark> {
  const { names, store, versions } = context
  const facts = await factsOf(context, id, signal)
  if (!facts) throw unknownVocabulary(id)
  precondition(facts.hash)
  const mark = { resource: names.vocabulary(id), version: versions.next() }
  const retired = await retiredConcepts(store.readLines(facts.scheme, signal), [])
  const system = systemChange({
    add: [...marksOf(mark), ...retiredLines(mark.resource, retired)],
    remove: factLines(mark.resource, facts),
  })
  const changes = [{ graph: facts.scheme, content: '' }, system]
  await commitOne(context, { result: mark, group: { changes, marks: [mark] } })
  context.onCascadeMark()
  return mark
}

type Replacement = {
  readonly id: string
  readonly intake: VocabularyContent
  readonly precondition: Precondition
}

/**
 * Creates or replaces a vocabulary; call it under its lock and that of its scheme. Fails as `requireFreeScheme` and
 * `precondition` do.
 */
async function replaceVocabulary(
  context: RepositoryContext,
  { id, intake, precondition }: Replacement,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const resource = context.names.vocabulary(id)
  const { scheme, hash } = intake
  const stored = await factsOf(context, id, signal)
  await requireFreeScheme(context, { scheme, resource }, signal)
  precondition(stored?.hash)
  if (stored && stored.hash === hash && stored.scheme === scheme)
    return { kind: 'unchanged', iri: scheme, hash }
  const content = `${intake.lines.join('\n')}\n`
  const findings = await checkIntegrity(() => inTurns(chunksOf(content)))
  // Broken conditions are logged and stored, but never a reason to refuse a vocabulary.
  if (findings.length > 0) context.log.warn({ vocabulary: id, findings }, 'vocabulary.integrity')
  const mark = { resource, version: context.versions.next() }
  const facts = { scheme, hash, integrity: summaryOf(findings) }
  const otherChanges = await accompanyingChanges(context, { stored, facts, mark, intake }, signal)
  const changes = [{ graph: scheme, content }, ...otherChanges]
  const kind = stored ? 'updated' : 'created'
  const result: WriteOutcome = { kind, iri: scheme, hash, mark }
  signal.throwIfAborted()
  await commitOne(context, { result, group: { changes, marks: [mark] } })
  context.onCascadeMark()
  return result
}

type VocabularyChange = {
  readonly stored: VocabularyFacts | undefined
  readonly facts: VocabularyFacts
  readonly mark: Mark
  readonly intake: VocabularyContent
}

/** Makes the changes that are committed together with the new content. */
async function accompanyingChanges(
  { store }: RepositoryContext,
  { stored, facts, mark, intake }: VocabularyChange,
  signal: AbortSignal,
): Promise<GraphChange[]> {
  const { resource } = mark
  const add = [...factLines(resource, facts), ...marksOf(mark)]
  if (!stored) return [systemChange({ add })]
  const retired = await retiredConcepts(store.readLines(stored.scheme, signal), intake.lines)
  const formerGraph =
    stored.scheme === facts.scheme ? [] : [{ graph: stored.scheme, drop: true as const }]
  const system = systemChange({
    add: [...add, ...retiredLines(resource, retired)],
    remove: factLines(resource, stored),
  })
  return [...formerGraph, system]
}

/** Scheme that a vocabulary, named by its handle, is about to use. */
type Claim = { readonly scheme: string; readonly resource: string }

/** Fails with `already-exists` for the scheme of another vocabulary, `invalid-content` for one in the platform's namespace. */
async function requireFreeScheme(
  { names, store }: RepositoryContext,
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

/** Facts of a vocabulary in the system graph. */
type VocabularyFacts = {
  /** Also the IRI of its graph. */
  readonly scheme: string
  readonly hash: string
  /** Broken integrity conditions of SKOS, each with its number of findings: `S13 2, S14 1`; `''` = none. */
  readonly integrity: string
}

/** Reads the facts of a vocabulary; `undefined` when there is none, or an incomplete one by another program. */
async function factsOf(
  { store, names }: RepositoryContext,
  id: string,
  signal: AbortSignal,
): Promise<VocabularyFacts | undefined> {
  const vocabulary = namedNode(names.vocabulary(id))
  const [row] = await store.select(bind(factsQuery, { vocabulary }), signal)
  const { scheme, hash, integrity: broken } = row ?? {}
  if (!scheme || !hash) return undefined
  return { scheme: scheme.value, hash: hash.value, integrity: broken?.value ?? '' }
}

/** Makes the lines of the system graph with the facts of a vocabulary, which are added and removed together. */
const factLines = (handle: string, facts: VocabularyFacts): string[] => [
  factLine(handle, 'scheme', { iri: facts.scheme }),
  factLine(handle, 'hash', facts.hash),
  ...(facts.integrity === '' ? [] : [factLine(handle, 'integrity', facts.integrity)]),
]

/** Maximum number of listed retired concepts; above it every record that uses any concept is projected again. */
const maxRetired = 10_000

const conceptType = `<${rdf('type').value}> <${skos('Concept').value}> .`
const memberships = [skos('inScheme').value, skos('topConceptOf').value].map((iri) => `<${iri}> <`)

/** Returns the IRI of the concept that an N-Triples line declares by its type or by its membership in a scheme. */
function conceptIn(line: string): string | undefined {
  const at = line.indexOf(' ')
  const afterSubject = line.slice(at + 1, at + 100)
  const isDeclaration =
    afterSubject.startsWith(conceptType) ||
    memberships.some((start) => afterSubject.startsWith(start))
  return isDeclaration && line.startsWith('<') ? line.slice(1, at - 1) : undefined
}

/** Returns concepts that only the old lines have: records with them are projected again; `all` above `maxRetired`. */
async function retiredConcepts(
  before: AsyncIterable<string>,
  after: readonly string[],
): Promise<readonly string[] | 'all'> {
  const concepts = new Set(after.map(conceptIn))
  const retired = new Set<string>()
  for await (const chunk of before) {
    for (const line of chunk.split('\n')) {
      const concept = conceptIn(line)
      if (concept !== undefined && !concepts.has(concept)) retired.add(concept)
    }
    if (retired.size > maxRetired) return 'all'
  }
  return [...retired]
}

/** Makes the lines of the system graph that tell the projector about retired concepts. */
const retiredLines = (handle: string, retired: readonly string[] | 'all'): string[] =>
  retired === 'all'
    ? [factLine(handle, 'retired', 'all')]
    : retired.map((concept) => factLine(handle, 'retired', { iri: concept }))

/** Default wait of a PUT or DELETE for the index, in milliseconds; a large vocabulary takes longer than a record. */
const waitMs = 60_000

const path = '/vocabularies/{vocabularyId}'
const params = parameters.vocabulary

const readVocabulary = repositoryEndpoint({
  method: 'get',
  path,
  operation: 'getVocabulariesByVocabularyId',
  summary: 'Read a vocabulary',
  auth: anyone,
  params,
  answers: answers.graph,
  handle: async ({ c, signal }, context) => {
    const { id, suffix } = suffixedId(c, 'vocabularyId')
    const facts = await factsOf(context, id, signal)
    if (!facts) throw unknownVocabulary(id)
    return longAnswer(c, () => answerVocabulary(c, context, { ...facts, id, suffix }))
  },
})

const putVocabulary = repositoryEndpoint({
  method: 'put',
  path,
  operation: 'putVocabulariesByVocabularyId',
  summary: 'Create or replace a vocabulary',
  auth: mayWritePlatform,
  params,
  body: bodies.vocabulary,
  answers: answers.write,
  handle: async ({ c, params: { vocabularyId: id }, signal }, context) => {
    const { limits, locks, names, canonical } = context
    const renew = () => c.get('deadline').extend(limits.longRequestMs)
    renew()
    const resource = names.vocabulary(id)
    // JSON-LD is parsed as a whole and has the limit of such bodies.
    const { format, charset, pieces } = readRdfPieces(c, (bodyFormat) => {
      const name = bodyFormat === 'jsonld' ? 'bodyBytes' : 'vocabularyBytes'
      return { bytes: limits[name], name, ratio: limits.bodyRatio, idleMs: limits.bodyIdleMs }
    })
    const batches = parseStream(pieces, format, { baseIri: resource, limits, charset })
    const intake = await vocabularyContent(batches, { names, resource, work: canonical?.work })
    renew()
    const replacement = { id, intake, precondition: expectedState(c) }
    const work = () => replaceVocabulary(context, replacement, signal)
    // The lock of the scheme prevents that two vocabularies take it at the same time.
    const claims = [lockOf(id), `scheme ${intake.scheme}`]
    const outcome = await locks.run(claims, work, signal)
    return answerWrite(c, context, outcome, { waitMs })
  },
})

const deleteVocabulary = repositoryEndpoint({
  method: 'delete',
  path,
  operation: 'deleteVocabulariesByVocabularyId',
  summary: 'Delete a vocabulary',
  auth: mayWritePlatform,
  params,
  answers: answers.removal,
  handle: async ({ c, params: { vocabularyId: id }, signal }, context) => {
    c.get('deadline').extend(context.limits.longRequestMs)
    const work = () => removeVocabulary(context, id, expectedState(c), signal)
    const mark = await context.locks.run([lockOf(id)], work, signal)
    return answerDelete(c, context, { mark, waitMs })
  },
})

/** Endpoints of vocabularies. */
export const vocabularyResourceEndpoints = [readVocabulary, putVocabulary, deleteVocabulary]

type VocabularyAnswer = Pick<VocabularyFacts, 'scheme' | 'hash'> & {
  readonly id: string
  readonly suffix: Format | undefined
}

/** Size in UTF-16 units of N-Triples up to which a vocabulary is sent as one text (16 Mi). */
const maxUndivided = 16 * 1024 * 1024

/**
 * Answers 200 or 304 in the format of the suffix or of `Accept`; `not-acceptable` when there is none. Statements that RDF/XML
 * cannot express become comments in a large vocabulary (decision 0033); a small one is `not-acceptable` then.
 */
async function answerVocabulary(
  c: AppContext,
  context: RepositoryContext,
  { id, scheme, hash, suffix }: VocabularyAnswer,
): Promise<Response> {
  const { names, limits, store } = context
  const resource = { id, iri: scheme, path: `/vocabularies/${id}` }
  const answerWhole = (lines: string) =>
    answerResource(c, context, { ...resource, lines, hash }, suffix)
  if (isFresh(c.req.raw.headers, hash)) return answerWhole('')
  // Formats are checked before the graph is read.
  answerFormat(c, suffix)
  // The deadline is extended, because a store may have to sort the whole graph before the first chunk.
  c.get('deadline').extend(limits.longRequestMs)
  const { first, rest: remaining } = await takePrefix(
    store.readLines(scheme, c.get('signal')),
    maxUndivided,
  )
  if (!remaining) return answerWhole(first.join(''))
  const partsIn = (chunk: string) => [
    { graph: scheme, lines: unskolemiseLines(chunk, { prefix: names.genidPrefix }) },
  ]
  async function* parts() {
    for (const chunk of first.splice(0)) yield partsIn(chunk)
    for await (const chunk of remaining ?? []) yield partsIn(chunk)
  }
  c.header('ETag', entityTag(hash))
  c.header('Link', linkHeaderOf(resource, c.get('address')))
  return answerDocument(c, context, parts(), { suffix, name: id, isDivided: true })
}

/** Takes chunks until they exceed a size; returns them, and the rest unless the source has ended. */
async function takePrefix(source: AsyncIterable<string>, size: number) {
  const chunks = (async function* chunks() {
    yield* source
  })()
  const first: string[] = []
  let length = 0
  while (length <= size) {
    const next = await chunks.next()
    if (next.done === true) return { first, rest: undefined }
    first.push(next.value)
    length += next.value.length
  }
  return { first, rest: chunks }
}

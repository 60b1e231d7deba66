/** Writes of drafts: of new records, of published ones, as a whole and by differences. */

import type { Quad } from '@rdfjs/types'
import { Failure, invalidParameter } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { entityTag } from '../../http/conditions.ts'
import { refuseEmptyText, readRdfText } from '../../http/rdf.ts'
import { merge } from '../../rdf/difference.ts'
import { fromLines, termIn, toLines } from '../../rdf/lines.ts'
import { parse } from '../../rdf/parse.ts'
import { applyPatch, parsePatch } from '../../rdf/patch.ts'
import { graphOf, textOf } from '../../rdf/read.ts'
import { dct } from '../../rdf/namespaces.ts'
import { namedNode, quad } from '../../rdf/terms.ts'
import { formModelsOf } from '../endpoints/profile-endpoints.ts'
import { bodyLimits, requireId } from '../endpoints/requests.ts'
import { readVersion, unknownVersion } from '../endpoints/version-endpoints.ts'
import type { RepositoryContext } from '../repository-context.ts'
import { hasValue } from './catalogue-rules.ts'
import type { Draft } from './draft-file.ts'
import {
  demandCatalogue,
  draftGraph,
  freeId,
  kindOf,
  publishedGraph,
  storedGraph,
  titlesOf,
  type DraftKind,
} from './draft-kinds.ts'
import {
  accessOf,
  answerDraft,
  demandRevision,
  demandRole,
  demandWritable,
  nameOf,
} from './draft-requests.ts'
import { draftTitles, isAs, writerOf } from './publishing.ts'

/** Answers the draft of a published record, and makes it if there is none. */
export async function openPublished(
  c: AppContext,
  context: RepositoryContext,
  record: { readonly kind: DraftKind; readonly id: string },
): Promise<Response> {
  const { draft, isNew } = await draftOfPublished(c, context, record)
  return answerDraft(c, context, draft, isNew ? 201 : 200)
}

/** Published record that a draft is made of. */
type Source = { readonly kind: DraftKind; readonly id: string }
type Found = NonNullable<Awaited<ReturnType<DraftKind['find']>>>
type Graphs = Pick<Draft, 'base' | 'graph'> & { readonly baseTag: string }

/** Published record whose drafts the key may write. Throws `unknown-resource`, and `forbidden` without the role. */
async function publishedRecord(c: AppContext, { kind, id }: Source): Promise<Found> {
  const found = await kind.find(requireId('of', id), c.get('signal'))
  if (!found) throw new Failure('unknown-resource', `there is no published record "${id}"`)
  demandRole(accessOf(c), writerOf(kind), found.catalogue)
  return found
}

/** Draft of a published record, made where there is none. Throws as `publishedRecord`. */
async function draftOfPublished(
  c: AppContext,
  context: RepositoryContext,
  source: Source,
): Promise<{ readonly draft: Draft; readonly isNew: boolean }> {
  const { kind, id } = source
  const found = await publishedRecord(c, source)
  const existing = context.drafts.find(kind.type, id)
  if (existing && existing.state !== 'away') return { draft: existing, isNew: false }
  const graph = await publishedGraph(context, kind, found, c.get('signal'))
  const graphs = { base: graph, graph, baseTag: found.hash }
  return { draft: addPublished(c, context, { kind, found }, graphs), isNew: true }
}

/** Adds the draft of a published record, in place of one that was thrown away. */
function addPublished(
  c: AppContext,
  { drafts }: RepositoryContext,
  { kind, found }: { readonly kind: DraftKind; readonly found: Found },
  graphs: Graphs,
): Draft {
  const { id, originalId, catalogue } = found
  const access = accessOf(c)
  const away = drafts.find(kind.type, id)
  if (away) drafts.delete(away)
  const title = titlesOf(fromLines(graphs.graph), kind.iri(id))
  const record = { type: kind.type, id, originalId, catalogue, title, ...graphs }
  return drafts.add({ ...record, author: access.key.id, authorName: nameOf(access) })
}

/** Version that a draft takes back (`undo`) or goes back to (`restore`). */
export type VersionStep = {
  readonly undo?: number | undefined
  readonly restore?: number | undefined
}

/**
 * Answers a new draft that takes a version of a published record back, or goes back to one. Where later versions changed the same
 * values, the version itself is the base of the draft (`baseTag`: `version-3`), so that its merge asks what counts. Throws `conflict`
 * where there is a draft.
 */
export async function openVersion(
  c: AppContext,
  context: RepositoryContext,
  source: Source,
  { undo, restore }: VersionStep,
): Promise<Response> {
  const { kind, id } = source
  const found = await publishedRecord(c, source)
  const existing = context.drafts.find(kind.type, id)
  if (existing && existing.state !== 'away')
    throw new Failure('conflict', 'the record has a draft: publish it or throw it away first')
  const number = undo ?? restore ?? 0
  const { lines, former = '' } = await readVersion(c, context, kind.recordName(id), number)
  const [version = '', before = ''] = [lines, former].map((stored) =>
    stored === '' ? '' : storedGraph(context, kind, found, stored),
  )
  if (version === '' || (undo !== undefined && before === '')) throw unknownVersion(number)
  const now = await publishedGraph(context, kind, found, c.get('signal'))
  const current = { base: now, baseTag: found.hash }
  const answer = (graphs: Graphs) =>
    answerDraft(c, context, addPublished(c, context, { kind, found }, graphs), 201)
  if (undo === undefined) return answer({ ...current, graph: version })
  const [from, theirs, mine] = [version, now, before].map(fromLines)
  const bounds = context.canonical
  const merged = await merge(from ?? [], theirs ?? [], mine ?? [], bounds ? { bounds } : {})
  return answer(
    merged.conflicts.length === 0
      ? { ...current, graph: toLines(merged.graph) }
      : { base: version, graph: before, baseTag: `version-${undo}` },
  )
}

/** Reads the body as RDF; relative references are those of a base. */
async function bodyReader(c: AppContext, { limits }: RepositoryContext) {
  const { text, format } = await readRdfText(c, bodyLimits(limits))
  refuseEmptyText(text)
  return (baseIri: string) => parse(text, format, { baseIri, limits })
}

type NewRecord = { readonly kind: DraftKind; readonly catalogue: string }

/** Answers a POST of a draft, whose id is made of its title. */
export async function create(
  c: AppContext,
  context: RepositoryContext,
  { kind, catalogue }: NewRecord,
  signal: AbortSignal,
): Promise<Response> {
  const { drafts, locks } = context
  const access = accessOf(c)
  if (kind.type !== 'catalogues') {
    if (kind.inCatalogue) requireId('catalogue', catalogue)
    demandRole(access, writerOf(kind), catalogue)
  }
  const read = await bodyReader(c, context)
  await demandCatalogue(context, kind, catalogue, signal)
  const provisional = kind.iri('-')
  const { node, statements } = kind.select(await read(provisional), {
    iri: provisional,
    originalId: '-',
  })
  const title = textOf(graphOf(statements), node, dct('title')) ?? ''
  const work = async () => {
    const isTaken = (one: string) => drafts.find(kind.type, one) !== undefined
    const newId = await freeId(kind, { title, catalogue, isTaken }, signal)
    const own = kind.type === 'catalogues' ? newId : catalogue
    if (kind.type === 'catalogues') demandRole(access, 'steward', newId)
    const quads = await read(kind.iri(newId))
    return addDraft(context, { kind, catalogue: own, id: newId, originalId: newId, quads, access })
  }
  // Two drafts with the same title must not get the same id.
  return answerDraft(c, context, await locks.run(['draft ids'], work, signal), 201)
}

type Addition = NewRecord & {
  readonly id: string
  readonly originalId: string
  readonly quads: readonly Quad[]
  readonly access: ReturnType<typeof accessOf>
}

async function addDraft(context: RepositoryContext, addition: Addition): Promise<Draft> {
  const { kind, catalogue, id: newId, originalId, access } = addition
  const ids = { id: newId, originalId }
  const own = fromLines(await draftGraph(context, kind, addition.quads, ids))
  const iri = kind.iri(newId)
  const quads = [...own, ...(await defaultsFor(context, { kind, catalogue }, { iri, own }))]
  const title = titlesOf(quads, iri)
  const record = { type: kind.type, ...ids, catalogue, title, graph: toLines(quads) }
  return context.drafts.add({ ...record, author: access.key.id, authorName: nameOf(access) })
}

/** Statements that a new record gets where it has no value: by the rules of its catalogue, else by `sh:defaultValue`. */
async function defaultsFor(
  { drafts, profile }: RepositoryContext,
  { kind, catalogue }: NewRecord,
  { iri, own }: { readonly iri: string; readonly own: readonly Quad[] },
): Promise<readonly Quad[]> {
  const sections = (await formModelsOf(profile))(kind.type)?.sections ?? []
  const ofProfile = sections
    .flatMap(({ fields }) => fields)
    .flatMap(({ path: [path = ''], defaultValue: value = '' }) => ({ path, value }))
  const ofRules = kind.type === 'datasets' ? drafts.rules(catalogue).rules.defaults : []
  const ruled = new Set(ofRules.map(({ path }) => path))
  const about = graphOf(own)
  return [...ofRules, ...ofProfile.filter(({ path }) => !ruled.has(path))].flatMap(
    ({ path, value }) => {
      const term = hasValue(about, iri, path) ? undefined : termIn(value)
      return term ? [quad(namedNode(iri), namedNode(path), term)] : []
    },
  )
}

type DraftPut = {
  readonly kind: DraftKind
  readonly originalId: string
  readonly catalogue: string | undefined
}

/** Answers a PUT of a whole draft: of the draft itself, of a published record, or of a new one in a catalogue. */
export async function putDraft(
  c: AppContext,
  context: RepositoryContext,
  { kind, originalId, catalogue }: DraftPut,
): Promise<Response> {
  const { drafts } = context
  const [signal, access] = [c.get('signal'), accessOf(c)]
  const ownId = await idFor(context, { kind, originalId, catalogue }, signal)
  const read = await bodyReader(c, context)
  const quads = await read(kind.iri(ownId))
  const existing = drafts.find(kind.type, ownId)
  const isHidden = existing && !isAs(access, 'reader', existing)
  if (isHidden || (!existing && !(await kind.find(ownId, signal)))) {
    const own = kind.type === 'catalogues' ? ownId : (catalogue ?? '')
    if (kind.inCatalogue) requireId('catalogue', own)
    demandRole(access, writerOf(kind), own)
    if (isHidden) throw new Failure('conflict', `the id "${ownId}" is taken; choose another one`)
    await demandCatalogue(context, kind, own, signal)
    const ids = { catalogue: own, id: ownId, originalId }
    const draft = await addDraft(context, { kind, ...ids, quads, access })
    c.header('ETag', entityTag(String(draft.revision)))
    c.header('Location', `${c.get('address')}/drafts/${draft.type}/${draft.id}`)
    return c.body(null, 201)
  }
  if (existing) demandRole(access, writerOf(kind), existing.catalogue)
  const draft = existing ?? (await draftOfPublished(c, context, { kind, id: ownId })).draft
  if (existing) demandRevision(c, existing)
  demandWritable(draft)
  const graph = await draftGraph(context, kind, quads, draft)
  const title = draftTitles(kind, { id: draft.id, graph })
  const changed = drafts.change(draft, { graph, title, changedBy: nameOf(access) })
  c.header('ETag', entityTag(String(changed.revision)))
  return c.body(null, 204)
}

/** Id of the platform for the id of a PUT, which of a dataset is an id at the origin. */
async function idFor(
  { ids }: RepositoryContext,
  { kind, originalId, catalogue }: DraftPut,
  signal: AbortSignal,
): Promise<string> {
  if (kind.type !== 'datasets' || catalogue === undefined) return requireId('id', originalId)
  const request = { catalogue: requireId('catalogue', catalogue), originalIds: [originalId] }
  const [target] = await ids(request, signal)
  if (!target || target instanceof Failure)
    throw target ?? invalidParameter('id', 'no id can be made of it')
  return target.id
}

/** Graph of a draft after a change of statements; what its record does not reach is left out. Rejects with `too-large`. */
export async function patchedGraph(
  { limits, triples }: RepositoryContext,
  kind: DraftKind,
  { id, originalId, graph }: Pick<Draft, 'id' | 'originalId' | 'graph'>,
  { remove, add }: { readonly remove: readonly string[]; readonly add: readonly string[] },
): Promise<string> {
  const text = [...remove.map((line) => `D ${line}`), ...add.map((line) => `A ${line}`)].join('\n')
  const patch = await parsePatch(text, { limits, maxLines: 2 * triples })
  const quads = applyPatch(fromLines(graph), patch)
  const { statements } = kind.select(quads, { iri: kind.iri(id), originalId })
  if (statements.length > triples)
    throw new Failure('too-large', `a draft may have ${triples} statements`)
  return toLines(statements)
}

/** Answers a write of a dataset with `publicationStatus=draft`; without an id at the origin a new draft is made. */
export function draftDataset(
  c: AppContext,
  context: RepositoryContext,
  {
    catalogue,
    originalId,
  }: { readonly catalogue?: string | undefined; readonly originalId?: string },
): Promise<Response> {
  const kind = kindOf(context, 'datasets')
  return originalId === undefined
    ? create(c, context, { kind, catalogue: catalogue ?? '' }, c.get('signal'))
    : putDraft(c, context, { kind, originalId, catalogue })
}

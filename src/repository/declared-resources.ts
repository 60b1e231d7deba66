/** Resources of the types that the profile declares: put under an id, read, delete, restore. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../errors.ts'
import type { ResourceType } from '../profile/profile.ts'
import { canonicalise } from '../rdf/canonical.ts'
import { subjectQuads, toLines } from '../rdf/lines.ts'
import { dct } from '../rdf/namespaces.ts'
import { keyOf } from '../rdf/read.ts'
import { skolemise } from '../rdf/skolem.ts'
import type { Change } from '../store/graph-store.ts'
import { markLine, systemChange, type Mark } from '../store/marks.ts'
import { recordStatements, timestamp } from './content/catalogue-record.ts'
import { mergedGraphs, resourceContent, resourceNode } from './content/own-content.ts'
import { rename } from './content/rename.ts'
import type { Precondition, ResourceBody, WriteContext, WriteOutcome } from './context.ts'
import {
  linkChange,
  memberFacts,
  resourceFacts,
  resourceLock,
  type ResourceFacts,
} from './deleting/members.ts'
import { removeMembers } from './deleting/removing.ts'
import { restoreMember } from './deleting/restoring.ts'
import { tooManyTriples } from './writing/dataset-plan.ts'
import { unknownCatalogue } from './writing/find-datasets.ts'
import { landOne, resultOf, type Planned } from './writing/write-batch.ts'

/** A type as far as the repository needs to know it; the shape is the projector's. */
export type RepositoryType = Pick<
  ResourceType,
  'id' | 'name' | 'description' | 'typeUri' | 'inCatalogue'
>

export type ResourceName = { readonly type: RepositoryType; readonly id: string }

type ResourcePut = ResourceName & {
  readonly body: ResourceBody
  readonly precondition: Precondition
  /** Write even when the hash is equal. */
  readonly enforceUpdate: boolean
  /** Of the types that are in catalogues; `undefined` = where it is already. */
  readonly catalogue: string | undefined
}

export type DeclaredResources = {
  /**
   * Fails with `unknown-catalogue`, `invalid-parameter` when a new one needs a catalogue, `conflict` when it is in another
   * one, and as the PUT of a dataset does.
   */
  put(request: ResourcePut, signal: AbortSignal): Promise<WriteOutcome>
  find(name: ResourceName, signal: AbortSignal): Promise<ResourceFacts | undefined>
  /** The facts and the lines of the graph with its record, skolemised; `undefined` when there is none. */
  read(
    name: ResourceName,
    signal: AbortSignal,
  ): Promise<(ResourceFacts & { readonly lines: string }) | undefined>
  /** Fails with `unknown-resource`. What is removed can be restored for as long as its tombstone lives. */
  remove(name: ResourceName, precondition: Precondition, signal: AbortSignal): Promise<Mark>
  /**
   * Fails with `unknown-resource` without a tombstone, `already-exists` when the id is in use, `conflict` when the catalogue
   * is gone.
   */
  restore(name: ResourceName, signal: AbortSignal): Promise<WriteOutcome>
}

type DeclaredDeps = WriteContext & {
  /** Fails when there is no such catalogue. */
  readonly demand: (catalogue: string, signal: AbortSignal) => Promise<void>
}

/** A resource under the id of its tombstone. */
export const memberId = ({ type, id }: ResourceName): string => `${type.id}/${id}`

export function declaredResources(deps: DeclaredDeps): DeclaredResources {
  const { store, names, locks } = deps
  const iriOf = ({ type, id }: ResourceName) => names.resource(type.id, id)
  const find: DeclaredResources['find'] = async (name, signal) =>
    (await resourceFacts(deps, [iriOf(name)], signal)).get(iriOf(name))
  const locked = <T>(name: ResourceName, work: () => Promise<T>, signal: AbortSignal) =>
    locks.run(resourceLock(iriOf(name)), work, signal)

  return {
    find,
    put: (request, signal) =>
      locked(
        request,
        async () => replace(deps, request, await find(request, signal), signal),
        signal,
      ),
    read: async (name, signal) => {
      const texts = store.read(iriOf(name), {}, signal)
      const [facts, lines] = await Promise.all([find(name, signal), texts])
      return facts && lines !== undefined ? { ...facts, lines } : undefined
    },
    remove: (name, precondition, signal) => {
      const work = async () => {
        const facts = await find(name, signal)
        if (!facts) throw unknownResource(name)
        precondition(facts.hash)
        const [removed] = await removeMembers(deps, [facts], { at: deps.now() }, signal)
        return resultOf(removed)
      }
      return locked(name, work, signal)
    },
    restore: async (name, signal) => {
      const member = { kind: 'resource', id: memberId(name) } as const
      const restored = await restoreMember(deps, member, signal)
      if (!restored) throw unknownResource(name)
      return restored
    },
  }
}

export const unknownResource = ({ type, id }: ResourceName) =>
  new Failure('unknown-resource', `there is no resource "${id}" of the type "${type.id}"`)

async function replace(
  deps: DeclaredDeps,
  request: ResourcePut,
  stored: ResourceFacts | undefined,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const catalogue = catalogueFor(request, stored)
  const isGone = deps.deletions.watch(catalogue)
  if (catalogue !== '') await deps.demand(catalogue, signal)
  const plan = await planResource(deps, { ...request, catalogue }, stored, signal)
  const check = () => {
    // Asked in the same turn as the write: a deletion that starts now will see it and take it away.
    if (isGone()) throw unknownCatalogue(catalogue)
  }
  const outcome = await landOne(deps, { ...plan, check })
  if (outcome.kind === 'created') deps.tombstones.forget('resource', [memberId(request)])
  return outcome
}

/** The catalogue that a resource will be in, `''` where its type is in none. */
function catalogueFor(
  { type, id, catalogue }: ResourcePut,
  stored: ResourceFacts | undefined,
): string {
  if (!type.inCatalogue) return ''
  const present = stored?.catalogue
  if (catalogue !== undefined && present && catalogue !== present) {
    throw new Failure('conflict', `the resource "${id}" is in the catalogue "${present}"`)
  }
  const found = catalogue ?? present
  if (found) return found
  const detail = `a resource of the type "${type.id}" is written into a catalogue: add catalogId=<id>`
  throw new Failure('invalid-parameter', detail, { errors: [{ parameter: 'catalogId', detail }] })
}

type Placed = ResourcePut & { readonly catalogue: string }

async function planResource(
  deps: WriteContext,
  request: Placed,
  stored: ResourceFacts | undefined,
  signal: AbortSignal,
): Promise<Planned<WriteOutcome> & { readonly result: WriteOutcome }> {
  const { names } = deps
  const { type, id, catalogue } = request
  const iri = names.resource(type.id, id)
  const quads = mergedGraphs(await request.body.parse(iri))
  const node = resourceNode(quads, { typeUri: type.typeUri, id, iri })
  const own = resourceContent(quads, node, { names, iri })
  if (own.length > deps.triples) throw tooManyTriples(own.length, deps.triples)
  const { hash, labels } = await canonicalise(own, deps.canonical)
  request.precondition(stored?.hash)
  const outcome = { iri, hash, ...(catalogue !== '' && { catalogue }) }
  if (stored?.hash === hash && stored.catalogue === catalogue && !request.enforceUpdate)
    return { result: { ...outcome, kind: 'unchanged', modified: undefined } }
  const ground = skolemise(rename(own, new Map([[keyOf(node), iri]])), {
    genid: names.genid(iri),
    labels,
  })
  const before = stored ? ((await deps.store.read(iri, {}, signal)) ?? '') : ''
  const modified = timestamp(deps.now())
  const record = catalogue === '' ? [] : recordFor(deps, request, { before, hash, modified })
  const mark = { resource: iri, version: deps.versions.next() }
  const facts = { kind: 'resource', id: memberId(request), catalogue, hash } as const
  const changes: Change[] = [
    { graph: iri, content: toLines([...ground, ...record]), before },
    ...(stored && stored.catalogue !== catalogue ? linkChange(names, stored, 'remove') : []),
    ...(stored?.catalogue === catalogue ? [] : linkChange(names, facts, 'add')),
    systemChange({
      add: [...memberFacts(names, facts), markLine('pending', mark)],
      remove: stored ? memberFacts(names, stored) : [],
    }),
  ]
  const kind = stored ? 'updated' : 'created'
  return { result: { ...outcome, kind, modified, mark }, group: { changes, marks: [mark] } }
}

type State = { readonly before: string; readonly hash: string; readonly modified: string }

/** The record of a resource that is in a catalogue; it keeps the date of the creation. */
function recordFor(
  { names }: WriteContext,
  { type, id }: Placed,
  { before, hash, modified }: State,
): Quad[] {
  const [topic, iri] = [names.resource(type.id, id), names.resourceRecord(type.id, id)]
  const said = subjectQuads(before, iri).find((q) => q.predicate.value === dct('issued').value)
  const issued = said?.object.value ?? modified
  return recordStatements({ topic, iri }, { originalId: id, hash, issued, modified }, names)
}

/** Resources of the types that the profile declares: put under an id, read, delete. */

import { Failure } from '../../errors.ts'
import type { Mark } from '../../store/marks.ts'
import type { Deletions } from '../deleting/deletions.ts'
import type { RemovingDeps } from '../deleting/removing.ts'
import type { Outcome } from '../deps.ts'
import type { DatasetPut } from '../writing/dataset-plan.ts'
import { landChanges } from '../writing/landing.ts'
import { unknownCatalogue } from '../writing/find-dataset.ts'
import type { ResourceName } from './declared-types.ts'
import { resourceFacts, type ResourceFacts } from './facts.ts'
import { planResource, type ResourcePut } from './resource-plan.ts'
import { removeResources, resourceLock, tombstoneId } from './removing.ts'
import { restoreResource } from './restoring.ts'

export type CustomResources = {
  /**
   * Fails with `unknown-catalogue`, `invalid-parameter` when a new one needs a catalogue, `conflict` when it is in another
   * one, and as the PUT of a dataset does.
   */
  put(request: ResourcePut, signal: AbortSignal): Promise<Outcome>
  find(name: ResourceName, signal: AbortSignal): Promise<ResourceFacts | undefined>
  /** The facts and the lines of the graph with its record, skolemised; `undefined` when there is none. */
  read(
    name: ResourceName,
    signal: AbortSignal,
  ): Promise<(ResourceFacts & { readonly lines: string }) | undefined>
  /** Fails with `unknown-resource`. What is removed can be restored for as long as its tombstone lives. */
  remove(
    name: ResourceName,
    precondition: DatasetPut['precondition'],
    signal: AbortSignal,
  ): Promise<Mark>
  /**
   * Fails with `unknown-resource` without a tombstone, `already-exists` when the id is in use, `conflict` when the catalogue
   * is gone.
   */
  restore(name: ResourceName, signal: AbortSignal): Promise<Outcome>
}

export type CustomResourceDeps = RemovingDeps & {
  readonly deletions: Deletions
  /** Fails when there is no such catalogue. */
  readonly demand: (catalogue: string, signal: AbortSignal) => Promise<void>
}

export function customResources(deps: CustomResourceDeps): CustomResources {
  const { store, names, locks } = deps
  const iriOf = ({ type, id }: ResourceName) => names.resource(type.id, id)

  const find: CustomResources['find'] = async (name, signal) => {
    const iri = iriOf(name)
    return (await resourceFacts(deps, [iri], signal)).get(iri)
  }

  const put: CustomResources['put'] = (request, signal) =>
    locks.run(
      resourceLock(iriOf(request)),
      async () => land(deps, request, await find(request, signal), signal),
      signal,
    )

  const read: CustomResources['read'] = async (name, signal) => {
    const [facts, lines] = await Promise.all([
      find(name, signal),
      store.read(iriOf(name), {}, signal),
    ])
    return facts && lines !== undefined ? { ...facts, lines } : undefined
  }

  const remove: CustomResources['remove'] = (name, precondition, signal) =>
    locks.run(
      resourceLock(iriOf(name)),
      async () => {
        const facts = await find(name, signal)
        if (!facts) throw unknownResource(name)
        precondition(facts.hash)
        const resources = new Map([[iriOf(name), facts]])
        const [mark] = await removeResources(deps, { resources, at: deps.now() }, signal)
        if (!mark) throw unknownResource(name)
        return mark
      },
      signal,
    )

  const restore: CustomResources['restore'] = (name, signal) =>
    locks.run(
      resourceLock(iriOf(name)),
      async () => {
        const outcome = await restoreResource(deps, iriOf(name), signal)
        if (!outcome) throw unknownResource(name)
        return outcome
      },
      signal,
    )

  return { put, find, read, remove, restore }
}

export const unknownResource = ({ type, id }: ResourceName) =>
  new Failure('unknown-resource', `there is no resource "${id}" of the type "${type.id}"`)

async function land(
  deps: CustomResourceDeps,
  request: ResourcePut,
  stored: ResourceFacts | undefined,
  signal: AbortSignal,
): Promise<Outcome> {
  const catalogue = homeOf(request, stored)
  const isGone = catalogue === undefined ? () => false : deps.deletions.watch(catalogue)
  if (catalogue !== undefined) await deps.demand(catalogue, signal)
  const { outcome, changes } = await planResource(deps, { ...request, catalogue }, stored, signal)
  if (!outcome.mark) return outcome
  // Asked in the same turn as the write: a cascade that starts now will see it and take it away.
  if (catalogue !== undefined && isGone()) throw unknownCatalogue(catalogue)
  await landChanges(deps, changes, [outcome.mark])
  const id = tombstoneId(deps.names, outcome.iri)
  if (!stored && id !== undefined) deps.tombstones.forget('resource', [id])
  return outcome
}

/** The catalogue that a resource will be in. */
function homeOf(
  { type, id, catalogue }: ResourcePut,
  stored: ResourceFacts | undefined,
): string | undefined {
  if (!type.inCatalogue) return undefined
  const home = stored?.catalogue
  if (catalogue !== undefined && home !== undefined && catalogue !== home) {
    throw new Failure('conflict', `the resource "${id}" is in the catalogue "${home}"`)
  }
  const found = catalogue ?? home
  if (found !== undefined) return found
  const detail = `a resource of the type "${type.id}" is written into a catalogue: add catalogId=<id>`
  throw new Failure('invalid-parameter', detail, { errors: [{ parameter: 'catalogId', detail }] })
}

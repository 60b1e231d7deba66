/** Vocabularies: stored exactly as given under the IRI of their concept scheme. */

import { Failure } from '../errors.ts'
import { canonicalise } from '../rdf/canonical.ts'
import { toLines } from '../rdf/lines.ts'
import type { Names } from '../rdf/names.ts'
import { skolemise } from '../rdf/skolem.ts'
import { namedNode } from '../rdf/terms.ts'
import { bind, loadQuery } from '../store/queries.ts'
import { conceptScheme } from './content/concept-scheme.ts'
import { prune } from './content/prune.ts'
import type { CataloguePut } from './catalogues.ts'
import type { DatasetPut } from './writing/dataset-plan.ts'
import type { Outcome, RepositoryDeps } from './deps.ts'
import { landChanges } from './writing/landing.ts'
import { fact, markLine, systemChange, type Mark } from '../store/marks.ts'

const factsQuery = loadQuery('vocabulary-facts')
const ownerQuery = loadQuery('scheme-owner')

type Facts = { readonly scheme: string; readonly hash: string }

export type Vocabularies = {
  put(request: CataloguePut, signal: AbortSignal): Promise<Outcome>
  read(
    id: string,
    signal: AbortSignal,
  ): Promise<{ lines: string; hash: string; scheme: string } | undefined>
  remove(id: string, precondition: DatasetPut['precondition'], signal: AbortSignal): Promise<Mark>
}

export function vocabularies(deps: RepositoryDeps): Vocabularies {
  const { store, names, locks } = deps

  const factsOf = async (id: string, signal: AbortSignal): Promise<Facts | undefined> => {
    const rows = await store.select(
      bind(factsQuery, { vocabulary: namedNode(names.vocabulary(id)) }),
      signal,
    )
    const { scheme, hash } = rows[0] ?? {}
    return scheme && hash && { scheme: scheme.value, hash: hash.value }
  }

  const put: Vocabularies['put'] = (request, signal) =>
    // One at a time: two ids must not claim one scheme side by side.
    locks.run(
      'vocabularies',
      async () => replace(deps, request, await factsOf(request.id, signal), signal),
      signal,
    )

  const read: Vocabularies['read'] = async (id, signal) => {
    const facts = await factsOf(id, signal)
    const text = facts && (await store.read(facts.scheme, {}, signal))
    return facts && text !== undefined ? { lines: text, ...facts } : undefined
  }

  const remove: Vocabularies['remove'] = (id, precondition, signal) =>
    locks.run(
      'vocabularies',
      async () => {
        const facts = await factsOf(id, signal)
        if (!facts) throw unknownVocabulary(id)
        precondition(facts.hash)
        const mark = { resource: names.vocabulary(id), version: deps.versions.next() }
        const system = systemChange({
          add: [markLine('pending', mark)],
          remove: factLines(mark.resource, facts),
        })
        await landChanges(deps, [{ graph: facts.scheme, drop: true }, system], [mark])
        return mark
      },
      signal,
    )

  return { put, read, remove }
}

export const unknownVocabulary = (id: string) =>
  new Failure('unknown-vocabulary', `there is no vocabulary "${id}"`)

const factLines = (resource: string, { scheme, hash }: Facts): string[] => [
  fact(resource, 'scheme', { iri: scheme }),
  fact(resource, 'hash', hash),
]

async function replace(
  deps: RepositoryDeps,
  request: CataloguePut,
  stored: Facts | undefined,
  signal: AbortSignal,
): Promise<Outcome> {
  const { names } = deps
  const resource = names.vocabulary(request.id)
  const sent = await request.body.parse(resource)
  const quads = prune(sent, (q) => isForeign(names, q.subject.value, resource))
  const scheme = conceptScheme(quads)
  await demandFree(deps, scheme, resource, signal)
  const { hash, labels } = await canonicalise(quads)
  request.precondition(stored?.hash)
  if (stored && stored.hash === hash && stored.scheme === scheme) {
    return { kind: 'unchanged', iri: scheme, hash, modified: undefined }
  }
  const ground = skolemise(quads, { genid: names.genid(scheme), labels })
  const mark = { resource, version: deps.versions.next() }
  const moved =
    stored && stored.scheme !== scheme ? [{ graph: stored.scheme, drop: true as const }] : []
  const system = systemChange({
    add: [...factLines(resource, { scheme, hash }), markLine('pending', mark)],
    remove: stored ? factLines(resource, stored) : [],
  })
  await landChanges(deps, [...moved, { graph: scheme, content: toLines(ground) }, system], [mark])
  return { kind: stored ? 'updated' : 'created', iri: scheme, hash, modified: undefined, mark }
}

/** Whether an IRI is of the platform's own and not below this vocabulary's handle, against which a body is resolved. */
const isForeign = (names: Names, iri: string, resource: string): boolean =>
  names.owns(iri) && iri !== resource && !iri.startsWith(`${resource}#`)

/** A scheme belongs to one vocabulary id, and no scheme may take the graph of another resource. */
async function demandFree(
  deps: RepositoryDeps,
  scheme: string,
  resource: string,
  signal: AbortSignal,
): Promise<void> {
  if (isForeign(deps.names, scheme, resource) || scheme.startsWith('urn:cartulary:')) {
    throw new Failure(
      'invalid-content',
      `the concept scheme ${scheme} lies in the platform's own namespace`,
    )
  }
  const owners = await deps.store.select(bind(ownerQuery, { scheme: namedNode(scheme) }), signal)
  const other = owners.find((row) => row['vocabulary']?.value !== resource)
  if (!other) return
  const id = deps.names.idOf('vocabulary', other['vocabulary']?.value ?? '') ?? ''
  throw new Failure(
    'already-exists',
    `the concept scheme ${scheme} is stored as vocabulary "${id}"`,
  )
}

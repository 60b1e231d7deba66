/** Catalogues: put, read without their links, delete with everything in them. */

import { keyOf } from '../rdf/read.ts'
import type { Quad } from '@rdfjs/types'
import { canonicalise } from '../rdf/canonical.ts'
import { fromLines, toLines } from '../rdf/lines.ts'
import { dct, xsd } from '../rdf/namespaces.ts'
import { skolemise } from '../rdf/skolem.ts'
import { literal, namedNode, quad } from '../rdf/terms.ts'
import type { Change } from '../store/change.ts'
import { paged } from '../store/paged.ts'
import { bind, loadQuery } from '../store/queries.ts'
import { embeddedFactsDiffer } from './content/embedded-facts.ts'
import { catalogueContent, catalogueNode } from './content/catalogue-content.ts'
import { timestamp } from './content/record.ts'
import { rename } from './content/rename.ts'
import { removal } from './deleting/removal.ts'
import type { Outcome, WritingDeps } from './deps.ts'
import { tooManyTriples, type DatasetPut } from './writing/dataset-plan.ts'
import { landChanges } from './writing/landing.ts'
import { unknownCatalogue } from './writing/find-dataset.ts'
import { fact, markLine, systemChange, type Mark } from '../store/marks.ts'

const factsQuery = loadQuery('catalogue-facts')
const membersQuery = loadQuery('catalogue-datasets')

/** Datasets removed per atomic step of a cascade. */
const batchSize = 200

export type CataloguePut = Pick<DatasetPut, 'body' | 'precondition'> & { readonly id: string }

export type Catalogues = {
  put(request: CataloguePut, signal: AbortSignal): Promise<Outcome>
  /** The metadata without links, skolemised, and the hash; `undefined` when there is no such catalogue. */
  read(
    id: string,
    signal: AbortSignal,
  ): Promise<{ quads: readonly Quad[]; hash: string } | undefined>
  /** Removes all datasets, then the catalogue; a repeated call goes on where an interrupted one ended. */
  remove(id: string, precondition: DatasetPut['precondition'], signal: AbortSignal): Promise<Mark>
  /** Fails with `unknown-catalogue`. */
  demand(id: string, signal: AbortSignal): Promise<void>
}

export function catalogues(deps: WritingDeps): Catalogues {
  const { store, names, locks } = deps

  const hashOf = async (id: string, signal: AbortSignal): Promise<string | undefined> => {
    const rows = await store.select(
      bind(factsQuery, { catalogue: namedNode(names.catalogue(id)) }),
      signal,
    )
    return rows[0] && (rows[0]['hash']?.value ?? '')
  }

  const put: Catalogues['put'] = (request, signal) =>
    locks.run(
      `catalogue ${request.id}`,
      async () => replace(deps, request, await hashOf(request.id, signal), signal),
      signal,
    )

  const read: Catalogues['read'] = async (id, signal) => {
    const hash = await hashOf(id, signal)
    if (hash === undefined) return undefined
    const text = await store.read(names.catalogue(id), { links: false }, signal)
    return text === undefined ? undefined : { quads: fromLines(text), hash }
  }

  const remove: Catalogues['remove'] = (id, precondition, signal) =>
    locks.run(
      `catalogue ${id}`,
      async () => {
        const hash = await hashOf(id, signal)
        if (hash === undefined) throw unknownCatalogue(id)
        precondition(hash)
        return deps.deletions.during(id, () => cascade(deps, id, hash, signal))
      },
      signal,
    )

  const demand: Catalogues['demand'] = async (id, signal) => {
    if ((await hashOf(id, signal)) === undefined) throw unknownCatalogue(id)
  }

  return { put, read, remove, demand }
}

async function replace(
  deps: WritingDeps,
  request: CataloguePut,
  stored: string | undefined,
  signal: AbortSignal,
): Promise<Outcome> {
  const { store, names } = deps
  const iri = names.catalogue(request.id)
  const quads = await request.body(iri)
  const node = catalogueNode(quads, iri)
  const own = catalogueContent(quads, node, names)
  if (own.length > deps.triples) throw tooManyTriples(own.length, deps.triples)
  const { hash, labels } = await canonicalise(own)
  request.precondition(stored)
  if (stored === hash) return { kind: 'unchanged', iri, hash, modified: undefined }
  const before =
    stored === undefined ? [] : fromLines((await store.read(iri, { links: false }, signal)) ?? '')
  const renamed = rename(own, new Map([[keyOf(node), iri]]))
  const ground = skolemise(renamed, { genid: names.genid(iri), labels })
  const modified = timestamp(deps.now())
  const after = [...ground, ...missingDates(iri, { ground, before, modified })]
  const mark = { resource: iri, version: deps.versions.next() }
  const cascades = stored !== undefined && embeddedFactsDiffer(before, after, iri)
  const system = systemChange({
    add: [
      fact(iri, 'hash', hash),
      markLine('pending', mark),
      ...(cascades ? [markLine('cascade', mark)] : []),
    ],
    remove: stored ? [fact(iri, 'hash', stored)] : [],
  })
  await landChanges(deps, [{ graph: iri, content: toLines(after) }, system], [mark])
  if (cascades) deps.cascaded()
  return { kind: stored === undefined ? 'created' : 'updated', iri, hash, modified, mark }
}

type Dates = {
  readonly ground: readonly Quad[]
  readonly before: readonly Quad[]
  readonly modified: string
}

/** `dct:issued` is that of the creation and `dct:modified` that of this write, unless the body brings its own. */
function missingDates(iri: string, { ground, before, modified }: Dates): Quad[] {
  const said = (quads: readonly Quad[], name: string) =>
    quads.find((q) => q.subject.value === iri && q.predicate.value === dct(name).value)
  const now = literal(modified, xsd('dateTime'))
  const say = (name: string, value: Quad['object']) =>
    said(ground, name) ? [] : [quad(namedNode(iri), dct(name), value)]
  return [...say('issued', said(before, 'issued')?.object ?? now), ...say('modified', now)]
}

async function cascade(
  deps: WritingDeps,
  id: string,
  hash: string,
  signal: AbortSignal,
): Promise<Mark> {
  const { store, names, versions } = deps
  const iri = names.catalogue(id)
  const members = bind(membersQuery, { catalogue: namedNode(iri) })
  const page = paged(members, { limit: batchSize })
  for (;;) {
    const rows = await store.select(page, signal)
    const found = rows.flatMap((row) => names.idOf('dataset', row['resource']?.value ?? '') ?? [])
    if (found.length === 0) break
    const gone = found.map((member) => ({
      member,
      mark: { resource: names.dataset(member), version: versions.next() },
    }))
    const changes: Change[] = gone.flatMap(({ member, mark }) =>
      removal(names, { catalogue: id, id: member }, mark),
    )
    await landChanges(
      deps,
      changes,
      gone.map(({ mark }) => mark),
    )
  }
  const mark = { resource: iri, version: versions.next() }
  const facts = systemChange({
    add: [markLine('pending', mark)],
    remove: [fact(iri, 'hash', hash)],
  })
  await landChanges(deps, [{ graph: iri, drop: true }, facts], [mark])
  return mark
}

/** Catalogues: put, read without their links, delete with everything in them, restore. */

import { keyOf } from '../rdf/read.ts'
import type { Quad } from '@rdfjs/types'
import { canonicalise } from '../rdf/canonical.ts'
import { fromLines, toLines } from '../rdf/lines.ts'
import { dct, xsd } from '../rdf/namespaces.ts'
import { skolemise } from '../rdf/skolem.ts'
import { literal, namedNode, quad } from '../rdf/terms.ts'
import { bind, loadQuery } from '../store/queries.ts'
import { catalogueContent, catalogueNode } from './content/catalogue-content.ts'
import { timestamp } from './content/record.ts'
import { rename } from './content/rename.ts'
import {
  demandNotDeleting,
  removeCatalogue,
  type CatalogueRemoval,
} from './deleting/catalogues/catalogue-removal.ts'
import type { Cascades } from './deleting/catalogues/cascades.ts'
import type { Return, Returns } from './deleting/catalogues/returns.ts'
import type { Outcome, WritingDeps } from './deps.ts'
import { catalogueMarks } from './writing/catalogue-marks.ts'
import { tooManyTriples, type DatasetPut } from './writing/dataset-plan.ts'
import { landChanges } from './writing/landing.ts'
import { unknownCatalogue } from './writing/find-dataset.ts'
import { fact, systemChange } from '../store/marks.ts'

const factsQuery = loadQuery('catalogue-facts')

type CataloguePut = Pick<DatasetPut, 'body' | 'precondition'> & { readonly id: string }

export type Catalogues = {
  put(request: CataloguePut, signal: AbortSignal): Promise<Outcome>
  /** The metadata without links, skolemised, and the hash; `undefined` when there is no such catalogue. */
  read(id: string, signal: AbortSignal): Promise<{ lines: string; hash: string } | undefined>
  /**
   * The catalogue goes at once and its datasets after it. While they do, a repeated call tells of the work. Fails with
   * `unknown-catalogue`, and with `conflict` while the catalogue is being restored.
   */
  remove(
    id: string,
    precondition: DatasetPut['precondition'],
    signal: AbortSignal,
  ): Promise<CatalogueRemoval>
  /**
   * Brings a deleted catalogue back, and behind it the datasets that went with it. Fails with `unknown-catalogue` without a
   * tombstone, `already-exists` when the id is in use again, `conflict` while the datasets are still being removed.
   */
  restore(id: string, signal: AbortSignal): Promise<Return>
  /** Fails with `unknown-catalogue`. */
  demand(id: string, signal: AbortSignal): Promise<void>
}

export type CatalogueDeps = WritingDeps & {
  readonly cascades: Cascades
  readonly returns: Returns
}

export function catalogues(deps: CatalogueDeps): Catalogues {
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
    return text === undefined ? undefined : { lines: text, hash }
  }

  const remove: Catalogues['remove'] = (id, precondition, signal) =>
    locks.run(
      `catalogue ${id}`,
      async () =>
        removeCatalogue(deps, { id, hash: await hashOf(id, signal), precondition }, signal),
      signal,
    )

  const restore: Catalogues['restore'] = (id, signal) =>
    locks.run(
      `catalogue ${id}`,
      async () => {
        await demandNotDeleting(deps, id, signal)
        return deps.returns.begin(id, signal)
      },
      signal,
    )

  const demand: Catalogues['demand'] = async (id, signal) => {
    if ((await hashOf(id, signal)) === undefined) throw unknownCatalogue(id)
  }

  return { put, read, remove, restore, demand }
}

async function replace(
  deps: CatalogueDeps,
  request: CataloguePut,
  stored: string | undefined,
  signal: AbortSignal,
): Promise<Outcome> {
  const { store, names } = deps
  const iri = names.catalogue(request.id)
  const quads = await request.body.parse(iri)
  const node = catalogueNode(quads, iri)
  const own = catalogueContent(quads, node, names)
  if (own.length > deps.triples) throw tooManyTriples(own.length, deps.triples)
  const { hash, labels } = await canonicalise(own, deps.canonical)
  request.precondition(stored)
  if (stored === undefined) await demandNotDeleting(deps, request.id, signal)
  if (stored === hash)
    return { kind: 'unchanged', iri, catalogue: request.id, hash, modified: undefined }
  const content =
    stored === undefined ? '' : ((await store.read(iri, { links: false }, signal)) ?? '')
  const before = fromLines(content)
  const renamed = rename(own, new Map([[keyOf(node), iri]]))
  const ground = skolemise(renamed, { genid: names.genid(iri), labels })
  const modified = timestamp(deps.now())
  const after = [...ground, ...missingDates(iri, { ground, before, modified })]
  const { mark, marks, lines, cascades } = catalogueMarks(deps, { iri, before, after })
  const system = systemChange({
    add: [fact(iri, 'hash', hash), ...lines],
    remove: stored === undefined ? [] : [fact(iri, 'hash', stored)],
  })
  await landChanges(deps, [{ graph: iri, content: toLines(after), before: content }, system], marks)
  if (stored === undefined) deps.tombstones.forget('catalogue', [request.id])
  if (cascades) deps.cascaded()
  const kind = stored === undefined ? 'created' : 'updated'
  return { kind, iri, catalogue: request.id, hash, modified, mark }
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

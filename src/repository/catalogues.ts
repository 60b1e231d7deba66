/** Catalogues: put, read without their links, delete with everything in them, restore. */

import type { Quad } from '@rdfjs/types'
import { canonicalise } from '../rdf/canonical.ts'
import { fromLines, toLines } from '../rdf/lines.ts'
import { dct, xsd } from '../rdf/namespaces.ts'
import { keyOf } from '../rdf/read.ts'
import { skolemise } from '../rdf/skolem.ts'
import { literal, namedNode, quad } from '../rdf/terms.ts'
import { fact, systemChange } from '../store/marks.ts'
import { bind, loadQuery } from '../store/queries.ts'
import { timestamp } from './content/catalogue-record.ts'
import { catalogueContent, catalogueNode } from './content/own-content.ts'
import { rename } from './content/rename.ts'
import type { Precondition, ResourceBody, WriteContext, WriteOutcome } from './context.ts'
import type { CatalogueDeletions, CatalogueRemoval } from './deleting/catalogue-deletion.ts'
import type { CatalogueRestore, CatalogueRestores } from './deleting/catalogue-restore.ts'
import { catalogueMarks } from './writing/catalogue-marks.ts'
import { tooManyTriples } from './writing/dataset-plan.ts'
import { unknownCatalogue } from './writing/find-datasets.ts'
import { landOne } from './writing/write-batch.ts'

const factsQuery = loadQuery('catalogue-facts')

type CataloguePut = {
  readonly id: string
  readonly body: ResourceBody
  readonly precondition: Precondition
}

export type Catalogues = {
  put(request: CataloguePut, signal: AbortSignal): Promise<WriteOutcome>
  /** The metadata without links, skolemised, and the hash; `undefined` when there is no such catalogue. */
  read(id: string, signal: AbortSignal): Promise<{ lines: string; hash: string } | undefined>
  /**
   * The catalogue goes at once and its datasets after it; while they do, a repeated call answers with that work. Fails with
   * `unknown-catalogue`, and with `conflict` while the catalogue is being restored.
   */
  remove(id: string, precondition: Precondition, signal: AbortSignal): Promise<CatalogueRemoval>
  /**
   * Brings a deleted catalogue back, and after it the datasets that went with it. Fails with `unknown-catalogue` without a
   * tombstone, `already-exists` when the id is in use again, `conflict` while the datasets are still being removed.
   */
  restore(id: string, signal: AbortSignal): Promise<CatalogueRestore>
  /** Fails with `unknown-catalogue`. */
  demand(id: string, signal: AbortSignal): Promise<void>
}

type CatalogueDeps = WriteContext & {
  readonly catalogueDeletions: CatalogueDeletions
  readonly catalogueRestores: CatalogueRestores
}

export function catalogues(deps: CatalogueDeps): Catalogues {
  const { store, names, catalogueDeletions, catalogueRestores } = deps

  const hashOf = async (id: string, signal: AbortSignal): Promise<string | undefined> => {
    const catalogue = namedNode(names.catalogue(id))
    const [row] = await store.select(bind(factsQuery, { catalogue }), signal)
    return row && (row['hash']?.value ?? '')
  }
  const locked = <T>(id: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> =>
    deps.locks.run(`catalogue ${id}`, work, signal)

  return {
    put: (request, signal) => {
      const work = async () => replace(deps, request, await hashOf(request.id, signal), signal)
      return locked(request.id, work, signal)
    },
    read: async (id, signal) => {
      const hash = await hashOf(id, signal)
      if (hash === undefined) return undefined
      const lines = await store.read(names.catalogue(id), { links: false }, signal)
      return lines === undefined ? undefined : { lines, hash }
    },
    remove: (id, precondition, signal) => {
      const work = async () => {
        const isReturning = catalogueRestores.isAtWork(id)
        const request = { id, hash: await hashOf(id, signal), precondition, isReturning }
        return catalogueDeletions.remove(request, signal)
      }
      return locked(id, work, signal)
    },
    restore: (id, signal) => {
      const work = async () => {
        await catalogueDeletions.demandNone(id, signal)
        return catalogueRestores.begin(id, signal)
      }
      return locked(id, work, signal)
    },
    demand: async (id, signal) => {
      if ((await hashOf(id, signal)) === undefined) throw unknownCatalogue(id)
    },
  }
}

async function replace(
  deps: CatalogueDeps,
  request: CataloguePut,
  stored: string | undefined,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const { store, names } = deps
  const iri = names.catalogue(request.id)
  const quads = await request.body.parse(iri)
  const node = catalogueNode(quads, iri)
  const own = catalogueContent(quads, node, names)
  if (own.length > deps.triples) throw tooManyTriples(own.length, deps.triples)
  const { hash, labels } = await canonicalise(own, deps.canonical)
  request.precondition(stored)
  if (stored === undefined) await deps.catalogueDeletions.demandNone(request.id, signal)
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
  const kind = stored === undefined ? 'created' : 'updated'
  const result: WriteOutcome = { kind, iri, catalogue: request.id, hash, modified, mark }
  const changes = [{ graph: iri, content: toLines(after), before: content }, system]
  await landOne(deps, { result, group: { changes, marks } })
  if (stored === undefined) deps.tombstones.forget('catalogue', [request.id])
  if (cascades) deps.cascaded()
  return result
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

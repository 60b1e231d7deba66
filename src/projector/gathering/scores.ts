/** Datasets of which only the scores are other: their documents are changed in part. */

import type { Amendment, SearchIndex } from '../../search-index/search-index.ts'
import type { Names } from '../../rdf/names.ts'
import { graphOf } from '../../rdf/read.ts'
import type { DocumentBuilder } from '../document.ts'
import type { Pending } from '../loop/queue.ts'

export type ScoresDeps = {
  readonly index: Pick<SearchIndex, 'amend'>
  readonly builder: Pick<DocumentBuilder, 'scores'>
  readonly names: Names
}

/** By what they belong to. */
export type Amendments = ReadonlyMap<Pending, Amendment>

/** Of those that lack nothing but scores, where the engine can change a part of a document. */
export function amendmentsOf(
  { index, builder, names }: ScoresDeps,
  batch: readonly Pending[],
): Amendments {
  if (!index.amend) return new Map()
  return new Map(
    batch.flatMap((one) => {
      const { resource, version, fresh, lacksScores } = one
      if (!lacksScores || !fresh?.scores) return []
      const id = names.idOf('dataset', resource) ?? ''
      const metrics = graphOf(fresh.scores)
      const amendment = builder.scores({ id, iri: resource, version, metrics })
      return amendment ? [[one, amendment] as const] : []
    }),
  )
}

/** Resolves with those whose documents have to be written whole. */
export async function amended(
  { index }: Pick<ScoresDeps, 'index'>,
  amendments: Amendments,
  signal: AbortSignal,
): Promise<readonly Pending[]> {
  if (amendments.size === 0) return []
  const all = [...amendments.values()]
  const left = new Set((await index.amend?.(all, signal)) ?? all)
  return [...amendments].flatMap(([one, amendment]) => (left.has(amendment) ? [one] : []))
}

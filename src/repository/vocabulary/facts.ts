/** What the system graph says of a vocabulary: where it is stored, its hash, and what was found in it. */

import { namedNode } from '../../rdf/terms.ts'
import { fact } from '../../store/marks.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { RepositoryDeps } from '../deps.ts'

const query = loadQuery('vocabulary-facts')

export type Facts = {
  readonly scheme: string
  readonly hash: string
  /** Broken integrity conditions of SKOS and how often: `S13 2, S14 1`; `''` = none. */
  readonly integrity: string
}

export async function factsOf(
  { store, names }: Pick<RepositoryDeps, 'store' | 'names'>,
  id: string,
  signal: AbortSignal,
): Promise<Facts | undefined> {
  const vocabulary = namedNode(names.vocabulary(id))
  const [row] = await store.select(bind(query, { vocabulary }), signal)
  const { scheme, hash, integrity } = row ?? {}
  if (!scheme || !hash) return undefined
  return { scheme: scheme.value, hash: hash.value, integrity: integrity?.value ?? '' }
}

/** The lines of the handle, which come and go together. */
export const factLines = (handle: string, { scheme, hash, integrity }: Facts): string[] => [
  fact(handle, 'scheme', { iri: scheme }),
  fact(handle, 'hash', hash),
  ...(integrity === '' ? [] : [fact(handle, 'integrity', integrity)]),
]
